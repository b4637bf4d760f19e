package replay

import (
	"mcpdbg/session/mcp"
)

// A Status says what became of an item. The zero value is Skipped.
type Status string

// The statuses.
const (
	Skipped    Status = ""           // not sent: see Outcome.Why
	Sent       Status = "sent"       // a notification, or raw bytes that got no answer when recorded
	Answered   Status = "answered"   // with a result or an error
	Unanswered Status = "unanswered" // as it was when it was recorded
	Missing    Status = "missing"    // no answer in time, where there was one
	Lost       Status = "lost"       // the server ended, or was not reached any more
)

// String returns the status as reports spell it.
func (s Status) String() string {
	if s == Skipped {
		return "skipped"
	}
	return string(s)
}

// An Outcome is what became of one item.
type Outcome struct {
	Status Status
	Why    string   // of what was skipped or lost
	Live   []uint64 // entries of the live log: what was sent, one a round
	Answer uint64   // entry of the last answer; 0 without
}

// A Pair is an entry that was sent when it was recorded, and the one that was
// sent for it now.
type Pair struct {
	Recorded uint64 `json:"recorded"`
	Live     uint64 `json:"live"`
}

// A Question is one that the server asked of its client.
type Question struct {
	N      uint64 `json:"n"` // its entry
	Method string `json:"method"`
}

// A Result is what a run of a plan came to.
type Result struct {
	Outcomes  []Outcome  // of the items, in their order
	Asked     []Question // now, and the recording has no answer to them; entries of the live log
	Unasked   []Question // when it was recorded, and not now; entries of the recording
	Variables []Variable // those that are another text now
	Recorded  mcp.Era    // the era of the recording; Auto if nothing tells
	Live      mcp.Era    // and that of the server
	// Lost is why the server could not be reached to the end, nil if it could.
	Lost error

	own      []uint64 // entries of the live log that no item stands for
	answered []uint64 // and of questions that got a recorded answer
	replied  []bool   // by recorded question: it was asked and answered
}

// EraDiffers tells whether the server speaks another era than the recorded one.
func (r *Result) EraDiffers() bool { return r.Recorded != mcp.Auto && r.Recorded != r.Live }

// Count is how many items have a status.
func (r *Result) Count(status Status) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Status == status {
			n++
		}
	}
	return n
}

// Pairs returns which entry now stands for which of the recording, in the order
// of the recording. Rounds are paired from the first on, and the last with the
// last: if one side has more of them, its middle ones have no partner.
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

// A Step says what an Event tells of.
type Step string

// The steps.
const (
	StepSent     Step = "sent"     // Item went out, or a further round of it
	StepSettled  Step = "settled"  // see its Outcome
	StepAnswered Step = "answered" // the server asked, and got the recorded answer
	StepAsked    Step = "asked"    // the server asked what the recording has no answer to
)

// An Event tells how far a run is. Item is -1 for one about a question.
type Event struct {
	Step    Step
	Item    int
	Outcome Outcome
	Live    uint64 // entry of the live log
	Method  string
}
