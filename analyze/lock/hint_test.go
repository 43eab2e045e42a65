package lock

import (
	"testing"

	"pgregory.net/rapid"
)

// A hint is what the pieces say, however the name is read.
func TestHintsArePieces(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, name string) {
		var want Hint
		for _, p := range Pieces(name) {
			want |= hintWords[p]
		}
		if got := HintOf(name); got != want {
			t.Fatalf("%q: %b, its pieces %q say %b", name, got, Pieces(name), want)
		}
		if got := HintOf([]byte(name)); got != want {
			t.Fatalf("%q as bytes: %b, not %b", name, got, want)
		}
	}
	for _, name := range []string{"", "_", "path", "FilePath", "HTTPServer.read_file", "SQLquery", "aPATH", "pathX", "éPath", "path\u00a0x", "execShell2Cmd", "subprocess", "subprocesses", "dbURL", "URLs", "a\vfile"} {
		check(t, name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := ""
		for _, p := range rapid.SliceOfN(rapid.SampledFrom([]string{"path", "Path", "PATH", "sql", "SQL", "Url", "x", "X", "1", "_", "-", ".", " ", "\t", "\x00", "é", "É", "ſ", "K", "subprocess", "longerthanall"}), 0, 6).Draw(rt, "parts") {
			name += p
		}
		check(rt, name)
	})
}
