package expect

import (
	"bytes"
	"encoding/xml"
	"io"
	"path"

	"github.com/warden-trace/warden/formats/report/safe"
)

// The JUnit form, as Jenkins and Ant read it: a suite a folder, a test a trace.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []*junitSuite
}

type junitSuite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Time     string   `xml:"time,attr"`
	Cases    []junitCase
}

type junitCase struct {
	XMLName xml.Name   `xml:"testcase"`
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes results as JUnit XML. Times are zero: they would make two
// runs differ.
func WriteJUnit(w io.Writer, results []*Result) error {
	var all junitSuites
	suites := map[string]*junitSuite{}
	for _, r := range results {
		dir := safe.Name(path.Dir(r.Case.Name))
		s := suites[dir]
		if s == nil {
			s = &junitSuite{Name: dir, Time: "0"}
			suites[dir] = s
			all.Suites = append(all.Suites, s)
		}
		c := junitCase{Name: safe.Name(path.Base(r.Case.Name)), Class: dir, Time: "0"}
		switch {
		case r.Err != nil:
			c.Error = &junitText{"the trace could not be run", "error", safe.String(safe.Limit(r.Err.Error(), 4096))}
			s.Errors++
		case r.Diff != nil:
			var b bytes.Buffer
			if err := r.Diff.Write(&b, r.Case); err != nil {
				return err
			}
			c.Failure = &junitText{"the findings are not as expected", "difference", b.String()}
			s.Failures++
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	b, err := xml.MarshalIndent(&all, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(append([]byte(xml.Header), b...), '\n'))
	return err
}
