package report

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

// closingHandler is a handler of which only the end matters.
type closingHandler struct {
	Handler
	own     bool
	end     func() error
	aborted bool
}

func (c *closingHandler) apart() bool          { return c.own }
func (c *closingHandler) Close(*Summary) error { return c.end() }
func (c *closingHandler) Abort()               { c.aborted = true }

// Reports with places of their own don't wait for each other, others are closed
// in order, and errors come in the order of the handlers.
func TestTeeCloses(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	meet := func(err error) func() error {
		return func() error { both.Done(); both.Wait(); return err }
	}
	var order []string
	note := func(s string) func() error {
		return func() error { order = append(order, s); return nil }
	}
	bad := &closingHandler{own: true, end: meet(errors.New("first"))}
	good := &closingHandler{own: true, end: meet(nil)}
	last := &closingHandler{end: func() error { order = append(order, "c"); return errors.New("last") }}
	err := Tee(&closingHandler{end: note("a")}, bad, &closingHandler{end: note("b")}, good, last).Close(&Summary{})
	if err == nil || err.Error() != "first\nlast" || !bad.aborted || good.aborted || !last.aborted {
		t.Errorf("%v; aborted %v %v %v", err, bad.aborted, good.aborted, last.aborted)
	}
	if got := strings.Join(order, ""); got != "abc" {
		t.Errorf("closed in the order %s", got)
	}
}
