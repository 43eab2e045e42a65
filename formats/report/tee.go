package report

import (
	"errors"
	"sync"

	"github.com/warden-trace/warden/analyze"
)

// Tee hands everything to each of the handlers, in order. A handler that fails
// is aborted and left out from then on, so that a full disk under one report
// does not cost the others; its error comes back from the call that met it and
// from Close. Nil handlers are skipped.
func Tee(handlers ...Handler) Handler {
	t := &tee{}
	for _, h := range handlers {
		if h != nil {
			t.handlers = append(t.handlers, h)
		}
	}
	return t
}

type tee struct {
	handlers []Handler
	errs     []error
}

// each calls f for every handler that has not failed. It returns an error only
// when no handler is left: the run has nobody to tell anything any more.
func (t *tee) each(f func(Handler) error) error {
	kept := t.handlers[:0]
	for _, h := range t.handlers {
		if err := f(h); err != nil {
			h.Abort()
			t.errs = append(t.errs, err)
			continue
		}
		kept = append(kept, h)
	}
	clear(t.handlers[len(kept):])
	t.handlers = kept
	if len(kept) == 0 && len(t.errs) > 0 {
		return errors.Join(t.errs...)
	}
	return nil
}

func (t *tee) Problem(p *Problem) error {
	return t.each(func(h Handler) error { return h.Problem(p) })
}

func (t *tee) Finding(f *analyze.Finding) error {
	// Not each: this is called for every finding, and a closure would escape.
	for _, h := range t.handlers {
		if err := h.Finding(f); err != nil {
			return t.failed(h, err, f)
		}
	}
	return nil
}

// failed drops h, which could not take f, and gives f to those after it.
func (t *tee) failed(bad Handler, err error, f *analyze.Finding) error {
	past := false
	return t.each(func(h Handler) error {
		switch {
		case h == bad:
			past = true
			return err
		case past:
			return h.Finding(f)
		}
		return nil
	})
}

func (t *tee) Trace(tr *Trace) error {
	return t.each(func(h Handler) error { return h.Trace(tr) })
}

// Close closes each handler that is left and returns all errors of the run
// together. Reports that go to places of their own are closed side by side: each
// has something left to sort, to write and to make durable. Those that whoever
// reads them sees grow are closed in order.
func (t *tee) Close(s *Summary) error {
	errs := make([]error, len(t.handlers))
	var wg sync.WaitGroup
	for i, h := range t.handlers {
		if ownPlace(h) {
			wg.Go(func() { errs[i] = h.Close(s) })
		}
	}
	for i, h := range t.handlers {
		if !ownPlace(h) {
			errs[i] = h.Close(s)
		}
	}
	wg.Wait()
	at := -1
	t.each(func(h Handler) error { at++; return errs[at] })
	return errors.Join(t.errs...)
}

// ownPlace reports a handler whose report nobody sees before it is complete.
func ownPlace(h Handler) bool {
	a, ok := h.(interface{ apart() bool })
	return ok && a.apart()
}

func (t *tee) Abort() {
	for _, h := range t.handlers {
		h.Abort()
	}
}
