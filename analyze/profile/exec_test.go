package profile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

const (
	spawn    = `>t {"process_id":"p","create_req":{"cmd":"/bin/sh","args":["-c","true"]}}`
	reattach = `>t {"process_id":"p"}`
	capsOff  = `<t {"ConnectionCapabilities":{"supports_traces":false,"supports_compression":false}}`
	capsOn   = `<t {"ConnectionCapabilities":{"supports_traces":true,"supports_compression":true}}`
	created  = `<t {"ProcessCreated":null}`
	exited   = `<t {"ProcessExited":{"code":0}}`
	keep     = `>t {"KeepAlive":null}`
)

// spawnWith is a spawn with more in create_req, and withHS one with more in
// the handshake.
func spawnWith(more string) string {
	return `>t {"process_id":"p","create_req":{"cmd":"/bin/sh","args":[],` + more + `}}`
}

func withHS(more string) string {
	return `>t {"process_id":"p","create_req":{"cmd":"/bin/sh","args":[]},` + more + `}`
}

func c(tag string) string { return `>t {"` + tag + `":null}` }
func s(tag string) string { return `<t {"` + tag + `":null}` }

func TestExecOrder(t *testing.T) {
	open := lines(spawn, capsOff, created)
	run(t, Exec, []story{
		{"a whole session", Options{}, lines(keep, spawn, capsOff, created, s("ExpectStdOut"), "<b out", c("ExpectStdIn"), "<t {\"SignalSent\":{\"signal\":\"SIGTERM\"}}", ">b in",
			s("StdOutEOF"), s("StdErrEOF"), exited, s("ShuttingDown"), c("Closed")), ""},
		{"cut before anything", Options{}, nil, ""},
		{"cut before the answer", Options{}, lines(spawn, capsOff), ""},

		{"something before the handshake", Options{}, lines(`>t {"SendSignal":9}`, spawn), "EXEC-HANDSHAKE"},
		{"handshake third", Options{}, lines(keep, keep, spawn, capsOff, created), "EXEC-HANDSHAKE"},
		{"handshake second", Options{}, lines(keep, spawn, capsOff, created), ""},
		{"a second handshake", Options{}, lines(open, reattach), "EXEC-HANDSHAKE"},
		{"a handshake from the server", Options{}, lines(open, strings.Replace(reattach, ">", "<", 1)), "EXEC-HANDSHAKE"},
		{"bytes before the handshake", Options{}, lines(">b x", spawn), "EXEC-ANNOUNCE EXEC-HANDSHAKE"},

		{"no capabilities", Options{}, lines(spawn, created), "EXEC-CAPABILITIES"},
		{"capabilities late", Options{}, lines(spawn, created, capsOff), "EXEC-CAPABILITIES EXEC-CAPABILITIES"},
		{"capabilities twice", Options{}, lines(open, capsOff), "EXEC-CAPABILITIES"},
		{"capabilities from the client", Options{}, lines(open, strings.Replace(capsOff, "<", ">", 1)), "EXEC-CAPABILITIES"},

		{"spawn answered by an attach", Options{}, lines(spawn, capsOff, s("AttachedToProcess")), "EXEC-ANSWER"},
		{"spawn fails", Options{}, lines(spawn, capsOff, `<t {"FailedToStart":{"reason_code":"NO_EXEC"}}`), ""},
		{"spawn of a running id", Options{}, lines(spawn, capsOff, s("FailedToStartProcessWithSameIdRunning")), ""},
		{"the same where reuse was allowed", Options{}, lines(spawnWith(`"allow_process_id_reuse":true`), capsOff, s("FailedToStartProcessWithSameIdRunning")), "EXEC-ANSWER"},
		{"reattach", Options{}, lines(reattach, capsOff, `<t {"AttachedToProcessV2":{}}`), ""},
		{"reattach to one that has an owner", Options{}, lines(reattach, capsOff, s("ProcessAlreadyAttached")), ""},
		{"reattach answered by a spawn", Options{}, lines(reattach, capsOff, created), "EXEC-ANSWER"},
		{"reattach fails to start", Options{}, lines(reattach, capsOff, `<t {"FailedToStart":{"reason_code":"NO_EXEC"}}`), "EXEC-ANSWER"},
		{"infrastructure answers both", Options{}, lines(reattach, capsOff, `<t {"InfraError":{"reason_code":"LOST"}}`), ""},
		{"output before the answer, said once", Options{}, lines(spawn, capsOff, s("ExpectStdOut"), "<b x", s("StdOutEOF"), created), "EXEC-ANSWER"},
		{"a trace event before the answer", Options{}, lines(withHS(`"want_trace_events":true`), capsOn, `<t {"TraceEvent":{}}`, created), ""},
		{"two answers", Options{}, lines(open, `<t {"ProcessCreatedV2":{}}`), "EXEC-ANSWER"},

		{"timed out unasked", Options{}, lines(open, s("ProcessTimedOut")), "EXEC-TIMEOUT"},
		{"timeout of zero was asked for", Options{}, lines(spawnWith(`"timeout":0`), capsOff, created, s("ProcessTimedOut")), ""},
		{"the other limit", Options{}, lines(spawnWith(`"timeout":5`), capsOff, created, s("ProcessCpuTimedOut")), "EXEC-TIMEOUT"},
		{"unknown after a reattach", Options{}, lines(reattach, capsOff, s("AttachedToProcess"), s("ProcessTimedOut")), ""},
		{"out of memory needs no limit", Options{}, lines(open, s("ProcessOutOfMemory")), ""},

		{"bytes unannounced", Options{}, lines(open, "<b x"), "EXEC-ANNOUNCE"},
		{"two for one", Options{}, lines(open, s("ExpectStdErr"), "<b x", "<b y"), "EXEC-ANNOUNCE"},
		{"text between", Options{}, lines(open, s("ExpectStdErr"), s("StdOutEOF"), "<b y"), "EXEC-ANNOUNCE"},
		{"announced twice", Options{}, lines(open, s("ExpectStdOut"), s("ExpectStdErr"), "<b y"), "EXEC-ANNOUNCE"},
		{"announced in the other direction", Options{}, lines(open, s("ExpectStdOut"), ">b y", "<b y"), "EXEC-ANNOUNCE"},
		{"the other direction's text is no matter", Options{}, lines(open, c("ExpectStdIn"), s("StdOutEOF"), ">b y"), ""},
		{"announced at the end", Options{}, lines(open, s("ExpectStdOut")), ""},

		{"buffer at the limit", Options{}, lines(open, s("ExpectStdOut"), "<b "+strings.Repeat("x", 32768)), ""},
		{"buffer over it", Options{}, lines(open, s("ExpectStdOut"), "<b "+strings.Repeat("x", 32769)), "EXEC-BUFFER"},
		{"buffer over it, bytes not recorded", Options{}, lines(open, c("ExpectStdIn"), ">n 32769"), "EXEC-BUFFER"},

		{"bytes after the end", Options{}, lines(open, s("StdOutEOF"), s("ExpectStdOut"), "<b x"), "EXEC-AFTER-EOF"},
		{"of another stream", Options{}, lines(open, s("StdOutEOF"), s("ExpectStdErr"), "<b x"), ""},
		{"stdin after its end", Options{}, lines(open, c("StdInEOF"), c("ExpectStdIn"), ">b x"), "EXEC-AFTER-EOF"},
		{"an end twice", Options{}, lines(open, s("StdOutEOF"), s("StdOutEOF")), ""},

		{"detach unasked", Options{}, lines(open, c("Detach")), "EXEC-DETACH"},
		{"detach refused", Options{}, lines(spawnWith(`"reattachable":false`), capsOff, created, c("Detach")), "EXEC-DETACH"},
		{"detach", Options{}, lines(spawnWith(`"reattachable":true`), capsOff, created, c("Detach")), ""},
		{"detach after a reattach", Options{}, lines(reattach, capsOff, s("AttachedToProcess"), c("Detach")), ""},

		{"trace not offered", Options{}, lines(withHS(`"want_trace_events":true`), capsOff, created, `<t {"TraceEvent":{}}`), "EXEC-TRACE"},
		{"trace not wanted", Options{}, lines(spawn, capsOn, created, `>t {"TraceEvent":{}}`), "EXEC-TRACE"},
		{"trace agreed", Options{}, lines(withHS(`"want_trace_events":true`), capsOn, created, `>t {"TraceEvent":{"a":[1]}}`, `<t {"TraceEvent":{}}`), ""},

		{"what may follow the exit", Options{}, lines(withHS(`"want_trace_events":true`), capsOn, created, exited, s("StdOutEOF"), s("StdErrEOF"), `<t {"TraceEvent":{}}`,
			`<t {"InfraError":{"reason_code":"LATE"}}`, s("ShuttingDown"), `>t {"SendSignal":"SIGKILL"}`, keep), ""},
		{"output after the exit", Options{}, lines(open, exited, s("ExpectStdOut"), "<b x"), "EXEC-AFTER-EXIT EXEC-AFTER-EXIT"},
		{"a second exit", Options{}, lines(open, s("ContainerOutOfMemory"), exited), "EXEC-AFTER-EXIT"},
	})
}

func TestExecSchema(t *testing.T) {
	open := lines(spawn, capsOff, created)
	at := func(frame, pointer string) {
		t.Helper()
		found := tell(t, Exec, Options{}, lines(open, frame)...)
		if len(found) == 0 || found[0].Rule != "EXEC-SCHEMA" || found[0].Pointer != pointer {
			t.Errorf("%s: got %s, want EXEC-SCHEMA at %q", frame, ids(found), pointer)
			for _, f := range found {
				t.Logf("%q: %s", f.Pointer, f.Message)
			}
		}
	}
	at(`<t {"SignalSent":{"signal":65}}`, "/SignalSent/signal")
	at(`<t {"SignalSent":{"signal":0}}`, "/SignalSent/signal")
	at(`<t {"SignalSent":{"signal":"sigterm"}}`, "/SignalSent/signal")
	at(`<t {"SignalSent":{}}`, "/SignalSent")
	at(`>t {"SendSignal":1.5}`, "/SendSignal")
	at(`<t {"InvalidSignal":{"reason_code":"a"}}`, "/InvalidSignal/reason_code")
	at(`<t {"InvalidSignal":{"reason_code":"A"}}`, "/InvalidSignal/reason_code")
	at(`<t {"InvalidSignal":{"reason_code":"AB","message":"`+strings.Repeat("é", 257)+`"}}`, "/InvalidSignal/message")
	at(`>t {"Resize":{"rows":1,"cols":65536}}`, "/Resize/cols")
	at(`>t {"KeepAlive":{}}`, "/KeepAlive")
	at(`<t {"StdErrEOF":false}`, "/StdErrEOF")
	at(`<t {"Unknown":null}`, "")
	at(`<t {"StdOutEOF":null,"StdErrEOF":null}`, "")
	at(`<t {}`, "")
	at(`<t 5`, "")
	at(`<t null`, "")
	at(`<t [1]`, "")
	at(`<t {"KeepAlive":null`, "")
	at(`<t {"StdErrEOF":null,"StdErrEOF":null}`, "/StdErrEOF")
	at(`> {"KeepAlive":}`, "") // recorded apart, as no JSON
	at(`<t {"TraceEvent":[`+strings.Repeat("[", 400)+strings.Repeat("]", 400)+`]}`, "")
	at(`<t {"InfraError":{"reason_code":"AB","message":`+strings.Repeat("[", 400)+strings.Repeat("]", 400)+`}}`, "")

	first := func(frame, pointer string) {
		t.Helper()
		found := tell(t, Exec, Options{}, frame)
		switch {
		case pointer == "-" && len(found) > 0:
			t.Errorf("%.80s: got %s at %q, want nothing", frame, ids(found), found[0].Pointer)
		case pointer != "-" && (len(found) == 0 || found[0].Rule != "EXEC-SCHEMA" || found[0].Pointer != pointer):
			t.Errorf("%.80s: got %s, want EXEC-SCHEMA at %q", frame, ids(found), pointer)
		}
	}
	first(spawnWith(`"memory_limit_bytes":18446744073709551615`), "-")
	first(spawnWith(`"memory_limit_bytes":18446744073709551616`), "/create_req/memory_limit_bytes")
	first(spawnWith(`"memory_limit_bytes":1e999999999`), "/create_req/memory_limit_bytes")
	first(spawnWith(`"uid":4294967295,"gid":0,"bound_pid":null,"rows":65535,"timeout":1.0`), "-")
	first(spawnWith(`"uid":4294967296`), "/create_req/uid")
	first(spawnWith(`"cols":-1`), "/create_req/cols")
	first(spawnWith(`"env":{"A":1}`), "/create_req/env/A")
	first(spawnWith(`"env":{"A":"x","A":"y"}`), "/create_req/env/A")
	first(spawnWith(`"shell":true`), "/create_req")
	first(`>t {"process_id":"p","create_req":{"cmd":"","args":[]}}`, "/create_req/cmd")
	first(`>t {"process_id":"p","create_req":{"cmd":"x"}}`, "/create_req")
	first(`>t {"process_id":""}`, "/process_id")
	first(`>t {"process_id":"`+strings.Repeat("é", 256)+`"}`, "-")
	first(`>t {"process_id":"`+strings.Repeat("é", 257)+`"}`, "/process_id")
	first(`>t {"create_req":{"cmd":"x","args":[]}}`, "")
	first(withHS(`"KeepAlive":null`), "")
	first(withHS(`"want_trace_events":1`), "/want_trace_events")
}

func TestExecSecrets(t *testing.T) {
	key := "ghp_" + strings.Repeat("a1B2", 9)
	at := func(frame string, pointers ...string) {
		t.Helper()
		found := tell(t, Exec, Options{}, frame)
		var got []string
		for _, f := range found {
			if f.Rule != "EXEC-SECRET" || f.Severity != analyze.High || f.Tier != analyze.Block {
				t.Errorf("%s: got %s", frame, f.Rule)
			}
			got = append(got, f.Pointer)
		}
		if strings.Join(got, " ") != strings.Join(pointers, " ") {
			t.Errorf("%s: got %q, want %q", frame, got, pointers)
		}
		if b, _ := json.Marshal(found); bytes.Contains(b, []byte(key[4:20])) {
			t.Errorf("a secret is shown: %s", b)
		}
	}
	at(spawnWith(`"env":{"TOKEN":"`+key+`"}`), "/create_req/env/TOKEN")
	at(spawnWith(`"env":{"`+key+`":"x"}`), "/create_req/env/ghp_…(len=40)")
	at(`>t {"process_id":"p","create_req":{"cmd":"`+key+`","args":["a","x `+key+` y `+key+`"]}}`, "/create_req/cmd", "/create_req/args/1", "/create_req/args/1")
	at(spawnWith(`"env":{"K":"q7Zr0pXw2Lk9Vb4Nn8Ts1Hd6"}`), "/create_req/env/K") // entropy
	at(spawnWith(`"env":{"TOKEN":"ghp_short","PATH":"/usr/bin:/bin"},"cwd":"/home/u"`))
	at(reattach)
}

func TestExecIsSilentOnOtherSessions(t *testing.T) {
	found := tell(t, Exec, Options{}, lines(req("1", "initialize", initParams), res("1", initResult), `< {"x"`, call("3", "echo", okContent))...)
	if len(found) > 0 {
		t.Errorf("got %s on an MCP session", ids(found))
	}
	found = tell(t, MCP, Options{}, lines(spawn, capsOff, created, "<b x")...)
	if len(found) > 0 {
		t.Errorf("got %s from the MCP profile on an exec session", ids(found))
	}
}

// marker is a catalog that finds one word.
func marker(text []byte) (out []analyze.Finding) {
	for i := 0; ; {
		j := bytes.Index(text[i:], []byte("NEEDLE"))
		if j < 0 {
			return out
		}
		at := len([]rune(string(text[:i+j])))
		out = append(out, analyze.Finding{Rule: "X", SubRule: "Y", Spans: []analyze.Span{{Start: at, End: at + 6}}})
		i += j + 6
	}
}

func TestExecStreams(t *testing.T) {
	o := Options{Catalog: marker}
	open := lines(spawn, capsOff, created)
	packed := lines(withHS(`"accept_compression":true`), capsOn, created)
	run(t, Exec, []story{
		{"cut over two frames", o, lines(open, s("ExpectStdOut"), "<b é NEE", s("ExpectStdOut"), "<b DLE"), "X"},
		{"streams are not joined with each other", o, lines(open, s("ExpectStdOut"), "<b NEE", s("ExpectStdErr"), "<b DLE"), ""},
		{"stdin is not inspected", o, lines(open, c("ExpectStdIn"), ">b NEEDLE"), ""},
		{"each once", o, lines(open, s("ExpectStdErr"), "<b NEEDLE NEEDLE", s("ExpectStdErr"), "<b x", s("StdErrEOF")), "X X"},
		{"compressed", o, lines(packed, s("ExpectStdOut"), "<b \x1f\x8b\x08\x00NEEDLE", s("ExpectStdOut"), "<b \x1f\x8b\x08\x00"), "EXEC-COMPRESSED"},
		{"compression agreed but not used", o, lines(packed, s("ExpectStdOut"), "<b NEEDLE"), "X"},
		{"not agreed", o, lines(spawn, capsOn, created, s("ExpectStdOut"), "<b \x1f\x8b\x08\x00NEEDLE"), "X"},
		{"no bytes recorded", o, lines(packed, s("ExpectStdOut"), "<n 6"), ""},
	})
}
