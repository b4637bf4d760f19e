package ui

import (
	"slices"
	"strings"
	"time"

	"mcpdbg/session"
	verdicts "mcpdbg/session/verdict"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// The names of the actions about what is wrong.
const (
	actEvidence = "evidence"
	actTrouble  = "what-is-wrong"
)

func verdictActions() []action {
	return []action{
		{entry{ID: actEvidence, Keys: []string{"V"}, Scope: keymap.Global, Title: "evidence", Help: "Go to the row that shows what is wrong; again, to that of the next cause.", Priority: 65, Enabled: hasEvidence}, nothing((*App).goToEvidence)},
		{entry{ID: actTrouble, Keys: []string{"!"}, Scope: keymap.Global, Title: "what is wrong", Help: "List all likely causes of what is wrong, with what to try.", Enabled: hasTrouble}, nothing((*App).openTrouble)},
	}
}

func hasTrouble(a *App) (bool, string) {
	return len(a.trouble.found) > 0 || a.unbuilt() != nil, a.noCause()
}

// noCause says that there is no likely cause to show, and what was checked.
func (a *App) noCause() string {
	in := ""
	if far := a.lintedSoFar(); far != "" {
		in = " in the first " + far
	}
	if n := a.findings.count.Problems(); n > 0 {
		return "no cause found" + in + "; " + a.keyOf(actFindings) + " lists " + howMany(n, "problem")
	}
	return "no problems" + in + "; " + checked
}

func hasEvidence(a *App) (bool, string) {
	if len(a.trouble.found) == 0 {
		return false, a.noCause()
	}
	shows := func(v verdicts.Verdict) bool { return v.Row >= 0 }
	return slices.ContainsFunc(a.trouble.found, shows), "no row shows it"
}

// verdictRowsAtOnce is how many rows are looked at in one go for what may be
// wrong: a few milliseconds, or some 20 where many entries have to be read.
const verdictRowsAtOnce = 1 << 18

// A trouble is what is wrong with a subject, as its log and its clocks say.
type trouble struct {
	tracker *verdicts.Tracker
	found   []verdicts.Verdict // likeliest first
	shown   int                // whose evidence was gone to last, as a row; -1 for none
	behind  bool               // there are rows that the tracker has not read

	unwritten int   // bytes that the server had not read when it was looked at last
	stuck     int64 // since when it has read none, on the log's clock

	told tale // for the screen
}

// A tale is the verdict in the lines below the header.
type tale struct {
	rows          []string
	width, height int // of the screen that it is made for
	fresh         bool
}

// look finds what is wrong now. Of a recording nothing is said before all rows
// are known: what comes may explain them.
func (t *trouble) look(a *App) {
	t.told.fresh = false
	t.found = nil
	if a.session != nil || a.judges() && !t.behind {
		t.found = t.tracker.Now(a.liveNow())
	}
}

// liveNow is what only the session that runs knows; nil for a recording.
func (a *App) liveNow() *verdicts.Live {
	if a.session == nil {
		return nil
	}
	t, info := &a.trouble, a.status.Process
	now := a.session.Log().Now()
	if info.Unwritten == 0 || info.Unwritten < t.unwritten || t.unwritten == 0 {
		t.stuck = now
	}
	t.unwritten = info.Unwritten
	live := &verdicts.Live{Now: now, Unwritten: info.Unwritten, UnwrittenSince: t.stuck, Held: !info.HeldSince.IsZero()}
	onClock := func(at time.Time) int64 { return now - time.Since(at).Microseconds() }
	if info.Link != nil && !info.Link.Heard.IsZero() {
		live.Silent = time.Since(info.Link.Heard).Microseconds()
	}
	for _, q := range a.waiting {
		live.Asks = append(live.Asks, verdicts.Ask{Method: q.Method, N: q.N, Since: onClock(q.Since)})
	}
	return live
}

// runs tells whether anything that is wrong, or may soon be, has a clock.
func (t *trouble) runs(a *App) bool {
	soon := a.status.State == session.Exited || t.unwritten > 0
	return soon || slices.ContainsFunc(t.found, func(v verdicts.Verdict) bool { return v.Clock })
}

// verdictLines is how many lines the verdict takes at most, by severity; an
// error has one less where there is little room.
var verdictLines = [...]int{verdicts.Info: 1, verdicts.Warning: 2, verdicts.Error: 3}

// verdictParts are the likeliest cause and what can be done, in the order in
// which they may not be missed.
func (a *App) verdictParts() []string {
	first := a.trouble.found[0]
	mark, _ := a.severity(first.Severity)
	parts := []string{mark + " " + first.Text}
	if again := a.startsAgain(); again != "" {
		parts = append(parts, again)
	}
	if n := len(a.trouble.found) - 1; n > 0 {
		parts = append(parts, a.keyOf(actTrouble)+" lists "+howMany(n, "more cause"))
	}
	switch {
	case first.Cause == verdicts.WaitsForYou && a.session != nil:
		parts = append(parts, a.keyOf(actAnswer)+" answers it")
	case first.Try != "":
		parts = append(parts, strings.Split(first.Try, "; ")...)
	}
	return parts
}

// startsAgain says which key helps when there is no server any more.
func (a *App) startsAgain() string {
	gone := a.status.State == session.Failed || a.status.State == session.Closed
	switch {
	case a.session == nil || !gone || a.starting:
		return ""
	case a.lostLink():
		return a.keyOf(actRestart) + " reconnects and restarts"
	}
	return a.keyOf(actRestart) + " starts it again"
}

// severity is how a severity looks: by a mark, and by colour.
func (a *App) severity(s verdicts.Severity) (string, theme.Style) {
	switch s {
	case verdicts.Error:
		return "x", a.theme.Error
	case verdicts.Warning:
		return "!", a.theme.Warn
	}
	return "-", a.theme.Text
}

// verdictRows are the lines that the verdict is painted in. Where they have no
// room for all parts, the last go.
func (a *App) verdictRows() []string {
	t := &a.trouble.told
	if !t.fresh || t.width != a.width || t.height != a.height {
		*t = tale{rows: a.fitVerdict(), width: a.width, height: a.height, fresh: true}
	}
	return t.rows
}

func (a *App) fitVerdict() []string {
	if a.looksBack() {
		rows := make([]string, a.wrongRows) // so that the panes stay where they are
		if len(rows) > 0 {
			rows[0] = "... looking for what was wrong by then"
		}
		return rows
	}
	rows := a.fitFound()
	a.wrongRows = len(rows)
	return rows
}

// looksBack tells whether the verdict of a moment is still to be found.
func (a *App) looksBack() bool { return a.playback != nil && a.judges() && a.trouble.behind }

// fitFound are the lines of what is wrong.
func (a *App) fitFound() []string {
	if rows := a.buildRows(); rows != nil {
		return rows
	}
	if len(a.trouble.found) == 0 {
		return nil
	}
	parts := a.verdictParts()
	most := verdictLines[a.trouble.found[0].Severity]
	if a.height < panesHeight {
		most = min(most, 2)
	}
	for n := len(parts); n > 0; n-- {
		rows := wrap(strings.Join(parts[:n], "; "), a.width-2)
		switch {
		case len(rows) <= most:
			return rows
		case n == 1: // painting cuts the last line, and shows that it did
			rest := strings.Join(rows[most-1:], " ")
			return append(rows[:most-1], rest)
		}
	}
	return nil
}

// paintVerdict paints the lines below the header.
func (a *App) paintVerdict() {
	r := a.layout.verdict
	style := a.theme.Dim
	switch {
	case r.Empty():
		return
	case a.unbuilt() != nil:
		style = a.theme.Error
	case len(a.trouble.found) > 0:
		_, style = a.severity(a.trouble.found[0].Severity)
	}
	block := &paint.Lines{Options: a.look()}
	block.Resize(r.W, r.H)
	rows := a.verdictRows()
	for y, row := range rows[:min(r.H, len(rows))] {
		l := block.Line(y)
		l.PadTo(1)
		l.Text(style, row)
	}
	a.canvas.Draw(r, block)
}

// goToEvidence selects the row that shows what is wrong; if that is selected
// already, the one of the next cause that has one.
func (a *App) goToEvidence() {
	var rows []int
	for _, v := range a.trouble.found {
		if v.Row >= 0 && !slices.Contains(rows, v.Row) {
			rows = append(rows, v.Row)
		}
	}
	next := 0
	if at := slices.Index(rows, a.trouble.shown); at >= 0 && a.selected.ok && a.selected.number == a.trouble.shown {
		next = (at + 1) % len(rows)
	}
	a.trouble.shown = rows[next]
	a.goToRow(rows[next])
}

// goToRow selects a row in the pane that lists it.
func (a *App) goToRow(number int) {
	row, ok := a.rows.at(number)
	if !ok {
		return
	}
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		a.focusOn(trafficID)
		a.selectTraffic(number)
	case session.KindStderr:
		a.selectLine(a.stderr, number)
	default:
		a.selectLine(a.events, number)
	}
}

func (a *App) selectLine(l *lines, number int) {
	a.focusOn(l.id)
	l.Select(number)
	a.mark(l.id)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
