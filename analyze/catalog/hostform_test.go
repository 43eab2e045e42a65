package catalog

import (
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"
)

// The quick no to hosts of other scripts must never be said to a host that a
// browser would turn into ASCII: tried with every code point there is.
func TestForeignHostsNeverBecomeASCII(t *testing.T) {
	dropped := 0
	for r := rune(utf8.RuneSelf); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		h := "a" + string(r) + "b"
		a, err := toASCII.ToASCII(h)
		if strings.Contains(a, "xn--") || !plainBytes([]byte(a)) {
			if ignoredInHost(r) && err == nil {
				t.Errorf("%U is dropped here but not by browsers: %q", r, a)
			}
			continue
		}
		if a == "ab" {
			dropped++
			if !ignoredInHost(r) {
				t.Errorf("%U is dropped by browsers but not here", r)
			}
			continue
		}
		if !strings.Contains(a, ".") && foreign(h) {
			t.Errorf("%U: called foreign, but %q becomes %q", r, h, a)
		}
	}
	if dropped < 100 {
		t.Errorf("only %d code points are dropped", dropped)
	}
}

func TestNumberHosts(t *testing.T) {
	for in, want := range map[string]string{
		"2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1", "017700000001": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "0177.0.0.01": "127.0.0.1",
		"0x7f.0x0.0.0x1": "127.0.0.1", "127.0.0.1.": "127.0.0.1", "10.1.65535": "10.1.255.255", "0": "0.0.0.0", "0x": "0.0.0.0", "00000000000000000000001": "0.0.0.1", "4294967295": "255.255.255.255",
		"4294967296": "", "256.1": "", "1.256.1": "", "10.1.65536": "", "1.2.3.4.5": "", "1..2": "", "": "", ".": "", "08": "", "0xg": "", "1e3": "", "+1": "", "1_0": "", "a1": "", "99999999999999999999": "",
	} {
		a, ok := numberHost(in)
		if !ok {
			a = netip.Addr{}
		}
		if (want == "") == ok || ok && a.String() != want {
			t.Errorf("%q: %v %v, want %q", in, a, ok, want)
		}
	}
}

func TestUnescapeAgreesWithUnquote(t *testing.T) {
	for _, raw := range []string{"", "a", `\n`, `\\`, `\"`, `\/`, `\u0041`, `\ud83d\ude00`, `\ud83d`, `\ude00\ud83d`, `\ud83d\u0041`, `\ud83dx`, "é\\té", strings.Repeat("abcdefg", 9) + `\b\f\r\n\t`,
		strings.Repeat(`\u00e9`, 30), strings.Repeat(`x\n`, 30), `12345678\\`, `1234567\n`, `\\\\\\\\`} {
		for pad := range 9 {
			in := strings.Repeat("p", pad) + raw + strings.Repeat("q", pad)
			got := unescape(nil, []byte(in), &fastest)
			want := plain(nil, []byte(in))
			if string(got) != string(want) {
				t.Errorf("%q: %q, want %q", in, got, want)
			}
			if cap(got)-len(got) < 64+ahead {
				t.Errorf("%q: no room behind the text", in)
			}
		}
	}
}
