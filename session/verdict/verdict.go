package verdict

import (
	"slices"

	"mcpdbg/session"
)

// Severity says how bad a cause is. The zero value is Info.
type Severity uint8

// The severities.
const (
	Info    Severity = iota // worth knowing; it may be all right
	Warning                 // something is wrong, and the session goes on
	Error                   // the session does not work
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns the severity's name in lower case.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return ""
}

// A Verdict is one thing that is wrong. Text and Try may quote what a server
// wrote: untrusted text of one line, at most a few hundred bytes.
type Verdict struct {
	Cause    string // stable id, such as lsp-headers
	Severity Severity
	Text     string // what happened
	Try      string // what to do about it; may be empty
	Row      int    // of the log, the evidence; -1 if there is none
	Clock    bool   // Text has a time in it that goes on: it is to be asked for again
}

// Live is what a log does not tell of a session that runs.
type Live struct {
	Now            int64 // the log's clock in microseconds: Log.Now
	Unwritten      int   // bytes that wait for the server to read its input
	UnwrittenSince int64 // since when there are some, on the same clock
	Held           bool  // its output is not being read: we are too far behind
	Silent         int64 // for how long nothing came from its host; 0: not known
	Asks           []Ask // what it waits for a person to answer, oldest first
}

// An Ask is a request of the server's that a person has to answer.
type Ask struct {
	Method string
	N      uint64 // of its entry
	Since  int64  // on the log's clock
}

// A Tracker follows a log. It belongs to one goroutine.
type Tracker struct {
	facts facts
	next  int // row
	block [512]session.Row
}

// New returns a tracker that has read nothing yet.
func New(src session.Source) *Tracker {
	return &Tracker{facts: newFacts(src)}
}

// entryCost is how many rows reading one entry counts for.
const entryCost = 64

// Advance reads up to maxRows new rows, or fewer if entries have to be read
// for them, and tells whether there are more.
func (t *Tracker) Advance(maxRows int) (more bool) {
	for maxRows > 0 {
		n := t.facts.src.Rows(t.next, t.block[:min(len(t.block), maxRows)])
		if n == 0 {
			return false
		}
		for _, row := range t.block[:n] {
			before := t.facts.read
			t.facts.take(t.next, row)
			t.next++
			maxRows -= 1 + entryCost*(t.facts.read-before)
			if maxRows <= 0 {
				break
			}
		}
	}
	return t.next < t.facts.src.Len()
}

// Now returns what is wrong, the likeliest cause first, as of the rows read so
// far. live is nil for a recording: then the time is that of the last row. It
// may read a few short entries.
func (t *Tracker) Now(live *Live) []Verdict {
	w := &view{facts: &t.facts, now: t.facts.last}
	if live != nil {
		w.live, w.now = live, max(live.Now, w.now)
	}
	t.facts.asked.sweep(&t.facts)
	t.facts.asking.sweep(&t.facts)
	var found []Verdict
	told := map[string]bool{}
	for _, c := range causes {
		if slices.ContainsFunc(c.unless, func(id string) bool { return told[id] }) {
			continue
		}
		if f, ok := c.find(w); ok {
			told[c.id] = true
			found = append(found, Verdict{
				Cause: c.id, Severity: c.severity, Text: clip(f.text, maxText), Try: clip(f.try, maxText),
				Row: f.row, Clock: f.clock && live != nil,
			})
		}
	}
	return found
}

// view is what the rules look at: the facts, and what time it is.
type view struct {
	*facts
	live *Live // nil for a recording
	now  int64
}
