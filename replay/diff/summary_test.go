package diff

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestReportsSayWhatTheyLack: a comparison of a part never passes for one of all.
func TestReportsSayWhatTheyLack(t *testing.T) {
	s := &Summary{Traces: 1, ParseErrors: 2, Fatal: true, Interrupted: true}
	for name, write := range map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return s.WriteText(w, Names{"a", "b"}) },
		"markdown": func(w io.Writer) error { return s.WriteMarkdown(w, Names{"a", "b"}) },
		"json":     func(w io.Writer) error { return s.WriteJSON(w, Names{"a", "b"}, 130) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		want := "2 lines unreadable; not everything could be read; interrupted: this is what differs until then"
		if name == "json" {
			want = `"parse_errors":2,"interrupted":true,"exit_code":130`
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: %s", name, &b)
		}
	}
}
