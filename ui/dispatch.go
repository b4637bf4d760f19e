package ui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// key turns a key into an action, or gives it to the text field that is open.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	if a.notice != (notice{}) {
		a.notice, a.stale = notice{}, true
	}
	if a.ask != nil {
		return a.askKey(msg)
	}
	if action, ok := a.keys.Lookup(a.scope(), msg.String()); ok {
		return a.Do(action.ID)
	}
	if rest, ok := afterEsc(msg); ok && !a.altMeans() {
		return tea.Batch(a.key(tea.KeyPressMsg{Code: tea.KeyEscape}), a.key(rest))
	}
	return a.typed(msg)
}

// afterEsc takes a key with alt, which means nothing here, for what it also
// is: esc, and then the key, too quick after one another or on a slow link.
func afterEsc(msg tea.KeyPressMsg) (rest tea.KeyPressMsg, ok bool) {
	if !msg.Mod.Contains(tea.ModAlt) {
		return msg, false
	}
	rest = tea.KeyPressMsg{Code: msg.Code, Mod: msg.Mod &^ tea.ModAlt}
	if unicode.IsPrint(rest.Code) && rest.Mod&^tea.ModShift == 0 {
		rest.Text = string(rest.Code)
		if rest.Mod == tea.ModShift {
			rest.Text, rest.Mod = strings.ToUpper(rest.Text), 0
		}
	}
	return rest, true
}

// altMeans tells whether what has the keys knows keys with alt: text that is
// edited by words.
func (a *App) altMeans() bool {
	switch a.top().(type) {
	case picking, *processPane:
		return false
	case nil:
		return a.prompt != nil || a.composer.open
	}
	return true
}

// typed gives a message to the text field that is open, if there is one.
func (a *App) typed(msg tea.Msg) tea.Cmd {
	switch {
	case a.dialog != nil:
		return nil
	case a.prompt != nil:
		a.stale = true
		return a.prompt.update(msg)
	case a.top() != nil:
		a.stale = true
		return a.top().typed(a, msg)
	case a.composer.open:
		a.mark(composerID)
		return a.updateComposer(msg)
	}
	return nil
}

// scope is the part of the action table that has the keys.
func (a *App) scope() string {
	switch {
	case a.ask != nil:
		return scopeAsk
	case a.dialog != nil:
		return scopeDialog
	case a.prompt != nil:
		return scopePrompt
	case a.top() != nil:
		return a.top().scope()
	case a.composer.open:
		return a.composer.scope()
	}
	return paneScopes[a.focus]
}

var paneScopes = [paneCount]string{
	sessionsID: scopeSessions, trafficID: scopeTraffic, detailID: scopeDetail, stderrID: scopeStderr, eventsID: scopeEvents,
}

// Do carries out an action of the table. One that is not possible now says why
// in the last line.
func (a *App) Do(id string) tea.Cmd {
	action, ok := a.keys.ByID(id)
	if !ok {
		return nil
	}
	if possible, reason := action.State(a); !possible {
		a.complain(action.Title + ": " + reason)
		return nil
	}
	a.stale, a.dirty[composerID] = true, true
	if do := a.doers[id]; do != nil {
		return do(a)
	}
	if way, ok := scrolls[id]; ok {
		if s := a.scrolled(); s != nil {
			s.move(way)
		}
		return nil
	}
	a.mark(a.focus)
	if a.tail != nil && a.focus != detailID && a.focus != sessionsID {
		return a.moveWhileReading(id)
	}
	a.pane(a.focus).move(id)
	return nil
}

// scrolled is what scrolls over the panes, nil if there is nothing.
func (a *App) scrolled() *scroll {
	switch {
	case a.ask != nil:
		return &a.ask.scroll
	case a.dialog != nil:
		return &a.dialog.scroll
	}
	return nil
}

// keyOf is the key of an action, as it is shown; the palette's, and the name to
// type there, for an action without one.
func (a *App) keyOf(id string) string {
	action, ok := a.keys.ByID(id)
	switch {
	case !ok:
		return ""
	case len(action.Keys) > 0:
		return action.Keys[0]
	case id == actPalette:
		return "the palette"
	}
	return a.keyOf(actPalette) + " " + action.Title
}

// keysOf are all keys of an action.
func (a *App) keysOf(id string) []string {
	if action, ok := a.keys.ByID(id); ok && len(action.Keys) > 0 {
		return action.Keys
	}
	return []string{a.keyOf(id)}
}

// nothing adapts what has no command.
func nothing(do func(*App)) func(*App) tea.Cmd {
	return func(a *App) tea.Cmd {
		do(a)
		return nil
	}
}

// focusOn gives the keys to a pane.
func (a *App) focusOn(id paneID) {
	a.focus = id
	if id != detailID && id != sessionsID {
		a.list = id
	}
	if id == stderrID || id == eventsID {
		a.strip = id
	}
	a.arrange()
}

// focusBeside gives the keys to the next pane, or the one before. What the
// screen has no room for is passed over, unless it shows one pane at a time.
func (a *App) focusBeside(by int) {
	at := 0
	for i, id := range panes {
		if id == a.focus {
			at = i
		}
	}
	for range panes {
		at = (at + by + len(panes)) % len(panes)
		if a.tabs(panes[at]) {
			break
		}
	}
	a.focusOn(panes[at])
}

// tabs tells whether a pane is one that focusBeside goes to.
func (a *App) tabs(id paneID) bool {
	if id == sessionsID {
		return len(a.subjects) > 1
	}
	return a.zoom || a.layout.mode == single || !a.layout.pane[id].Empty()
}

func (a *App) setZoom(on bool) {
	a.zoom = on
	a.arrange()
}

// open shows the selected row full size; in the detail pane, and on a flood, it
// unfolds, and in the list of sessions it goes to the traffic.
func (a *App) open() {
	switch a.focus {
	case detailID:
		if a.detail.move(actOpen) {
			a.mark(detailID)
		}
		return
	case sessionsID:
		a.leave()
		return
	}
	if !a.selected.ok || a.unfolds() {
		return
	}
	a.zoom = true
	a.focusOn(detailID)
}

// back leaves what was entered last. It never quits.
func (a *App) back() tea.Cmd {
	switch {
	case a.finding != nil:
		a.finding = nil
		a.say("search given up")
	case a.replay != nil:
		a.replay.stop()
	case a.leave():
	case a.search != nil:
		a.setSearch(nil)
	case a.traffic.shown != nil:
		return a.setFilter(nil)
	case a.grid != nil:
		a.toGrid()
	}
	return nil
}

// leave ends the zoom, or leaves the detail pane or that of sessions, and tells
// whether it did.
func (a *App) leave() bool {
	aside := a.focus == detailID || a.focus == sessionsID
	if !a.zoom && !aside {
		return false
	}
	a.zoom = false
	if aside {
		a.focusOn(a.list)
	} else {
		a.arrange()
	}
	return true
}

func (a *App) toggleFollow() {
	l := a.lists(a.focus)
	l.SetFollow(!l.Following())
	a.mark(a.focus)
}

// goToPartner selects the other half of a request and its response.
func (a *App) goToPartner() { a.selectTraffic(int(a.selected.row.Pair) - 1) }

// selectTraffic selects a row of the traffic pane.
func (a *App) selectTraffic(number int) {
	if a.list != trafficID && a.focus != detailID {
		a.focusOn(trafficID)
	}
	a.list = trafficID
	a.traffic.reveal(number)
	a.mark(trafficID)
	if shown, _ := a.traffic.Cursor(); shown != number {
		a.say("the row is there, but not shown now: a filter hides it, or t shows it")
	}
}

// quit leaves what is open, goes back to the run that it was opened from, or
// leaves the program.
func (a *App) quit() tea.Cmd {
	switch {
	case a.leave():
		return nil
	case a.grid != nil && !a.gridShown():
		a.toGrid()
		return nil
	}
	return a.interrupt()
}
