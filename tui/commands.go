package tui

import (
	"fmt"
	"sort"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// command is one thing that a reader can ask for: by its keys, by its name
// after `:`, and explained by `?`. All three read this one table.
type command struct {
	name  string
	group string
	help  string
	keys  []string
	run   func(a *App, arg string) tea.Cmd
	arg   string // what may stand behind the name after `:`
}

// commands is the table, in the order of the help. What changes between the
// keys of two readers is bound by a Config.
var commands []command

func init() {
	commands = []command{
		{"down", "Move", "next row, or scroll down", []string{"j", "down"}, move(1), ""},
		{"up", "Move", "previous row, or scroll up", []string{"k", "up"}, move(-1), ""},
		{"page-down", "Move", "a page down", []string{"pgdown", "ctrl+f", "ctrl+d"}, page(1), ""},
		{"page-up", "Move", "a page up", []string{"pgup", "ctrl+b", "ctrl+u"}, page(-1), ""},
		{"first", "Move", "to the first frame or line", []string{"g", "home"}, edge(false), ""},
		{"last", "Move", "to the last frame or line", []string{"G", "end"}, edge(true), ""},
		{"step", "Move", "feed the machine the next frame", []string{"l", "right", "."}, stepBy(1), ""},
		{"step-back", "Move", "one frame back, exactly", []string{"h", "left", ","}, stepBy(-1), ""},
		{"next", "Move", "next blocked call; next match while searching", []string{"n"}, next(false), ""},
		{"previous", "Move", "previous blocked call", []string{"p"}, (*App).previousBlocked, ""},
		{"previous-match", "Move", "previous match while searching, else previous blocked call", []string{"N"}, next(true), ""},
		{"next-finding", "Move", "next finding, on this frame or a later one", []string{"]"}, finding(1), ""},
		{"previous-finding", "Move", "previous finding", []string{"["}, finding(-1), ""},
		{"next-undecided", "Move", "next frame with an undecided block finding", []string{"}"}, undecided(false), ""},
		{"previous-undecided", "Move", "previous frame with an undecided block finding", []string{"{"}, undecided(true), ""},
		{"goto", "Move", "go to a frame (120: number 120 of the session in hand, counted from 0 as in reports and filters; +10, -5), a share (50%), a time (12:30:05, +5s since the start)", []string{":"}, (*App).colon, "PLACE"},
		{"play", "Move", "play at recorded speed, or stop", []string{" "}, (*App).playToggle, ""},
		{"faster", "Move", "double the speed of playing", []string{"+", "="}, speed(2), ""},
		{"slower", "Move", "halve it", []string{"-"}, speed(0.5), ""},

		{"next-pane", "Look", "to the next pane", []string{"tab"}, pane(1), ""},
		{"previous-pane", "Look", "to the previous pane", []string{"shift+tab"}, pane(-1), ""},
		{"fold", "Look", "fold or unfold; on a finding: what its rule says", []string{"enter"}, (*App).fold, ""},
		{"view", "Look", "next view of the frame", []string{"v"}, (*App).viewNext, "pretty|raw|diff|machine"},
		{"pretty", "Look", "the frame as indented JSON", []string{"1"}, view(viewPretty), ""},
		{"raw", "Look", "the frame's bytes", []string{"2"}, view(viewRaw), ""},
		{"diff", "Look", "what was sent and what would have arrived", []string{"3", "d"}, view(viewDiff), ""},
		{"machine", "Look", "what the session machine knows", []string{"4", "m"}, view(viewMachine), ""},
		{"zoom", "Look", "the pane in hand alone, or all panes", []string{"z"}, (*App).zoomToggle, ""},
		{"overview", "Look", "overview by time or by number of frames", []string{"o"}, (*App).axis, ""},
		{"summary", "Look", "what is in the trace and where to look first", []string{"s"}, (*App).openSummary, ""},
		{"theme", "Look", "dark or light", nil, (*App).setTheme, "dark|light"},

		{"search", "Find", "search for a text; esc ends", []string{"/"}, (*App).searchPrompt, "TEXT"},
		{"filter", "Find", "show only frames that an expression is true for", []string{"f"}, (*App).filterPrompt, "EXPR"},
		{"only-undecided", "Find", "show only frames with undecided block findings", []string{"U"}, (*App).undecidedToggle, ""},

		{"triage", "Decide", "true or false positive, with a note, into the baseline", []string{"t"}, (*App).triage, "true|false|accept [NOTE]"},
		{"undo", "Decide", "take the last decision back", []string{"u"}, (*App).undo, ""},

		{"select", "Keep", "select the frame or not", []string{"x"}, (*App).selectToggle, ""},
		{"select-range", "Keep", "select from here to where it is pressed again", []string{"V"}, (*App).selectRange, ""},
		{"select-call", "Keep", "select the frame's call: request and answer", []string{"c"}, (*App).selectCall, ""},
		{"copy", "Keep", "copy the frame, or the finding, secrets redacted, to the clipboard (OSC 52)", []string{"y"}, (*App).copy, ""},
		{"save", "Keep", "save the selection, or the frame, as a trace", []string{"w"}, (*App).savePrompt, "FILE"},
		{"save!", "Keep", "the same over a file that is there", nil, (*App).saveOver, "FILE"},
		{"case", "Keep", "make a case for a corpus of the current finding", []string{"e"}, (*App).casePrompt, "NAME"},

		{"help", "", "this", []string{"?", "f1"}, (*App).help, ""},
		{"cancel", "", "leave a prompt, a search, a filter, a selection, in this order", []string{"esc"}, (*App).cancel, ""},
		{"quit", "", "leave", []string{"q", "ctrl+c"}, (*App).quit, ""},
	}
}

// KeyMap says which command a key is bound to.
type KeyMap struct {
	of   map[string]*command
	keys map[string][]string // of a command
}

// DefaultKeys are the keys of the table.
func DefaultKeys() *KeyMap {
	m := &KeyMap{of: map[string]*command{}, keys: map[string][]string{}}
	for i := range commands {
		c := &commands[i]
		m.keys[c.name] = c.keys
		for _, k := range c.keys {
			m.of[k] = c
		}
	}
	return m
}

// Bind gives a command other keys in place of its own. "space" is the space
// bar. A key that another command has goes over to this one.
func (m *KeyMap) Bind(name string, keys []string) error {
	c := byName(name)
	if c == nil {
		return fmt.Errorf("no command %q; there are: %s", name, strings.Join(commandNames(), ", "))
	}
	for k, have := range m.of {
		if have == c {
			delete(m.of, k)
		}
	}
	m.keys[name] = nil
	for _, k := range keys {
		if k == "space" {
			k = " "
		}
		if k == "" || strings.ContainsAny(k, "\x00\x1b\n") {
			return fmt.Errorf("%s: %q is no key", name, k)
		}
		if old := m.of[k]; old != nil {
			var left []string
			for _, o := range m.keys[old.name] {
				if o != k {
					left = append(left, o)
				}
			}
			m.keys[old.name] = left
		}
		m.of[k] = c
		m.keys[name] = append(m.keys[name], k)
	}
	return nil
}

// Check refuses a map that nobody could leave the program with.
func (m *KeyMap) Check() error {
	if len(m.keys["quit"]) == 0 {
		return fmt.Errorf("quit has no key left")
	}
	return nil
}

// show is the keys of a command as the help writes them.
func (m *KeyMap) show(name string) string {
	var out []string
	for _, k := range m.keys[name] {
		switch k {
		case " ":
			k = "space"
		case "down":
			k = "↓"
		case "up":
			k = "↑"
		case "left":
			k = "←"
		case "right":
			k = "→"
		}
		out = append(out, k)
	}
	return strings.Join(out, " ")
}

func byName(name string) *command {
	for i := range commands {
		if commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

func commandNames() []string {
	var out []string
	for i := range commands {
		out = append(out, commands[i].name)
	}
	sort.Strings(out)
	return out
}
