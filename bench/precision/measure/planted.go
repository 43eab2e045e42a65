package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/warden-trace/warden/analyze"
)

const (
	small   = "abcdefghijklmnopqrstuvwxyz"
	capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// form makes secrets of one kind.
type form struct {
	name string
	make func(r *rand.Rand) string
}

func of(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// forms are the vendors' forms and the ways in which programs make keys.
var forms = []form{
	{"openai", func(r *rand.Rand) string { return "sk-" + of(r, small+capital+digits, 20+r.IntN(30)) }},
	{"github", func(r *rand.Rand) string {
		return "gh" + of(r, "pousr", 1) + "_" + of(r, small+capital+digits, 36)
	}},
	{"aws", func(r *rand.Rand) string { return "AKIA" + of(r, capital+digits, 16) }},
	{"slack", func(r *rand.Rand) string {
		return "xox" + of(r, "baprs", 1) + "-" + of(r, digits, 12) + "-" + of(r, small+capital+digits, 24)
	}},
	{"privkey", func(r *rand.Rand) string {
		return "-----BEGIN " + []string{"RSA ", "EC ", "OPENSSH ", ""}[r.IntN(4)] + "PRIVATE KEY-----"
	}},
	{"jwt", func(r *rand.Rand) string {
		part := func(n int) string { return base64.RawURLEncoding.EncodeToString(random(r, n)) }
		return "eyJ" + part(20) + "." + part(40) + "." + part(32) + "A"
	}},
	{"aws secret", func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString(random(r, 30)) }},
	{"letters and digits", func(r *rand.Rand) string { return of(r, small+capital+digits, 24+r.IntN(41)) }},
	{"small and digits", func(r *rand.Rand) string { return of(r, small+digits, 24+r.IntN(41)) }},
	{"capitals and digits", func(r *rand.Rand) string { return of(r, capital+digits, 24+r.IntN(41)) }},
	{"letters", func(r *rand.Rand) string { return of(r, small+capital, 24+r.IntN(41)) }},
	{"small letters", func(r *rand.Rand) string { return of(r, small, 24+r.IntN(41)) }},
	{"base32", func(r *rand.Rand) string { return of(r, capital+"234567", 26+r.IntN(27)) }},
	{"hex", func(r *rand.Rand) string { return hex.EncodeToString(random(r, 16+r.IntN(17))) }},
	{"base64", func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString(random(r, 18+r.IntN(47))) }},
	{"base64url", func(r *rand.Rand) string { return base64.RawURLEncoding.EncodeToString(random(r, 18+r.IntN(47))) }},
	{"base64 twice", func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(random(r, 24))))
	}},
	{"prefixed", func(r *rand.Rand) string {
		return []string{"glpat-", "npm_", "hf_", "SG.", "shpat_", "pk_live_", "dop_v1_"}[r.IntN(7)] + of(r, small+capital+digits, 24+r.IntN(24))
	}},
	{"hex, capitals", func(r *rand.Rand) string { return strings.ToUpper(hex.EncodeToString(random(r, 16+r.IntN(17)))) }},
	{"base58", func(r *rand.Rand) string {
		return of(r, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 24+r.IntN(30))
	}},
	{"behind key-", func(r *rand.Rand) string { return "key-" + hex.EncodeToString(random(r, 16)) }},
	{"basic", func(r *rand.Rand) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte("admin:"+of(r, small+capital+digits, 16)))
	}},
	{"json in base64", func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"user":"harbour","password":"` + of(r, small+capital+digits, 20) + `"}`))
	}},
	{"groups of five", func(r *rand.Rand) string {
		var parts []string
		for range 5 {
			parts = append(parts, of(r, capital+digits, 5))
		}
		return strings.Join(parts, "-")
	}},
	{"groups of letters", func(r *rand.Rand) string {
		var parts []string
		for range 6 {
			parts = append(parts, of(r, small, 4))
		}
		return strings.Join(parts, "-")
	}},
}

// dress puts a secret where tools print them.
type dress struct {
	name string
	put  func(r *rand.Rand, s string) string
}

var names = []string{"API_KEY", "DATABASE_PASSWORD", "SESSION_SECRET", "ACCESS_TOKEN", "webhookSigningSecret", "client_secret", "value", "x"}

func name(r *rand.Rand) string { return names[r.IntN(len(names))] }

var dresses = []dress{
	{"plain", func(_ *rand.Rand, s string) string { return s }},
	{"json", func(r *rand.Rand, s string) string {
		b, _ := json.Marshal(map[string]any{name(r): s, "region": "eu-central-1", "retries": 3})
		return string(b)
	}},
	{"yaml", func(r *rand.Rand, s string) string {
		return "service:\n  name: harbour\n  " + name(r) + ": " + s + "\n  replicas: 2\n"
	}},
	{"env", func(r *rand.Rand, s string) string {
		return "PATH=/usr/bin:/bin\n" + name(r) + "=" + s + "\nTERM=xterm\n"
	}},
	{"url query", func(r *rand.Rand, s string) string {
		return "GET https://api.example.com/v2/customers?page=3&" + name(r) + "=" + url.QueryEscape(s) + " 200"
	}},
	{"url path", func(_ *rand.Rand, s string) string {
		return "curl https://hooks.example.com/services/incoming/notifications/" + s
	}},
	{"url user", func(_ *rand.Rand, s string) string { return "postgres://harbour:" + s + "@db.example.com:5432/orders" }},
	{"code", func(r *rand.Rand, s string) string {
		return "func connect() error {\n\tconst " + name(r) + " = \"" + s + "\"\n\treturn dial(context.Background())\n}\n"
	}},
	{"prose", func(_ *rand.Rand, s string) string {
		return "The new key is " + s + ". Please don't share it with anyone."
	}},
	{"header", func(_ *rand.Rand, s string) string { return "Authorization: Bearer " + s + "\r\nAccept: */*\r\n" }},
	{"escaped twice", func(r *rand.Rand, s string) string {
		b, _ := json.Marshal(map[string]string{name(r): s})
		b, _ = json.Marshal(map[string]string{"body": string(b) + "\n"})
		return string(b)
	}},
	{"table", func(r *rand.Rand, s string) string { return "| " + name(r) + " | " + s + " | 2026-11-02 |" }},
}

// planted plants secrets and says which are missed.
func planted(w io.Writer, sets []*set, seed uint64, n int) (lost int) {
	r := rand.New(rand.NewPCG(seed, 7))
	type tally struct{ all, base, head, lost int }
	byForm := map[string]*tally{}
	var sum tally
	var first []string
	for i := range n {
		f, d := forms[i%len(forms)], dresses[i/len(forms)%len(dresses)]
		s := f.make(r)
		text := []byte(d.put(r, s))
		t := byForm[f.name]
		if t == nil {
			t = &tally{}
			byForm[f.name] = t
		}
		base, head := finds(sets[0], text), finds(sets[1], text)
		t.all++
		if base {
			t.base++
		}
		if head {
			t.head++
		}
		if base && !head {
			t.lost++
			if len(first) < 20 {
				first = append(first, f.name+" as "+d.name)
			}
		}
	}
	fmt.Fprintf(w, "%d planted secrets: those found\n\n%-22s %8s %12s %12s %8s\n", n, "form", "planted", sets[0].name, sets[1].name, "lost")
	for _, f := range forms {
		t := byForm[f.name]
		if t == nil {
			continue
		}
		fmt.Fprintf(w, "%-22s %8d %12d %12d %8d\n", f.name, t.all, t.base, t.head, t.lost)
		sum.all, sum.base, sum.head, sum.lost = sum.all+t.all, sum.base+t.base, sum.head+t.head, sum.lost+t.lost
	}
	fmt.Fprintf(w, "%-22s %8d %12d %12d %8d\n", "all", sum.all, sum.base, sum.head, sum.lost)
	if len(first) > 0 {
		fmt.Fprintln(w, "lost:", strings.Join(first, "; "))
	}
	return sum.lost
}

func finds(s *set, text []byte) bool {
	for _, f := range s.c.Text(text, analyze.Inspection{}) {
		if f.Rule == "WRD-RES-SECRET-ECHO" {
			return true
		}
	}
	return false
}
