package report

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// Sizes of the tables' pieces.
const (
	parquetBatch = 256       // rows handed to the writer at once: few enough to stay in the CPU's cache
	parquetGroup = 128 << 10 // rows of a row group
	// Making each of a thousand small files durable would cost more than all else.
	syncedParts     = 16
	parquetTextRows = 32 << 20 // bytes of payloads after which a row group ends
)

// table writes one of the four tables: a file for each partition, opened with
// its first row. Rows are gathered by the caller's goroutine and encoded by
// run's.
type table[T any] struct {
	name  string
	dir   *ParquetDir
	meta  []parquet.WriterOption
	codec *pageCodec
	rows  []T
	free  chan []T
	texts int // bytes of payloads in rows

	// Of the encoding goroutine alone.
	w     *parquet.GenericWriter[T]
	f     *os.File
	group int // bytes of payloads in the row group
	parts int
}

func newTable[T any](name string, dir *ParquetDir, codec *pageCodec, meta []parquet.WriterOption) *table[T] {
	return &table[T]{name: name, dir: dir, codec: codec, meta: meta, free: make(chan []T, 8)}
}

// add returns the next row, to be set as a whole: what is in it is an old one.
func (t *table[T]) add() *T {
	if t.rows == nil {
		select {
		case t.rows = <-t.free:
		default:
			t.rows = make([]T, 0, parquetBatch)
		}
	}
	t.rows = t.rows[:len(t.rows)+1]
	return &t.rows[len(t.rows)-1]
}

// full reports that the rows should go to the encoder.
func (t *table[T]) full() bool { return len(t.rows) == parquetBatch || t.texts > parquetTextRows/4 }

// take returns the gathered rows as a job for the encoder, nil if there are none.
func (t *table[T]) take(partition string) func() error {
	if len(t.rows) == 0 {
		return nil
	}
	rows, texts := t.rows, t.texts
	t.rows, t.texts = nil, 0
	return func() error {
		err := t.write(partition, rows, texts)
		if texts > 0 {
			clear(rows) // payloads must not wait for the rows to be used again
		}
		select {
		case t.free <- rows[:0]:
		default:
		}
		return err
	}
}

func (t *table[T]) write(partition string, rows []T, texts int) error {
	if t.f == nil {
		if err := t.open(partition); err != nil {
			return err
		}
	}
	if _, err := t.w.Write(rows); err != nil {
		return t.dir.fail(err)
	}
	if t.group += texts; t.group > parquetTextRows {
		t.group = 0
		if err := t.w.Flush(); err != nil {
			return t.dir.fail(err)
		}
	}
	return nil
}

// open begins the file of a partition.
func (t *table[T]) open(partition string) error {
	name := filepath.Join(t.dir.stage, t.name, "file="+partition)
	if err := os.MkdirAll(name, 0o777); err != nil {
		return t.dir.fail(err)
	}
	f, err := os.OpenFile(filepath.Join(name, "part-0.parquet"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return t.dir.fail(err)
	}
	t.f = f
	t.parts++
	t.group = 0
	// A new writer for each file: one that is reset writes the second file's
	// column metadata without the columns' paths.
	o := append([]parquet.WriterOption{
		parquet.Compression(t.codec),
		parquet.MaxRowsPerRowGroup(parquetGroup),
		parquet.PageBufferSize(32 << 10),
		parquet.WriteBufferSize(256 << 10),
		// The index at the end of the file has the bounds of each page already.
		parquet.DataPageStatistics(false),
		parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked),
		parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked),
	}, t.meta...)
	for _, column := range unbounded {
		o = append(o, parquet.SkipPageBounds(column))
	}
	t.w = parquet.NewGenericWriter[T](f, o...)
	return nil
}

// unbounded are columns without least and greatest values, which cost a
// comparison a row: every page has most that there are, and no row group can
// be passed over for them. Who looks for a session has its number.
var unbounded = [...]string{"session", "direction", "kind", "method", "tool", "rpc_id", "lacking", "verdict", "action", "status", "fidelity"}

// end completes the file of the partition in hand. Making it durable is the
// folder's work: the next table need not wait for the disk.
func (t *table[T]) end() error {
	if t.f == nil {
		return nil
	}
	f := t.f
	t.f = nil
	if err := t.w.Close(); err != nil {
		f.Close()
		return t.dir.fail(err)
	}
	if t.parts <= syncedParts {
		t.dir.settle(f)
		return nil
	}
	if err := f.Close(); err != nil {
		return t.dir.fail(err)
	}
	return nil
}

// finish makes sure that the table has a file: one without rows, where there
// were none, so that whoever reads the table finds its columns.
func (t *table[T]) finish() error {
	if err := t.end(); err != nil || t.parts > 0 {
		return err
	}
	if err := t.open("none"); err != nil {
		return err
	}
	return t.end()
}

// abandon closes what is open, whatever became of it.
func (t *table[T]) abandon() {
	if t.f != nil {
		t.f.Close()
		t.f = nil
	}
}

// partition names a trace's part of each table: its number, so that names stay
// apart, and as much of the file's name as is fit for one everywhere.
func partition(n int, trace string) string {
	const keep = 80
	base := filepath.Base(filepath.ToSlash(trace))
	b := fmt.Appendf(nil, "%05d-", n)
	for i := 0; i < len(base) && len(b) < keep; i++ {
		c := base[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' {
			b = append(b, c)
		} else {
			b = append(b, '_')
		}
	}
	return string(b)
}
