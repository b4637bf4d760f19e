package workspace

import (
	"slices"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
)

// A Causes is the state of the search for likely causes in one Projection, from
// its log and the clock.
type Causes struct {
	Tracker *cause.Tracker
	Found   []diagnosis.Cause // likeliest first
	Shown   int               // the row whose evidence was selected last; -1 for none
	Behind  bool              // there are rows that the tracker has not read

	unwritten int   // bytes not read by the server at the last check
	stuck     int64 // since when the server has read nothing, on the log's clock

	Summary Summary // what the screen shows
}

// A Summary is the text of the likely causes in the lines below the header.
type Summary struct {
	Rows          []string
	Width, Height int // of the screen that it was made for
	Fresh         bool
}

// causeRows is how many rows are read for causes at a time: a few milliseconds of
// work, or about 20 ms if many entries must be read.
const causeRows = 1 << 18

// PullCauses reads new rows for causes, and reports whether there are more.
func (w *Workspace) PullCauses() (more bool) {
	if !w.FullyRead() {
		return false
	}
	w.Shown.Causes.Behind = w.Shown.Causes.Tracker.Advance(causeRows)
	return w.Shown.Causes.Behind
}

// UpdateCauses updates the likely causes. For a recording there are none until
// all rows are known, because later rows may explain a problem.
func (w *Workspace) UpdateCauses() {
	t := &w.Shown.Causes
	t.Summary.Fresh = false
	t.Found = nil
	if w.Session != nil || w.FullyRead() && !t.Behind {
		t.Found = t.Tracker.Now(w.liveNow())
		w.Shown.Problems.takeEnds(t.Tracker.Ends())
	}
}

// liveNow returns what only a running session knows; nil for a recording.
func (w *Workspace) liveNow() *cause.Live {
	if w.Session == nil {
		return nil
	}
	t, info := &w.Shown.Causes, w.Status.Process
	now := w.Session.Log().Now()
	if info.Unwritten == 0 || info.Unwritten < t.unwritten || t.unwritten == 0 {
		t.stuck = now
	}
	t.unwritten = info.Unwritten
	live := &cause.Live{Now: now, Unwritten: info.Unwritten, UnwrittenSince: t.stuck, OutputPaused: !info.HeldSince.IsZero()}
	onClock := func(at time.Time) int64 { return now - time.Since(at).Microseconds() }
	if info.Link != nil && !info.Link.Heard.IsZero() {
		live.Silent = time.Since(info.Link.Heard).Microseconds()
	}
	for _, q := range w.Waiting {
		live.ServerRequests = append(live.ServerRequests, cause.ServerRequest{Method: q.Method, N: q.N, Since: onClock(q.Since)})
	}
	return live
}

// CausesNeedClock reports whether a cause, or one that may soon appear, depends on the
// clock.
func (w *Workspace) CausesNeedClock() bool {
	t := &w.Shown.Causes
	soon := w.Status.State == session.Exited || t.unwritten > 0
	return soon || slices.ContainsFunc(t.Found, func(v diagnosis.Cause) bool { return v.Clock })
}

// CausesPending reports whether the causes at the moment shown are still to be found.
func (w *Workspace) CausesPending() bool {
	return w.Playback != nil && w.FullyRead() && w.Shown.Causes.Behind
}
