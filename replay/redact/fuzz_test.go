package redact_test

import (
	"bytes"
	"testing"

	"github.com/warden-trace/warden/formats"
)

// Whatever the bytes, a copy is as long as the original, the original stays as
// it was, and redacting twice keeps the form.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":"AKIAQQQQQQQQQQQQQQQQ","result":{"t":"\u0041KIAQQQQQQQQQQQQQQQQ {\"k\":\"AKIA\\u0051QQQQQQQQQQQQQQQ\"}"}}`))
	f.Add([]byte("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq2Zx9K\n-----END"))
	f.Add([]byte("\"\\\"\\\\\\u00\"\xff aB3dE5gH7jK9mN1pQ4sT6vW8zz\"\\"))
	f.Add([]byte(`"\\\"AKIA\\\\u0051QQQQQQQQQQQQQQQ\\\""`))
	r := redactor(f, "")
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		rec := formats.Record{Kind: formats.KindFrame, Frame: data, Session: data, Candidate: data, HTTP: data, Seq: -1}
		out := r.Record(&rec)
		if !bytes.Equal(data, before) {
			t.Fatal("the original has changed")
		}
		for _, b := range [][]byte{out.Frame, out.Session, out.Candidate, out.HTTP, r.Text(data)} {
			if len(b) != len(data) {
				t.Fatalf("%d bytes became %d", len(data), len(b))
			}
		}
		if changed := !bytes.Equal(out.Frame, data) || !bytes.Equal(out.Session, data) || !bytes.Equal(out.HTTP, data) || !bytes.Equal(out.Candidate, data); changed != (out.Flags&formats.Redacted != 0) {
			t.Fatalf("changed %v, flags %d", changed, out.Flags)
		}
	})
}
