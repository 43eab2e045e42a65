package calls

// list is the open calls in order of their requests.
type list struct {
	first, last *node
	n           int
}

type node struct {
	call       *Call
	prev, next *node
}

func (l *list) add(c *Call) {
	n := &node{call: c, prev: l.last}
	if l.last != nil {
		l.last.next = n
	} else {
		l.first = n
	}
	l.last, c.order = n, n
	l.n++
}

func (l *list) remove(c *Call) {
	n := c.order
	if n == nil {
		return
	}
	if n.prev != nil {
		n.prev.next = n.next
	} else {
		l.first = n.next
	}
	if n.next != nil {
		n.next.prev = n.prev
	} else {
		l.last = n.prev
	}
	c.order = nil
	l.n--
}

func (l *list) oldest() *Call {
	if l.first == nil {
		return nil
	}
	return l.first.call
}

func (l *list) each(yield func(*Call) bool) {
	for n := l.first; n != nil; n = n.next {
		if !yield(n.call) {
			return
		}
	}
}
