// Package formats reads recorded sessions in the forms that people really
// have: one file a reader, told by content and not by name (formats.md).
//
// A stream is read in three steps that the file pipeline runs side by side:
// Source.Next cuts it into chunks (sequential and cheap), a Decoder turns a
// chunk into records (stateless, one a worker), a Stitcher mends in order what
// lines alone can't tell (values over several lines).
package formats

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Kind is what a record is.
type Kind uint8

// Kinds of records.
const (
	KindFrame   Kind = iota // a frame: Frame holds its bytes as observed
	KindOverCap             // a frame over the cap: Skim says what is known of it
	KindBad                 // a line that can't be read: Err says why
	KindMeta                // {"meta":...}: Frame holds the meta object
	KindStderr              // server's stderr line
	KindHTTP                // an HTTP exchange without a message (401, 202)
	KindText                // exec channel: a text frame, Frame is its JSON value
	KindBinary              // exec channel: a binary frame, Frame its bytes if recorded, Size its length
)

// Fidelity says how near a session's frames are to the wire (formats.md).
type Fidelity uint8

// Fidelities, best first.
const (
	Wire Fidelity = iota
	WireElided
	HostSynthesised
	MetadataOnly
)

// String returns the name that reports show.
func (f Fidelity) String() string {
	return [...]string{"wire", "wire-elided", "host-synthesised", "metadata-only"}[f]
}

// Flags say what a record lacks.
type Flags uint8

// Record flags (formats.md, "Fidelity").
const (
	Truncated Flags = 1 << iota
	Elided
	Redacted
	Synthetic
	RawB64        // frame came as raw_b64
	ContentLength // recorded framing
	Batched       // an element of a batch that the recorder split
	Embedded      // frame was no JSON message in its envelope ("frame":"x")
)

// Record is one line or entry of a recording. Its slices point into the chunk
// and are valid as long as that is.
type Record struct {
	Kind    Kind
	Flags   Flags
	Dir     analyze.Direction // Unknown for a bare frame
	TS      int64             // Unix nanoseconds; 0 where the recording has none
	Session []byte            // session (and connection) key; nil: the file's one
	Seq     int64             // -1 where there is none
	Line    int64             // 1-based line in the uncompressed stream
	Offset  int64             // byte offset in the uncompressed stream of the frame's (or line's) first byte
	Frame   []byte            // the frame's own bytes; what exactly, see Kind
	Size    int64             // bytes of the frame, also where Frame lacks them

	// Column and EndColumn are set where the chunk does not have the record's
	// line (Merge); else Columns counts them.
	Column, EndColumn int64

	// Open says that the line ends inside an object or array that is right so
	// far: the Stitcher decides what it is.
	Open bool

	numbered []byte // whose numbers Seq counts, where that is not Session

	Candidate []byte // raw JSON of `candidate`; nil where there is none
	HTTP      []byte // raw JSON of `http`; nil where there is none
	Skim      *jsonrpc.Skimmer
	Err       string // KindBad: why, with nothing raw from the recording in it
}

// Chunk is a run of whole lines (or of whole framed messages).
type Chunk struct {
	Seq       int     // number of the chunk in its stream, from 0
	Buf       []byte  // cap(Buf) >= len(Buf)+jsonrpc.Pad
	Offset    int64   // of Buf[0] in the uncompressed stream
	FirstLine int64   // 1-based number of the first line
	Cuts      []Cut   // for framed streams: where the messages are; nil: split at line feeds
	Skim      *Record // a single over-cap frame instead of Buf
}

// Cut is one framed message in a chunk.
type Cut struct {
	Start, End int
	Line       int64
	Offset     int64 // of the message in its stream
	Flags      Flags
	Bad        string  // no message but something that can't be read: why
	Record     *Record // what is known of the message already (Merge); else nil
}

// Options bound and steer the reading.
type Options struct {
	MaxFrame      int               // --max-frame-bytes; 0: 8 MiB
	ZstdWindowLog int               // --zstd-window-log; 0: 27
	MaxDocument   int64             // --max-document-bytes; 0: 256 MiB
	Perspective   string            // "", "client" or "server": whose in/out, send/recv, read/write a log means
	Location      *time.Location    // --tz; nil: UTC
	Dir           analyze.Direction // direction of every frame (--c2s, --s2c); else Unknown
	// Interrupt, when closed, ends what waits for a terminal, a pipe or a FIFO
	// with ErrInterrupted; nil: it waits for ever.
	Interrupt <-chan struct{}
}

// Visit receives each record as it is decoded, with its message where the
// frame is strict JSON and one object; m is nil where it is not, or for kinds
// without a message. m.Texts is valid only during the call.
type Visit func(r *Record, m *jsonrpc.Message)

// Decoder turns chunks into records. It holds no state of the stream, only
// buffers; one a goroutine.
type Decoder interface {
	Decode(c *Chunk, visit Visit)
}

// Source is one opened, sniffed, decompressed stream.
type Source interface {
	// Format names the form that was recognised, for reports.
	Format() string
	Fidelity() Fidelity
	// Next fills c with the next chunk, reusing c.Buf where it can. io.EOF at
	// the end; any other error means that the stream is damaged from here on
	// (everything before has been returned).
	Next(c *Chunk) error
	NewDecoder() Decoder
	// NewStitcher returns what must see the decoded chunks in order; nil when
	// the form has no such need.
	NewStitcher() Stitcher
	// Notices are sentences about the whole stream (a dropped byte-order mark,
	// an empty file), complete after io.EOF.
	Notices() []string
}

// Stitcher sees each chunk with its records in order.
type Stitcher interface {
	// Chunk calls keep for each record of recs that stands as it is, in order,
	// and visit for records that it made itself; both in stream order.
	// A record may be withheld until a later chunk decides.
	Chunk(c *Chunk, recs []Record, keep func(i int), visit Visit)
	// Close visits what was withheld at the end of the stream.
	Close(visit Visit)
}

// Input is one trace to read: a file, an archive member, standard input.
type Input struct {
	Name string // as reports show it, slash separated
	Path string // on disk, of the file or the archive; "" for standard input
	R    io.Reader
	Size int64 // compressed bytes if known, else -1
	// Explicit says that the user named it: then it must be a trace. Others
	// of unknown form are counted and passed over.
	Explicit bool
	// Source is set where the input has been opened already (Pair); R is then
	// nil, and there is nothing to Open.
	Source Source
	halves [3]string // names of the files of a Pair, by direction
	// Pos counts the bytes of Size that have been read, for a progress bar;
	// nil where Size is -1 or the input is a member of an archive.
	Pos *atomic.Int64
}
