package policy

import (
	"slices"
	"testing"

	"github.com/warden-trace/warden/analyze/lock"
)

// A lock whose entry does not tell a tool's shapes leaves them to its name.
func TestFaultyCapabilitiesDisarmNothing(t *testing.T) {
	p := mustLoad(t, "tools: {}\n")
	args := decode(t, `{"command":"ls","query":"DROP TABLE t"}`)
	for _, c := range []struct {
		caps   string
		listed bool // the entry tells all, which is nothing
		clear  bool
	}{
		{``, false, false}, {`"capabilities":null,`, false, false}, {`"capabilities":"shell-exec",`, false, false}, {`"capabilities":{},`, false, false},
		{`"capabilities":["zz"],`, false, false}, {`"capabilities":["Shell-Exec"],`, false, false}, {`"capabilities":[1],`, false, false}, {`"Capabilities":[],`, false, false},
		{`"capabilities":["fs-read","?"],`, false, false}, {`"capabilities":["sql-query",null],`, false, false},
		{`"capabilities":[],`, true, true},
	} {
		l, warnings, err := lock.Parse("l", []byte(`{"schema_version":1,"tools":[{`+c.caps+`"name":"run_shell"}]}`))
		if err != nil || len(warnings) == 0 {
			t.Fatalf("%s: %v, %v", c.caps, warnings, err)
		}
		caps, listed := l.Capabilities("run_shell")
		if !listed || slices.Contains(caps, lock.Unclear) == c.clear {
			t.Errorf("%s: listed %v with %v", c.caps, listed, caps)
		}
		var denied []Shape
		for _, v := range p.Eval("run_shell", args, FromCapabilities(caps)) {
			if !v.Allow {
				denied = append(denied, v.Shape)
			}
		}
		want := []Shape{ShellExec, SQLQuery}
		if c.listed {
			want = nil
		}
		if !slices.Equal(denied, want) {
			t.Errorf("%s: denied %v, want %v", c.caps, denied, want)
		}
		if _, err := lock.ParseStrict("l", []byte(`{"schema_version":1,"tools":[{`+c.caps+`"name":"run_shell"}]}`)); err == nil {
			t.Errorf("%s: a lock command takes it", c.caps)
		}
	}
	// What the entry does tell counts beside the name.
	l, _, err := lock.Parse("l", []byte(`{"schema_version":1,"tools":[{"name":"x","capabilities":["zz","shell-exec"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	caps, _ := l.Capabilities("x")
	if v := p.Eval("x", decode(t, `{"a":"ls"}`), FromCapabilities(caps)); len(v) != 1 || v[0].Shape != ShellExec || v[0].Allow {
		t.Errorf("half a list: %+v", v)
	}
}
