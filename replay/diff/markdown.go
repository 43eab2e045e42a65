package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the summary for a pull request.
func (s *Summary) WriteMarkdown(w io.Writer, n Names) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## Rule changes: %d added, %d removed, %d changed\n\n", s.Added, s.Removed, s.Changed)
	fmt.Fprintf(&b, "%s → %s over %s, %s, %s.\n\n", code(n.Base), code(n.Head), plural(s.Traces, "trace"), plural(s.Sessions, "session"), plural(s.Frames, "frame"))
	if lacks := s.lacks(); lacks != nil {
		fmt.Fprintf(&b, "**Not complete:** %s.\n\n", strings.Join(lacks, "; "))
	}
	if len(s.Edits) == 0 {
		b.WriteString("The rules are the same.\n")
	} else {
		b.WriteString("| edit | findings added | removed | changed |\n|---|--:|--:|--:|\n")
		const most = 50
		for i, e := range s.Edits {
			if i == most {
				fmt.Fprintf(&b, "| and %s; %s | | | |\n", plural(int64(len(s.Edits)-most), "more edit"), allOfThem)
				break
			}
			fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", code(e.String()), e.Added, e.Removed, e.Changed)
		}
	}
	if len(s.Rules) > 0 {
		b.WriteString("\n| rule | base | head | added | removed | changed |\n|---|--:|--:|--:|--:|--:|\n")
		for _, r := range s.Rules {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", r.name(), r.Base, r.Head, r.Added, r.Removed, r.Changed)
		}
	}
	for _, r := range s.Rules {
		fmt.Fprintf(&b, "\n<details><summary>%s: samples</summary>\n\n", r.name())
		for i := range r.Samples {
			x := &r.Samples[i]
			fmt.Fprintf(&b, "- %s %s: %s, %s  \n  %s  \n", x.Sign, code(where(&x.Finding)), x.Tier, x.Action, code(evidence(&x.Finding)))
			if x.Was != "" {
				fmt.Fprintf(&b, "  was %s  \n", code(x.Was))
			}
			fmt.Fprintf(&b, "  because %s\n", code(because(x.Cause)))
		}
		for _, sign := range []Sign{Plus, Minus, Tilde} {
			if more := r.of(sign) - MaxSamples; more > 0 {
				fmt.Fprintf(&b, "- and %d more %s; %s\n", more, sign, allOfThem)
			}
		}
		b.WriteString("\n</details>\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// code is text in a code span that nothing in it can close, on one line and
// within a table cell.
func code(s string) string {
	s = cut(s, 600)
	s = strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
	if strings.TrimSpace(s) == "" {
		return "` `"
	}
	tick := "`"
	for strings.Contains(s, tick) {
		tick += "`"
	}
	if len(tick) > 1 {
		s = " " + s + " "
	}
	return tick + s + tick
}
