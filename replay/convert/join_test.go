package convert_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/profile"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay/convert"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

// channel is a recording of an exec channel, line by line.
type channel struct{ strings.Builder }

func newChannel() *channel {
	var c channel
	c.WriteString(`{"direction":"c2s","text":{"create_req":{"cmd":"x","args":[],"env":{}}}}` + "\n" + `{"direction":"s2c","text":{"ConnectionCapabilities":{}}}` + "\n")
	return &c
}

func (c *channel) write(stream, bytes string) {
	dir := "s2c"
	if stream == "StdIn" {
		dir = "c2s"
	}
	fmt.Fprintf(c, `{"direction":%q,"text":{"Expect%s":{}}}`+"\n"+`{"direction":%q,"binary_b64":%q}`+"\n", dir, stream, dir, base64.StdEncoding.EncodeToString([]byte(bytes)))
}

// carried is what each stream of a recording has carried, and how many lines.
func carried(t interface{ Fatal(...any) }, trace string) (map[string]string, int) {
	out, due, n := map[string]string{}, "", 0
	for line := range strings.Lines(trace) {
		n++
		var m struct {
			Text   map[string]any `json:"text"`
			Binary *string        `json:"binary_b64"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		for k := range m.Text {
			due = strings.TrimPrefix(k, "Expect")
		}
		if m.Binary != nil {
			b, err := base64.StdEncoding.DecodeString(*m.Binary)
			if err != nil {
				t.Fatal(err)
			}
			out[due] += string(b)
		}
	}
	return out, n
}

// redacted is a recording's copy.
func redacted(t interface{ Fatal(...any) }, trace string) (string, *convert.Writer) {
	r, err := redact.New(redact.Options{Catalog: config.Catalog, Rules: config.Rules})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := &convert.Writer{W: &out, Redact: r}
	execRun(t, trace, w)
	return out.String(), w
}

// execRun is what the profile of exec channels finds.
func execRun(t interface{ Fatal(...any) }, trace string, w *convert.Writer) []analyze.Finding {
	p, err := profile.New(profile.Exec, profile.Options{Catalog: func(text []byte) []analyze.Finding {
		return config.Catalog.Text(text, analyze.Inspection{Charset: analyze.CharsetBinary})
	}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := *config
	cfg.Profiles = []profile.Profile{p}
	var r read
	o := offline.Options{Config: &cfg, Handler: &r}
	if w != nil {
		o.Observe, o.Meta = w.Observe, w.Meta
	}
	in := &formats.Input{Name: "t.jsonl", R: strings.NewReader(trace), Size: -1, Explicit: true}
	if _, err := offline.Run(func(yield func(*formats.Input, error) bool) { yield(in, nil) }, o); err != nil {
		t.Fatal(err)
	}
	if w != nil {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return r.findings
}

// A secret over several frames of a stream goes wherever it is cut, and what lies
// between; the findings on the stream stay.
func TestSecretsOverSeveralFrames(t *testing.T) {
	secrets := []string{"AKIAIOSFODNN7EXAMPLE", "ghp_a8Kd93jfL2mZq0PxT7vB4nC6wE1rY5uIoSgH", "uzosUVM6gXV9LwwE6yGhsk0Kc78NBl3KE1fKJvwskvr",
		"eyJwXBhYApsI3wY8DtA6pgf.IlbzBez1tNHMwm6HhvSIdxU5yKwt8M.PdCLYzU8ybMup0DJEQ0y00"}
	rapid.Check(t, func(t *rapid.T) {
		streams := map[string]string{}
		for _, s := range []string{"StdIn", "StdOut", "StdErr"} {
			var text strings.Builder
			for range rapid.IntRange(0, 3).Draw(t, "secrets") {
				text.WriteString(strings.Repeat("some words\n", rapid.SampledFrom([]int{0, 1, 3, 1000, 8000}).Draw(t, "lines")))
				text.WriteString("key " + rapid.SampledFrom(secrets).Draw(t, "secret") + " end\n")
			}
			streams[s] = text.String()
		}
		c, rest := newChannel(), map[string]string{}
		for k, v := range streams {
			rest[k] = v
		}
		for _, s := range []string{"StdIn", "StdOut", "StdErr", "StdIn", "StdOut", "StdErr", "StdOut", "StdErr", "StdOut", "StdOut", "StdOut"} {
			n := min(len(rest[s]), rapid.SampledFrom([]int{0, 1, 5, 12, 30, 1000, 30000}).Draw(t, "cut"))
			c.write(s, rest[s][:n])
			rest[s] = rest[s][n:]
			if rapid.Bool().Draw(t, "between") {
				c.WriteString(`{"direction":"c2s","text":{"KeepAlive":{}}}` + "\n")
			}
		}
		for s, b := range rest {
			c.write(s, b)
		}
		copied, w := redacted(t, c.String())
		was, lines := carried(t, c.String())
		is, same := carried(t, copied)
		if lines != same {
			t.Fatalf("%d lines of %d", same, lines)
		}
		for s := range was {
			if len(is[s]) != len(was[s]) {
				t.Fatalf("%s: %d bytes of %d", s, len(is[s]), len(was[s]))
			}
			for _, x := range secrets {
				if strings.Contains(is[s], x[4:12]) || strings.Contains(is[s], x[len(x)-8:]) {
					t.Fatalf("%s: of %q is left: %q", s, x, is[s])
				}
			}
			if want := strings.Count(was[s], "key "); strings.Count(is[s], "key ") != want || strings.Count(is[s], " end\n") != want {
				t.Fatalf("%s: %q", s, is[s])
			}
		}
		if w.Late != 0 {
			t.Fatalf("%d late", w.Late)
		}
		opts := cmp.Options{cmpopts.IgnoreFields(analyze.Finding{}, "Snippet", "Place"), cmpopts.EquateEmpty()}
		if d := cmp.Diff(execRun(t, c.String(), nil), execRun(t, copied, nil), opts); d != "" {
			t.Fatalf("findings differ:\n%s", d)
		}
		total := 0
		for _, s := range streams {
			total += strings.Count(s, "key ")
		}
		if w.Redact.Replaced != int64(total) {
			t.Fatalf("%d replaced of %d", w.Redact.Replaced, total)
		}
	})
}

// Where too much lies between the parts of a secret the later ones go, and the
// copy says so.
func TestSecretWithTooMuchBetween(t *testing.T) {
	c := newChannel()
	c.write("StdOut", "key ghp_a8Kd93jfL2mZq0PxT7v")
	for range 20 {
		fmt.Fprintf(c, `{"direction":"s2c","text":{"TraceEvent":{"x":%q}}}`+"\n", strings.Repeat("words ", 100_000))
	}
	c.write("StdOut", "B4nC6wE1rY5uIoSgH end")
	if n := len(execRun(t, c.String(), nil)); n == 0 {
		t.Error("nothing was found")
	}
	copied, w := redacted(t, c.String())
	if out, _ := carried(t, copied); strings.Contains(copied+out["StdOut"], "B4nC6wE1rY5uIoSgH") || w.Late != 1 {
		t.Errorf("late %d: %q", w.Late, out["StdOut"])
	}
}
