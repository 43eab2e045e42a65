package interop

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"
)

// frame is one line of a recording.
type frame struct {
	Direction string          `json:"direction"`
	Frame     json.RawMessage `json:"frame"`
	RawB64    []byte          `json:"raw_b64"`
	Meta      json.RawMessage `json:"meta"`
}

func (f *frame) bytes() []byte {
	if f.RawB64 != nil {
		return f.RawB64
	}
	return f.Frame
}

func frames(t *testing.T, path string) (list []frame) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var f frame
		if err := json.Unmarshal(s.Bytes(), &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if f.Meta == nil {
			list = append(list, f)
		}
	}
	return list
}

// way is the frames of one direction.
func way(list []frame, dir string) (out [][]byte) {
	for _, f := range list {
		if f.Direction == dir {
			out = append(out, f.bytes())
		}
	}
	return out
}

// message is what a comparison needs of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// results are the answers that the client got, in the order in which it asked,
// and how often each method was used in either direction.
func results(t *testing.T, list []frame) (answers []string, methods map[string]int) {
	t.Helper()
	methods = map[string]int{}
	at := map[string]int{}
	for _, f := range list {
		var m message
		if json.Unmarshal(f.bytes(), &m) != nil {
			continue
		}
		if m.Method != "" {
			methods[m.Method]++
			if i, ok := at[string(m.Params.RequestID)]; ok && m.Method == "notifications/cancelled" && f.Direction == "c2s" {
				answers[i] = "cancelled" // what comes after that is nothing to the client
				delete(at, string(m.Params.RequestID))
			}
			if f.Direction == "c2s" && m.ID != nil {
				at[string(m.ID)] = len(answers)
				answers = append(answers, m.Method+" "+m.Params.Name+": no answer")
			}
			continue
		}
		if i, ok := at[string(m.ID)]; ok && f.Direction == "s2c" {
			answers[i] = answers[i][:len(answers[i])-len("no answer")] + masked(t, m.Result) + masked(t, m.Error)
		}
	}
	return answers, methods
}

// changing is what differs from run to run: times and made-up ids.
var changing = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?Z?` +
	`|[0-9]{1,2}:[0-9]{2}:[0-9]{2}( ?[AP]M)?|[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9]{4}` +
	`|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}`)

// masked is a value without what changes from run to run, in a fixed form.
func masked(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	if raw == nil {
		return ""
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(mask(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func mask(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = mask(v[k])
		}
	case []any:
		for i := range v {
			v[i] = mask(v[i])
		}
	case string:
		// The text in a blob tells the time too.
		if b, err := base64.StdEncoding.DecodeString(v); err == nil && changing.Match(b) {
			return "base64 of " + changing.ReplaceAllString(string(b), "<>")
		}
		return changing.ReplaceAllString(v, "<>")
	}
	return v
}

// alike compares what two sessions gave their clients.
func alike(t *testing.T, plain, guarded []string) {
	t.Helper()
	for i := range max(len(plain), len(guarded)) {
		a, b := "nothing", "nothing"
		if i < len(plain) {
			a = plain[i]
		}
		if i < len(guarded) {
			b = guarded[i]
		}
		if a != b {
			t.Errorf("answer %d:\nwithout guard: %.600s\nwith guard:    %.600s", i, a, b)
		}
	}
}

// own is what guard says itself when the server has gone: the only frame that a
// client gets in such a session and no recording has.
var own = []byte(`"data":{"warden":true,"stage":"lifecycle"`)

// untouched checks that what the client sent and got is byte for byte what the
// guard recorded.
func untouched(t *testing.T, seen, recorded []frame) {
	t.Helper()
	for _, dir := range []string{"c2s", "s2c"} {
		a, b := way(seen, dir), way(recorded, dir)
		a = slices.DeleteFunc(a, func(f []byte) bool { return bytes.Contains(f, own) })
		if len(a) != len(b) {
			t.Errorf("%s: the client's side has %d frames, the recording %d", dir, len(a), len(b))
		}
		for i := range min(len(a), len(b)) {
			if !bytes.Equal(a[i], b[i]) {
				t.Errorf("%s frame %d:\nat the client: %.400s\nrecorded:      %.400s", dir, i, a[i], b[i])
				break
			}
		}
	}
}
