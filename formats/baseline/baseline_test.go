package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
)

const (
	fp1 = "00112233445566778899aabbccddeeff"
	fp2 = "ffeeddccbbaa99887766554433221100"
)

var day = time.Date(2026, 8, 1, 23, 59, 0, 0, time.UTC)

func find(fp string) *analyze.Finding {
	return &analyze.Finding{Rule: "WRD-RES-ANSI", Tool: "read", Place: analyze.Place{Trace: "a b.jsonl", Line: 7, Fingerprint: fp}}
}

func TestMark(t *testing.T) {
	b := New()
	b.Put(Entry{Fingerprint: fp1, State: Accepted, Expires: "2026-08-01", Reason: "known", Owner: "ops"})
	for _, c := range []struct {
		on                time.Time
		accepted, expired bool
	}{{day, true, false}, {day.Add(2 * time.Minute), false, true}, {day.AddDate(-1, 0, 0), true, false}} {
		f := find(fp1)
		b.Mark(f, c.on)
		if f.Accepted() != c.accepted || f.Suppressed.Expired != c.expired || f.Suppressed.Reason != "known" {
			t.Errorf("on %s: %+v", c.on, f.Suppressed)
		}
	}
	other := find(fp2)
	b.Mark(other, day)
	if other.Suppressed != nil || other.Accepted() {
		t.Error("a finding without an entry is marked")
	}
	b.Put(Entry{Fingerprint: fp2, State: TruePositive})
	if s := b.Stale(); len(s) != 1 || s[0].Fingerprint != fp2 {
		t.Errorf("stale: %+v", s)
	}
	b.Mark(other, day)
	if other.Accepted() || len(b.Stale()) != 0 {
		t.Error("a confirmed finding does not count, or is stale")
	}
	if x := b.Expired(); len(x) != 1 || x[0].Fingerprint != fp1 {
		t.Errorf("expired: %+v", x)
	}
}

func TestSetKeepsWhatTheEntrySays(t *testing.T) {
	b := New()
	b.Set(find(fp1), FalsePositive, "a test fixture", day)
	e, _ := b.Get(fp1)
	want := Entry{Fingerprint: fp1, Rule: "WRD-RES-ANSI", Tool: "read", Where: "a b.jsonl:7", State: FalsePositive, Reason: "a test fixture", Created: "2026-08-01"}
	if d := cmp.Diff(want, e); d != "" {
		t.Error(d)
	}
	e.Owner, e.Expires = "ops", "2027-01-01"
	b.Put(e)
	b.Set(find(fp1), TruePositive, "no, real", day.AddDate(0, 1, 0))
	e, _ = b.Get(fp1)
	want.State, want.Reason, want.Owner, want.Expires = TruePositive, "no, real", "ops", "2027-01-01"
	if d := cmp.Diff(want, e); d != "" {
		t.Error(d)
	}
	if !b.Remove(fp1) || b.Remove(fp1) || b.Len() != 0 {
		t.Error("remove")
	}
}

func TestNoSecretInAnEntry(t *testing.T) {
	key := "AKIA" + strings.Repeat("Q", 16)
	f := find(fp1)
	f.Tool = "tool_" + key + " " + key
	b := New()
	b.Set(f, Accepted, "", day)
	if strings.Contains(string(b.Bytes()), " "+key) || !strings.Contains(string(b.Bytes()), "AKIA…") {
		t.Errorf("%s", b.Bytes())
	}
}

func TestRoundTrip(t *testing.T) {
	text := rapid.String()
	hex := rapid.StringMatching(`[0-9a-f]{32}`)
	rapid.Check(t, func(t *rapid.T) {
		b := New()
		for _, fp := range rapid.SliceOfN(hex, 0, 20).Draw(t, "fingerprints") {
			b.Put(Entry{Fingerprint: fp, Rule: text.Draw(t, "rule"), Tool: text.Draw(t, "tool"), Where: text.Draw(t, "where"),
				State: rapid.SampledFrom(States).Draw(t, "state"), Reason: text.Draw(t, "reason"), Owner: text.Draw(t, "owner"),
				Created: rapid.SampledFrom([]string{"", "2026-08-01"}).Draw(t, "created"), Expires: rapid.SampledFrom([]string{"", "2028-02-29"}).Draw(t, "expires")})
		}
		again, err := Parse("b.json", b.Bytes())
		if err != nil {
			t.Fatalf("%v in %s", err, b.Bytes())
		}
		if d := cmp.Diff(b.Entries(), again.Entries()); d != "" {
			t.Fatal(d)
		}
		if !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Fatal("written twice, two files")
		}
		if n := bytes.Count(b.Bytes(), []byte("\n")); n != b.Len()+3 {
			t.Fatalf("%d lines for %d entries", n, b.Len())
		}
	})
}

func TestErrors(t *testing.T) {
	entry := func(more string) string {
		return "{\"warden_baseline\":1,\n\"entries\":[\n{\"fingerprint\":\"" + fp1 + "\",\"rule\":\"R\",\"state\":\"accepted\"},\n{" + more + "}\n]}\n"
	}
	for _, c := range []struct{ file, want, hint string }{
		{``, "b.json:1: the file ends early", "create"},
		{`[]`, "b.json:1: expected an object", ""},
		{`{}`, "b.json:1: warden_baseline: missing", "is this a baseline?"},
		{`{"warden_baseline":2,"entries":[]}`, "b.json:1: warden_baseline: a version", "version 1"},
		{`{"warden_baseline":1,"entires":[]}`, `b.json:1: unknown key "entires"`, "entries"},
		{entry(`"fingerprint":"` + fp2 + `","rule":"R","state":"acepted"`), `b.json:4: entries[1].state: no state "acepted"`, "accepted"},
		{entry(`"fingerprint":"` + fp2 + `","state":"accepted","expires":"2026-02-30"`), `b.json:4: entries[1].expires: "2026-02-30" is no date`, "YYYY"},
		{entry(`"fingerprint":"` + fp2 + `","state":"accepted","expire":"2026-02-20"`), `b.json:4: entries[1]: unknown key "expire"`, "expires"},
		{entry(`"fingerprint":"12","state":"accepted"`), "b.json:4: entries[1].fingerprint: no fingerprint", "reports"},
		{entry(`"fingerprint":"` + fp1 + `","state":"accepted"`), "b.json:4: entries[1].fingerprint: the same as in line 3", "keep one"},
		{entry(`"state":"accepted"`), "b.json:4: entries[1]: no fingerprint", ""},
		{entry(`"fingerprint":"` + fp2 + `"`), "b.json:4: entries[1]: no state", ""},
		{entry(`"fingerprint":7`), "b.json:4: entries[1].fingerprint: expected text", ""},
		{entry(`"owner":"a","owner":"b"`), "b.json:4: entries[1]: a key twice", ""},
		{entry(`"fingerprint":"`+fp2+`","state":"accepted"`) + "x", "b.json:5: more after the end", ""},
		{"{\"warden_baseline\":1,\n\"entries\":[\n{\"finger", "b.json:3: entries[0]: the file ends early", ""},
	} {
		_, err := Parse("b.json", []byte(c.file))
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s:\n got %q, hint %q\nwant %q, %q", c.file, err, e.Hint, c.want, c.hint)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "none.json: no such file") {
		t.Errorf("missing file: %v", err)
	}
}

func TestSaveIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "b.json")
	b := New()
	for i := range 100 {
		b.Put(Entry{Fingerprint: fmt.Sprintf("%032x", i), State: Accepted})
	}
	if err := b.Save(path, nil); err != nil {
		t.Fatal(err)
	}
	again, err := Load(path)
	if err != nil || again.Len() != 100 {
		t.Fatalf("%v, %v", again, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := b.Save(filepath.Join(dir, "no", "b.json"), nil); err == nil {
		t.Error("saved into a folder that is not there")
	}
	if err := b.Save(dir, nil); err == nil {
		t.Error("saved over a folder")
	}
}

func FuzzParse(f *testing.F) {
	b := New()
	b.Put(Entry{Fingerprint: fp1, Rule: "R", State: Accepted, Expires: "2026-08-01"})
	f.Add(b.Bytes())
	f.Add([]byte(`{"warden_baseline":1,"entries":[{"fingerprint":"` + fp1 + `","state":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Parse("b", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\n\x00") {
				t.Fatalf("%q", err.Error())
			}
			return
		}
		again, err := Parse("b", b.Bytes())
		if err != nil || cmp.Diff(b.Entries(), again.Entries()) != "" {
			t.Fatalf("%v", err)
		}
	})
}
