package replay

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mcpdbg/recordings/match"
)

// A Mode defines when recorded messages are sent. The zero value is Causal.
type Mode string

const (
	// Causal sends an item when all responses have come that had come before it.
	Causal Mode = "causal"
	// Serial sends an item when all requests before it have their response, if they
	// had one in the recording: one at a time.
	Serial Mode = "serial"
	// Timed is Causal, but not before the time at which it was sent in the recording,
	// counted from the first message and divided by Options.Speed. Delays do not add
	// up: all times refer to the same start.
	Timed Mode = "timed"
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Causal, Serial, Timed} }

// MaxSpeed means no waiting at all.
const MaxSpeed = math.MaxFloat64

// Options define which items of a recording are sent, and when. The zero value sends the safe
// items of the first process that received anything.
type Options struct {
	// Run is the process of the recording, from 1; 0 is the first one that received
	// anything but a handshake.
	Run int
	// FollowingRuns replays that process and all later ones as if they were one.
	FollowingRuns bool
	// Latest, if not 0, sends requests only, and at most that many: the most recent
	// different ones that were not cancelled. Below 0 it sends none. As the user has
	// not reviewed what is sent, only tool calls that are allowed and methods in
	// mcp.OnlyReads are sent unless AllTools is set.
	Latest int
	// Lists first requests everything that the server offers, instead of the recorded
	// list requests. The result decides which tools are called.
	Lists bool

	Mode    Mode
	Speed   float64       // for Timed: 2 is twice as fast; 0 means 1
	IdleCap time.Duration // for Timed: the longest gap between two messages, before Speed; 0 means no limit

	// Timeout is the timeout of a request; 0 means ten times its recorded duration,
	// and at least 5 s.
	Timeout time.Duration

	// AllTools sends every tools/call, and with Latest every request; Tools names
	// further tools to call besides those that tools/list marks as read-only.
	AllTools bool
	Tools    []string

	// NoMap lists places whose text is sent as recorded: in params
	// (/params/arguments/id) or in the responses that it came from
	// (/result/content/*/text), including everything below a place.
	NoMap []match.Pointer

	// Rules define which parts of a server request count when its recorded response
	// is searched.
	Rules *match.Rules

	// Interactive leaves server requests without a recorded response to a person: see
	// Session.ServerRequests. Otherwise they are refused.
	Interactive bool
}

func (o *Options) check() error {
	switch {
	case o.Mode != "" && !slices.Contains(Modes(), o.Mode):
		return fmt.Errorf("replay: unknown mode %q", o.Mode)
	case o.Speed < 0 || o.IdleCap < 0 || math.IsNaN(o.Speed):
		return fmt.Errorf("replay: invalid speed %v or idle cap %v", o.Speed, o.IdleCap)
	case o.Run < 0:
		return fmt.Errorf("replay: invalid process %d", o.Run)
	case o.Timeout < 0:
		return fmt.Errorf("replay: invalid timeout %v", o.Timeout)
	}
	return nil
}

func (o *Options) unmapped() match.Applied {
	var rules match.Rules
	for _, p := range o.NoMap {
		rules.Add(match.Rule{Action: match.ActionIgnore, Pointer: p})
	}
	return rules.For("", "")
}

// The minimum timeout of a request, and the multiple of its recorded duration.
const (
	minTimeout    = 5 * time.Second
	timeoutFactor = 10
)

// limit returns the timeout of a request that took that long in the recording.
func (o *Options) limit(took time.Duration) time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return max(minTimeout, timeoutFactor*took)
}
