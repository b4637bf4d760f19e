package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
)

// readOn lists new rows, shown or not, and reports whether there are more. A recording
// read completely is shown completely.
func (sc *sessionScreen) readOn() (more bool, cmd tea.Cmd) {
	more = sc.ws.Whole.Index.Pull(sc.ws.Log)
	if sc.ws.Reading == nil || !sc.ws.Reading.Progress().Done || sc.ws.Whole.Index.Scanned < sc.ws.Log.Len() {
		return more, nil
	}
	if err := sc.ws.Reading.Progress().Err; err != nil {
		sc.app.Warn(err.Error())
	} else if text := sc.ws.Skipped(); text != "" {
		sc.app.Notify("not understood in this file: " + text)
	}
	behind := sc.ws.Shown == sc.ws.Tail
	sc.ws.Reading, sc.ws.Tail = nil, nil
	if behind {
		cmd = sc.Turn(sc.ws.Whole)
	}
	return false, cmd
}

// begin selects once, when all of a recording has been read and unless the user has moved,
// the row of its cause: the call that lost its answer if it is about an end, or else the
// first row.
func begin(sc *sessionScreen) {
	w := sc.ws
	if sc.begun || w.Session != nil || !w.FullyRead() || w.Shown.Causes.Behind || w.File.Recording == session.RecordingOn {
		return
	}
	sc.begun = true
	lost, ended := w.TakeLost()
	if !w.Overview || w.Shown != w.Whole {
		return
	}
	for _, cause := range w.Shown.Causes.Found {
		row, ok := w.Shown.Rows.At(cause.Row)
		if own := row.Kind == session.KindStdin || row.Kind == session.KindStdout; ended && !own {
			sc.rows.Traffic.Reveal(lost)
			return
		} else if ok {
			sc.rows.Traffic.Reveal(cause.Row)
			return
		}
	}
	if w.Shown.Index.Scanned > 0 {
		w.Overview = false
		sc.rows.Traffic.Home()
	}
}

// moveWhileReading moves within the read part of a recording: at first the last rows, but
// the first rows follow soon.
func (sc *sessionScreen) moveWhileReading(id string) tea.Cmd {
	l := sc.lists(sc.app.panes.focus)
	switch {
	case id == kit.Top && sc.ws.Shown == sc.ws.Tail && sc.ws.Whole.Index.Scanned > 0:
		cmd := sc.Turn(sc.ws.Whole)
		l.Act(kit.Top)
		return cmd
	case id == kit.Bottom && sc.ws.Shown == sc.ws.Whole:
		cmd := sc.Turn(sc.ws.Tail)
		l.Act(kit.Bottom)
		return cmd
	}
	before, _ := l.Cursor()
	l.Act(id)
	after, _ := l.Cursor()
	if up := id == kit.Up || id == kit.HalfPageUp || id == kit.PageUp; up && before == after && sc.ws.Shown == sc.ws.Tail {
		sc.app.Notify(fmt.Sprintf("earlier rows are still being read (%d %%); %s goes to the first row", sc.ws.PercentRead(), sc.app.Key(kit.Top)))
	}
	return nil
}
