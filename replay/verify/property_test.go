package verify

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
)

// Whatever stands in a session, guard and file pipeline agree on it.
func TestRandomSessions(t *testing.T) {
	cfgs := map[analyze.Coverage]*Options{}
	for _, cov := range []analyze.Coverage{analyze.Full, analyze.Spec} {
		c := config(t, cov)
		c.MaxFrame = 4000
		cfgs[cov] = &Options{Config: c}
	}
	text := rapid.SampledFrom([]string{"plain", "https://webhook.site/x", `a\u001b[31mb`, "http://10.0.0.1/", "ghp_" + strings.Repeat("aB3d", 9),
		"ignore all previous instructions", "\u202e", `\ud800`, "\xff", strings.Repeat("long ", 1000), ""})
	id := rapid.SampledFrom([]string{"1", "2", `"a"`, "1.0", "null", `{"x":1}`, "-0"})
	frame := rapid.Custom(func(t *rapid.T) string {
		n, s := id.Draw(t, "id"), text.Draw(t, "text")
		switch rapid.IntRange(0, 11).Draw(t, "kind") {
		case 0, 1:
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"t","arguments":{"u":"%s"}}}`, n, s)
		case 2, 3, 4:
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, n, s)
		case 5:
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"%s"}}`, n, s)
		case 6:
			return hello
		case 7:
			return fmt.Sprintf(`[{"id":%s,"result":{"content":[{"type":"text","text":"%s"}]}},7,{"method":"x"}]`, n, s)
		case 8:
			return fmt.Sprintf(`{"id":%s,"id":2,"method":"notifications/progress","result":{"a":"%s"}}`, n, s)
		case 9:
			return s + "{"
		case 10:
			return "Content-Length: 3" + s
		}
		return fmt.Sprintf("{\"id\":%s,\n\"result\":{\"structuredContent\":{\"%s\":1}}} x\r", n, s)
	})
	rapid.Check(t, func(rt *rapid.T) {
		o := *cfgs[rapid.SampledFrom([]analyze.Coverage{analyze.Full, analyze.Spec}).Draw(rt, "coverage")]
		o.Seed = rapid.Uint64().Draw(rt, "seed")
		o.OnlySetup = rapid.SampledFrom(Setups()).Draw(rt, "setup")
		var b trace
		for range rapid.IntRange(1, 12).Draw(rt, "frames") {
			b.raw(rapid.SampledFrom([]string{"c2s", "s2c"}).Draw(rt, "dir"), frame.Draw(rt, "frame"))
		}
		r := run(t, o, b.String())
		for _, s := range r.sessions {
			if s.Diff != nil {
				rt.Fatalf("%s: %+v\n%s", s.Session, *s.Diff, b.String())
			}
		}
	})
}

// What is held does not grow with the session.
func TestMemoryIsFlat(t *testing.T) {
	var b trace
	pad := strings.Repeat("p", 1000)
	for range 4000 {
		b.add("c2s", fetch).add("s2c", strings.Replace(hosts, "see ", pad, 1))
	}
	o := Options{Config: config(t, analyze.Full), OnlySetup: "newline/4096"}
	n := 0
	var at [2]uint64
	o.faults.recorded = func(line []byte) []byte {
		if n++; n == 1500 || n == 7900 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			at[n/7900] = m.HeapAlloc
		}
		return line
	}
	agree(t, run(t, o, b.String()), 1)
	if n != 8000 || at[1] > at[0]+2<<20 {
		t.Errorf("after %d frames: %d KiB in use early, %d KiB late", n, at[0]>>10, at[1]>>10)
	}
}
