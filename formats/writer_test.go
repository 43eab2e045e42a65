package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

// TestWhoWroteTheLog: a peer can't turn the directions of a log round by what it
// sends, whether the log is a go-sdk one or has envelopes with in and out.
func TestWhoWroteTheLog(t *testing.T) {
	const (
		initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
		result     = `{"jsonrpc":"2.0","id":1,"result":{}}`
		refused    = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`
		call       = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}`
		ping       = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		sample     = `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`
		changed    = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		nested     = `{"jsonrpc":"2.0","id":1,"result":{"text":"{\"method\":\"initialize\"}","x":{"method":"tools/call"}}}`
	)
	client, server, nobody := analyze.ClientToServer, analyze.ServerToClient, analyze.Unknown
	for _, c := range []struct {
		name  string
		lines []string // r or w, and a frame
		out   analyze.Direction
		both  bool
	}{
		{"client", []string{"w" + initialize, "r" + result}, client, false},
		{"server", []string{"r" + initialize, "w" + result}, server, false},
		{"hostile server first", []string{"r" + initialize, "w" + initialize, "r" + result}, client, true},
		{"hostile server before a call", []string{"r" + initialize, "r" + call, "w" + call}, client, true},
		{"hostile server, none of ours", []string{"r" + initialize, "r" + call}, nobody, false},
		{"hostile server, refused", []string{"r" + initialize, "w" + refused}, nobody, false},
		{"hostile server, one id for two", []string{"r" + ping, "r" + initialize, "w" + result}, nobody, false},
		{"hostile server, one id for two, turned", []string{"r" + initialize, "r" + ping, "w" + result}, nobody, false},
		{"hostile client asks as a server", []string{"r" + sample, "r" + initialize, "w" + result}, server, false},
		{"server by what it asks", []string{"w" + sample}, server, false},
		{"server by what it tells", []string{"r" + ping, "w" + changed}, server, false},
		{"words within a result", []string{"w" + nested, "r" + nested}, nobody, false},
		{"escaped name", []string{"r" + initialize, `w{"jsonrpc":"2.0","id":2,"method":"tools\u002fcall"}`}, client, true},
	} {
		for _, form := range []struct {
			name string
			line func(sent bool, frame string) string
		}{
			{"go-sdk", func(sent bool, frame string) string {
				return map[bool]string{true: "write: ", false: "read: "}[sent] + frame
			}},
			{"envelope", func(sent bool, frame string) string {
				return fmt.Sprintf(`{"direction":"%s","message":%s}`, map[bool]string{true: "out", false: "in"}[sent], frame)
			}},
			{"string", func(sent bool, frame string) string {
				return fmt.Sprintf(`{"dir":"%s","payload":%q}`, map[bool]string{true: "send", false: "recv"}[sent], frame)
			}},
		} {
			var text strings.Builder
			for _, l := range c.lines {
				text.WriteString(form.line(l[0] == 'w', l[1:]) + "\n")
			}
			s, err := sniff([]byte(text.String()), true, Options{})
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, form.name, err)
			}
			if s.out != c.out || s.both != c.both || !s.rel {
				t.Errorf("%s, %s: sends %q, both %v; want %q, %v", c.name, form.name, s.out, s.both, c.out, c.both)
			}
			src, err := Open("x", strings.NewReader(text.String()), Options{})
			if err != nil {
				t.Fatal(err)
			}
			notice := strings.Join(src.Notices(), "\n")
			if c.both != strings.Contains(notice, "both sides") || (c.out == nobody) != strings.Contains(notice, "--perspective client or server") {
				t.Errorf("%s, %s: %s", c.name, form.name, notice)
			}
			if s, _ := sniff([]byte(text.String()), true, Options{Perspective: "server"}); s.out != server || s.both {
				t.Errorf("%s, %s: --perspective does not settle it", c.name, form.name)
			}
		}
	}
}
