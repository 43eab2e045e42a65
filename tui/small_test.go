package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// At 40x10 one pane has room. Whoever decides there sees which of a frame's
// findings it is about: while choosing it, in the question, and after.
func TestDecidingOnASmallScreen(t *testing.T) {
	d := drive(t, review(t)).keys("esc")
	d.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	d.keys("n").sees("findings 1/2")
	d.keys("]").sees("findings 2/2", "2/2 WRD-SEC-SLACK blocked ? undecided")
	d.keys("t").sees("2/2 SLACK: t true, f false, a accept", "[findings 2/2]", "✗ WRD-SEC-SLACK  blocked  ? undecided", "a secret in the text (Slack token)")
	d.keys("esc").sees("[frames]").lacks("t true")
	d.keys("t", "f").sees("2/2 SLACK: false, note:", "✗ WRD-SEC-SLACK").types("made up").sees("made up")
	d.keys("enter").sees("2/2 SLACK: false positive; u undoes", "findings 1/2", "[frames]")
	d.keys("n", "n", "n").sees("frame 21").keys("t").sees("1/2 EXFIL-I…: t true, f false, a accept", "✗ WRD-RES-EXFIL-IP-LITERAL")
	d.keys("a").sees("EXFIL…: accepted, note: ").types("ours").keys("enter").sees("1/2 EXFIL-…: accepted; u takes it back")
	for _, w := range []int{20, 28, 33, 41, 59, 60, 72, 99, 140} {
		d.send(tea.WindowSizeMsg{Width: w, Height: 10})
		d.keys("g", ":").types("12").keys("enter", "]", "t")
		if s := strings.Split(d.screen(), "\n"); !strings.Contains(s[9], "SLACK: t") {
			t.Errorf("%d cells: the question is %q", w, s[9])
		}
		d.keys("f").sees("SLACK").keys("esc")
	}
}

// Sentences are broken between words, a pane says how much of it is out of sight,
// and frames that are blocked are not taken for findings.
func TestSmallPanesAreReadable(t *testing.T) {
	d := drive(t, review(t))
	d.sees("demo 1.0.0 (2025-11-25) 4 frames blocked", "✗ 5 block")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.keys("esc", "n").sees("─ findings 2 ──", " ↓1 ─", "─ frame 12 [pretty]")
	d.keys("tab", "tab", "j").sees(" ↑1 ─")
	d.keys("g", "z").lacks("↓", "↑")
	d.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	d.keys("z", "n").sees("   the text names hosts of the", "\n   denylist: webhook.site ")
	d.keys("?").sees("↓").keys("G").sees("↑").lacks("↓")
	d.keys("esc", "s").sees("─ summary ", " ↓")
}
