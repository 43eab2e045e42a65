package policy

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"pgregory.net/rapid"
)

// told is a value's hosts, name and port, as one text.
func told(value string) string {
	var out []string
	for _, h := range hostReadings(value) {
		s := h.name
		if h.port != "" {
			s += ":" + h.port
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestHostReadings(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://a.example/x", "a.example:80"},
		{"https://a.example:8443?x#y", "a.example:8443"},
		{"HTTPS://A.Example./", "a.example:443"},
		{"  https://a.example \n", "a.example:443"},
		{"https://user:pw@a.example/", "a.example:443"},
		{"https://a@b@c.example", "c.example:443"},
		{"https://a.example/@b.example", "a.example:443"},
		{"https://a.example#@b.example", "a.example:443"},
		{"https://a.example?@b.example", "a.example:443"},
		{`https://a.example\@b.example/`, "b.example:443 a.example:443"},
		{`https:\\a.example\x`, "a.example\\x:443 a.example:443"},
		{"http:a.example", "a.example:80"},
		{"http:///a.example", "a.example:80"},
		{"http://a.example /b", "a.example:80"},
		{"http://a.example\u3000/b", "a.example:80 a.example :80"},
		{"http://a.example\u2028.b.example\\c", "a.example:80 a.example\u2028.b.example\\c:80 a.example\u2028.b.example:80"},
		{"http://a.example\u3000", "a.example:80"},
		{"//a.example/x", "a.example"},
		{`\\a.example\share`, `a.example\share a.example`},
		{"a.example/x", "a.example"},
		{"a.example:8080/x", "a.example:8080"},
		{"localhost:3000", "localhost:3000"},
		{"gopher://a.example:70/x", "a.example:70"},
		{"file:///etc/passwd", "localhost"},
		{"file:/etc/passwd", "localhost"},
		{"file://a.example/share", "a.example"},
		{"/only/a/path", ""},
		{"", ""},
		{"?x=1", ""},
		{"see http://a.example/", "see a.example:80"},
		{"see(http://a.example/", "see(http a.example:80"},
		{"a.example/?u=http://b.example", "a.example"},
		{"http://a.ex\nample/", "a.ex:80 a.example:80"},
		{"http://%61.example/", "%61.example:80 a.example:80"},
		{"http://a.example%2fb/", "a.example%2fb:80 a.example:80"},
		{"http://ａ．example/", "a.example:80"},
		{"http://a。example/", "a.example:80"},
		{"http://bücher.example/", "xn--bcher-kva.example:80"},
		{"http://[::1]:8080/", "::1:8080"},
		{"http://[fe80::1%25eth0]/", "fe80::1:80"},
		{"::1", "::1"},
		{"http://::1/", "::1:80"},
		{"http://2130706433/", "127.0.0.1:80"},
		{"http://0x7f.1/", "127.0.0.1:80"},
		{"http://0177.0.0.1/", "127.0.0.1:80"},
		{"http://127.1/", "127.0.0.1:80"},
		{"http://256.1.1.1/", "256.1.1.1:80"},
		{"http://1.2.3.4.5/", "1.2.3.4.5:80"},
	} {
		if got := told(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// A part with a leading zero is octal for some and decimal for others.
func TestTwoReadingsOfAZero(t *testing.T) {
	got := fmt.Sprint(addresses4("010.0.0.1"))
	if got != "[8.0.0.1 10.0.0.1]" {
		t.Error(got)
	}
	for _, s := range []string{"", "1..2", "-1", "+1", "1_0", "0x", "0xg", "4294967296", "1.16777216", "1.2.3.256", "08"} {
		want := map[string]string{"0x": "[0.0.0.0]", "08": "[0.0.0.8]"}[s]
		if want == "" {
			want = "[]"
		}
		if got := fmt.Sprint(addresses4(s)); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

func TestInternal(t *testing.T) {
	for _, c := range []struct {
		addr        string
		spec, wider bool
	}{
		{"169.254.0.0", true, true}, {"169.254.255.255", true, true}, {"169.253.255.255", false, false}, {"169.255.0.0", false, false},
		{"127.0.0.1", true, true}, {"128.0.0.0", false, false}, {"10.255.255.255", true, true}, {"11.0.0.0", false, false},
		{"172.15.255.255", false, false}, {"172.16.0.0", true, true}, {"172.31.255.255", true, true}, {"172.32.0.0", false, false},
		{"192.168.0.1", true, true}, {"192.167.255.255", false, false}, {"192.169.0.0", false, false},
		{"::1", true, true}, {"::2", false, true}, {"fc00::", true, true}, {"fdff::1", true, true}, {"fe00::", false, false}, {"fe80::1", true, true}, {"fec0::", false, false},
		{"::ffff:10.0.0.1", true, true}, {"::ffff:8.8.8.8", false, false},
		{"0.0.0.0", false, true}, {"0.255.255.255", false, true}, {"1.0.0.0", false, false}, {"::", false, true},
		{"100.63.255.255", false, false}, {"100.64.0.0", false, true}, {"100.127.255.255", false, true}, {"100.128.0.0", false, false},
		{"::10.0.0.1", false, true}, {"::8.8.8.8", false, false},
		{"64:ff9b::10.0.0.1", false, true}, {"64:ff9b::8.8.8.8", false, false}, {"64:ff9b:1::10.0.0.1", false, false},
		{"2002:a00:1::", false, true}, {"2002:808:808::", false, false}, {"2001:db8::1", false, false},
	} {
		a := netip.MustParseAddr(c.addr)
		if _, got := internal(a, analyze.Spec); got != c.spec {
			t.Errorf("spec, %s: %v", a, got)
		}
		if _, got := internal(a, analyze.Full); got != c.wider {
			t.Errorf("full, %s: %v", a, got)
		}
	}
}

// However a private address is dressed, one reading finds it.
func TestDressedAddresses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := [4]byte{10, rapid.Byte().Draw(rt, "b"), rapid.Byte().Draw(rt, "c"), rapid.Byte().Draw(rt, "d")}
		n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
		form := rapid.SampledFrom([]string{
			netip.AddrFrom4(b).String(), fmt.Sprint(n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0%o", n),
			fmt.Sprintf("%d.%d", b[0], n&0xffffff), fmt.Sprintf("0%o.0x%x.%d", b[0], b[1], n&0xffff),
			"[::ffff:" + netip.AddrFrom4(b).String() + "]", fmt.Sprintf("[::ffff:%x:%x]", n>>16, n&0xffff),
			fmt.Sprintf("[64:ff9b::%x:%x]", n>>16, n&0xffff), fmt.Sprintf("[2002:%x:%x::1]", n>>16, n&0xffff), netip.AddrFrom4(b).String() + ".",
		}).Draw(rt, "form")
		scheme := rapid.SampledFrom([]string{"http://", "HTTPS://", "//", "http:", "http:///", "ws://x@", `http:\\`, "gopher://", " http://"}).Draw(rt, "scheme")
		tail := rapid.SampledFrom([]string{"", "/", "?a", "#a", ":80", "/a@b", " x", `\@a.example`}).Draw(rt, "tail")
		for _, h := range hostReadings(scheme + form + tail) {
			for _, a := range h.addrs {
				if _, ok := internal(a, analyze.Full); ok {
					return
				}
			}
		}
		rt.Fatalf("%q: no reading is internal: %s", scheme+form+tail, told(scheme+form+tail))
	})
}

func FuzzHosts(f *testing.F) {
	for _, s := range []string{"http://a.example/", `http://a\@b/`, "//[::1]:1/", "see http://010.1", "http://%31.1", "A://\u0085", "A://a\u3000b", "A://::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		hosts := hostReadings(s)
		s = spacings(s)[0] // outer white space is none of the host for us
		if len(hosts) > 2*2*4*3 {
			t.Fatalf("%d readings", len(hosts))
		}
		// What Go's own reader takes for the host is among ours.
		u, err := url.Parse(s)
		if err != nil || u.Hostname() == "" || len(u.Host) > 200 || u.Scheme == "" {
			return
		}
		want := ascii(u.Hostname())
		if a, ok := address6(want); ok {
			want = a.String()
		} else if a := addresses4(strings.TrimRight(want, ".")); len(a) > 0 {
			want = a[0].String()
		}
		want = strings.TrimRight(want, ".")
		if _, ok := address6(want); !ok && strings.Contains(want, ":") {
			return // an address without brackets, cut at a colon: that names no host
		}
		for _, h := range hosts {
			if h.name == want {
				return
			}
		}
		t.Fatalf("%q: Go reads %q, we read %s", s, want, told(s))
	})
}
