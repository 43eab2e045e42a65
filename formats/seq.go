package formats

import "fmt"

// seqWatch finds gaps in the numbers that a recorder gave its records: what it
// lost, nobody has seen (formats.md, `seq`). Numbers may run through a session
// or through the file; a record is in order when either fits.
type seqWatch struct {
	bySession map[string]*int64 // the next number
	next      int64             // of the file
	gaps      int64             // places
	lost      int64             // numbers missing
	first     int64             // line of the first gap
}

// maxSeqSessions bounds the sessions whose numbers are followed.
const maxSeqSessions = 4096

func (w *seqWatch) see(r *Record) {
	if r.Seq < 0 || r.Kind == KindBad {
		return
	}
	id := r.Session
	if r.numbered != nil {
		id = r.numbered
	}
	want := w.bySession[string(id)]
	if want == nil {
		want = new(int64)
		if w.bySession == nil {
			w.bySession = make(map[string]*int64)
		}
		if len(w.bySession) < maxSeqSessions {
			w.bySession[string(id)] = want
		}
	}
	if r.Seq > *want && r.Seq != w.next {
		w.gap(r, r.Seq-*want)
	}
	*want, w.next = r.Seq+1, r.Seq+1
}

func (w *seqWatch) gap(r *Record, n int64) {
	if w.gaps == 0 {
		w.first = r.Line
	}
	w.gaps++
	if w.lost += n; w.lost < 0 {
		w.lost = 1<<63 - 1
	}
}

func (w *seqWatch) close(s *stream) {
	if w.gaps > 0 {
		s.notice(fmt.Sprintf("the recorder lost %d records in %d places (gaps in seq, the first before line %d): what was in them is not in the recording", w.lost, w.gaps, w.first))
		w.gaps = 0
	}
}
