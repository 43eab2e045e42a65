package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/replay"
)

func allowing(tools ...string) string {
	var list []string
	for _, t := range tools {
		list = append(list, fmt.Sprintf(`%q:{"action":"ENFORCE","argsSchema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}`, t))
	}
	return `{"version":"1.0.0","posture":"default-deny","tools":{` + strings.Join(list, ",") + `}}`
}

const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"

func shakeHands(t *testing.T, d *duo) {
	t.Helper()
	d.says(d.client, "%s", handshake)
	expect(t, d.toServer, handshake)
	d.says(d.server, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`+"\n")
	d.toClient.next(t)
	d.says(d.client, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	d.toServer.next(t)
}

func loadAllow(t *testing.T, path string) *allowlist.Policy {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := allowlist.Load(path, data, allowlist.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An allow-list that changes counts from the next call on; a bad one denies.
func TestAllowListIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "allow.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(allowing("t"))
	list := loadAllow(t, path)
	var notes []string
	d := newDuo(t, func(o *Options) {
		o.Allow = WatchAllow(path, list, func(s string) { notes = append(notes, s) })
	}, func(c *replay.Config) { c.Allow = list })
	shakeHands(t, d)
	id := 0
	passes := func() {
		t.Helper()
		id++
		d.says(d.client, "%s\n", call(id))
		expect(t, d.toServer, call(id)+"\n")
		d.says(d.server, "%s", result(fmt.Append(nil, id), "ok"))
		expect(t, d.toClient, string(result(fmt.Append(nil, id), "ok")))
	}
	denied := func(rule string) {
		t.Helper()
		id++
		d.says(d.client, "%s\n", call(id))
		if l := d.toClient.next(t); !strings.Contains(l, fmt.Sprintf(`"id":%d,"error":{"code":-32001`, id)) || !strings.Contains(l, `"rule":"`+rule+`"`) {
			t.Fatalf("the client gets %q, want %s", l, rule)
		}
	}
	passes()
	write(allowing("u"))
	denied("GWH-UNAUTHORIZED-TOOL")
	write(allowing("t")) // same size, perhaps the same time
	passes()
	write(`{"version":"1.0.0"`)
	denied("GWH-POLICY-INVALID")
	denied("GWH-POLICY-INVALID")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	denied("GWH-POLICY-UNAVAILABLE")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	denied("GWH-POLICY-UNAVAILABLE")
	os.Remove(path)
	write(allowing("t"))
	passes()
	// A file that is replaced by another one of the same size and time.
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	other := path + ".new"
	if err := os.WriteFile(other, []byte(allowing("x")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(other, st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	denied("GWH-UNAUTHORIZED-TOOL")
	d.proxy.mu.Lock()
	defer d.proxy.mu.Unlock()
	for _, want := range []string{"was read again", "not valid", "can't be read any more"} {
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("no note says %q: %q", want, notes)
		}
	}
}

// A call that runs out of time is answered at that time, not at the next frame;
// a result that comes later is not delivered.
func TestDeadlines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "allow.json")
	if err := os.WriteFile(path, []byte(allowing("t")), 0o600); err != nil {
		t.Fatal(err)
	}
	list := loadAllow(t, path)
	const timeout = 40 * time.Millisecond
	d := newDuo(t, func(o *Options) { o.Deadlines = true }, func(c *replay.Config) { c.Allow, c.RequestTimeout = list, timeout })
	shakeHands(t, d)
	from := time.Now()
	d.says(d.client, "%s\n", call(1))
	d.says(d.client, "%s\n", call(2))
	for id := 1; id <= 2; id++ {
		if l := d.toClient.next(t); !strings.Contains(l, fmt.Sprintf(`"id":%d,"error":{"code":-32001`, id)) || !strings.Contains(l, "GWH-DEADLINE-EXCEEDED") {
			t.Errorf("the client gets %q", l)
		}
	}
	if took := time.Since(from); took < timeout {
		t.Errorf("the answers came after %v", took)
	}
	d.says(d.server, "%s", result([]byte("1"), "late"))
	d.says(d.server, `{"jsonrpc":"2.0","method":"notifications/message"}`+"\n")
	expect(t, d.toClient, `{"jsonrpc":"2.0","method":"notifications/message"}`+"\n")
	// An answer in time stops the clock.
	d.says(d.client, "%s\n", call(3))
	for id := 1; id <= 3; id++ {
		expect(t, d.toServer, call(id)+"\n")
	}
	d.says(d.server, "%s", result([]byte("3"), "ok"))
	expect(t, d.toClient, string(result([]byte("3"), "ok")))
	time.Sleep(2 * timeout)
	d.proxy.Gone("test")
	d.proxy.Shut()
	if rest := d.toClient.rest(t); len(rest) > 0 {
		t.Errorf("the client gets %q", rest)
	}
}
