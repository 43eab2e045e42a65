package leak

import (
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// stack traces
		{"Traceback (most recent call last):\n  File \"x\", line 1", "a stack trace"},
		{"failed: File \"<stdin>\", line 1, in <module>", ""},
		{"x\n  File \"<stdin>\", line 1, in <module>", "a stack trace"},
		{"TypeError: x\n    at f (index.js:10:5)", "a stack trace"},
		{"TypeError: x at f (lib/index.js:10:5) at g (lib/a.js:1:1)", "a stack trace, a file path"},
		{"Error\n    at node:internal/main/run:23:47", "a stack trace"},
		{"x\n\tat com.a.B.c(B.java:12)", "a stack trace"},
		{"x\n\tat com.a.B.c(Native Method)", "a stack trace"},
		{"   at Acme.Db.Open() in Db.cs:line 12", "a stack trace"},
		{"goroutine 17 [chan receive]:", "a stack trace"},
		{"thread 'main' panicked at src.rs", "a stack trace"},
		{"a.rb:12:in `run'", "a stack trace"},
		{"#0 x.php(12): f()\n#1 {main}", "a stack trace"},
		{"#1  0x00007ffff in main ()", "a stack trace"},
		{"the goroutine 5 was slow", ""},
		{"at line 3, column 7", ""},
		{"look at https://x.example:443 first", ""},
		{"meet at noon (10:30)", ""},
		{"step #3 failed", ""},
		{"thread 'main' is busy", ""},
		// file paths
		{"open /etc/passwd: permission denied", "a file path"},
		{"can't read /home/u/.ssh/id_rsa", "a file path"},
		{"module '/opt/x' is missing", "a file path"},
		{"at (/srv/app)", "a file path"},
		{`open C:\Users\x\a.txt`, "a file path"},
		{"open D:/data/a", "a file path"},
		{`\\server\share\a`, "a file path"},
		{"see file:///etc/hosts", "a file path"},
		{"~/.aws/credentials is missing", "a file path"},
		{"src/index.ts:10:5 - error", "a file path"},
		{"../conf/app.yaml is missing", "a file path"},
		{"ENOENT: open '/x/y'", "a file path"},
		{"/custom/place/main.py failed", "a file path"},
		{"path=/var/lib/x", "a file path"},
		{"path: /var/lib/x", "a file path"},
		{"see https://example.com/etc/passwd", ""},
		{"POST /mcp/v1 is not allowed", ""},
		{"/params/name must be a string", ""},
		{"must be and/or, 3/4 of application/json", ""},
		{"tools/call is unknown", ""},
		{"example.com/docs/index.html", ""},
		{"either / or", ""},
		{"he said: // no", ""},
		{`a\nb`, ""},
		// addresses
		{"dial tcp 10.0.0.1:5432: refused", "a private address"},
		{"172.16.0.1, 172.32.0.1", "a private address"},
		{"172.32.0.1 and 8.8.8.8", ""},
		{"host [::1]:80", "a private address"},
		{"host fe80::1%eth0", "a private address"},
		{"peer fd00:1:2::3.", "a private address"},
		{"peer 2001:db8::1", ""},
		{"::ffff:192.168.0.1 refused", "a private address"},
		{"refused by 192.168.0.1.", "a private address"},
		{"http://127.0.0.1/x", "a private address"},
		{"version 10.0.0", ""},
		{"version 10.0.0.1.5", ""},
		{"v10.0.0.1", ""},
		{"10.0.0.256 010.0.0.1", ""},
		{"at 10:30:45", ""},
		{"std::vector", ""},
	} {
		var got []string
		for _, h := range Find(tt.text) {
			if h.Start < 0 || h.End > len(tt.text) || h.Start >= h.End {
				t.Fatalf("%q: hit %+v is out of the text", tt.text, h)
			}
			got = append(got, h.Kind.String())
		}
		if g := strings.Join(got, ", "); g != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, g, tt.want)
		}
	}
}

// TestLinear runs texts made to be slow; each takes milliseconds when every
// rule reads its text a fixed number of times, and minutes when it does not.
// The bound leaves room for a busy machine.
func TestLinear(t *testing.T) {
	const n = 1 << 20
	for _, unit := range []string{"goroutine ", " at ", " at a (", "\nat ", "thread '", "/", "a/", "/a", "::", "1.", "1.1.1.1:", "\\", "a:", ":in `", "\n#1", "File \"", "[", "\n +0x", "../", "#1 (", "): "} {
		start := time.Now()
		Find(strings.Repeat(unit, n/len(unit)))
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%q: %v for a megabyte", unit, d)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Traceback (most recent call last):\n File \"/a.py\", line 3")
	f.Add("x at f (/a/b.js:1:2) ::1 10.0.0.1:80 C:\\a\\b")
	f.Fuzz(func(t *testing.T, s string) {
		for _, h := range Find(s) {
			if h.Start < 0 || h.End > len(s) || h.Start >= h.End || h.Kind >= Kinds {
				t.Fatalf("hit %+v in %d bytes", h, len(s))
			}
		}
	})
}
