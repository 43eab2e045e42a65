package report

import (
	"sync"

	packer "github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// pageCodec packs pages in the library's form, without entropy coding: what the
// columns' own encodings leave are differences that look random, and to find shorter
// codes for them takes most of the time and saves a twentieth of the size.
type pageCodec struct {
	zstd.Codec
	encoder func() *packer.Encoder
}

func newPageCodec() *pageCodec {
	return &pageCodec{encoder: sync.OnceValue(func() *packer.Encoder {
		e, err := packer.NewWriter(nil, packer.WithEncoderConcurrency(1), packer.WithEncoderLevel(packer.SpeedFastest),
			packer.WithZeroFrames(true), packer.WithEncoderCRC(false), packer.WithNoEntropyCompression(true))
		if err != nil {
			panic(err) // only for an option out of its range
		}
		return e
	})}
}

// Encode implements compress.Codec.
func (c *pageCodec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder().EncodeAll(src, dst[:0]), nil
}
