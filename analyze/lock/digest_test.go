package lock

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"
)

// The published figures of a small level-4 surface.
func TestDigestsOfKnownSurface(t *testing.T) {
	s := &Surface{
		Server: &Launch{Command: "python", Args: []string{"server.py"}},
		Tools: [][]byte{[]byte(`{"name":"t","annotations":{"destructiveHint":false,"readOnlyHint":true,"title":"Record"},
			"outputSchema":{"type":"object","properties":{"value":{"type":"string","maxLength":64}},"required":["value"]}}`)},
	}
	l, err := Build(s, PinOptions{Version: "1", Now: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := l.Tool("t")
	for _, c := range []struct{ what, got, want string }{
		{"entry", tool.EntryDigest, "sha256:27412db910bdc3a447af86096dd223de2b56fd36bcfb58660a543f7517b20c13"},
		{"overall", l.Overall, "sha256:ca9be7b350cf92b812ff2d80196f1e3bd30e8f7d509ac3018a152fe286265379"},
		{"command", l.Server.Digest, "sha256:b42e4fe9ab2871e34b4115b0f7a8a762c2e2fd3712805c4e323da999456eeb77"},
	} {
		if c.got != c.want {
			t.Errorf("%s digest\n got %s\nwant %s", c.what, c.got, c.want)
		}
	}
}

// testdata/digests.jsonl holds surfaces with odd schemas, names and values, and
// the overall digest that a plain reading of the rules in another language
// gives them.
func TestDigestsOfOddSurfaces(t *testing.T) {
	data, err := os.ReadFile("testdata/digests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		var c struct {
			Tools, Resources, Prompts []json.RawMessage
			Want                      string
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		s := &Surface{Server: &Launch{Command: "é", Args: []string{"x"}}, Tools: raws(c.Tools), Resources: raws(c.Resources), Prompts: raws(c.Prompts)}
		l, err := Build(s, PinOptions{})
		if err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		if l.Overall != c.Want {
			t.Errorf("line %d: got %s, want %s", n+1, l.Overall, c.Want)
		}
		n++
	}
	if n < 50 {
		t.Errorf("only %d surfaces", n)
	}
}

func raws(in []json.RawMessage) [][]byte {
	out := [][]byte{}
	for _, r := range in {
		out = append(out, r)
	}
	return out
}
