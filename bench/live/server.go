package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// roleKey makes a run of this program one of the servers.
const roleKey = "WARDEN_BENCH_LIVE"

// smallText is what a small result says.
const smallText = "pong, and a few words more, as a small tool would say"

// serve answers each line with a tool result: a small one ("echo" and "bare"),
// or one of 64 KiB ("stream").
func serve(role string) {
	if role == "bare" {
		bare()
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	texts := []string{smallText}
	if role == "stream" {
		texts = nil
		r := rand.New(rand.NewPCG(1, 2))
		for range 16 {
			texts = append(texts, prose(r, resultSize))
		}
	}
	var out []byte
	for n := 0; ; n++ {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		out = answer(out[:0], line, texts[n%len(texts)])
		if _, err := os.Stdout.Write(out); err != nil {
			return
		}
	}
}

// answer appends the answer to a request.
func answer(b, line []byte, text string) []byte {
	id := line[len(idBefore):]
	id = id[:bytes.IndexByte(id, ',')]
	return fmt.Appendf(b, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n", id, text)
}

const (
	resultSize = 64 << 10
	idBefore   = `{"jsonrpc":"2.0","id":`
)

func request(b []byte, id int) []byte {
	return fmt.Appendf(b, idBefore+`%d,"method":"tools/call","params":{"name":"look_up","arguments":{"key":"value %d"}}}`+"\n", id, id)
}

// prose is ordinary text: words, numbers, punctuation, a path or an address
// now and then.
func prose(r *rand.Rand, size int) string {
	words := strings.Fields(`the a of and report shows that value was found in table row server returned list item
		with name config file path user time error none total count average week region north south price order
		shipped pending because while under over between after before first second third result query match`)
	var b strings.Builder
	for b.Len() < size {
		switch r.IntN(40) {
		case 0:
			fmt.Fprintf(&b, "%d.%02d, ", r.IntN(10000), r.IntN(100))
		case 1:
			fmt.Fprintf(&b, "/srv/%s/%s.txt ", words[r.IntN(len(words))], words[r.IntN(len(words))])
		case 2:
			b.WriteString(`said: \"yes\".\n`)
		case 3:
			fmt.Fprintf(&b, "%s@example.org ", words[r.IntN(len(words))])
		default:
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
	}
	return b.String()[:size]
}
