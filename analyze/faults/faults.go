// Package faults gathers all that is wrong with a file of rules, so that its
// author learns of it at once and not fault by fault.
package faults

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxNamed is how many faults of a file are named; the rest is counted.
const MaxNamed = 50

// Fault is one thing that is wrong with a file.
type Fault struct {
	File string
	Line int    // 1-based; 0 where the file as a whole is meant
	Key  string // dotted path of the key; "" at the top
	Text string
}

func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		b.WriteString(":" + strconv.Itoa(f.Line))
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	return b.String() + ": " + f.Text
}

// List is what is wrong with the file of that name.
type List struct {
	File  string
	found list
	more  int
}

// Add notes a fault at a line (0: none) and key. No value of the file belongs
// into the text: it could be a secret.
func (l *List) Add(line int, key, format string, args ...any) {
	if l.Full() {
		l.more++
		return
	}
	l.found = append(l.found, &Fault{File: l.File, Line: line, Key: key, Text: fmt.Sprintf(format, args...)})
}

// Full reports that what is added from now on is only counted, so that nothing
// need be found out for it.
func (l *List) Full() bool { return len(l.found) >= MaxNamed }

// Empty reports that nothing is wrong so far.
func (l *List) Empty() bool { return len(l.found) == 0 }

// Err joins all faults, each a *Fault; nil where there is none.
func (l *List) Err() error {
	if l.Empty() {
		return nil
	}
	if l.more > 0 {
		text := fmt.Sprintf("%d more faults", l.more)
		if l.more == 1 {
			text = "1 more fault"
		}
		return append(l.found, &Fault{File: l.File, Text: text})
	}
	return l.found
}

// list tells its faults in one line.
type list []error

func (f list) Error() string {
	const most = 5
	var b strings.Builder
	for i, err := range f {
		if i == most {
			fmt.Fprintf(&b, "; and %d more", len(f)-most)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

// Unwrap gives the faults one by one.
func (f list) Unwrap() []error { return f }
