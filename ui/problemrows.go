package ui

import (
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/wire"
)

// problemShell is what the screens of problems use of the lists of rows and of a
// watch.
var problemShell = problems.Shell{
	Changed: func(c host.Context) {
		s := screenIn(c)
		s.rows.Events.SetFilter(s.ws.Shown.Problems.Events)
		s.app.canvas.markAll()
	},
	GoTo:       func(c host.Context, row int) { screenIn(c).goToRow(row) },
	BuildLines: func(c host.Context) []string { return watchOf(c).BuildRows(c) },
	OpenBuild:  func(c host.Context) { watchOf(c).ShowBuild(c) },
}

// problemsOf returns the state of the screens of problems of the session that a
// context is about.
func problemsOf(c host.Context) *problems.State { return screenIn(c).problems }

// goToRow selects a row in the pane that lists it.
func (sc *sessionScreen) goToRow(number int) {
	row, ok := sc.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		sc.app.focusOn(trafficID)
		sc.selectTraffic(number)
	case session.KindStderr:
		selectLine(sc.app, sc.rows.Stderr, number)
	default:
		selectLine(sc.app, sc.rows.Events, number)
	}
}

func selectLine(a *App, l *wire.Lines, number int) {
	a.focusOn(paneOfList(l.ID))
	a.visible.ws.Overview = false
	l.Select(number)
	a.canvas.mark(paneOfList(l.ID))
}
