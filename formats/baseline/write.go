package baseline

import (
	"bytes"
	"io"
	"os"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
)

// Version is the version of the file's form.
const Version = 1

// Bytes is the file as it is written.
func (b *File) Bytes() []byte {
	var out bytes.Buffer
	out.WriteString("{\"warden_baseline\":1,\n\"entries\":[")
	for i, e := range b.Entries() {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n")
		out.Write(e.appendTo(nil))
	}
	out.WriteString("\n]}\n")
	return out.Bytes()
}

// Save writes the file so that nobody ever sees half of it: to a temporary name
// that is then renamed. "-" is stdout.
func (b *File) Save(path string, stdout io.Writer) error {
	if stdout == nil {
		stdout = os.Stdout
	}
	t, err := target.Create(path, stdout)
	if err != nil {
		return err
	}
	if _, err := t.Write(b.Bytes()); err != nil {
		t.Abort()
		return err
	}
	return t.Close()
}

// appendTo appends the entry as one line; members without a value are left out.
func (e *Entry) appendTo(dst []byte) []byte {
	first := true
	for _, m := range e.members() {
		if *m.value == "" && m.optional {
			continue
		}
		sep := byte(',')
		if first {
			sep, first = '{', false
		}
		dst = append(append(dst, sep), '"')
		dst = append(append(dst, m.key...), '"', ':')
		dst = safe.AppendJSON(dst, jsonrpc.AppendQuoted(nil, *m.value)) // people read the file
	}
	return append(dst, '}')
}

type member struct {
	key      string
	value    *string
	optional bool
}

// members is the one table of what an entry holds, for reading and writing.
func (e *Entry) members() []member {
	return []member{
		{"fingerprint", &e.Fingerprint, false}, {"rule", &e.Rule, false}, {"sub_rule", &e.SubRule, true}, {"tool", &e.Tool, true},
		{"where", &e.Where, true}, {"state", &e.State, false}, {"reason", &e.Reason, true}, {"owner", &e.Owner, true},
		{"created", &e.Created, true}, {"expires", &e.Expires, true},
	}
}
