package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

// TestSequencesHideNoSecret: what an escape sequence runs into is a secret for
// every field of every finding, and for a redaction.
func TestSequencesHideNoSecret(t *testing.T) {
	c := newCatalog(t, Options{})
	const key = "AKIAABCDEFGHIJKLMNOP"
	for _, text := range []string{
		"\x1b[32m" + key + "\x1b[0m",
		"\u009b32m" + key,
		"\x1b(B" + key + " \x1b[" + key,
		"\x1b]0" + key + "\x07",
		"\x1b[31m" + random + "\x1b[0m",
	} {
		secret := key
		if strings.Contains(text, random) {
			secret = random
		}
		q, _ := json.Marshal(text)
		m := parse(t, []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`+string(q)+`}]}}`))
		hits := c.NewScanner().Message(m, nil)
		for _, f := range c.Findings(m, hits, SelectResult, analyze.Inspection{}) {
			if s := fmt.Sprintf("%+v", f); strings.Contains(s, secret[5:]) {
				t.Errorf("%q: shown in %s", text, s)
			}
		}
		for _, f := range c.Text([]byte(text), analyze.Inspection{}) {
			if s := fmt.Sprintf("%+v", f); strings.Contains(s, secret[5:]) {
				t.Errorf("%q: shown in %s", text, s)
			}
		}
		edited, ok := c.Redact(m, hits, SelectResult, analyze.Inspection{}, RedactWhat{ANSI: true, Secrets: true})
		if !ok || strings.Contains(string(edited), secret[5:]) || strings.Contains(string(edited), `\u001b`) || !json.Valid(edited) {
			t.Errorf("%q: redacted to %s", text, edited)
		}
	}
}
