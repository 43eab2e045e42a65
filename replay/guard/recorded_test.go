package guard

import (
	"io"
	"os"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
)

// readRecording reads a recording as any reader of it would.
func readRecording(path string, visit func(*formats.Record)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := formats.Open(path, f, formats.Options{})
	if err != nil {
		return err
	}
	dec, stitch := src.NewDecoder(), src.NewStitcher()
	var c formats.Chunk
	for {
		if err = src.Next(&c); err != nil {
			break
		}
		var recs []formats.Record
		dec.Decode(&c, func(r *formats.Record, _ *jsonrpc.Message) { recs = append(recs, *r) })
		if stitch == nil {
			for i := range recs {
				visit(&recs[i])
			}
			continue
		}
		stitch.Chunk(&c, recs, func(i int) { visit(&recs[i]) }, func(r *formats.Record, _ *jsonrpc.Message) { visit(r) })
	}
	if stitch != nil {
		stitch.Close(func(r *formats.Record, _ *jsonrpc.Message) { visit(r) })
	}
	if err == io.EOF {
		err = nil
	}
	return err
}
