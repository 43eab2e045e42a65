package calls

// list is the open calls in order of their requests.
type list struct {
	first, last *node
	n           int
}

// node is a call's place in the list, and part of the call.
type node struct {
	call       *Call // nil: it is in none
	prev, next *node
}

func (l *list) add(c *Call) {
	n := &c.order
	*n = node{call: c, prev: l.last}
	if l.last != nil {
		l.last.next = n
	} else {
		l.first = n
	}
	l.last = n
	l.n++
}

func (l *list) remove(c *Call) {
	n := &c.order
	if n.call == nil {
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
	*n = node{}
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
