package replay

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mcpdbg/recordings/match"
)

// A Mode says when what is recorded is sent. The zero value is Causal.
type Mode string

// The modes.
const (
	// Causal sends when all answers have come that had come before.
	Causal Mode = "causal"
	// Serial sends when all requests before have their answer, if they had one in
	// the recording: one at a time.
	Serial Mode = "serial"
	// Timed is Causal, and not before the moment at which it was sent when it was
	// recorded, counted from the first message and divided by Options.Speed. What
	// is late makes nothing else late: moments are those of one clock.
	Timed Mode = "timed"
)

// Modes are all modes.
func Modes() []Mode { return []Mode{Causal, Serial, Timed} }

// MaxSpeed stands for no waiting at all.
const MaxSpeed = math.MaxFloat64

// Options say what of a recording is sent, and when. The zero value sends what
// is safe of the first process that was sent anything.
type Options struct {
	// Run is which process of the recording, from 1; 0 is the first one that got
	// anything but a handshake.
	Run int
	// Onward takes that process and all after it as if they were one.
	Onward bool
	// Latest, if not 0, sends requests alone, and no more than so many: of equal
	// ones the last, of different ones those that were asked last, none of those
	// that were cancelled. Below 0 it is none. Nobody has looked at what is sent
	// then, so that besides tools only what mcp.OnlyReads is sent without AllTools.
	Latest int
	// Lists asks for all that the server offers first, whole, instead of the
	// requests for lists that were recorded. What it says of its tools decides
	// which of them are called.
	Lists bool

	Mode    Mode
	Speed   float64       // of Timed: 2 is twice as fast; 0 means 1
	IdleCap time.Duration // of Timed: the longest gap between two messages, before Speed; 0 is none

	// Timeout is how long an answer may take; 0 means ten times as long as it took
	// when it was recorded, and at least 5 s.
	Timeout time.Duration

	// AllTools sends every tools/call, and with Latest every request; Tools names those to send beside the ones
	// that the server's tools/list calls read-only.
	AllTools bool
	Tools    []string

	// NoMap lists places whose text is sent as it was recorded: of params
	// (/params/arguments/id) or of the answers that it came from
	// (/result/content/*/text), everything below a place included.
	NoMap []match.Pointer

	// Rules say what of a question of the server counts when its recorded answer
	// is looked for.
	Rules *match.Rules

	// Person leaves what the recording has no answer to in the session's Asks,
	// where a person can answer it. Otherwise it is refused.
	Person bool
}

// check says why options can't be.
func (o *Options) check() error {
	switch {
	case o.Mode != "" && !slices.Contains(Modes(), o.Mode):
		return fmt.Errorf("replay: no mode %q", o.Mode)
	case o.Speed < 0 || o.IdleCap < 0 || math.IsNaN(o.Speed):
		return fmt.Errorf("replay: a speed of %v, gaps of at most %v", o.Speed, o.IdleCap)
	case o.Run < 0:
		return fmt.Errorf("replay: no process %d", o.Run)
	case o.Timeout < 0:
		return fmt.Errorf("replay: a timeout of %v", o.Timeout)
	}
	return nil
}

// unmapped are rules that say what NoMap says.
func (o *Options) unmapped() match.Applied {
	var rules match.Rules
	for _, p := range o.NoMap {
		rules.Add(match.Rule{Action: match.ActionIgnore, Pointer: p})
	}
	return rules.About("", "")
}

// The least that is waited for an answer, and how many times its recorded time.
const (
	leastWait = 5 * time.Second
	waitTimes = 10
)

// limit is how long an answer may take that took so long when it was recorded.
func (o *Options) limit(took time.Duration) time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return max(leastWait, waitTimes*took)
}
