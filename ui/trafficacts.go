package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/filter"
	"mcpdbg/ui/keymap"
)

const (
	actTimeline = "timeline"
	actNextSlow = "next-slow"
	actPrevSlow = "previous-slow"
	actMark     = "mark"
	actNextMark = "next-mark"
	actPrevMark = "previous-mark"
	actTimeZero = "time-zero"
	actTimeWall = "time-clock"
	actFlood    = "fold-flood"
	actFloods   = "fold-floods"
	actComplete = "complete"
)

// trafficActions are what can be done to the traffic pane.
func trafficActions() []action {
	return []action{
		{entry{ID: actTimeline, Keys: []string{"t"}, Scope: keymap.Global, Title: "timeline", Help: "Show among the messages: nothing else; lines of stderr; all that the log has, in order.", Priority: 11}, (*App).nextTimeline},
		{entry{ID: actNextSlow, Keys: []string{"s"}, Scope: keymap.Global, Title: "next slow", Help: "Go to the next response that took long: over 100 ms, and over 5 times the median; after the last one, to the first. Requests pending that long count too; the handshake does not."}, func(a *App) tea.Cmd { return a.findSlow(1) }},
		{entry{ID: actPrevSlow, Keys: []string{"S"}, Scope: keymap.Global, Title: "previous slow", Help: "Go to the previous response that took long; before the first one, to the last."}, func(a *App) tea.Cmd { return a.findSlow(-1) }},
		{entry{ID: actMark, Keys: []string{"m"}, Scope: keymap.Global, Title: "mark", Help: "Mark the selected row of the traffic with an m, or take its mark away.", Enabled: trafficSelected}, (*App).toggleMark},
		{entry{ID: actNextMark, Keys: []string{"'"}, Scope: keymap.Global, Title: "next mark", Help: "Go to the next marked row.", Enabled: anyMark}, nothing(func(a *App) { a.goToMark(1) })},
		{entry{ID: actPrevMark, Keys: []string{`"`}, Scope: keymap.Global, Title: "previous mark", Help: "Go to the previous marked row.", Enabled: anyMark}, nothing(func(a *App) { a.goToMark(-1) })},
		{entry{ID: actTimeZero, Keys: []string{"T"}, Scope: keymap.Global, Title: "time from here", Help: "Count the times of the traffic from the selected row, or again from the beginning.", Enabled: trafficSelected}, nothing((*App).toggleTimeZero)},
		{entry{ID: actTimeWall, Keys: []string{"W"}, Scope: keymap.Global, Title: "clock", Help: "Give the times of the traffic by the clock of this machine, or again since the beginning."}, nothing((*App).toggleTimeWall)},
		{entry{ID: actFlood, Keys: []string{"u"}, Scope: scopeTraffic, Title: "fold", Help: "Fold or unfold the flood of notifications under the cursor.", Enabled: floodSelected}, nothing((*App).toggleFlood)},
		{entry{ID: actFloods, Keys: []string{"-"}, Scope: scopeTraffic, Title: "fold floods", Help: "Fold floods of notifications, or show all of their rows."}, nothing((*App).toggleFloods)},
		{entry{ID: actComplete, Keys: []string{"tab"}, Scope: scopePrompt, Title: "complete", Help: "Complete the word of a filter, or say what it could be.", Priority: 85, Enabled: completes}, nothing(func(a *App) { a.prompt.completeWord() })},
	}
}

func trafficSelected(a *App) (bool, string) {
	if !a.selected.ok || a.list != trafficID {
		return false, "no row of the traffic is selected"
	}
	return true, ""
}

func anyMark(a *App) (bool, string) {
	return len(a.traffic.marks) > 0, "no row is marked"
}

func floodSelected(a *App) (bool, string) {
	_, rows, _ := a.traffic.foldUnderCursor()
	return rows > 0, "the selected row is in no flood"
}

func completes(a *App) (bool, string) {
	return a.prompt != nil && a.prompt.complete != nil, "there is nothing to complete"
}

// setFilter shows only traffic that a filter lets through.
func (a *App) setFilter(f *filter.Filter) tea.Cmd {
	a.mark(trafficID)
	return tea.Batch(a.traffic.setFilter(f), a.countShown())
}

// nextTimeline changes what stands among the messages.
func (a *App) nextTimeline() tea.Cmd {
	t := a.traffic
	t.among = (t.among + 1) % interleavedCount
	a.say([]string{"messages only", "messages and lines of stderr", "all that the log has"}[t.among])
	a.mark(trafficID)
	return tea.Batch(t.restart(), a.countShown())
}

// countShown counts matches anew when another part of the traffic is shown.
func (a *App) countShown() tea.Cmd {
	if a.search == nil || a.search.count == nil || a.search.count.pane != trafficID {
		return nil
	}
	a.search.count = nil
	return a.countIn(trafficID)
}

// toggleMark marks the selected row, or takes its mark away, and its note.
func (a *App) toggleMark() tea.Cmd {
	t, number := a.traffic, a.selected.number
	if t.marks.toggle(number) {
		a.say(`row marked; ' and " go from mark to mark`)
	} else {
		delete(t.texts, number)
		a.say("mark taken away")
	}
	a.notesChanged()
	return a.keepNote(number)
}

// goToMark selects the next marked row that is listed.
func (a *App) goToMark(by int) {
	t := a.traffic
	row, _ := t.Cursor()
	found, hidden, ok := t.marks.next(row, by, t.listed().Has)
	hiding := ""
	if hidden > 0 {
		hiding = fmt.Sprintf("; %d not shown now", hidden)
	}
	switch {
	case ok:
		a.selectTraffic(found)
		if hidden > 0 {
			a.say("there are nearer ones" + hiding)
		}
	case by > 0:
		a.say("no mark below" + hiding)
	default:
		a.say("no mark above" + hiding)
	}
}

// toggleTimeZero counts times from the selected row, or from the beginning.
func (a *App) toggleTimeZero() {
	f := &a.traffic.times
	f.reference, f.wall = !f.reference || f.wall, false
	f.zero = a.selected.row.T
	a.timeChanged()
}

// toggleTimeWall gives times by the clock, or as before.
func (a *App) toggleTimeWall() {
	f := &a.traffic.times
	f.wall = !f.wall
	a.timeChanged()
}

func (a *App) timeChanged() {
	a.traffic.SetColumns(a.traffic.times.columns())
	a.mark(trafficID)
}

// toggleFlood folds or unfolds the flood under the cursor.
func (a *App) toggleFlood() {
	row, _, folded := a.traffic.foldUnderCursor()
	a.traffic.setFold(row, !folded)
	a.mark(trafficID)
}

// unfolds unfolds the flood under the cursor of the traffic pane, and tells
// whether there was one.
func (a *App) unfolds() bool {
	row, _, folded := a.traffic.foldUnderCursor()
	if a.focus != trafficID || !folded {
		return false
	}
	a.traffic.setFold(row, false)
	a.mark(trafficID)
	return true
}

// toggleFloods folds or unfolds all floods.
func (a *App) toggleFloods() {
	a.traffic.setFolds(a.traffic.unfolded)
	if a.traffic.unfolded {
		a.say("floods of notifications: all rows shown")
	} else {
		a.say("floods of notifications: folded, each with a count")
	}
	a.mark(trafficID)
}
