package ui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/process"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
)

func (t *actionTable) key(sc *sessionScreen, msg tea.KeyPressMsg) tea.Cmd {
	if t.app.front.notice != (notice{}) {
		t.app.front.notice, t.app.canvas.stale = notice{}, true
	}
	if t.drops(sc, msg) {
		return nil
	}
	if action, ok := t.keys.Lookup(sc.scope(), msg.String()); ok {
		return sc.Do(action.ID)
	}
	if k := t.app.front.ask; k != nil && t.app.front.menu == nil {
		k.typed(msg)
		return nil
	}
	if d := t.app.front.dialog; d != nil {
		switch {
		case slices.Contains(t.keysOf(help.ActMenu), msg.String()):
			return sc.Do(help.ActMenu)
		case d.asked.Yes == nil:
			return t.pastNotice(sc, d, msg)
		}
	}
	if menu := t.app.front.menu; menu != nil {
		t.app.Close(menu)
		return t.key(sc, msg)
	}
	if rest, ok := afterEsc(msg); ok && !t.altMeans(sc) {
		return tea.Batch(t.key(sc, tea.KeyPressMsg{Code: tea.KeyEscape}), t.key(sc, rest))
	}
	return t.typed(sc, msg)
}

// pastNotice closes a dialog that only informs, if the key acts on what it covers.
func (t *actionTable) pastNotice(sc *sessionScreen, d *dialog, msg tea.KeyPressMsg) tea.Cmd {
	t.app.front.dialog = nil
	if action, ok := t.keys.Lookup(sc.scope(), msg.String()); ok {
		return sc.Do(action.ID)
	}
	t.app.front.dialog = d
	return nil
}

// afterEsc splits an unbound key with alt into esc and the key: they were pressed in
// quick succession or arrived over a slow link.
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

// altMeans reports whether the focused part binds keys with alt: text edited by words.
func (t *actionTable) altMeans(sc *sessionScreen) bool {
	top := t.app.front.top()
	if top == nil {
		return t.app.front.prompt != nil || sc.composer.IsOpen()
	}
	return textOf(top) == nil && pickerOf(top) == nil
}

func (t *actionTable) typed(sc *sessionScreen, msg tea.Msg) tea.Cmd {
	switch {
	case t.app.front.dialog != nil:
		return nil
	case t.app.front.prompt != nil:
		t.app.canvas.stale = true
		return t.app.front.prompt.update(msg)
	case t.app.front.top() != nil:
		t.app.canvas.stale = true
		if t.wantsHelp(t.app.front.top(), msg) {
			return sc.Do(help.ActMenu)
		}
		return t.app.front.top().Update(sc.context(), msg)
	case sc.composer.IsOpen():
		return sc.composer.Update(sc.context(), msg)
	}
	return nil
}

func (sc *sessionScreen) scope() string {
	if sc.app.front.menu != nil {
		return help.Scope
	}
	return sc.scopeBelow()
}

// scopeBelow returns the scope below the menu.
func (sc *sessionScreen) scopeBelow() string {
	switch {
	case sc.app.front.ask != nil:
		return scopeAsk
	case sc.app.front.dialog != nil:
		return scopeDialog
	case sc.app.front.prompt != nil:
		return scopePrompt
	case sc.app.front.top() != nil:
		return sc.app.front.top().Scope()
	case sc.composer.IsOpen():
		return sc.composer.Scope()
	}
	return sc.paneScope()
}

func (sc *sessionScreen) paneScope() string {
	if sc.app.panes.focus == detailID && sc.ws.Overview {
		return server.ScopeOverview
	}
	return paneScopes[sc.app.panes.focus]
}

var paneScopes = [paneCount]string{
	sessionsID: scopeSessions, trafficID: traffic.Scope, detailID: detail.Scope, stderrID: scopeLog, eventsID: scopeLog, heldID: steer.Scope,
}

// Do implements host.Panes.
func (sc *sessionScreen) Do(id string) tea.Cmd { return sc.app.Do(sc.ws, id, "") }

func (sc *sessionScreen) move(action string) tea.Cmd {
	focus := sc.app.panes.focus
	sc.app.canvas.mark(focus)
	if !isAside(focus) {
		sc.ws.Overview = false // a row of the list is selected
		if sc.ws.Tail != nil {
			return sc.moveWhileReading(action)
		}
	}
	sc.pane(focus).Act(action)
	return nil
}

// scrolled returns the text over the panes that scrolls, or nil.
func (f *front) scrolled() *kit.Text {
	switch {
	case f.ask != nil:
		return &f.ask.text
	case f.dialog != nil:
		return &f.dialog.text
	}
	return textOf(f.top())
}

func (t *actionTable) keysOf(id string) []string {
	if action, ok := t.keys.ByID(id); ok && len(action.Keys) > 0 {
		return action.Keys
	}
	return []string{t.app.Key(id)}
}

func (a *App) focusOn(id paneID) {
	a.panes.focus = id
	if !isAside(id) {
		a.panes.list = id
	}
	if isLog(id) {
		a.panes.log = id
	} else if id != detailID && id != heldID { // which may show a line of the list that is alone
		a.panes.alone = false
	}
	a.arrange()
}

// isAside reports whether a pane lists no rows of the log.
func isAside(id paneID) bool { return id == detailID || id == sessionsID || id == heldID }

func isLog(id paneID) bool { return id == stderrID || id == eventsID }

// focusOnLog focuses stderr or the events. If it has the focus, it shows that alone, or
// both again.
func (a *App) focusOnLog(id paneID) {
	a.panes.alone = a.panes.alone != (a.panes.focus == id)
	a.focusOn(id)
}

// focusBeside skips panes that the screen has no room for, unless it shows one pane at a
// time.
func (a *App) focusBeside(by int) {
	at := 0
	for i, id := range panes {
		if id == a.panes.focus {
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

func (a *App) tabs(id paneID) bool {
	switch id {
	case sessionsID:
		return len(a.screens) > 1
	case heldID:
		return a.panes.arranged.held > 0
	}
	closed := isLog(id) && !a.panes.layout.log.Empty() || id == detailID && !a.panes.layout.detail.Empty()
	other := isLog(id) && a.panes.layout.both && id != a.panes.log // in the same pane
	return !other && (a.panes.zoom || closed || a.panes.layout.mode == single || !a.panes.layout.pane[id].Empty())
}

func (a *App) setZoom(on bool) {
	a.panes.zoom = on
	a.arrange()
}

// open zooms the selected row, or first selects that of the cursor; it unfolds in the
// detail pane and on a flood, and goes from the list of sessions to the traffic.
func (sc *sessionScreen) open() tea.Cmd {
	switch focus := sc.app.panes.focus; {
	case focus == detailID && sc.ws.Overview:
		return sc.overview.Open()
	case focus == detailID:
		return sc.detail.Open(sc.context())
	case focus == sessionsID:
		sc.app.leave()
		return nil
	}
	sc.ws.Overview = false
	if sc.app.panes.focus == trafficID && sc.rows.Traffic.GoToRunning() {
		sc.app.canvas.mark(trafficID)
		return nil
	}
	sc.selectRow()
	if sc.ws.Selected.OK && (sc.app.panes.focus != trafficID || !sc.rows.Unfold()) {
		sc.app.panes.zoom = true
		sc.app.focusOn(detailID)
	}
	return nil
}

// back leaves the part that was entered last. It never quits.
func (sc *sessionScreen) back() tea.Cmd {
	switch {
	case sc.rows.Finding != nil:
		sc.rows.Finding = nil
		sc.app.Notify("search cancelled")
	case sc.replay.Running():
		sc.replay.Stop()
	case sc.app.leave():
	case sc.ws.Playback != nil && sc.ws.Playback.Past != nil:
		return sc.player.ShowWhole(sc.context())
	case sc.rows.Search != nil:
		sc.endSearch()
	case sc.rows.Traffic.Shown != nil:
		return sc.rows.SetFilter(nil)
	case sc.app.grid.view != nil:
		sc.app.grid.show()
	case sc.ws.Selected.OK:
		sc.ws.Overview = true
	}
	return nil
}

// leave ends the zoom, or leaves the detail pane, that of sessions, or a log that hides the
// traffic, and reports whether it did.
func (a *App) leave() bool {
	if a.panes.alone && isLog(a.panes.focus) {
		a.panes.alone = false
		a.arrange()
		return true
	}
	aside := isAside(a.panes.focus)
	if !a.panes.zoom && isLog(a.panes.focus) && a.panes.layout.pane[trafficID].Empty() {
		a.panes.list, aside = trafficID, true
	}
	if !a.panes.zoom && !aside {
		return false
	}
	a.panes.zoom = false
	if aside {
		a.focusOn(a.panes.list)
	} else {
		a.arrange()
	}
	return true
}

func (sc *sessionScreen) toggleFollow() {
	l := sc.lists(sc.app.panes.focus)
	l.SetFollow(!l.Following())
	sc.app.canvas.mark(sc.app.panes.focus)
}

// quit closes what is open, returns to the run that it was opened from, or quits the
// program; it confirms before ending more than an idle server.
func (sc *sessionScreen) quit() tea.Cmd {
	switch {
	case sc.app.leave():
		return nil
	case sc.app.grid.view != nil && !sc.app.grid.shown():
		sc.app.grid.show()
		return nil
	}
	if d := sc.app.quitQuestion(); d != nil {
		sc.confirm(d)
		return nil
	}
	return sc.app.interrupt()
}

// interrupted quits from anywhere, after the question of quit; again, or under a question
// of the Prompter, without it.
func interrupted(sc *sessionScreen) tea.Cmd {
	f := &sc.app.front
	if f.ask == nil && (f.dialog == nil || f.dialog.asked.About != host.AboutQuit && f.dialog.asked != sc.app.grid.asks) {
		if d := sc.app.quitQuestion(); d != nil {
			sc.confirm(d)
			return nil
		}
	}
	return sc.app.interrupt()
}

// quitQuestion returns nil without a pending call and with at most one running server.
func (a *App) quitQuestion() *host.Dialog {
	running, pending, held := 0, 0, 0
	for _, s := range a.screens {
		if t := s.ws.Tap; t != nil && t.Steers() {
			held += len(t.State.Held)
		}
		if ok, _ := process.CanStop(s.context()); ok {
			running++
			pending += host.PendingRequests(s.ws)
		}
	}
	var reasons []string
	if pending > 0 {
		reasons = append(reasons, wording.Counted(pending, "call")+" "+isAre(pending)+" pending")
	}
	if running > 1 {
		reasons = append(reasons, wording.Counted(running, "server")+" "+isAre(running)+" running")
	}
	ends := "Quitting stops every server. Recordings are kept."
	if held > 0 {
		reasons = append(reasons, wording.Counted(held, "message")+" "+isAre(held)+" held")
		if ends = strings.Replace(ends, "every server", "every server of mcpdbg", 1); running == 0 {
			ends = "What is held is let go, in order. The client, its server and the tap go on."
		}
	}
	if reasons == nil {
		return nil
	}
	return &host.Dialog{
		About: host.AboutQuit, No: "stay",
		Title: "Quit? " + strings.Join(reasons, ", "),
		Lines: []string{ends, "", a.Key(actQuitNow) + " quits without this question."},
		Yes:   func(host.Context) tea.Cmd { return a.interrupt() },
	}
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
