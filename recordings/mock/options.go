package mock

import (
	"context"
	"time"

	"mcpdbg/recordings/match"
)

// Repeat defines the response to a request that is sent more often than it was
// recorded.
type Repeat uint8

// The responses to a repeated request.
const (
	RepeatLast  Repeat = iota // repeat the last recorded response
	RepeatCycle               // repeat all of them, from the first on
	RepeatError               // respond as to an unrecorded request
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

// DefaultAskTimeout is the default timeout for the client's response to a request of
// the server.
const DefaultAskTimeout = 30 * time.Second

// Options are the options of a Server. The zero value is ready to use.
type Options struct {
	Repeat Repeat
	// Strict requires the recorded order: a request other than the next one is
	// treated as unrecorded. Handshake and ping are exempt.
	Strict bool
	// Rules define which params count. Nil means match's defaults.
	Rules *match.Rules
	// Run is the number of the process to serve, from 1; 0 means the first one that
	// answered a request.
	Run int
	// Bridge answers initialize from a legacy client with the information of a
	// modern server.
	Bridge bool

	// Speed is the speed of recorded time: 2 is twice as fast. 0 means that
	// responses do not wait, and notifications keep a short rhythm.
	Speed float64
	// IdleCap limits each recorded pause, before Speed; 0 means no limit.
	IdleCap time.Duration
	// AskTimeout is the timeout for the client's response to a request of the
	// server; 0 means DefaultAskTimeout.
	AskTimeout time.Duration

	// Exact writes everything that the recorded server wrote, in the same bytes
	// except for ids and tokens: lines that are not messages, line endings,
	// chunks, stderr, and its exit.
	Exact bool

	// Faults are injected into the served session.
	Faults []Fault

	// Forward, if set, answers requests that were not recorded: it returns the raw
	// result or the raw error object. It is called from its own goroutine and must
	// return when ctx ends.
	Forward func(ctx context.Context, method string, params []byte) (result, failure []byte, err error)

	// Warn, if set, is called with a line of text for each deviation from the
	// recording. The text may contain unsanitized text of clients.
	Warn func(text string)
}

// A Report has the counts since the Server was created.
type Report struct {
	Run         int    `json:"run"`         // the served process, from 1; 0 if none was started
	Requests    uint64 `json:"requests"`    // requests received
	Answered    uint64 `json:"answered"`    // answered from the recording
	Repeated    uint64 `json:"repeated"`    // of these, those sent more often than recorded
	Unanswered  uint64 `json:"unanswered"`  // not answered, as in the recording
	Misses      uint64 `json:"misses"`      // requests that were not recorded
	Forwarded   uint64 `json:"forwarded"`   // misses answered by Options.Ask
	Differences uint64 `json:"differences"` // responses of the client that differ
	Silent      uint64 `json:"silent"`      // requests of the server that the client did not answer in time
	Bad         uint64 `json:"bad"`         // lines of the client that are not messages
	Skipped     uint64 `json:"skipped"`     // recorded requests in parts of lines, which can't be served, in the rows read so far
}

// Good reports whether the client behaved as recorded.
func (r Report) Good() bool {
	return r.Misses == r.Forwarded && r.Differences == 0 && r.Silent == 0 && r.Bad == 0
}

// An Ending is how the served process ended.
type Ending struct {
	Code   int
	Signal string // the POSIX name without SIG, such as KILL; "" if there is none
}
