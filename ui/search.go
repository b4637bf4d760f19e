package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
)

// A search is what n and N look for.
type search struct {
	text   string
	filter *filter.Filter
	count  *count // of its matches; nil if the detail pane is searched
}

// startSearch looks for text from the cursor outwards: downwards first, then
// upwards.
func (a *App) startSearch(text string) (tea.Cmd, error) {
	f, err := filter.Text(text)
	if err != nil {
		return nil, err
	}
	a.setSearch(&search{text: text, filter: f})
	if a.focus == detailID {
		return a.findInDetail(0), nil
	}
	cmd := a.findNext(1)
	if a.finding != nil {
		a.finding.turn = true
	}
	return tea.Batch(cmd, a.countAgain()), nil
}

// setSearch changes what n and N look for; nil ends the search.
func (a *App) setSearch(s *search) {
	text := ""
	if s != nil {
		text = s.text
	}
	a.search, a.finding = s, nil
	a.hits.set(text)
	a.markAll()
}

// findNext goes to the next match below (1) or above (-1) the cursor.
func (a *App) findNext(by int) tea.Cmd {
	if a.focus == detailID {
		return a.findInDetail(by)
	}
	again := a.countIn(a.focus)
	return tea.Batch(again, a.find(&find{
		pane: a.focus, by: by, what: `"` + a.search.text + `"`,
		sieve: newSieve(a.source, a.focus, a.lens(a.focus), a.search.filter),
	}))
}

// lens is what a pane lets through.
func (a *App) lens(pane paneID) lens {
	if pane == trafficID {
		return a.traffic.lens()
	}
	return lens{}
}

// findInDetail looks for the text in the row that is shown.
func (a *App) findInDetail(by int) tea.Cmd {
	cmd, said := a.detail.search(a.ctx, a.search.text, by)
	a.say(said)
	return cmd
}

// findError goes to the next row of the traffic with something wrong. Of a
// request that failed it is the response.
func (a *App) findError(by int) tea.Cmd {
	s := newSieve(a.source, trafficID, a.traffic.lens(), nil)
	s.also = func(_ int, row *session.Row) bool {
		failed := row.State == session.ReqFailed || row.State == session.ReqAnswered
		return filter.IsWrong(*row) && !failed
	}
	return a.find(&find{pane: trafficID, by: by, what: "error", sieve: s})
}

// find begins to look for a row, from the cursor of a pane on. What was looked
// for before is given up.
func (a *App) find(f *find) tea.Cmd {
	f.source = a.source
	f.from, _ = a.lists(f.pane).Cursor()
	f.at, f.shown = f.from+f.by, f.from
	a.finding = f
	return f.step()
}

// keepFinding takes a step that found nothing yet.
func (a *App) keepFinding(msg finding) tea.Cmd {
	if msg.find != a.finding {
		return nil
	}
	msg.find.shown, a.stale = msg.find.at, true
	return msg.find.step()
}

// foundRow takes the end of a find.
func (a *App) foundRow(msg foundRow) tea.Cmd {
	f := msg.find
	if f != a.finding {
		return nil
	}
	if msg.row < 0 {
		return a.nothingFound(f)
	}
	a.finding, a.stale = nil, true
	if f.pane == trafficID {
		a.selectTraffic(msg.row)
	} else {
		a.lists(f.pane).Select(msg.row)
		a.mark(f.pane)
	}
	switch atCursor := msg.row == f.from; {
	case atCursor && f.only != "":
		a.say(f.only)
	case atCursor:
		a.say("this row matches, and none below")
	case f.round:
		a.say("wrapped to the " + map[bool]string{true: "top", false: "bottom"}[f.by > 0] + "; " + f.found)
	case f.found != "":
		a.say(f.found)
	}
	return nil
}

// nothingFound looks where a find has not looked yet, if it should.
func (a *App) nothingFound(f *find) tea.Cmd {
	switch {
	case f.turn:
		f.at, f.by, f.turn = f.from, -1, false
		return f.step()
	case f.wrap:
		f.otherEnd()
		return f.step()
	}
	a.finding, a.stale = nil, true
	switch {
	case f.round:
		a.say("no " + f.what)
	case f.by > 0:
		a.say("no " + f.what + " below")
	default:
		a.say("no " + f.what + " above")
	}
	return nil
}
