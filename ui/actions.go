package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/calls"
	"mcpdbg/ui/catalog"
	"mcpdbg/ui/compare"
	"mcpdbg/ui/composer"
	"mcpdbg/ui/copying"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/export"
	"mcpdbg/ui/fields"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/loglevel"
	"mcpdbg/ui/notes"
	"mcpdbg/ui/overview"
	"mcpdbg/ui/palette"
	"mcpdbg/ui/player"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/requests"
	"mcpdbg/ui/timeline"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/wire"
)

// The names of the actions. Keys, footer, help, palette and docs/keys.md come
// from the action tables; nothing else maps keys to actions.
const (
	actNextPane   = "next-pane"
	actPrevPane   = "previous-pane"
	actTraffic    = "traffic"
	actDetail     = "detail"
	actStderr     = "stderr"
	actEvents     = "events"
	actZoom       = "zoom"
	actSearch     = "search"
	actNextMatch  = "next-match"
	actPrevMatch  = "previous-match"
	actFilter     = "filter"
	actFollow     = "follow"
	actPartner    = host.ActPartner
	actNextError  = "next-error"
	actPrevError  = "previous-error"
	actCompose    = "compose"
	actResend     = "resend"
	actEditResend = "edit-resend"
	actCancel     = "cancel"
	actCloseStdin = "close-stdin"
	actCopy       = "copy"
	actQuit       = "quit"
	actQuitNow    = "quit-now"
	actRedraw     = "redraw"
	actSuspend    = "suspend"

	actAccept   = "accept"
	actComplete = "complete"
	actYes      = "yes"
	actNo       = "no"

	actAskAccept   = "ask-accept"
	actAskNext     = "ask-next"
	actAskPrevious = "ask-previous"
	actAskClear    = "ask-clear"
)

// The scopes of the action table.
const (
	scopeStderr = "stderr"
	scopeEvents = "events"
	scopePrompt = "prompt"
	scopeDialog = "dialog"
	scopeAsk    = "ask"
)

// entry is an action's row in the table.
type entry = keymap.Action[*sessionScreen]

// An action is an entry with its function. If the function is nil, the action
// moves the cursor in the focused pane.
type action struct {
	entry
	do func(*sessionScreen) tea.Cmd
}

// scopes lists all scopes that can have the focus, in the order of help.
var scopes = []keymap.Scope{
	{ID: scopeSessions, Title: "Sessions"},
	{ID: wire.Scope, Title: "Exchanges"},
	{ID: detail.Scope, Title: "Detail"},
	{ID: overview.Scope, Title: "Server"},
	{ID: detail.ScopeJQ, Title: "jq bar", Modal: true, Inherits: "closing"},
	{ID: scopeStderr, Title: "Stderr"},
	{ID: scopeEvents, Title: "Events"},
	{ID: catalog.Scope, Title: "Catalog", Modal: true, Inherits: "picker"},
	{ID: palette.Scope, Title: "Commands", Modal: true, Inherits: "picker"},
	{ID: help.ScopeCard, Title: "Help card", Modal: true, Inherits: "closing"},
	{ID: help.Scope, Title: "Help", Modal: true, Inherits: "text"},
	{ID: fleet.Scope, Title: "Smoke run grid", Modal: true, Inherits: "lines"},
	{ID: home.Scope, Title: "Open a server or a recording", Modal: true, Inherits: "picker"},
	{ID: home.ScopeInputs, Title: "Server inputs", Modal: true, Inherits: "steps"},
	{ID: composer.ScopeForm, Title: "Composer form", Modal: true, Inherits: fields.Scope},
	{ID: composer.ScopeText, Title: "Composer", Modal: true, Inherits: "closing"},
	{ID: composer.ScopePresets, Title: "Composer, malformed messages", Modal: true, Inherits: "picker"},
	{ID: requests.ScopeForm, Title: "Server request", Modal: true, Inherits: fields.Scope},
	{ID: requests.ScopeJSON, Title: "Server request, JSON", Modal: true, Inherits: "closing"},
	{ID: requests.ScopePolicies, Title: "Server request policies", Modal: true, Inherits: "steps"},
	{ID: replay.Scope, Title: "Replay", Modal: true, Inherits: "pages"},
	{ID: compare.Scope, Title: "Comparison", Modal: true, Inherits: "lines"},
	{ID: export.Scope, Title: "Export", Modal: true, Inherits: "steps"},
	{ID: compare.ScopeMenu, Title: "Compare with", Modal: true, Inherits: "picker"},
	{ID: timeline.ScopeWaterfall, Title: "Time: waterfall", Modal: true, Inherits: timeline.Scope},
	{ID: timeline.ScopeSequence, Title: "Time: sequence", Modal: true, Inherits: timeline.Scope},
	{ID: timeline.ScopeLatency, Title: "Time: latency", Modal: true, Inherits: timeline.Scope},
	{ID: scopePrompt, Title: "Filter and search prompt", Modal: true, Inherits: "closing"},
	{ID: scopeDialog, Title: "Confirmation", Modal: true, Inherits: "text"},
	{ID: process.ScopeStop, Title: "Stop menu", Modal: true, Inherits: "picker"},
	{ID: problems.ScopeList, Title: "Problems", Modal: true, Inherits: "picker"},
	{ID: notes.ScopeList, Title: "Marks and notes", Modal: true, Inherits: "picker"},
	{ID: process.ScopePane, Title: "Process pane", Modal: true, Inherits: "text"},
	{ID: problems.ScopeCauses, Title: "Cause", Modal: true, Inherits: "steps"},
	{ID: process.ScopeTree, Title: "Processes to kill", Modal: true, Inherits: "picker"},
	{ID: copying.ScopeMenu, Title: "Copy menu", Modal: true, Inherits: "picker"},
	{ID: loglevel.Scope, Title: "Log level", Modal: true, Inherits: "picker"},
	{ID: scopeAsk, Title: "mcpdbg prompts: host key, passphrase, password", Modal: true, Inherits: "text"},
}

// actions returns all actions; each file that adds actions lists its own.
func actions() []action {
	return slices.Concat(
		moving(),
		fromScreen(wire.Actions(listsOf, notes.ToggleMark)),
		promptActions(),
		fromScreen(player.Actions(playerOf)),
		fromScreen(notes.Actions()),
		splitActions(),
		mouseActions(),
		sessionActions(),
		fromScreen(palette.Actions(paletteOptions())),
		fromScreen(loglevel.Actions()),
		themeActions(),
		fromScreen(help.Actions(&helpOptions)),
		fromScreen(home.Actions(func(c host.Context) host.Launcher { return screenIn(c).app.opts.Launcher })),
		fromScreen(fleet.Actions(fleetShell())),
		fromScreen(home.InputActions()),
		fromScreen(detail.Actions(detailOf)),
		fromScreen(copying.Actions()),
		fromScreen(process.Actions()),
		fromScreen(problems.Actions(problemsOf)),
		fromScreen(overview.Actions(showOverview)),
		fromScreen(catalog.Actions(
			func(c host.Context) *catalog.View { return screenIn(c).catalog },
			composeItem,
		)),
		fromScreen(composer.Actions()),
		fromScreen(requests.Actions(requestsOf)),
		fromScreen(calls.Actions()),
		fromScreen(timeline.Actions(timeOf)),
		fromScreen(compare.Actions(comparisonsOf)),
		fromScreen(watch.Actions(watchOf)),
		fromScreen(replay.Actions(replayOf)),
		fromScreen(export.Actions()),
		acting(),
		modal(),
		inheritedActions(),
	)
}

// Actions returns the table of all actions with their default keys. It panics if
// the table is invalid, which is a bug in the program.
func Actions() *keymap.Table[*sessionScreen] {
	table, _, err := bind(actions(), nil)
	if err != nil {
		panic("ui: " + err.Error())
	}
	return table
}

// bind returns the table of actions with the user's keys, and the functions of
// the actions by their ids.
func bind(actions []action, keys map[string][]string) (*keymap.Table[*sessionScreen], map[string]func(*sessionScreen) tea.Cmd, error) {
	actions, err := keymap.Inherit(append(slices.Clone(parents), scopes...), actions, func(a *action) *entry { return &a.entry })
	if err != nil {
		return nil, nil, err
	}
	entries := make([]entry, len(actions))
	doers := make(map[string]func(*sessionScreen) tea.Cmd, len(actions))
	for i, action := range actions {
		entries[i], doers[action.ID] = action.entry, action.do
	}
	keymap.Rebind(entries, keys)
	table, err := keymap.New(scopes, entries)
	return table, doers, err
}

// moving returns the actions that move the cursor or change the view.
func moving() []action {
	return []action{
		{entry{ID: kit.Down, Keys: []string{"j", "down"}, Scope: keymap.Global, Title: "down", Help: "Move down by a line.", Priority: 50, Hint: keymap.Hint{Keys: "j/k", Title: "move"}}, nil},
		{entry{ID: kit.Up, Keys: []string{"k", "up"}, Scope: keymap.Global, Title: "up", Help: "Move up by a line and stop following."}, nil},
		{entry{ID: kit.Left, Keys: []string{"h", "left"}, Scope: keymap.Global, Title: "left", Help: "Scroll to the left; in a tree, fold or go to the parent."}, nil},
		{entry{ID: kit.Right, Keys: []string{"l", "right"}, Scope: keymap.Global, Title: "right", Help: "Scroll to the right; in a tree, unfold."}, nil},
		{entry{ID: kit.PageDown, Keys: []string{"pgdown"}, Scope: keymap.Global, Title: "page down", Help: "Move down by a screen."}, nil},
		{entry{ID: kit.PageUp, Keys: []string{"pgup"}, Scope: keymap.Global, Title: "page up", Help: "Move up by a screen."}, nil},
		{entry{ID: kit.HalfPageDown, Keys: []string{"ctrl+d"}, Scope: keymap.Global, Title: "half page down", Help: "Move down by half a screen."}, nil},
		{entry{ID: kit.HalfPageUp, Keys: []string{"ctrl+u"}, Scope: keymap.Global, Title: "half page up", Help: "Move up by half a screen."}, nil},
		{entry{ID: kit.Top, Keys: []string{"g", "home"}, Scope: keymap.Global, Title: "first", Help: "Go to the first line."}, nil},
		{entry{ID: kit.Bottom, Keys: []string{"G", "end"}, Scope: keymap.Global, Title: "last", Help: "Go to the last line and follow."}, nil},

		{entry{ID: host.ActOpen, Keys: []string{"enter"}, Scope: keymap.Global, Title: "open", Help: "Show the selected row full size in the detail pane; unfold a tree or a group of rows; in the content view, read a linked resource.", Priority: 60}, (*sessionScreen).open},
		{entry{ID: host.ActBack, Keys: []string{"esc"}, Scope: keymap.Global, Title: "back", Synonyms: []string{"clear"}, Help: "Step back: leave the zoom, then the detail pane, clear the search, then the filter, then return to the grid or unselect the row. Never quits."}, (*sessionScreen).back},
		{entry{ID: actNextPane, Keys: []string{"tab"}, Scope: keymap.Global, Title: "next pane", Help: "Go to the next pane.", Priority: 20, Hint: keymap.Hint{Keys: "tab", Title: "pane"}}, nothing(func(s *sessionScreen) { s.app.focusBeside(1) })},
		{entry{ID: actPrevPane, Keys: []string{"shift+tab"}, Scope: keymap.Global, Title: "previous pane", Help: "Go to the previous pane."}, nothing(func(s *sessionScreen) { s.app.focusBeside(-1) })},
		{entry{ID: actTraffic, Keys: []string{"2"}, Scope: keymap.Global, Title: "messages", Help: "Go to the list of exchanges or messages."}, nothing(func(s *sessionScreen) { s.app.focusOn(trafficID) })},
		{entry{ID: actDetail, Keys: []string{"3"}, Scope: keymap.Global, Title: "detail", Help: "Go to the detail pane."}, nothing(func(s *sessionScreen) { s.app.focusOn(detailID) })},
		{entry{ID: actStderr, Keys: []string{"4"}, Scope: keymap.Global, Title: "stderr", Help: "Go to the stderr pane."}, nothing(func(s *sessionScreen) { s.app.focusOn(stderrID) })},
		{entry{ID: actEvents, Keys: []string{"5"}, Scope: keymap.Global, Title: "events", Help: "Go to the events pane."}, nothing(func(s *sessionScreen) { s.app.focusOn(eventsID) })},
		{entry{ID: actZoom, Keys: []string{"z"}, Scope: keymap.Global, Title: "zoom", Synonyms: []string{"fullscreen", "maximize"}, Help: "Show the pane full screen, or restore the layout.", Priority: 15}, nothing(func(s *sessionScreen) { s.app.setZoom(!s.app.panes.zoom) })},

		{entry{ID: actSearch, Keys: []string{"/"}, Scope: keymap.Global, Title: "search", Synonyms: []string{"find", "grep"}, Help: "Search the pane; /text/ is a regular expression.", Priority: 40}, nothing((*sessionScreen).askSearch)},
		{entry{ID: actNextMatch, Keys: []string{"n"}, Scope: keymap.Global, Title: "next match", Help: "Go to the next match of the search.", Enabled: searched}, func(s *sessionScreen) tea.Cmd { return s.findNext(1) }},
		{entry{ID: actPrevMatch, Keys: []string{"N"}, Scope: keymap.Global, Title: "previous match", Help: "Go to the previous match of the search.", Enabled: searched}, func(s *sessionScreen) tea.Cmd { return s.findNext(-1) }},
		{entry{ID: actFilter, Keys: []string{"f"}, Scope: keymap.Global, Title: "filter", Help: "Filter the traffic: method: tool: id: dir: kind: n: seq: run: err >100ms text /regexp/ !not and or.", Priority: 45}, nothing((*sessionScreen).askFilter)},
		{entry{ID: actFollow, Keys: []string{"F"}, Scope: keymap.Global, Title: "follow", Synonyms: []string{"tail"}, Help: "Follow new rows as they arrive, or stop following.", Priority: 18, Enabled: listFocused}, nothing((*sessionScreen).toggleFollow)},
		{entry{ID: actPartner, Keys: []string{"p"}, Scope: keymap.Global, Title: "partner", Synonyms: []string{"response", "pair"}, Help: "Go from a request to its response, and back.", Priority: 16, Enabled: enabled(host.HasPartner)}, nothing((*sessionScreen).goToPartner)},
		{entry{ID: actNextError, Keys: []string{"e"}, Scope: keymap.Global, Title: "next error", Synonyms: []string{"failed", "failure"}, Help: "Go to the next row with an error.", Priority: 10}, func(s *sessionScreen) tea.Cmd { return s.rows.FindError(1) }},
		{entry{ID: actPrevError, Keys: []string{"E"}, Scope: keymap.Global, Title: "previous error", Help: "Go to the previous row with an error."}, func(s *sessionScreen) tea.Cmd { return s.rows.FindError(-1) }},
	}
}

// acting returns the actions that do something, and those of the program
// itself.
func acting() []action {
	return []action{

		{entry{ID: actCompose, Keys: []string{"c"}, Scope: keymap.Global, Title: "compose", Synonyms: []string{"raw", "send", "request", "ping"}, Help: "Write and send a message. The draft is kept.", Priority: 17, Enabled: enabled(host.CanSend)}, func(s *sessionScreen) tea.Cmd { return s.composer.Compose(s.context()) }},
		{entry{ID: actResend, Keys: []string{"r"}, Scope: keymap.Global, Title: "re-send", Synonyms: []string{"repeat", "retry"}, Help: "Send the selected message again; a request gets a new id. Asks for confirmation before tools/call.", Priority: 14, Enabled: canResend}, (*sessionScreen).resend},
		{entry{ID: actEditResend, Keys: []string{"R"}, Scope: keymap.Global, Title: "edit and re-send", Synonyms: []string{"modify"}, Help: "Open the selected message in the composer.", Enabled: canResend}, func(s *sessionScreen) tea.Cmd { return s.composer.EditSelected(s.context()) }},
		{entry{ID: actCancel, Keys: []string{"x"}, Scope: keymap.Global, Title: "cancel", Synonyms: []string{"abort"}, Help: "Send notifications/cancelled for the selected request, or for the only pending one.", Priority: 28, Enabled: canCancel}, (*sessionScreen).cancelSelected},
		{entry{ID: actCopy, Keys: []string{"Y"}, Scope: keymap.Global, Title: "copy message", Help: "Copy the selected message to the terminal's clipboard (OSC 52).", Enabled: enabled(host.HasSelection)}, func(s *sessionScreen) tea.Cmd { return copying.Message(s.context()) }},
		{entry{ID: actCloseStdin, Scope: keymap.Global, Title: "close stdin", Help: "Close the server's standard input.", Destructive: true, Enabled: enabled(host.CanSend)}, nothing((*sessionScreen).askCloseStdin)},
		{entry{ID: host.ActRestart, Keys: []string{"ctrl+r"}, Scope: keymap.Global, Title: "restart", Synonyms: []string{"reconnect", "reload", "start"}, Help: "Restart the server; if the connection to its host is lost, reconnect first. In a recording opened from the grid: start its server on its host in a new session.", Priority: 9, Destructive: true, Enabled: canRestart, CurrentTitle: restartNow}, (*sessionScreen).restart},

		{entry{ID: actQuit, Keys: []string{"q"}, Scope: keymap.Global, Title: "quit", Synonyms: []string{"exit", "leave"}, Help: "Leave the zoom or the detail pane; otherwise return to the grid, or stop the server and quit. Asks for confirmation while a call is pending or several servers run.", Priority: 80, CurrentTitle: quitNow}, (*sessionScreen).quit},
		{entry{ID: actQuitNow, Keys: []string{"Q"}, Scope: keymap.Global, Title: "quit now", Help: "Stop the server and quit at once, without a question."}, (*sessionScreen).interrupt},
		{entry{ID: host.ActInterrupt, Keys: []string{"ctrl+c"}, Scope: keymap.Global, Title: "quit immediately", Help: "Stop the server and quit, from anywhere; during a smoke run, asks for confirmation. Press it again to kill the server.", Everywhere: true}, (*sessionScreen).interrupt},
		{entry{ID: actRedraw, Keys: []string{"ctrl+l"}, Scope: keymap.Global, Title: "redraw", Help: "Redraw the screen.", Everywhere: true}, func(*sessionScreen) tea.Cmd { return tea.ClearScreen }},
		{entry{ID: actSuspend, Keys: []string{"ctrl+z"}, Scope: keymap.Global, Title: "suspend", Help: "Suspend to the shell; fg resumes. The server keeps running.", Everywhere: true}, func(*sessionScreen) tea.Cmd { return tea.Suspend }},
	}
}

// modal returns the actions of text fields, questions and help, where no other
// keys apply.
func modal() []action {
	return []action{
		{entry{ID: actAccept, Keys: []string{"enter"}, Scope: scopePrompt, Title: "accept", Help: "Apply the text; an empty line clears the filter or the search.", Priority: 90}, func(s *sessionScreen) tea.Cmd { return s.app.acceptPrompt() }},
		override(entry{Name: nameClose, ID: "close-prompt", Scope: scopePrompt, Title: "cancel", Help: "Close without changes."}),
		{entry{ID: actYes, Keys: []string{"y"}, Scope: scopeDialog, Title: "yes", Help: "Do it.", Priority: 80, Enabled: asksQuestion}, func(s *sessionScreen) tea.Cmd { return s.app.yes() }},
		override(entry{Name: nameClose, ID: actNo, Keys: []string{"n", "q", "esc", "enter"}, Scope: scopeDialog, Title: "no", Help: "Close without doing anything.", Priority: 90, Hint: keymap.Hint{Keys: "n/enter", Title: "no, close"}}),

		{entry{ID: actAskAccept, Keys: []string{"enter"}, Scope: scopeAsk, Title: "answer", Help: "Submit the answer, or go to the next field; for a host key, an empty answer means no.", Priority: 90}, func(s *sessionScreen) tea.Cmd { return s.app.front.ask.accept() }},
		override(entry{Name: nameClose, ID: "decline", Scope: scopeAsk, Title: "cancel", Help: "Close the question without an answer; a host key is not accepted.", Priority: 85}),
		{entry{ID: actAskNext, Keys: []string{"tab"}, Scope: scopeAsk, Title: "next field", Help: "Go to the next field.", Priority: 60, Enabled: severalFields}, nothing(func(s *sessionScreen) { s.app.front.ask.step(1) })},
		{entry{ID: actAskPrevious, Keys: []string{"shift+tab"}, Scope: scopeAsk, Title: "previous field", Help: "Go to the previous field.", Enabled: severalFields}, nothing(func(s *sessionScreen) { s.app.front.ask.step(-1) })},
		{entry{ID: actAskClear, Keys: []string{"ctrl+u"}, Scope: scopeAsk, Title: "clear", Help: "Clear the field.", Priority: 20}, nothing(func(s *sessionScreen) { s.app.front.ask.clear() })},
		override(entry{Name: kit.Down, Scope: scopeAsk, Keys: []string{"down"}}),
		override(entry{Name: kit.Up, Scope: scopeAsk, Keys: []string{"up"}}),
		override(entry{Name: kit.PageDown, Scope: scopeAsk, Keys: []string{"pgdown", "ctrl+d"}}),
		override(entry{Name: kit.PageUp, Scope: scopeAsk, Keys: []string{"pgup"}}),
	}
}

func searched(s *sessionScreen) (bool, string) {
	return s.rows.Search != nil, "no search yet"
}

func listFocused(s *sessionScreen) (bool, string) {
	return s.app.panes.focus != detailID && s.app.panes.focus != sessionsID, "this pane cannot follow new rows"
}

func asksQuestion(s *sessionScreen) (bool, string) {
	return s.app.front.dialog != nil && s.app.front.dialog.asked.Yes != nil, "there is no question to answer"
}

func severalFields(s *sessionScreen) (bool, string) {
	return s.app.front.ask != nil && len(s.app.front.ask.fields) > 1, "there is only one field"
}

// quitNow returns the current meaning of quit if there is a grid to return to,
// else "".
func quitNow(s *sessionScreen) string {
	if s.app.grid.view != nil && !s.app.panes.zoom && !s.app.gridShown() {
		return "back to the grid"
	}
	return ""
}

// restartNow returns the current meaning of restart, "" for the usual one.
func restartNow(s *sessionScreen) string {
	switch {
	case s.ws.OfTarget():
		return "debug"
	case s.ws.Session == nil || s.ws.Starting || s.ws.Status.State != session.Failed:
		return ""
	case s.ws.LostLink():
		return "reconnect and restart"
	}
	return "start again"
}

func canResend(s *sessionScreen) (bool, string) {
	if ok, reason := host.CanSend(s.context()); !ok {
		return false, reason
	}
	if !s.ws.Selected.OK || s.ws.Selected.Row.Kind != session.KindStdin {
		return false, "only a message to the server can be re-sent"
	}
	return true, ""
}

func canCancel(s *sessionScreen) (bool, string) {
	if ok, reason := host.CanSend(s.context()); !ok {
		return false, reason
	}
	_, row, ok := s.ws.CancellableRequest()
	if !ok {
		return false, "only a pending request to the server can be cancelled: select it"
	}
	if method := s.ws.Shown.Source.Method(row.Method); method == mcp.MethodInitialize || method == mcp.MethodDiscover {
		return false, "the handshake cannot be cancelled"
	}
	return true, ""
}

func canRestart(s *sessionScreen) (bool, string) {
	if s.ws.OfTarget() {
		return s.app.grid.view.CanStart()
	}
	return host.CanRestart(s.context())
}
