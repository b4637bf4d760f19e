package replay

import (
	"mcpdbg/session/mcp"
)

// A Status is the result for an item. The zero value is Skipped.
type Status string

// The results for an item.
const (
	Skipped    Status = ""           // not sent: see Outcome.Why
	Sent       Status = "sent"       // a notification, or raw bytes without a response in the recording
	Answered   Status = "answered"   // with a result or an error
	Unanswered Status = "unanswered" // no response, as in the recording
	Missing    Status = "missing"    // no response in time, but the recording has one
	Lost       Status = "lost"       // the server exited or the connection was lost
)

// String returns the status as reports spell it.
func (s Status) String() string {
	if s == Skipped {
		return "skipped"
	}
	return string(s)
}

// An Outcome is the result for one item.
type Outcome struct {
	Status   Status
	Why      string   // if skipped or lost
	Live     []uint64 // entries of the live log for the sent messages, one per round
	Response uint64   // entry of the last response; 0 if there is none
}

// A Pair is a recorded entry of the client and the entry that was sent for it in the
// replay.
type Pair struct {
	Recorded uint64 `json:"recorded"`
	Live     uint64 `json:"live"`
}

// A ServerRequest is a request of the server.
type ServerRequest struct {
	N      uint64 `json:"n"` // its entry
	Method string `json:"method"`
}

// A Result is the result of running a plan.
type Result struct {
	Outcomes              []Outcome       // of the items, in order
	NewServerRequests     []ServerRequest // sent by the server now, without a recorded response; entries of the live log
	MissingServerRequests []ServerRequest // sent by the server in the recording only; entries of the recording
	Variables             []Variable      // those whose text is different now
	Recorded              mcp.Era         // the era of the recording; Auto if unknown
	Live                  mcp.Era         // the era of the server
	// Lost is why the run lost the server, nil if it did not.
	Lost error

	own      []uint64 // entries of the live log that do not belong to an item
	answered []uint64 // entries of server requests that got a recorded response
	replied  []bool   // by recorded server request: sent again and answered
}

// EraDiffers reports whether the server uses a different era than the recording.
func (r *Result) EraDiffers() bool { return r.Recorded != mcp.Auto && r.Recorded != r.Live }

// Count returns the number of items with a status.
func (r *Result) Count(status Status) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Status == status {
			n++
		}
	}
	return n
}

// Pairs maps entries of the recording to those of the run, in the order of the
// recording. Rounds are paired from the first on, and the last with the last: if one
// side has more rounds, its middle ones are not paired.
func (r *Result) Pairs(p *Plan) []Pair {
	var pairs []Pair
	for i, o := range r.Outcomes {
		if len(o.Live) == 0 {
			continue
		}
		recorded := append([]uint64{p.items[i].N}, p.items[i].Rounds...)
		last := min(len(recorded), len(o.Live)) - 1
		for k := range last {
			pairs = append(pairs, Pair{recorded[k], o.Live[k]})
		}
		pairs = append(pairs, Pair{recorded[len(recorded)-1], o.Live[len(o.Live)-1]})
	}
	return pairs
}

// A Step is the kind of an Event.
type Step string

// The kinds of events.
const (
	StepSent     Step = "sent"     // an item, or a further round of it, was sent
	StepSettled  Step = "settled"  // an item is settled: see its Outcome
	StepAnswered Step = "answered" // a server request got its recorded response
	StepAsked    Step = "asked"    // a server request has no recorded response
)

// An Event reports the progress of a run. Item is -1 for a server request.
type Event struct {
	Step    Step
	Item    int
	Outcome Outcome
	Live    uint64 // entry of the live log
	Method  string
}
