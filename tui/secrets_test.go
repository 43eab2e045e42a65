package tui

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/tui/pretty"
)

// Made up, and put together here so that no scanner of sources stumbles.
var (
	keyAWS    = "AKIA" + "Q3EGRIPVUKIG5LXD"
	keyGitHub = "ghp_" + "Zk3vQ9xB7mT1nR5wL8cJ2hF6dS4gY0pA7uEb"
	keyJWT    = "eyJ" + "0eXAiOiJKV1QifQ." + "eyJzdWIiOiI0MjQyIn0." + "X9vK3mQ7tR1wZ5nB8cL2"
	keyRandom = "q7Xw" + "2Lk9Vb4Tn6Yc1Rz8Mf3Pj5Hd0Gs"
	keyOwn    = "acme" + "-PLKMQWERTYUIOP"
)

var secretKeys = []string{keyAWS, keyGitHub, keyJWT, keyRandom, keyOwn}

func escapedAll(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// secretTrace has every secret in every place that the stepper shows.
func secretTrace() string {
	var b strings.Builder
	put := func(dir, session, frame string) {
		fmt.Fprintf(&b, `{"direction":"%s","session":"%s","ts":"2026-01-01T00:00:00Z","frame":%s}`+"\n", dir, session, frame)
	}
	fill := strings.Repeat("lorem ipsum dolor sit amet. ", 160)
	for i, s := range secretKeys {
		vendor := s
		if s == keyRandom {
			vendor = keyAWS // long random names are not redacted: honest ones look the same
		}
		for k, q := range []string{s, escapedAll(s), `\u001b[31m` + s + `\u001b[0m`, `{\"token\":\"` + s + `\"}`} {
			session := fmt.Sprintf("run-%d-%d %s", i, k, vendor)
			put("c2s", session, `{"jsonrpc":"2.0","id":"a `+vendor+`","method":"initialize","params":{"protocolVersion":"`+vendor+`"}}`)
			put("s2c", session, `{"jsonrpc":"2.0","id":"a `+vendor+`","result":{"protocolVersion":"`+vendor+`","serverInfo":{"name":"`+escapedAll(vendor)+`","version":"`+q+`"}}}`)
			put("c2s", session, `{"jsonrpc":"2.0","id":"`+escapedAll(vendor)+`","method":"tools/call","params":{"name":"do `+vendor+`","arguments":{"`+q+`":"`+q+`","token":"x `+q+` http://10.0.0.1/"}}}`)
			put("s2c", session, `{"jsonrpc":"2.0","id":"`+escapedAll(vendor)+`","result":{"content":[{"type":"text","text":"see `+q+` http://10.0.0.1/\nand `+q+`."}],"`+q+`":1}}`)
			put("c2s", session, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+strings.Repeat("n ", 122)+vendor+`"}}`)
			put("s2c", session, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"`+q+`","data":{"reason":"`+q+`"}}}`)
			// Where a long string is cut: at its start, and around a match.
			for _, n := range []int{750, 758, 764}[min(k, 2):] {
				put("s2c", session, `{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"`+fill[:n]+` `+q+` `+fill+` http://10.0.0.1/ `+fill[:225]+` `+q+` `+fill+`"}]}}`)
			}
			put("c2s", session, `{"jsonrpc":"2.0","id":9,"method":"x `+vendor+`"}`)
		}
		b.WriteString("no JSON, but " + s + " at all: " + s + "\n")
		b.WriteString(`{"half":"` + s + ` and no end` + "\n")
		b.WriteString(`{"` + s + `":` + s + `,"` + escapedAll(s) + "\n")
	}
	return b.String()
}

var escaped = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// leak is what a text shows of a secret beyond its first four characters.
func leak(screen string) string {
	s := sgr.ReplaceAllString(screen, "")
	s = escaped.ReplaceAllStringFunc(s, func(e string) string {
		n, _ := strconv.ParseUint(e[2:], 16, 32)
		return string(rune(n))
	})
	for _, k := range secretKeys {
		rest := k[4:]
		for i := 0; i+5 <= len(rest); i++ {
			if at := strings.Index(s, rest[i:i+5]); at >= 0 {
				return fmt.Sprintf("%q of %s… near %q", rest[i:i+5], k[:4], s[max(0, at-60):min(len(s), at+40)])
			}
		}
	}
	return ""
}

// ownRules are the built-in rules and one pattern more.
func ownRules(t testing.TB) func(*Options) {
	set := *ruleset.Builtin()
	own := set.Secrets[0]
	own.ID, own.Pattern, own.Keywords = "WRD-SEC-ACME", `\bacme-[A-Z]{14}\b`, []string{"acme-"}
	set.Secrets = append(append(set.Secrets[:0:0], set.Secrets...), own)
	cat, err := catalog.New(catalog.Options{Rules: &set})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Rules, o.Config.Rules, o.Config.Catalog = &set, &set, cat
	}
}

func TestSecretsAreShownRedacted(t *testing.T) {
	d := drive(t, secretTrace(), ownRules(t))
	seen := map[string]int{}
	d.shown = func(view string) {
		if why := leak(view); why != "" {
			t.Fatalf("shown: %s\n%s", why, sgr.ReplaceAllString(view, ""))
		}
		for _, k := range secretKeys {
			seen[k] += strings.Count(view, k[:4]+"…")
		}
	}
	d.look()
	for k, size := range [][2]int{{120, 40}, {80, 24}, {200, 60}, {40, 10}} {
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.keys(walk...)
		d.keys("esc", "esc", "g")
		stride := 11 // each frame at one of two sizes, some at the others
		if k < 2 {
			stride = 2
		}
		for i := k; i < d.a.rows(); i += stride {
			d.keys(":").types("0%").keys("enter", ":").types("+" + strconv.Itoa(i)).keys("enter")
			for d.a.focus != paneDetail {
				d.keys("tab")
			}
			for _, v := range []string{"1", "2", "3", "4"} {
				if d.a.detail.view != viewDiff || v != "3" {
					d.keys(v)
				}
				if v != "4" {
					d.keys("pgdown", "pgdown", "pgdown")
				}
				if size[0] == 200 {
					d.keys("j", "enter", "pgdown", "enter", "pgdown", "G")
				}
			}
			d.keys("1", "y")
			for i := range d.a.detail.rows { // unfold all
				if d.a.detail.rows[min(i, len(d.a.detail.rows)-1)].node > 0 && strings.Contains(plainText(d.a.detail.rows[min(i, len(d.a.detail.rows)-1)].segs), `": "`) {
					d.a.detail.cursor = i // a long string, not a container
					d.keys("enter", "pgdown", "G", "g", "enter")
				}
			}
			d.keys("tab", "enter", "G", "esc", "y")
		}
		for _, k := range secretKeys {
			if k != keyRandom { // which only its reader has typed
				d.keys("esc", "esc", "g", "/").types(k).keys("left", "left", "enter", "n", "n", "esc", "f", "ctrl+u").types(`tool ~ `+k).keys("enter",
					"f", "ctrl+u").types(`tool == "`+k+`"`).keys("enter", "esc", "esc", ":").types(k).keys("enter", "t", "f", "ctrl+u").types("why " + k).keys("enter")
			}
		}
	}
	d.send(tea.WindowSizeMsg{Width: 160, Height: 50})
	d.keys("esc", "esc", ":").types("0%").keys("enter", ":").types("+3").keys("enter", "1", "3").sees("what the server sent", `"text": "see AKIA…(len=20)`)
	for _, k := range secretKeys {
		if seen[k] == 0 {
			t.Errorf("%s… was never seen", k[:4])
		}
	}
	for _, c := range clipboard.FindAllString(d.copy.String(), -1) {
		text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(c, "\x1b]52;c;"), "\x07"))
		if err != nil {
			t.Fatal(err)
		}
		if why := leak(string(text)); why != "" {
			t.Fatalf("copied: %s", why)
		}
	}
	out := filepath.Join(d.dir, "saved.jsonl")
	d.keys("g", "w", "ctrl+u").types(out).keys("enter")
	saved, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(saved), keyAWS) {
		t.Errorf("w does not save a frame as it is: %s (%v)", saved, err)
	}
}

// A key must not be slow on a frame of some megabytes.
func TestHugeFramesAreMaskedOnce(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("some words "+keyAWS+` \u0041 `, 60_000) + `"}]}}`
	d := drive(t, line+"\n")
	d.keys("esc", "tab")
	first := d.a.shown()
	start := time.Now()
	for range 20 {
		d.keys("j")
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("20 keys on a frame of %d bytes took %v", len(line), took)
	}
	if d.a.shown() != first {
		t.Error("secrets were looked for again")
	}
}

func BenchmarkMask(b *testing.B) {
	for name, text := range map[string]string{"plain": "some words and more of them, ", "secrets": "some words " + keyAWS + ` \u0041 `} {
		line := []byte(`{"text":"` + strings.Repeat(text, 2<<20/len(text)) + `"}`)
		mask := report.NewMasker(nil)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for range b.N {
				pretty.Lines(pretty.NewFrame(line, mask.Find), pretty.Options{})
			}
		})
	}
}
