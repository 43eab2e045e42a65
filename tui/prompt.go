package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/tui/paint"
)

// prompt is the line at the bottom where something is typed.
type prompt struct {
	label string
	// labelFor makes the label for a width of the row, in place of label.
	labelFor func(width int) string
	decides  bool // about the finding in hand
	text     []rune
	at       int
	done     func(a *App, text string) tea.Cmd
	history  *[]string
	back     int // steps back in the history
	kept     []rune
}

const maxTyped = 4096

func newPrompt(label, text string, history *[]string, done func(*App, string) tea.Cmd) *prompt {
	p := &prompt{label: label, text: []rune(text), done: done, history: history}
	p.at = len(p.text)
	return p
}

// key edits; it reports whether the prompt was ended and how.
func (p *prompt) key(k tea.KeyMsg) (ended, ok bool) {
	if k.Type == tea.KeyRunes && !k.Alt {
		p.insert(k.Runes) // "up" typed at once is a text, not an arrow
		return false, false
	}
	switch k.String() {
	case "enter":
		return true, true
	case "esc", "ctrl+c":
		return true, false
	case "left", "ctrl+b":
		p.at = max(p.at-1, 0)
	case "right", "ctrl+f":
		p.at = min(p.at+1, len(p.text))
	case "home", "ctrl+a":
		p.at = 0
	case "end", "ctrl+e":
		p.at = len(p.text)
	case "backspace", "ctrl+h":
		if p.at == 0 && len(p.text) == 0 {
			return true, false
		}
		if p.at > 0 {
			p.text = append(p.text[:p.at-1], p.text[p.at:]...)
			p.at--
		}
	case "delete":
		if p.at < len(p.text) {
			p.text = append(p.text[:p.at], p.text[p.at+1:]...)
		}
	case "ctrl+u":
		p.text = append([]rune(nil), p.text[p.at:]...)
		p.at = 0
	case "ctrl+k":
		p.text = p.text[:p.at]
	case "ctrl+w":
		i := p.at
		for i > 0 && p.text[i-1] == ' ' {
			i--
		}
		for i > 0 && p.text[i-1] != ' ' {
			i--
		}
		p.text = append(p.text[:i], p.text[p.at:]...)
		p.at = i
	case "up":
		p.recall(1)
	case "down":
		p.recall(-1)
	default:
		if k.Type == tea.KeySpace {
			p.insert(k.Runes)
		}
	}
	return false, false
}

func (p *prompt) insert(r []rune) {
	if len(p.text)+len(r) > maxTyped {
		return
	}
	p.text = append(p.text[:p.at], append(append([]rune(nil), r...), p.text[p.at:]...)...)
	p.at += len(r)
}

func (p *prompt) recall(by int) {
	if p.history == nil {
		return
	}
	n := p.back + by
	if n < 0 || n > len(*p.history) {
		return
	}
	if p.back == 0 {
		p.kept = p.text
	}
	p.back = n
	p.text = p.kept
	if n > 0 {
		p.text = []rune((*p.history)[len(*p.history)-n])
	}
	p.at = len(p.text)
}

func (p *prompt) remember() {
	s := string(p.text)
	if p.history == nil || strings.TrimSpace(s) == "" {
		return
	}
	if h := *p.history; len(h) > 0 && h[len(h)-1] == s {
		return
	}
	*p.history = append(*p.history, s)
}

// row draws the prompt with its cursor in sight. A secret that was typed is shown
// as any other is, with the cursor behind the text.
func (p *prompt) row(r *paint.Row, scrub func(string) string) *paint.Row {
	label := p.label
	if p.labelFor != nil {
		label = p.labelFor(r.Left() - min(12, r.Left()/3)) // with some room to type
	}
	r.On(paint.Prompt).Put(paint.Prompt, label)
	before, under, after := string(p.text[:p.at]), " ", ""
	if p.at < len(p.text) {
		under, after = string(p.text[p.at]), string(p.text[p.at+1:])
	}
	if s := string(p.text); scrub(s) != s {
		before, under, after = scrub(s), " ", ""
	}
	for paint.Width(before) > r.Left()-4 && before != "" {
		_, size := firstRune(before)
		before = before[size:]
	}
	return r.Put(paint.Prompt, before).Put(paint.Cursor, under).Put(paint.Prompt, after)
}
