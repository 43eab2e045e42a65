package replay

import "github.com/warden-trace/warden/analyze/jsonrpc"

// Bounds of the calls that are laid flat; those beyond are judged all the same,
// for more time.
const (
	maxFlatBytes = 1 << 20
	maxFlatNodes = 1 << 10
	maxFlatDepth = 64
	// What a session, or all sessions of a stream together, keep of one.
	keepFlatNodes = 256
	keepFlatText  = 16 << 10
)

// flatCall is the tool call in hand, laid flat for the judges that can let an
// ordinary one through by that. The memory may be shared by all machines that
// one goroutine drives.
type flatCall struct {
	flat  jsonrpc.Flat
	tried bool
	ok    bool
	// shared says that somebody reads the flat form in any case, so that it is
	// cheaper for all.
	shared bool
	looked looked // what the policy makes of it
	tools  *tools // made when first needed
}

// of lays the message flat when it is first asked for; nil where it holds more
// than ordinary calls do, or can be read in more than one way.
func (c *flatCall) of(msg *jsonrpc.Message) *jsonrpc.Flat {
	if !c.tried {
		c.tried = true
		c.ok = msg.Has&jsonrpc.Ambiguous == 0 && len(msg.Raw) <= maxFlatBytes && c.flat.Read(msg.Raw, maxFlatNodes, maxFlatDepth)
	}
	if !c.ok {
		return nil
	}
	return &c.flat
}

// done forgets the call.
func (c *flatCall) done() {
	c.shared, c.looked.said = false, nil
	if c.tried {
		c.tried = false
		c.flat.Keep(keepFlatNodes, keepFlatText)
	}
}
