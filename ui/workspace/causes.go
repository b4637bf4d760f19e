package workspace

import (
	"slices"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
)

// A Causes is the search for likely causes in one Projection, from its log and the clock.
type Causes struct {
	Tracker *cause.Tracker
	Found   []diagnosis.Cause // likeliest first
	Shown   int               // row of the evidence selected last, or -1
	Behind  bool              // there are rows not yet read

	unwritten int   // bytes not read by the server at the last check
	stuck     int64 // when the server stopped reading, on the log's clock

	Summary Summary
}

// A Summary is the likely causes as text below the header.
type Summary struct {
	Rows          []string
	Width, Height int // of the screen it was made for
	Fresh         bool
}

// causeRows is how many rows are read for causes at a time: about 10 ms of work,
// about 20 ms if many entries must be read.
const causeRows = 1 << 17

// PullCauses reads new rows for causes, and reports whether there are more.
func (w *Workspace) PullCauses() (more bool) {
	if !w.FullyRead() {
		return false
	}
	w.Shown.Causes.Behind = w.Shown.Causes.Tracker.Advance(causeRows)
	return w.Shown.Causes.Behind
}

// UpdateCauses updates the likely causes, of a recording only when all rows are known:
// later rows may explain a problem.
func (w *Workspace) UpdateCauses() {
	t := &w.Shown.Causes
	t.Summary.Fresh = false
	t.Found = nil
	if w.Session != nil || w.FullyRead() && !t.Behind {
		t.Found = t.Tracker.Now(w.liveNow())
		w.Shown.Problems.takeEnds(t.Tracker.Ends())
	}
}

// liveNow returns what only a running session knows, or nil.
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

// CausesNeedClock reports whether a cause that there is or may soon be depends on the
// clock.
func (w *Workspace) CausesNeedClock() bool {
	t := &w.Shown.Causes
	soon := w.Status.State == session.Exited || t.unwritten > 0
	return soon || slices.ContainsFunc(t.Found, func(v diagnosis.Cause) bool { return v.Clock })
}

// CausesPending reports whether the causes at the shown moment are still to be found.
func (w *Workspace) CausesPending() bool {
	return w.Playback != nil && w.FullyRead() && w.Shown.Causes.Behind
}
