package gen

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// samples are benign texts by kind: what tools return on any working day, the
// long tokens that look like secrets and are none among them.
var samples = map[string]func(r *rng, b []byte) []byte{
	"prose.md":       func(r *rng, b []byte) []byte { return append(r.sentence(b, false), '\n') },
	"foreign.md":     func(r *rng, b []byte) []byte { return append(r.sentence(b, true), '\n') },
	"program.go":     (*rng).code,
	"listing.txt":    (*rng).listing,
	"rows.json":      (*rng).object,
	"service.log":    (*rng).log,
	"go.sum":         goSum,
	"package-lock":   npmLock,
	"checksums.txt":  checksums,
	"ids.csv":        ids,
	"requests.log":   requests,
	"encoded.txt":    encoded,
	"contacts.csv":   contacts,
	"identifiers.py": identifiers,
	"paths.txt":      func(r *rng, b []byte) []byte { return append(longPath(r, b), '\n') },
	"cjk.txt":        cjk,
	"style.css":      css,
	"manifest.yaml":  manifest,
	"certificate":    certificate,
	"min.js":         minified,
}

// Samples lists the kinds that Sample knows, sorted.
func Samples() []string {
	var out []string
	for k := range samples {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Sample returns about n bytes of benign text of the kind; it panics on an
// unknown one. The same seed gives the same text.
func Sample(kind string, seed uint64, n int) []byte {
	f := samples[kind]
	if f == nil {
		panic(fmt.Sprintf("no kind of sample %q; there are %s", kind, strings.Join(Samples(), ", ")))
	}
	r := newRand(seed)
	b := make([]byte, 0, n+4096)
	for len(b) < n {
		b = f(&r, b)
	}
	return b
}

func goSum(r *rng, b []byte) []byte {
	b = join(b, "example.com/", r.word(), "/", r.word(), " v1.")
	b = strconv.AppendInt(b, int64(r.n(40)), 10)
	b = append(b, ".0 h1:"...)
	return append(r.chars(b, base64std, 43), "=\n"...)
}

func npmLock(r *rng, b []byte) []byte {
	b = join(b, `    "node_modules/`, r.word(), "-", r.word(), `": { "version": "2.`)
	b = strconv.AppendInt(b, int64(r.n(30)), 10)
	b = append(b, `.1", "integrity": "sha512-`...)
	return append(r.chars(b, base64std, 86), "==\" },\n"...)
}

func checksums(r *rng, b []byte) []byte {
	b = r.chars(b, hexDigits, []int{32, 40, 64, 128}[r.n(4)])
	return append(r.path(append(b, "  "...)), '\n')
}

func ids(r *rng, b []byte) []byte {
	b = append(r.uuid(b), ',')
	b = append(r.chars(append(b, "01"...), "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24), ',') // as ULIDs of our time are
	return append(r.chars(b, digits, 18), '\n')
}

func requests(r *rng, b []byte) []byte {
	b = join(b, "level=", strings.ToLower(r.pick(levels)), " msg=\"", r.word(), " ", r.word(), "\" request_id=")
	return append(r.uuid(b), '\n')
}

func encoded(r *rng, b []byte) []byte {
	if r.one(4) {
		b = append(b, "data:image/png;base64,"...)
	}
	return append(r.chars(b, base64std, 76), '\n')
}

func contacts(r *rng, b []byte) []byte {
	return append(join(b, r.word(), ".", r.word(), "@", r.word(), ".example.com,+00 ", "555 01", strconv.Itoa(10+r.n(90)), ",https://example.com/~", r.word()), '\n')
}

func identifiers(r *rng, b []byte) []byte {
	b = append(b, "def "...)
	for i := range 3 + r.n(5) {
		if i > 0 {
			b = append(b, '_')
		}
		b = append(b, r.word()...)
	}
	b = append(b, "(self): return self."...)
	for i := range 3 + r.n(4) {
		w := r.word()
		if i > 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b = append(b, w...)
	}
	return append(b, '\n')
}

func longPath(r *rng, b []byte) []byte {
	b = append(b, "/srv/app"...)
	for range 3 + r.n(6) {
		b = join(b, "/", r.word())
		if r.one(3) {
			b = append(b, '-')
			b = append(b, r.word()...)
		}
	}
	return append(b, r.pick(extensions)...)
}

func cjk(r *rng, b []byte) []byte {
	for range 20 + r.n(60) {
		b = append(b, string(rune(0x4e00+r.n(0x5000)))...)
	}
	return append(b, "。\n"...)
}

func css(r *rng, b []byte) []byte {
	b = join(b, ".", r.word(), "-", r.word(), "__", r.word(), "--", r.word(), " { color: #")
	b = r.chars(b, hexDigits, 6)
	return append(b, "; margin: 0 auto; }\n"...)
}

func manifest(r *rng, b []byte) []byte {
	b = join(b, r.word(), ":\n  image: images.example.com/", r.word(), "/", r.word(), "@sha256:")
	b = r.chars(b, hexDigits, 64)
	return join(b, "\n  labels: {app: ", r.word(), ", tier: ", r.word(), "}\n")
}

func certificate(r *rng, b []byte) []byte {
	b = append(b, "-----BEGIN CERTIFICATE-----\n"...)
	for range 12 {
		b = append(r.chars(b, base64std, 64), '\n')
	}
	return append(b, "-----END CERTIFICATE-----\n"...)
}

func minified(r *rng, b []byte) []byte {
	names := slices.Repeat([]string{""}, 4)
	for i := range names {
		names[i] = string(r.chars(nil, letters, 1+r.n(2)))
	}
	return join(b, "function ", names[0], "(", names[1], ",", names[2], "){return ", names[1], ".", r.word(), "(", names[2], ")||", names[3], "[\"", r.word(), "\"]};")
}
