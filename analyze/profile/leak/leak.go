// Package leak finds what an error message must not tell of a server's inside
// (seed 002, NFR-SEC-51; rule OCU-ERROR-LEAK): stack traces, file paths,
// addresses of private networks. It infers, so its rule is of monitor tier. All
// of it is linear in the text.
package leak

// Kind is what leaks.
type Kind uint8

// Kinds, and their number.
const (
	Stack Kind = iota
	Path
	Address
	Kinds
)

// String names the kind in a sentence.
func (k Kind) String() string {
	return [...]string{"a stack trace", "a file path", "a private address"}[k]
}

// Hit is the first leak of a kind in a text, as byte offsets.
type Hit struct {
	Kind       Kind
	Start, End int
}

// Find returns the first hit of each kind, in the order of the kinds.
func Find(text string) []Hit {
	var out []Hit
	for k, find := range [...]func(string) (int, int){findStack, findPath, findAddress} {
		if a, b := find(text); b > a {
			out = append(out, Hit{Kind(k), a, b})
		}
	}
	return out
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
