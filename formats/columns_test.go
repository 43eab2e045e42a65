package formats

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// places reads text and lists line:start-end of each record.
func places(t *testing.T, src Source) []string {
	t.Helper()
	var out []string
	var c Chunk
	var x Columns
	d := src.NewDecoder()
	for {
		err := src.Next(&c)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		x.Reset(&c)
		d.Decode(&c, func(r *Record, _ *jsonrpc.Message) {
			if r.Kind == KindFrame {
				start, end := x.Of(r)
				out = append(out, fmt.Sprintf("%d:%d-%d", r.Line, start, end))
			}
		})
	}
}

func TestColumns(t *testing.T) {
	const frame = `{"jsonrpc":"2.0","id":1,"method":"ping"}` // 40 characters
	for _, c := range []struct{ name, text, want string }{
		{"bare", frame + "\n" + frame + "\n", "[1:1-41 2:1-41]"},
		{"indented", "\n\t " + frame + " \r\n", "[2:3-43]"},
		{"canonical", `{"direction":"c2s","frame":` + frame + "}\n", "[1:28-68]"},
		{"code points before it", `{"session":"żółć😀","direction":"c2s","frame":` + frame + "}\n", "[1:46-86]"},
		{"code points in it", `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":"ż😀","method":"ping"}}` + "\n", "[1:28-71]"},
		{"a byte-order mark", "\ufeff" + frame, "[1:1-41]"},
		{"two on a line", frame + " " + frame + "\n" + frame, "[1:1-41 1:42-82 2:1-41]"},
		{"base64", `  {"direction":"c2s","raw_b64":"eyJqc29ucnBjIjoiMi4wIiwiaWQiOjEsIm1ldGhvZCI6InBpbmcifQ=="}` + "\n", "[1:3-0]"},
		{"go-sdk", "write: " + frame + "\nread: " + frame, "[1:8-48 2:7-47]"},
		{"framed", "Content-Length: 40\r\n\r\n" + frame, "[3:1-41]"},
	} {
		src, err := Open(c.name, strings.NewReader(c.text), Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := fmt.Sprint(places(t, src)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	var side [2]Source
	for i, text := range []string{frame + "\n", "junk\n" + `  {"jsonrpc":"2.0","id":1,"result":{}}` + "\n"} {
		var err error
		if side[i], err = Open("x", strings.NewReader(text), Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(places(t, Merge(side[0], side[1]))); got != "[1:1-41 1:1-5 2:3-39]" {
		t.Errorf("merged: %s", got)
	}
}

// TestColumnsAreLinear: a line of a hundred thousand frames costs no more than
// as many lines.
func TestColumnsAreLinear(t *testing.T) {
	src, err := Open("x", strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"a"} `, 100_000)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	all := places(t, src)
	if len(all) != 100_000 || all[99_999] != "1:3799963-3800000" {
		t.Errorf("%d records, the last %s", len(all), all[len(all)-1])
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestCodePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "plain text", "é", "日本", "😀", "\x80", "\xe2\x80", "\xff", "\n"}), 0, 20).Draw(t, "parts"), ""))
		if got, want := codePoints(b), int64(utf8.RuneCount(b)); got != want {
			t.Fatalf("%q: %d, want %d", b, got, want)
		}
	})
}
