package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// An atOnce is a recording that is shown before all of it is read, as
// recordings.OpenAtOnce opens it.
type atOnce interface {
	session.Source
	// Tail are its last rows; nil if all were there from the beginning, and few.
	Tail() session.Source
	Progress() recordings.Progress
}

// readEnd shows the last rows of a recording while the rest is being read, or,
// if all has been, while it is being listed.
func (s *subject) readEnd() {
	r, ok := s.log.(atOnce)
	if !ok || r.Tail() == nil && r.Progress().Done {
		return
	}
	s.reading = r
	if tail := r.Tail(); tail != nil {
		s.tail = newProjection(tail)
		s.tail.index.partial = true
		s.projection = s.tail
	}
}

// judges tells whether what is shown may be judged: not while only some of it is
// known.
func (s *subject) judges() bool { return s.reading == nil }

// readOn lists the rows that are new, be they shown or not, and tells whether
// there are more by now. When all of a recording is there it is shown.
func (a *App) readOn() (more bool, cmd tea.Cmd) {
	more = a.whole.index.pull(a.log)
	if a.reading == nil || !a.reading.Progress().Done || a.whole.index.scanned < a.log.Len() {
		return more, nil
	}
	a.sayRead(a.reading.Progress().Err)
	behind := a.projection == a.tail
	a.reading, a.tail = nil, nil
	if behind {
		cmd = a.turnTo(a.whole)
	}
	return false, cmd
}

// sayRead says what kept a recording from being read, or what of it was not
// understood.
func (a *App) sayRead(failed error) {
	if failed != nil {
		a.complain(failed.Error())
	} else if text := a.skipped(); text != "" {
		a.say("not understood in this file: " + text)
	}
}

// skipped is what was not understood in the recording that is shown.
func (a *App) skipped() string { return skippedOf(a.log) }

// skippedOf is what was not understood in a recording, "" if nothing.
func skippedOf(source session.Source) string {
	if r, ok := source.(interface{ Warnings() recordings.Warnings }); ok {
		return r.Warnings().String()
	}
	return ""
}

// percentRead is how much of the recording has been read.
func (a *App) percentRead() int {
	p := a.reading.Progress()
	if p.Size == 0 {
		return 100
	}
	return int(min(p.Bytes, p.Size) * 100 / p.Size)
}

// moveWhileReading moves about in what has been read: at first there are the
// last rows only, but the first row is soon there too.
func (a *App) moveWhileReading(id string) tea.Cmd {
	l := a.lists(a.focus)
	switch {
	case id == actTop && a.projection == a.tail && a.whole.index.scanned > 0:
		cmd := a.turnTo(a.whole)
		l.move(actTop)
		return cmd
	case id == actBottom && a.projection == a.whole:
		cmd := a.turnTo(a.tail)
		l.move(actBottom)
		return cmd
	}
	before, _ := l.Cursor()
	l.move(id)
	after, _ := l.Cursor()
	if up := id == actUp || id == actHalfUp || id == actPageUp; up && before == after && a.projection == a.tail {
		a.say(fmt.Sprintf("what is above is being read (%d %%); %s goes to the first row", a.percentRead(), a.keyOf(actTop)))
	}
	return nil
}
