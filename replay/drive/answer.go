package drive

import (
	"fmt"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay/script"
)

// serverEnded stands for an answer that can't come any more.
const serverEnded = "none: the server has ended"

// frame takes one frame of the live server.
func (d *Driver) frame(raw []byte) error {
	var f jsonrpc.Frame
	jsonrpc.Read(raw, analyze.Full, &f)
	for i := range f.Msgs {
		m := &f.Msgs[i]
		if f.Errs[i] != "" {
			continue
		}
		var err error
		switch {
		case m.IsResponse():
			err = d.answered(m)
		case m.IsRequest():
			err = d.asked(m)
		case m.Has&jsonrpc.HasMethod != 0:
			d.Result.Notifications++
		}
		if err != nil {
			return err
		}
	}
	return nil // what is no message at all is no answer either
}

// answered compares an answer with the recorded one.
func (d *Driver) answered(m *jsonrpc.Message) error {
	k, ok := jsonrpc.IDKey(m.ID)
	q := d.sent[k]
	if !ok || q == nil {
		return d.tell(&Difference{ID: token(m.ID), Method: "", Recorded: "no such answer", Live: show(m.Raw)})
	}
	delete(d.sent, k)
	a := d.answers[q.Number]
	if a == nil {
		return nil // it was cancelled, or the recording ends before
	}
	if stage, _ := jsonrpc.LookupString(m.Error, "data", "stage"); stage == "lifecycle" {
		// What a guard before the server says in its place when it is gone.
		return d.tell(d.about(q, a, "", show(a.Raw), serverEnded))
	}
	d.Result.Answers++
	before := d.Result.Differences
	err := d.compare(a.Raw, m.Raw, func(pointer, recorded, live, note string) error {
		x := d.about(q, a, pointer, recorded, live)
		x.Note = note
		return d.tell(x)
	})
	if d.Result.Differences == before {
		d.Result.Same++
	}
	return err
}

// asked answers a request of the live server as the recorded client did: by
// method and parameters, then by order.
func (d *Driver) asked(m *jsonrpc.Message) error {
	method := string(m.Method)
	key := script.Key(method, m.Params)
	var found *ask
	for _, a := range d.asks {
		if a.used || a.line.Method != method {
			continue
		}
		if found == nil {
			found = a
		}
		if a.line.Key() == key {
			found = a
			break
		}
	}
	if len(m.ID) > 64<<10 {
		return d.tell(&Difference{Method: method, Recorded: "ids of a few bytes", Live: fmt.Sprintf("an id of %d bytes", len(m.ID))})
	}
	switch {
	case found == nil && method == "ping":
		return d.send(append(append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...), `,"result":{}}`...))
	case found == nil:
		b := append(append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...), `,"error":{"code":-32601,"message":"warden: the recording has no answer to this request"}}`...)
		if err := d.send(b); err != nil {
			return err
		}
		return d.tell(&Difference{ID: token(m.ID), Method: method, Recorded: "no such request of the server", Live: show(m.Raw)})
	}
	found.used = true
	if found.answer == nil {
		return nil
	}
	d.Result.Asked++
	return d.send(script.WithID(found.answer.Raw, m.ID))
}

// answeredAsk reports that the recorded answer l of the client has been given,
// or that nothing recorded asks for it.
func (d *Driver) answeredAsk(l *script.Line) bool {
	for _, a := range d.asks {
		if a.answer == l {
			return a.used
		}
	}
	return true
}
