package formats

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

func TestPair(t *testing.T) {
	dir := tree(t, map[string]string{"in": req1 + "\r\n", "out": "banner\n" + res1 + "\n"})
	name := func(n string) string { return filepath.Join(dir, n) }
	in, closer, err := Pair(name("in"), name("out"), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := drain(t, in.Source)
	if err != nil || closer.Close() != nil {
		t.Fatal(err)
	}
	if s := strings.Join(brief(got), "|"); s != "1 frame c2s msg "+req1+"|1 frame s2c banner|2 frame s2c msg "+res1 {
		t.Errorf("got %s", s)
	}
	if in.File(analyze.ServerToClient) != filepath.ToSlash(name("out")) || in.File(analyze.ClientToServer) != filepath.ToSlash(name("in")) {
		t.Errorf("halves %q", in.halves)
	}
	in, closer, err = Pair("-", name("out"), strings.NewReader(req1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := drain(t, in.Source); err != nil || len(got) != 3 {
		t.Errorf("%v, %v", brief(got), err)
	}
	closer.Close()
	for _, bad := range [][2]string{{"in", ""}, {"in", "in"}, {"in", "nope"}} {
		b := bad[1]
		if b != "" {
			b = name(b)
		}
		if _, _, err := Pair(name(bad[0]), b, nil, Options{}); err == nil {
			t.Errorf("%q taken", bad)
		}
	}
}
