package guard

import "io"

// RecordTo records to a writer that the caller owns and closes, without a meta
// line; each frame is one Write. It needs no Close.
func RecordTo(w io.Writer, warn func(string)) *Recorder { return &Recorder{w: w, warn: warn} }
