package jsonrpc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// benchChunk is half a MiB of request and answer lines whose texts have about
// the given size.
func benchChunk(size int, words []string) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	for id := 0; b.Len() < 512<<10; id++ {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"/srv/data/%d.txt","limit":%d}}}`+"\n", id, id, r.IntN(1000))
		var text strings.Builder
		for text.Len() < size {
			text.WriteString(words[r.IntN(len(words))])
			text.WriteByte(' ')
		}
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"isError":false}}`+"\n", id, text.String())
	}
	return b.Bytes()
}

var benchWords = map[string][]string{
	"plain":   {"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs", "and", "reads", "file", "contents", `\n`},
	"escaped": {`\"key\":`, `\"value\",\n`, "word", `C:\\path\\to`, `\u003cdiv\u003e`},
	"cjk":     {"日本語の", "文章", "です。", "word"},
}

func BenchmarkMessage(b *testing.B) {
	for _, kind := range []string{"plain", "escaped", "cjk"} {
		for _, size := range []int{100, 2000} {
			chunk := benchChunk(size, benchWords[kind])
			for _, portable := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/%d/portable=%v", kind, size, portable), func(b *testing.B) {
					b.SetBytes(int64(len(chunk)))
					p := Parser{Portable: portable}
					var m Message
					for b.Loop() {
						p.Load(chunk)
						for i := p.Space(0); i < len(chunk); i = p.Space(i) {
							var ok bool
							if i, ok = p.Message(i, len(chunk), &m); !ok {
								b.Fatal("refused")
							}
						}
					}
				})
			}
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	chunk := benchChunk(2000, benchWords["escaped"])
	for _, portable := range []bool{false, true} {
		b.Run(fmt.Sprintf("portable=%v", portable), func(b *testing.B) {
			b.SetBytes(int64(len(chunk)))
			p := Parser{Portable: portable}
			for b.Loop() {
				p.Load(chunk)
			}
		})
	}
}

// Texts as results have them: lines of plain text, code with quotes, and letters
// outside ASCII.
func BenchmarkUnquote(b *testing.B) {
	for name, line := range map[string]string{
		"lines":   `the quick brown fox jumps over the lazy dog, and again\n`,
		"code":    `\tif s[\"key\"] != \"value\" {\n\t\treturn\n`,
		"escapes": `\u0441\u043b\u043e\u0432\u043e `,
		"utf8":    `Größe in Fuß und Öl: 5 €\n`,
	} {
		b.Run(name, func(b *testing.B) {
			raw := []byte(strings.Repeat(line, 100))
			dst := make([]byte, 0, len(raw)+8)
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				dst, _ = Unquote(dst[:0], raw)
			}
		})
	}
}
