package terminal

import "testing"

func TestBlanked(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"plain":                       "plain",
		"\x1b":                        " ",
		"\x1b\x1b[1mx":                "     x",
		"a\x1b[1;31mb\x1b[0mc":        "a       b    c",
		"\u009b1mx\u009cy":            "    x\u009cy",
		"\x1b[31éx":                   "    éx",
		"\x1b[31\x18mx":               "    \x18mx", // cancelled
		"\x1b[3\x071mx":               "      x",
		"\x1b]8;;http://a\x07b":       "     http://a\x07b",
		"\x1b]8;id=x;http://a\x1b\\b": "         http://a  b",
		"\x1b]8;id=x\x07;b":           "    id=x\x07;b",
		"\x1b]0;title\x07":            "    title\x07",
		"\x1b]88;x;y":                 "     x;y",
		"\u009d8;;x":                  "     x",
		"\x1b(Bx\x1bcy":               "   x  y",
		"\x1bé":                       " é",
	} {
		if got := string(Blanked(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
