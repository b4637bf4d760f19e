package workspace

import (
	"cmp"
	"slices"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/via"
)

// NoReply reports whether, by the log, requests can no longer get a response: the process
// has ended, or the connection is lost.
func (w *Workspace) NoReply() bool {
	return w.Shown.Lifecycle.Exited != nil || w.Shown.Lifecycle.Lost != nil
}

// LostLink reports whether the connection to the process was lost.
func (w *Workspace) LostLink() bool {
	return w.Shown.Lifecycle.Lost != nil && w.Shown.Lifecycle.Lost.Code != ""
}

// LinkState returns the state of the connection to the host, "" for a local process.
func (w *Workspace) LinkState() string {
	if w.Shown.Lifecycle.Link == nil {
		return ""
	}
	if link := w.Status.Process.Link; link != nil && w.Session != nil && w.Status.State != session.Starting {
		return string(link.State)
	}
	return w.Shown.Lifecycle.Link.State
}

// LinkSince returns for how long the connection has been in its state, in microseconds by the
// clock of the log; ok is false if it is not known.
func (w *Workspace) LinkSince() (us int64, ok bool) {
	if w.Shown.Lifecycle.Link == nil || w.Clock < 0 {
		return 0, false
	}
	return max(w.Clock-w.Shown.Lifecycle.LinkT, 0), true
}

// LinkRTT returns the round-trip time to the host, 0 if unknown.
func (w *Workspace) LinkRTT() time.Duration {
	switch link := w.Status.Process.Link; {
	case link != nil && w.Session != nil:
		return link.RTT
	case w.Shown.Lifecycle.Link != nil:
		return time.Duration(w.Shown.Lifecycle.Link.RTT) * time.Microsecond
	}
	return 0
}

// FirstAfter returns the time of the first row of a kind after a row, in the next few of
// a list of rows.
func (w *Workspace) FirstAfter(list []uint32, row int, is func(session.Row) bool) (t int64, ok bool) {
	const near = 256
	at, _ := slices.BinarySearch(list, uint32(row))
	for _, number := range list[at:min(at+near, len(list))] {
		if r, found := w.Shown.Rows.At(int(number)); found && is(r) {
			return r.T, true
		}
	}
	return 0, false
}

// ExitText describes the exit of the process and its reason; "" while it runs.
func (w *Workspace) ExitText() string {
	if w.Shown.Lifecycle.Exited == nil {
		return ""
	}
	return session.DescribeEnd(w.Shown.Lifecycle.Exited.Exit())
}

// PhaseFollowed reports whether a start continued after a phase.
func (w *Workspace) PhaseFollowed(phase int) bool {
	under := w.Shown.Lifecycle.Starting && !w.Status.Phase.Begin.IsZero()
	return under || phase+1 < len(w.Shown.Lifecycle.Phases)
}

// Host returns the host of the process, or the exec server with its place; "" for this
// machine.
func (w *Workspace) Host() string {
	h := w.Shown.Source.Header()
	switch {
	case w.Shown.Lifecycle.Start.Host != "":
		return w.Shown.Lifecycle.Start.Host
	case w.Shown.Source.Header().ExecServer != "":
		return via.Where(h.ExecServer, h.Via, h.Host)
	}
	return h.Host
}

// Place names the place of the process, such as docker web on ssh build-7; before the
// start, the planned one.
func (w *Workspace) Place() string {
	if w.Shown.Source.Header().ExecServer != "" {
		return w.Host()
	}
	inside := cmp.Or(w.Shown.Lifecycle.Start.Via, via.Place(w.Shown.Source.Header().Via))
	return cmp.Or(wording.Join(" on ", inside, wording.IfAny("ssh ", w.Host())), "local")
}

// LinkActive reports whether there is a process with a changing connection.
func (w *Workspace) LinkActive() bool {
	if w.Session == nil || w.Shown.Lifecycle.Link == nil {
		return false
	}
	switch w.Status.State {
	case session.Closed, session.Failed, session.Idle:
		return false
	}
	return true
}
