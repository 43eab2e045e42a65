package replay

import (
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/allowlist"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/profile"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// Config is what a session is judged by. It is immutable and shared by all
// sessions of a run.
type Config struct {
	Coverage analyze.Coverage
	Posture  Posture
	Rules    *ruleset.Set // what the catalog was made of; for reports
	Catalog  *catalog.Catalog

	MaxFrame int // bytes over which a frame passes uninspected; 0: DefaultMaxFrame

	MaxInflight int // requests in flight per direction; 0: DefaultMaxInflight
	// Dry leaves out the bytes that a block would put on the wire (Bytes,
	// Replies, ToClient); verdicts, actions and findings are the same. For
	// drivers that deliver nothing.
	Dry bool
	// Strict makes an inspection that can't complete end the session.
	Strict bool

	// The verdict families; each is off where it is nil.
	Lock     *lock.Lock
	Policy   *policy.Policy
	Allow    *allowlist.Policy
	Profiles []profile.Profile

	// Of the allow-list:
	AllowParams    []string      // further members of params that its envelope admits
	MaxConcurrent  int           // tool calls in flight; 0: no bound
	RequestTimeout time.Duration // 0: none
	FilterTools    bool          // tools/list shows the allowed tools only
}

// RefusesOverCap reports that a client's frame over the cap must not be
// forwarded: an allow-list can't judge what it can't read (policy.md).
func (c *Config) RefusesOverCap() bool {
	return c.Allow != nil && !c.Posture.AuditOnly && !c.Posture.optedOut("GWH-")
}

// Defaults of replay.md, "The machine".
const (
	DefaultMaxInflight = 1024
	DefaultMaxFrame    = 8 << 20
)
