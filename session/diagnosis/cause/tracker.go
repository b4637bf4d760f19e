package cause

import (
	"cmp"
	"context"
	"slices"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

// Live is the state of a running session that is not in its log.
type Live struct {
	Now            int64           // the log's clock in microseconds: Log.Now
	Unwritten      int             // bytes that the server has not yet read from stdin
	UnwrittenSince int64           // when they started to wait, on the same clock
	OutputPaused   bool            // its output is not being read, because we are too far behind
	Silent         int64           // how long the host has been silent; 0 if unknown
	ServerRequests []ServerRequest // server requests that wait for the user, oldest first
}

// A ServerRequest is a server request that the user has to answer.
type ServerRequest struct {
	Method string
	N      uint64 // of its entry
	Since  int64  // on the log's clock
}

// A Tracker follows a log. It belongs to one goroutine.
type Tracker struct {
	facts facts
}

// New returns a tracker that starts at the first row of src.
func New(src session.Source) *Tracker {
	return &Tracker{facts: newFacts(src)}
}

// Find returns the causes in a log up to its current end, or in what it has read of it
// when ctx ends: see Tracker.Now.
func Find(ctx context.Context, src session.Source) []diagnosis.Cause {
	return read(ctx, src).Now(nil)
}

// read returns a tracker that has read a log up to its current end, or until ctx ends.
func read(ctx context.Context, src session.Source) *Tracker {
	t := New(src)
	for more := true; more && ctx.Err() == nil; {
		more = t.Advance(4096)
	}
	return t
}

// entryCost is the cost of reading one entry, in rows.
const entryCost = 64

// Advance reads up to maxRows new rows, or fewer if it also has to read
// entries. It reports whether there are more.
func (t *Tracker) Advance(maxRows int) (more bool) {
	for ; maxRows > 0; maxRows-- {
		if !t.facts.cursor.Next() {
			return false
		}
		before := t.facts.read
		t.facts.add()
		maxRows -= entryCost * (t.facts.read - before)
	}
	number, _ := t.facts.cursor.Row()
	return number+1 < t.facts.src.Len()
}

// Now returns the causes found in the rows read so far, the likeliest first. For
// a recording, live is nil and the time is that of the last row. Now may read a
// few short entries.
func (t *Tracker) Now(live *Live) []diagnosis.Cause {
	w := t.facts.view()
	if live != nil {
		w.live, w.now = live, max(live.Now, w.now)
	}
	var found []diagnosis.Cause
	reported := map[string]bool{}
	for _, c := range causes {
		if slices.ContainsFunc(c.unless, func(id string) bool { return reported[id] }) {
			continue
		}
		if one, ok := c.in(w); ok {
			reported[c.id] = true
			found = append(found, one)
		}
	}
	return found
}

func (c *cause) in(w *view) (diagnosis.Cause, bool) {
	f, ok := c.find(w)
	if !ok {
		return diagnosis.Cause{}, false
	}
	return diagnosis.Cause{
		ID: c.id, Severity: c.severity, Text: clip(f.text, maxText), Advice: clip(f.try, maxText),
		Brief: clip(cmp.Or(f.brief, f.text), maxText), Probable: c.probable,
		Row: f.row, Clock: f.clock && w.live != nil, Part: c.part,
	}, true
}

func (f *facts) view() *view {
	return &view{facts: f, now: f.last, asked: f.unanswered(true), asking: f.unanswered(false)}
}

// A view is the input of the rules: the facts and the current time.
type view struct {
	*facts
	live *Live // nil for a recording
	now  int64

	asked, asking []request // unanswered, ours and the server's
}
