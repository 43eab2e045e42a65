package gen

import (
	"bufio"
	"fmt"
	"strings"
)

// deep nests arrays in structuredContent, a megabyte of brackets a frame.
func deep(w *bufio.Writer, _ *rng, n int64) error {
	half := strings.Repeat("[", chunk/2)
	shut := strings.Repeat("]", chunk/2)
	return calls(w, n, func(int) string {
		return `{"content":[],"structuredContent":{"a":` + half + shut + `}}`
	})
}

// keys repeats the members that two parsers may read differently.
func keys(w *bufio.Writer, r *rng, n int64) error {
	return calls(w, n, func(int) string {
		var b strings.Builder
		b.WriteString(`{"content":[{"type":"text","text":"one"}]`)
		for b.Len() < chunk {
			b.WriteString(`,"content":[{"type":"text","text":"` + r.word() + `"}]`)
		}
		return b.String() + `}`
	})
}

// manyStrings is structured content of very short strings.
func manyStrings(w *bufio.Writer, _ *rng, n int64) error {
	body := `{"content":[],"structuredContent":{"a":[` + strings.Repeat(`"a","b",`, chunk/8) + `""]}}`
	return calls(w, n, func(int) string { return body })
}

// manyBlocks is a result of very many empty content blocks of no known type.
func manyBlocks(w *bufio.Writer, _ *rng, n int64) error {
	body := `{"content":[` + strings.Repeat(`{},`, chunk/3) + `{}]}`
	return calls(w, n, func(int) string { return body })
}

// calls writes calls with results that body makes until n bytes are written.
func calls(w *bufio.Writer, n int64, body func(id int) string) error {
	for id := 1; n > 0; id++ {
		b := body(id)
		m, err := fmt.Fprintf(w, `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"probe","arguments":{}}}}`+"\n"+
			`{"direction":"s2c","frame":{"jsonrpc":"2.0","id":%d,"result":%s}}`+"\n", id, id, b)
		if err != nil {
			return err
		}
		n -= int64(m)
	}
	return nil
}

// batch puts thousands of messages into one array.
func batch(w *bufio.Writer, r *rng, n int64) error {
	for id := 0; n > 0; {
		var ask, answer strings.Builder
		for i := 0; answer.Len() < chunk; i++ {
			if i > 0 {
				ask.WriteByte(',')
				answer.WriteByte(',')
			}
			id++
			fmt.Fprintf(&ask, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"probe"}}`, id)
			fmt.Fprintf(&answer, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, r.word())
		}
		m, err := fmt.Fprintf(w, `{"direction":"c2s","frame":[%s]}`+"\n"+`{"direction":"s2c","frame":[%s]}`+"\n", ask.String(), answer.String())
		if err != nil {
			return err
		}
		n -= int64(m)
	}
	return nil
}

// line is one result in one line, whatever its size: over the frame cap from
// 8 MiB on.
func line(w *bufio.Writer, r *rng, n int64) error {
	b := opening(nil, 1)
	if _, err := w.Write(b); err != nil {
		return err
	}
	for n -= int64(len(b) + len(closing)); n > 0; {
		b = r.prose(b[:0], int(min(n, 1<<16)))
		b = b[:min(int64(len(b)), n)]
		if _, err := w.Write(b); err != nil {
			return err
		}
		n -= int64(len(b))
	}
	_, err := w.WriteString(closing)
	return err
}

// inFlight asks and is never answered.
func inFlight(w *bufio.Writer, _ *rng, n int64) error {
	return lines(w, n, `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"probe","arguments":{}}}}`)
}

// unknown answers what was never asked.
func unknown(w *bufio.Writer, _ *rng, n int64) error {
	return lines(w, n, `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"who asked"}]}}}`)
}

// manySessions begins a session with every frame.
func manySessions(w *bufio.Writer, _ *rng, n int64) error {
	return lines(w, n, `{"direction":"c2s","session":"s%d","frame":{"jsonrpc":"2.0","id":1,"method":"ping"}}`)
}

// small is the shortest exchange there is.
func small(w *bufio.Writer, _ *rng, n int64) error {
	return lines(w, n, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`)
}

func lines(w *bufio.Writer, n int64, format string) error {
	for i := 1; n > 0; i++ {
		m, err := fmt.Fprintf(w, format+"\n", i)
		if err != nil {
			return err
		}
		n -= int64(m)
	}
	return nil
}
