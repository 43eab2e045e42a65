package policy

import (
	"strings"
	"testing"
)

// Folding to another case, or cutting, may not show what redaction hides.
func TestReasonsHideSecrets(t *testing.T) {
	p := mustLoad(t, `
defaults:
  filesystem_write: {allow_paths: ["/ok/**"]}
  shell_exec: {allow: true, allow_commands: [ls]}
tools:
  web: {http_request: {allow_hosts: [good.example]}}
  open: {http_request: {}}
  q: {sql_query: {}}
  w: {filesystem_write: {}}
  x: {shell_exec: {}}
`)
	const random = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW"
	vendor := "ghp_" + strings.Repeat("aB3d", 9)
	for _, c := range []struct{ tool, key, value string }{
		{"web", "url", "https://AKIAABCDEFGHIJKLMNOP.evil.example/"}, {"open", "url", "https://AKIAABCDEFGHIJKLMNOP.evil.example/"},
		{"web", "url", "https://%41KIAABCDEFGHIJKLMNOP.evil.example/"}, {"web", "url", "https://\uff21KIAABCDEFGHIJKLMNOP.evil.example/"},
		{"web", "url", "https://AKIA\u00adABCDEFGHIJKLMNOP.evil.example/"}, {"web", "url", "https://AKIAABCD\tEFGHIJKLMNOP.evil.example/"},
		{"web", "url", "https://" + random + ".evil.example/"}, {"open", "url", random + "/x"}, {"open", "url", "aB3dE5fG7hI9jK1l/M3nO5pQ7rS9tU1vW"},
		{"open", "url", "http://AKIAABCDEFGHIJKLMNOP.localhost"},
		{"q", "query", vendor + " 1"}, {"q", "query", random}, {"q", "query", "aB3dE5fG7hI9jK1l/M3nO5pQ7rS9tU1vW"},
		{"w", "path", "/x/" + random}, {"w", "path", "/x/" + vendor}, {"w", "path", "file:///x/" + vendor}, {"w", "path", "/ok/../" + random},
		{"w", "path", `\` + strings.Repeat("a", 90) + `\` + random},
		{"x", "command", random + " -l"}, {"x", "command", "/x/" + random}, {"x", "command", vendor}, {"x", random, "rm"},
	} {
		args := decode(t, `{`+quote(c.key)+`:`+quote(c.value)+`}`)
		for _, v := range p.Eval(c.tool, args, []Shape{}) {
			said := strings.ToLower(v.Reason + " " + v.Pointer)
			if v.Rule == "" {
				t.Errorf("%s: %q has no verdict", c.tool, c.value)
			}
			for _, part := range []string{"abcdefghij", "akiaabcd", "e5fg7", "m3no5", "ab3dab3d"} {
				if strings.Contains(said, part) {
					t.Errorf("%s: %q shows %q: %s (%s)", c.tool, c.value, part, v.Reason, v.Pointer)
				}
			}
		}
	}
	v := p.Eval("web", decode(t, `{"url":"https://Evil.EXAMPLE/?k=`+vendor+`"}`), nil)[0]
	if strings.Contains(v.Reason, "aB3daB3d") || !strings.Contains(v.Reason, "Evil.EXAMPLE") && !strings.Contains(v.Reason, "evil.example") {
		t.Errorf("a host beside a secret: %s", v.Reason)
	}
}
