package formats

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/archive"
)

// Defaults of Options.
const (
	DefaultMaxFrame    = 8 << 20
	DefaultMaxDocument = 256 << 20
)

// UnrecognisedError says that a stream has none of the forms that are read.
type UnrecognisedError struct {
	Name   string
	Tried  []string
	binary bool
}

// Error lists what was tried.
func (e *UnrecognisedError) Error() string {
	what := "no recording of a known form"
	if e.binary {
		what = "binary data, no recording of a known form"
	}
	msg := what + "; tried: " + strings.Join(e.Tried, ", ")
	if e.Name != "" {
		msg = Printable(e.Name) + ": " + msg
	}
	return msg
}

// UnsupportedError says that a stream has a form that is known but can't be
// analyzed.
type UnsupportedError struct {
	Name         string
	Form         string
	Advice       string // what to do instead; may be empty
	MetadataOnly bool   // the frames were never recorded in it
}

// Error says what it is, why it is refused, and where the frames would be.
func (e *UnsupportedError) Error() string {
	msg := "this is a " + e.Form
	if e.MetadataOnly {
		msg += ", which never held the frames"
	} else {
		msg += ", a form that is not read"
	}
	if e.Advice != "" {
		msg += ": " + e.Advice
	}
	if e.Name != "" {
		msg = Printable(e.Name) + ": " + msg
	}
	return msg
}

var bom = []byte("\xef\xbb\xbf")

// Open takes the wrappings off r, tells its form from the first 64 KiB and
// returns its reader. A stream without any byte, or of white space alone, is a
// Source without frames and with a notice. Errors: *UnrecognisedError,
// *UnsupportedError, damage before the first byte.
func Open(name string, r io.Reader, o Options) (Source, error) {
	if o.MaxFrame <= 0 {
		o.MaxFrame = DefaultMaxFrame
	}
	if o.MaxDocument <= 0 {
		o.MaxDocument = DefaultMaxDocument
	}
	switch o.Perspective {
	case "", "client", "server":
	default:
		return nil, fmt.Errorf("--perspective %q: say client or server", o.Perspective)
	}
	r, info, err := archive.Open(r, archive.Options{WindowLog: o.ZstdWindowLog})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Printable(name), err)
	}
	if info.Tar {
		return nil, fmt.Errorf("%s: a tar archive holds several traces and can't be read as one", Printable(name))
	}
	br := bufio.NewReaderSize(r, sniffLen)
	var notices []string
	var off int64
	head, err := br.Peek(sniffLen)
	if enc := utf16Of(head); enc != nil {
		notices = append(notices, "UTF-16 text, read as UTF-8: offsets and bytes are those of the UTF-8 text")
		br = bufio.NewReaderSize(transform.NewReader(br, enc.NewDecoder()), sniffLen)
		head, err = br.Peek(sniffLen)
	}
	if len(head) >= 3 && string(head[:3]) == string(bom) {
		notices = append(notices, "a byte-order mark at the start was dropped")
		br.Discard(3)
		off = 3
		head, err = br.Peek(sniffLen)
	}
	if err != nil && err != io.EOF && len(head) == 0 {
		return nil, fmt.Errorf("%s: %w", Printable(name), err)
	}
	s, serr := sniff(head, err != nil, o)
	switch e := serr.(type) {
	case *UnrecognisedError:
		e.Name = name
		return nil, e
	case *UnsupportedError:
		e.Name = name
		return nil, e
	case nil:
	default:
		return nil, serr
	}
	if s.rel && s.out == analyze.Unknown {
		notices = append(notices, "directions are relative to the program that wrote the log, and its beginning does not say whether that was the client or the server: they are inferred from the methods; --perspective client or server settles it")
	}
	if s.both {
		notices = append(notices, "both sides of this log send what only a client sends: the program that wrote it is taken for the client, since its own lines can be believed; --perspective server says otherwise")
	}
	base := &stream{r: br, o: o, s: s, off: off, line: 1, notices: notices, size: chunkLen, hold: o.MaxFrame/3*4 + 64<<10}
	if s.form == formFramed {
		return &framedSource{stream: base}, nil
	}
	return &lineSource{stream: base}, nil
}

func utf16Of(head []byte) encoding.Encoding {
	if len(head) < 2 {
		return nil
	}
	switch {
	case head[0] == 0xff && head[1] == 0xfe && !(len(head) >= 4 && head[2] == 0 && head[3] == 0):
		return utf16.UTF16(utf16.LittleEndian, utf16.ExpectBOM)
	case head[0] == 0xfe && head[1] == 0xff:
		return utf16.UTF16(utf16.BigEndian, utf16.ExpectBOM)
	}
	return nil
}

// printable escapes what a terminal must not see.
func printable(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case r == '\\' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += n
	}
	return b.String()
}
