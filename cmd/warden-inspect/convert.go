package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/archive"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay/convert"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

// convertCmd is `warden-inspect convert`.
type convertCmd struct {
	ruled
	program.WhereFlag
	zstdFlag
}

// zstdFlag says whether a copy is compressed.
type zstdFlag struct {
	Zstd *bool `negatable:"" help:"Compress the output: zstd with an index, so that readers can jump. Default: where the output's name ends in .zst." group:"Output"`
}

// Help is what --help says beside the flags.
func (convertCmd) Help() string {
	return `Writes the frames of any readable recording as JSONL in the canonical form: the
bytes of each frame as they were recorded, direction and time, and where it came
from ("source"). Lines that are no frame (a server's stderr) are left out.
Several traces go into one file; the sessions of all but the first are then named
after their files.

Examples:
  warden-inspect convert sdk.log.gz -o files.jsonl
  warden-inspect convert logs/ -o all.jsonl.zst
  warden-inspect convert big.jsonl --where 'session == "s-17"' -o s17.jsonl`
}

// Run converts.
func (c *convertCmd) Run(w *program.World) error {
	if done, err := c.Explain(w); done || err != nil {
		return err
	}
	r, err := c.prepare(w, &c.RuleFlags)
	if err != nil {
		return err
	}
	filter, err := c.Filter(r.cfg.Rules)
	if err != nil {
		return err
	}
	return r.copy(c.zstdFlag, &convert.Writer{Source: true}, offline.Options{Where: filter, Fingerprints: program.NeedsFingerprints(filter)}, nil)
}

// copy writes a canonical copy of what is read; after, if set, has the last
// word once it is in its place.
func (r *run) copy(z zstdFlag, c *convert.Writer, o offline.Options, after func()) error {
	out, err := r.r.out(r.w)
	if err != nil {
		return err
	}
	sink, err := z.sink(r.r.Output, out)
	if err != nil {
		out.Abort()
		return err
	}
	c.W = sink
	o.Observe, o.Meta = c.Observe, c.Meta
	err = r.read(o)
	if err == nil {
		err = c.Flush()
	}
	if err == nil {
		err = sink.Close()
	}
	if err := r.settle(out, err); err != nil {
		return err
	}
	if c.OverCap > 0 {
		r.w.Warn(name, fmt.Sprintf("%s over --max-frame-bytes: of such a frame the copy has id, method and size, not the content", program.Count(c.OverCap, "frame was", "frames were")))
	}
	if after != nil {
		after()
	}
	return r.status()
}

// sink is where lines go: the output, compressed where that is asked for.
func (z zstdFlag) sink(path string, out *target.File) (io.WriteCloser, error) {
	compress := strings.HasSuffix(path, ".zst")
	if z.Zstd != nil {
		compress = *z.Zstd
	}
	if compress {
		return archive.NewSeekableWriter(out)
	}
	return plainSink{out}, nil
}

// plainSink is an output that is closed elsewhere.
type plainSink struct{ io.Writer }

func (plainSink) Close() error { return nil }

// redactCmd is `warden-inspect redact`.
type redactCmd struct {
	ruled
	program.WhereFlag
	zstdFlag

	Salt string `placeholder:"TEXT" help:"Made-up values depend on TEXT; without it, anybody can check a guess of a secret." group:"Output"`
}

// Help is what --help says beside the flags.
func (redactCmd) Help() string {
	return `Writes a copy in the canonical form (see convert) in which each match of the
secret rules, in any string, key, id or header of any frame, is a made-up value of
the same form and length. All other bytes of a frame stay as they were.
The rules find the same in the copy as in the original. The same secret always
becomes the same value, so calls can still be followed. The first characters of a
secret stay, as reports show them. Look at what is not a secret to the rules
(names, addresses, paths) yourself.

Examples:
  warden-inspect redact session.jsonl -o share.jsonl
  warden-inspect redact a.jsonl b.jsonl --salt "$(openssl rand -hex 16)" -o both.jsonl.zst`
}

// Run redacts.
func (c *redactCmd) Run(w *program.World) error {
	if done, err := c.Explain(w); done || err != nil {
		return err
	}
	r, err := c.prepare(w, &c.RuleFlags)
	if err != nil {
		return err
	}
	filter, err := c.Filter(r.cfg.Rules)
	if err != nil {
		return err
	}
	red, err := redact.New(redact.Options{Catalog: r.cfg.Catalog, Rules: r.cfg.Rules, Salt: c.Salt})
	if err != nil {
		return err
	}
	cw := &convert.Writer{Redact: red}
	return r.copy(c.zstdFlag, cw, offline.Options{Where: filter, Fingerprints: program.NeedsFingerprints(filter)}, func() {
		fmt.Fprintf(w.Stderr, "%s: %s, %d of them with secrets, %s replaced\n", name, program.Count(cw.Frames, "frame", "frames"), cw.Redacted, program.Count(red.Replaced, "secret", "secrets"))
		if fixed := red.Fixed(); len(fixed) > 0 {
			w.Warn(name, "left as they are, since their pattern allows no other value: "+strings.Join(fixed, ", "))
		}
		if cw.Late > 0 {
			w.Warn(name, fmt.Sprintf("the first part stays of %s over several frames: too much lies between these", program.Count(cw.Late, "secret", "secrets")))
		}
		if red.Unsure > 0 {
			w.Warn(name, fmt.Sprintf("in %s a finding may differ from the original's: a secret is part of a URL, host or phrase there, and was replaced all the same", program.Count(red.Unsure, "text", "texts")))
		}
	})
}
