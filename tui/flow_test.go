package tui

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/formats/baseline"
)

func review(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../corpus/sessions/review.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOpensWithWhereToLookFirst(t *testing.T) {
	d := drive(t, review(t))
	d.sees("Where to look first", "5 block", "5 of 5 undecided", "24 frames in 1 session", "demo 1.0.0")
	d.keys("down", "down", "enter").sees("frame 14", "WRD-RES-EXFIL-DOMAIN  blocked  ? undecided", "matched: webhook.site")
}

func TestBlockedCallsForwardAndBack(t *testing.T) {
	d := drive(t, review(t)).keys("esc")
	var at []int
	for range 5 {
		d.keys("n")
		at = append(at, d.a.frame()+1)
	}
	if want := []int{13, 15, 18, 22, 22}; !equal(at, want) {
		t.Fatalf("n stops at %v, want %v", at, want)
	}
	d.sees("no further blocked call")
	d.keys("p", "p")
	if got := d.a.frame() + 1; got != 15 {
		t.Fatalf("p p stops at %d, want 15", got)
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestFindingsWithinAndAcrossFrames(t *testing.T) {
	d := drive(t, review(t)).keys("esc", ":").types("11").keys("enter", "]")
	if d.a.frame()+1 != 13 || d.a.finds.cursor != 0 {
		t.Fatalf("] went to frame %d, finding %d", d.a.frame()+1, d.a.finds.cursor)
	}
	d.keys("]")
	if d.a.frame()+1 != 13 || d.a.finds.cursor != 1 {
		t.Fatalf("] ] went to frame %d, finding %d", d.a.frame()+1, d.a.finds.cursor)
	}
	d.keys("]")
	if d.a.frame()+1 != 15 {
		t.Fatalf("] ] ] went to frame %d", d.a.frame()+1)
	}
	d.keys("[")
	if d.a.frame()+1 != 13 || d.a.finds.cursor != 1 {
		t.Fatalf("[ went to frame %d, finding %d, not to the last of the frame before", d.a.frame()+1, d.a.finds.cursor)
	}
}

func TestDiffShowsWhatTheClientGets(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n", "d")
	d.sees("what the server sent, and what the client would have received:", "-   \"result\": {", "+   \"error\": {", "-32001")
	d.keys("n", "n").sees("what the server sent") // control characters, cut out of the text
	var gone string
	for _, r := range d.a.detail.rows {
		for _, s := range r.segs {
			if s.Role == pieceRoles[4+7] {
				gone += s.Text
			}
		}
	}
	if !strings.Contains(gone, `\u001b`) {
		t.Errorf("the removed control characters are not marked: %q\n%s", gone, d.screen())
	}
	d.keys("4").sees("state of the session", "client's requests in flight")
	d.keys("1", "h").keys("3").sees("unchanged")
}

func TestTriageIsWrittenAtOnceAndTakenBack(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n")
	file := filepath.Join(d.dir, "baseline.json")
	d.keys("t").sees("t true positive").keys("f").types("a sample, not a key").keys("enter")
	d.sees("4 of 5 undecided", "✓ false positive")
	b, err := baseline.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	es := b.Entries()
	if len(es) != 1 || es[0].State != baseline.FalsePositive || es[0].Reason != "a sample, not a key" || es[0].Created != "2026-08-03" {
		t.Fatalf("the file has %+v", es)
	}
	if d.a.finds.cursor != 1 {
		t.Error("triage did not go on to what is undecided on the frame")
	}
	d.keys("t", "t", "enter").sees("3 of 5 undecided")
	d.keys("u").sees("4 of 5 undecided", "taken back").keys("u").sees("5 of 5 undecided")
	if b, err = baseline.Load(file); err != nil || b.Len() != 0 {
		t.Fatalf("after undo the file has %d entries (%v)", b.Len(), err)
	}
	d.keys("u").sees("nothing to take back")
}

func TestTriageKeepsWhatOthersWrote(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n")
	file := filepath.Join(d.dir, "baseline.json")
	other := baseline.New()
	other.Put(baseline.Entry{Fingerprint: strings.Repeat("a", 32), Rule: "WRD-RES-ANSI", State: baseline.Accepted, Created: "2026-08-01"})
	if err := other.Save(file, nil); err != nil {
		t.Fatal(err)
	}
	d.keys("t", "t", "enter")
	b, err := baseline.Load(file)
	if err != nil || b.Len() != 2 {
		t.Fatalf("%d entries (%v), want the other's and ours", b.Len(), err)
	}
}

func TestABrokenBaselineIsNotWrittenOver(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n")
	file := filepath.Join(d.dir, "baseline.json")
	if err := os.WriteFile(file, []byte("not a baseline"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.keys("t", "t", "enter").sees("not written", "5 of 5 undecided")
	if got, _ := os.ReadFile(file); string(got) != "not a baseline" {
		t.Fatalf("the file was changed: %q", got)
	}
}

func TestOnlyUndecided(t *testing.T) {
	d := drive(t, review(t), func(o *Options) { o.OnlyUndecided = true })
	d.sees("frames 4 of 24, undecided", "frame 12")
	d.keys("t", "a", "enter", "t", "a", "enter").sees("frames 3 of 24, undecided", "frame 14")
	d.keys("u").sees("frames 4 of 24")
	d.keys("U").sees("frames 24")
}

func TestSearch(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "/").types("webhook").keys("enter")
	if d.a.frame()+1 != 15 {
		t.Fatalf("found at %d", d.a.frame()+1)
	}
	d.keys("n").sees(`no further frame has "webhook"`)
	d.keys("esc", "p")
	if d.a.frame()+1 != 13 {
		t.Fatalf("after the search p goes to %d", d.a.frame()+1)
	}
	d.keys("g", "/").types("READ_TICKET").keys("enter").sees("no further frame")
	d.keys("/").types("read_ticket").keys("enter")
	if d.a.frame()+1 != 5 {
		t.Fatalf("found at %d, want the list of tools", d.a.frame()+1)
	}
	d.keys("n", "N")
	if d.a.frame()+1 != 5 {
		t.Fatalf("n N ends at %d", d.a.frame()+1)
	}
}

func TestFilter(t *testing.T) {
	d := drive(t, review(t)).keys("esc")
	for _, c := range []struct {
		expr string
		want []int
	}{
		{`tool == "read_ticket"`, []int{8, 11}},
		{`rule == "WRD-RES-ANSI"`, []int{18}},
		{`tier == "block" and tool == "read_file"`, []int{13, 22}},
		{`type == "notification"`, []int{3, 17, 20}},
		{`raw contains "webhook"`, []int{15}},
		{`action == "modified"`, []int{18}},
		{`frame < 2`, []int{1, 2}},
	} {
		d.keys("f", "ctrl+u").types(c.expr).keys("enter")
		var got []int
		for _, k := range d.a.filter.kept {
			got = append(got, int(k)+1)
		}
		if !equal(got, c.want) {
			t.Errorf("%s keeps %v, want %v", c.expr, got, c.want)
		}
	}
	d.keys("esc").sees("frames 24").lacks("frames 2 of")
	d.keys("f", "ctrl+u").types("nonsense ==").keys("enter").sees("filter:")
	d.keys("f", "ctrl+u").types(`rule == "WRD-RES-ANSII"`).keys("enter").sees("filter:", "is never")
	d.keys("f", "ctrl+u").types("help").keys("enter").sees("Fields of frames")
}

func TestGoTo(t *testing.T) {
	d := drive(t, review(t)).keys("esc")
	for _, c := range []struct {
		place string
		want  int
	}{{"7", 7}, {"+3", 10}, {"-2", 8}, {"100%", 23}, {"0%", 0}, {"+1s", 7}, {"1s", 7}, {"08:00:02", 13}, {"2026-11-02T08:00:03Z", 20},
		{"999", 23}, {"0", 0}} {
		d.keys(":").types(c.place).keys("enter")
		if got := d.a.frame(); got != c.want {
			t.Errorf(":%s goes to %d, want %d", c.place, got, c.want)
		}
	}
	d.keys(":").types("nowhere").keys("enter").sees("no place and no command")
	d.keys(":").types("last").keys("enter")
	if d.a.frame()+1 != 24 {
		t.Errorf(":last goes to %d", d.a.frame()+1)
	}
}

// A frame has one number in every text of the stepper, and it is the one that
// reports and expressions have: within its session, from 0.
func TestFramesAreCountedAsEverywhere(t *testing.T) {
	line := func(session string, id int) string {
		return fmt.Sprintf(`{"session":%q,"direction":"c2s","frame":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d"}}}`+"\n", session, id, id)
	}
	trace := line("a", 10) + line("b", 20) + "no frame\n" + line("b", 21) + line("a", 11) + line("a", 12)
	d := drive(t, trace).keys("esc")
	d.sees("   0 → t10", "   0 → t20", "   - ", "   1 → t21", "   1 → t11", "   2 → t12", "frame 0 · 6 frames")
	d.keys("down", "down").sees("─ line 3 ", "line 3 · 6 frames")
	d.keys("down").sees("─ frame 1 ", "frame 1 of its session", "session b", "frame 1 · 6 frames")
	d.keys("4").sees("20 tools/call t20, frame 0 of the session").keys("1")
	d.keys(":").types("0").keys("enter") // of the session in hand
	if d.a.frame() != 1 {
		t.Errorf(":0 in session b goes to frame %d of the trace, want 1", d.a.frame())
	}
	d.keys(":").types("7").keys("enter").sees("session b: the last frame is 1")
	d.keys("V").sees("range begins at frame 1").keys("esc", "g")
	d.keys(":").types("2").keys("enter").sees("─ frame 2 ", "session a")
	d.keys("f").types("frame == 1").keys("enter").sees("frames 2 of 6", "   1 → t21", "   1 → t11")
	d.keys(":").types("2").keys("enter").sees("the filter hides frame 2")

	at := drive(t, trace, func(o *Options) { o.Goto = "2" })
	at.sees("─ frame 2 ", "session a")
}

func TestResizeAndQuit(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n")
	for _, s := range [][2]int{{40, 10}, {80, 24}, {200, 60}, {20, 5}, {1, 1}, {19, 3}, {400, 100}, {41, 17}, {60, 18}, {110, 16}} {
		d.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		for _, k := range []string{"tab", "tab", "tab", "v", "v", "v", "v", "z", "z", "s", "esc", "?", "esc"} {
			d.keys(k)
			fits(t, d.a.View(), s[0], s[1])
		}
	}
	d.keys("q")
	if !d.quit {
		t.Error("q does not leave")
	}
}

func fits(t *testing.T, view string, w, h int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) > h {
		t.Fatalf("%dx%d: %d lines", w, h, len(lines))
	}
	for _, l := range lines {
		if n := cellsOf(sgr.ReplaceAllString(l, "")); n > w {
			t.Fatalf("%dx%d: a line of %d cells: %q", w, h, n, l)
		}
	}
}

func TestCopyIsBase64Alone(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n", "y").sees("copied the frame")
	seq := d.copy.String()
	body, ok := strings.CutPrefix(seq, "\x1b]52;c;")
	body, ok2 := strings.CutSuffix(body, "\x07")
	if !ok || !ok2 {
		t.Fatalf("the terminal was sent %q", seq)
	}
	raw, err := base64.StdEncoding.DecodeString(body)
	if err != nil || string(raw) != string(d.a.shown().Bytes()) || !strings.Contains(string(raw), "xoxb…(len=30)") {
		t.Fatalf("copied %q (%v)", raw, err)
	}
}

func TestSaveSelectionReadsBack(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n", "c").sees("2 frames selected")
	out := filepath.Join(d.dir, "part.jsonl")
	d.keys("w", "ctrl+u").types(out).keys("enter").sees("saved 2 frames")
	d.keys("w", "ctrl+u").types(out).keys("enter").sees("is there already")
	again := (&driver{t: t, dir: t.TempDir()}).open(out)
	again.sees("2 frames in 1 session", "WRD-RES-SECRET-ECHO WRD-SEC-OPENAI")
}

func TestCaseIsTheShortestRun(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n", "n", "n")
	name := filepath.Join(d.dir, "ansi")
	d.keys("e", "ctrl+u").types(name).keys("enter").sees("case ", "2 frames")
	trace, err := os.ReadFile(name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(trace), "\n"); n != 2 {
		t.Errorf("%d frames, want the call and its result", n)
	}
	want, err := os.ReadFile(name + ".expect.json")
	if err != nil || !strings.Contains(string(want), `"WRD-RES-ANSI"`) || !strings.Contains(string(want), `"modified"`) {
		t.Errorf("expectation: %s (%v)", want, err)
	}
	d.keys("e", "ctrl+u").types(name).keys("enter").sees("is there already")
}

func TestMouse(t *testing.T) {
	d := drive(t, review(t)).keys("esc")
	click := func(x, y int) {
		d.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	click(5, d.a.lay.list.y+7)
	if d.a.frame()+1 != 8 {
		t.Fatalf("a click on the eighth row went to %d", d.a.frame()+1)
	}
	for x, c := range d.a.strip.cells {
		if c.Blocked > 0 {
			click(x, 1)
			break
		}
	}
	if d.a.frame()+1 != 13 {
		t.Fatalf("a click on the first alarm went to %d", d.a.frame()+1)
	}
	click(d.a.lay.findings.x+3, d.a.lay.findings.y+4)
	if d.a.focus != paneFindings || d.a.finds.cursor != 1 {
		t.Errorf("a click on the second finding: pane %d, finding %d", d.a.focus, d.a.finds.cursor)
	}
	x := strings.Index(strip0(d.screen(), d.a.lay.detail.y-1, d.a.lay.detail.x), "diff")
	click(d.a.lay.detail.x+x, d.a.lay.detail.y-1)
	if d.a.detail.view != viewDiff {
		t.Errorf("a click on diff shows %s", viewNames[d.a.detail.view])
	}
	d.send(tea.MouseMsg{X: 3, Y: d.a.lay.list.y, Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown})
	if d.a.frame()+1 != 16 {
		t.Errorf("the wheel went to %d", d.a.frame()+1)
	}
}

// strip0 is row y of a screen from cell x on; the screen's cells are one rune
// each there.
func strip0(screen string, y, x int) string {
	return strings.ReplaceAll(string([]rune(strings.Split(screen, "\n")[y])[x:]), "─", "-")
}

func TestPlay(t *testing.T) {
	d := drive(t, review(t)).keys("esc")
	for range 10 {
		d.keys("+")
	}
	d.keys(" ") // carries out every wait
	if d.a.frame()+1 != 24 || d.a.play.on {
		t.Errorf("playing ended at %d", d.a.frame()+1)
	}
	d.sees("the end")
}

func TestFoldAndFocus(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "n", "1", "tab", "g", "down", "enter")
	d.sees("3 members").lacks(`"content": [`)
	d.keys("enter").sees(`"content": [`)
	d.keys("tab", "enter").sees("Why:", "Fingerprint:")
}

func TestHelpNamesEveryCommand(t *testing.T) {
	d := drive(t, review(t)).keys("esc", "?")
	var all strings.Builder
	for _, l := range d.a.over.lines {
		all.WriteString(plainText(l) + "\n")
	}
	for _, c := range commands {
		if !strings.Contains(all.String(), ":"+c.name) || c.help == "" {
			t.Errorf("the help lacks %s", c.name)
		}
	}
	seen := map[string]string{}
	for _, c := range commands {
		for _, k := range c.keys {
			if seen[k] != "" {
				t.Errorf("%q is bound to %s and %s", k, seen[k], c.name)
			}
			seen[k] = c.name
		}
	}
}

func TestConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "step.yaml")
	for _, c := range []struct{ text, want string }{
		{"keys: {next: [X], quit: [Z]}\ntheme: light\n", ""},
		{"keys: {nothing: [x]}\n", `no command "nothing"`},
		{"keys: {quit: []}\n", "quit has no key left"},
		{"keys: {down: [q, ctrl+c]}\n", "quit has no key left"},
		{"theme: pink\n", "neither auto, dark nor light"},
		{"colour: 1\n", "colour"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		conf, keys, err := LoadConfig(path, true)
		if c.want == "" {
			if err != nil || conf.Theme != "light" || keys.of["X"].name != "next" || keys.of["n"] != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	if _, _, err := LoadConfig(filepath.Join(t.TempDir(), "none"), false); err != nil {
		t.Error(err)
	}
	if _, _, err := LoadConfig(filepath.Join(t.TempDir(), "none"), true); err == nil {
		t.Error("a file that was asked for and is not there is no error")
	}
}

func TestBadLinesAndNothingFound(t *testing.T) {
	d := drive(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n{\"jsonrpc\": oops\n"+`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
	d.sees("1 line could not be read").keys("esc").sees("frames 3", "can't be read")
	d.keys("down", "2").sees(`{"jsonrpc": oops`)
	quiet := drive(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
	quiet.sees("Nothing was found", "no findings in 2 frames")
	quiet.keys("n").sees("no further blocked call")
	quiet.keys("t").sees("no finding here")
}

func TestKeysTypedInABurst(t *testing.T) {
	d := drive(t, review(t)).keys("esc").types("nnp")
	if got := d.a.frame() + 1; got != 13 {
		t.Errorf("nnp in one go ends at %d, want 13", got)
	}
	d.keys(":").types("up").keys("enter") // the command, not the arrow key
	if got := d.a.frame() + 1; got != 12 {
		t.Errorf(":up ends at %d, want 12", got)
	}
}
