package jsonrpc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
)

// hostileFrames are some megabytes each and bring a reader that is not linear, or
// that recurses, to its knees.
func hostileFrames() map[string]string {
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	repeat := func(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	return map[string]string{
		"deep arrays":             `{"result":` + strings.Repeat("[", 4<<20) + strings.Repeat("]", 4<<20) + `}`,
		"deep objects":            `{"id":` + strings.Repeat(`{"a":`, 1<<20) + "1" + strings.Repeat("}", 1<<20) + `}`,
		"many keys in the frame":  `{` + numbered(`"k%d":1`, 300_000) + `}`,
		"many keys in result":     `{"result":{` + numbered(`"k%d":1`, 300_000) + `}}`,
		"many escaped keys":       `{"result":{` + numbered(`"\u006b%d":1`, 200_000) + `}}`,
		"one key again and again": `{"result":{` + repeat(`"k":1`, 1_000_000) + `}}`,
		"results again and again": `{` + repeat(`"result":{"content":[{"type":"text","text":"a"}]}`, 150_000) + `}`,
		"params again and again":  `{` + repeat(`"params":{"name":"a","result":{"content":[{}]}}`, 150_000) + `}`,
		"texts again and again":   `{"result":{"content":[{` + repeat(`"text":"a","Text":"b"`, 300_000) + `}]}}`,
		"blocks of many keys":     `{"result":{"content":[` + repeat(`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}`, 120_000) + `]}}`,
		"backslashes":             `{"a":"` + strings.Repeat(`\\`, 4<<20) + `"}`,
		"surrogates":              `{"a":"` + strings.Repeat(`\ud800`, 1<<20) + `"}`,
		"commas":                  `{"a":[` + repeat("1", 4<<20) + `]}`,
		"methods":                 `{` + repeat(`"method":"notifications\/tasks"`, 250_000) + `}`,
		"a long id":               `{"id":1` + strings.Repeat("0", 8<<20) + `}`,
	}
}

// Each takes some tens of milliseconds; a square of it would take hours.
func TestHostileFramesAreLinear(t *testing.T) {
	for name, doc := range hostileFrames() {
		buf := []byte(doc)
		start := time.Now()
		m, ok := parse(buf, false)
		if !ok {
			t.Errorf("%s: refused", name)
			continue
		}
		offs := make([]int32, len(m.Texts))
		for i := range offs {
			offs[i] = m.Texts[i].Start
		}
		Pointers(m.Raw, offs)
		IDKey(m.ID)
		var s Skimmer
		s.Write(buf)
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s: took %v", name, d)
		}
	}
}

func TestHostileJunkIsLinear(t *testing.T) {
	for name, frame := range map[string]string{
		"open strings":     strings.Repeat("{\"a\n", 1<<20),
		"open objects":     strings.Repeat("{\n", 4<<20),
		"open arrays":      strings.Repeat("[\r", 4<<20),
		"half batches":     "[" + strings.Repeat("{},", 1<<20) + "\n" + strings.Repeat("[{},", 1<<20),
		"messages":         "x\n" + strings.Repeat("{\"id\":1}\n", 1<<19),
		"an open backlash": "{\"" + strings.Repeat(`\`, 8<<20),
		"bad UTF-8":        "{\"a\":\"" + strings.Repeat("\xff", 8<<20) + "\"}",
	} {
		start := time.Now()
		var f Frame
		Read([]byte(frame), analyze.Full, &f)
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s: took %v", name, d)
		}
	}
}
