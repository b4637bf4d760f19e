package mock

import (
	"context"
	"time"

	"mcpdbg/recordings/match"
)

// Repeat says what becomes of a request that comes more often than it was
// recorded.
type Repeat uint8

// The ways to repeat. The zero value is RepeatLast.
const (
	RepeatLast  Repeat = iota // the last recorded answer again
	RepeatCycle               // all of them again, from the first on
	RepeatError               // the error of a request that was not recorded
)

var repeatWords = [...]string{"last", "cycle", "error"}

// String returns the word that ParseRepeat reads.
func (r Repeat) String() string {
	if int(r) < len(repeatWords) {
		return repeatWords[r]
	}
	return ""
}

// ParseRepeat reads last, cycle or error.
func ParseRepeat(s string) (Repeat, bool) {
	for i, word := range repeatWords {
		if word == s {
			return Repeat(i), true
		}
	}
	return 0, false
}

// DefaultAskTimeout is how long a client may take for its answer to a request
// of the server.
const DefaultAskTimeout = 30 * time.Second

// Options are the settings of a Server. The zero value is good.
type Options struct {
	Repeat Repeat
	// Strict demands the recorded order of requests: a request that is not the
	// next one was not recorded. Handshake and ping are free.
	Strict bool
	// Rules say which params count. Nil means match's own.
	Rules *match.Rules
	// Run is the number of the process whose session is served, from 1; 0 means
	// the first that answered a request.
	Run int
	// Bridge answers the initialize of a legacy client from what a modern
	// server said of itself.
	Bridge bool

	// Speed is how fast recorded times pass: 2 is twice as fast. 0 means that
	// responses do not wait, and notifications keep a short rhythm.
	Speed float64
	// IdleCap bounds each recorded pause, before Speed; 0 means no bound.
	IdleCap time.Duration
	// AskTimeout is for the client's answer to a request of the server; 0 means
	// DefaultAskTimeout.
	AskTimeout time.Duration

	// Exact writes all that the recorded server wrote, in the same bytes but for
	// ids and tokens: lines that are no messages, ends of lines, chunks, stderr,
	// and its end.
	Exact bool

	// Faults are put over what is served.
	Faults []Fault

	// Ask, if set, is asked for the answer to a request that was not recorded:
	// the raw result, or the raw error object. It is called from a goroutine of
	// its own, and has to end with ctx.
	Ask func(ctx context.Context, method string, params []byte) (result, failure []byte, err error)

	// Tell, if set, is told in one line of text what does not agree with the
	// recording. What clients sent stands in it as it is.
	Tell func(text string)
}

// A Report is what was served. Counts are since the Server was made.
type Report struct {
	Run         int    `json:"run"`         // the served process, from 1; 0 if none was started
	Requests    uint64 `json:"requests"`    // that came
	Answered    uint64 `json:"answered"`    // with a recorded answer
	Repeated    uint64 `json:"repeated"`    // of these, such that came more often than recorded
	Unanswered  uint64 `json:"unanswered"`  // not answered, as when recorded
	Misses      uint64 `json:"misses"`      // that were not recorded
	Forwarded   uint64 `json:"forwarded"`   // of the misses, those that Options.Ask answered
	Differences uint64 `json:"differences"` // answers of the client to the server that differ
	Silent      uint64 `json:"silent"`      // requests of the server that the client did not answer in time
	Bad         uint64 `json:"bad"`         // lines of the client that are no messages
	Skipped     uint64 `json:"skipped"`     // recorded requests that came in batches or parts, and can't be served; as far as was looked
}

// Good tells whether the client did what was recorded.
func (r Report) Good() bool {
	return r.Misses == r.Forwarded && r.Differences == 0 && r.Silent == 0 && r.Bad == 0
}

// An Ending is how a recorded server ended.
type Ending struct {
	Code   int
	Signal string // its POSIX name without SIG, such as KILL; "" without one
}
