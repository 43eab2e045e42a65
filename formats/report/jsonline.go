package report

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// WriteJSONLine writes v as one line of JSON, for commands that write objects of
// their own: whatever names the trace put into it, no string holds a vendor's secret
// or a character that is not visible, except as an escape. The errors are w's, and
// those of values that are no JSON.
func WriteJSONLine(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(SafeJSON(make([]byte, 0, b.Len()+64), b.Bytes()))
	return err
}

// SafeJSON appends src, which is JSON, with its strings made fit to be shown.
func SafeJSON(dst, src []byte) []byte {
	var text []byte
	for len(src) > 0 {
		open := bytes.IndexByte(src, '"')
		if open < 0 {
			return append(dst, src...)
		}
		dst = append(dst, src[:open]...)
		src = src[open:]
		end := min(closing(src)+1, len(src))
		content := src[1 : end-1]
		text, _ = jsonrpc.Unquote(text[:0], content)
		if s := secret.Scrub(string(text)); s != string(text) {
			dst = appendJSON(dst, s)
		} else {
			dst = append(safe.AppendJSON(append(dst, '"'), content), '"')
		}
		src = src[end:]
	}
	return dst
}
