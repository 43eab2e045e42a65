package verify

import (
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
)

// setup is one way of playing a session: how the peers frame their messages
// and where their writes are cut.
type setup struct {
	Framing guard.Framing
	Cut     int // bytes a write; 0: at random places, in random dress
}

func (s setup) String() string {
	if s.Cut == 0 {
		return s.Framing.String() + "/random"
	}
	return fmt.Sprintf("%s/%d", s.Framing, s.Cut)
}

// setups are all combinations that verify plays (replay.md, "Proof of
// agreement").
func setups() []setup {
	var all []setup
	for _, f := range []guard.Framing{guard.Newline, guard.ContentLength} {
		for _, c := range []int{1, 7, 4096, 0} {
			all = append(all, setup{f, c})
		}
	}
	return all
}

// Setups are the names of all setups, for help and completion, and last the
// one without a guard.
func Setups() []string {
	var names []string
	for _, s := range setups() {
		names = append(names, s.String())
	}
	return append(names, setupOffline)
}

// Cuts of 1 and 7 bytes are made in the first 64 KiB of a frame; the rest
// follows in large writes.
const (
	finelyCut = 64 << 10
	coarse    = 64 << 10
)

// dress frames a message as the peers of this setup do. The random ones vary
// what a framing leaves open: line ends, the spelling and number of headers.
func (r *rig) dress(e *expected) [][]byte {
	pieces := e.madeUp
	n := e.size
	if pieces == nil {
		pieces, n = [][]byte{e.body}, int64(len(e.body))
	}
	random := r.setup.Cut == 0
	if r.setup.Framing == guard.Newline {
		end := "\n"
		// A CR counts towards the size of a line.
		if random && e.madeUp == nil && n+1 <= r.maxFrame() && r.rand.IntN(2) == 0 {
			end = "\r\n"
		}
		return append(pieces[:len(pieces):len(pieces)], []byte(end))
	}
	head := "Content-Length: " + strconv.FormatInt(n, 10) + "\r\n\r\n"
	if random {
		head = [...]string{
			head,
			"content-length:" + strconv.FormatInt(n, 10) + "\n\n",
			"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH: " + strconv.FormatInt(n, 10) + "\r\n\r\n",
			"Content-Length: " + strconv.FormatInt(n, 10) + "\r\nX-Trace: 1\r\n\r\n",
		}[r.rand.IntN(4)]
	}
	return append([][]byte{[]byte(head)}, pieces...)
}

func (r *rig) maxFrame() int64 {
	if n := r.o.Config.MaxFrame; n > 0 {
		return int64(n)
	}
	return replay.DefaultMaxFrame
}

// headerLike is a first line that a stream of lines can't begin with: it could
// be the first of a header block.
var headerLike = regexp.MustCompile(`^[\t\r ]*[A-Za-z0-9-]+:`)

// openings are the sides that must write an empty message first for the guard
// to know the framing: the client where the server speaks before it, and who
// begins with a line that could be a header. An empty message is forwarded as
// it is, and is no frame.
func (r *rig) openings(e *expected) (sides []analyze.Direction) {
	const c2s, s2c = analyze.ClientToServer, analyze.ServerToClient
	mistakable := r.setup.Framing == guard.Newline && headerLike.Match(e.body)
	if !r.opened[c2s] {
		r.opened[c2s] = true
		if e.dir == s2c || mistakable {
			sides = append(sides, c2s)
		}
	}
	// Only in Spec coverage does the server choose its own framing.
	if e.dir == s2c && !r.opened[s2c] {
		r.opened[s2c] = true
		if mistakable && r.o.Config.Coverage == analyze.Spec {
			sides = append(sides, s2c)
		}
	}
	return sides
}

// empty is a message without a body.
func (r *rig) empty() []byte { return guard.Wrap(nil, r.setup.Framing) }

// cut writes one framed message in the setup's cuts.
func (r *rig) cut(w io.Writer, pieces [][]byte) error {
	done := 0
	for _, raw := range pieces {
		for n := 0; n < len(raw); {
			size := r.setup.Cut
			switch {
			case size == 0:
				size = 1 + r.rand.IntN(1+r.rand.IntN(8192))
			case size < 4096 && done >= finelyCut:
				size = coarse
			}
			end := min(len(raw), n+size)
			if _, err := w.Write(raw[n:end]); err != nil {
				return err
			}
			done += end - n
			n = end
		}
	}
	return nil
}
