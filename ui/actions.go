package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/keymap"
)

// The names of the actions. Keys, footer, help, palette and the README come from
// the tables of actions; nothing else knows what a key means.
const (
	actUp         = "up"
	actDown       = "down"
	actLeft       = "left"
	actRight      = "right"
	actPageUp     = "page-up"
	actPageDown   = "page-down"
	actHalfUp     = "half-page-up"
	actHalfDown   = "half-page-down"
	actTop        = "top"
	actBottom     = "bottom"
	actNextPane   = "next-pane"
	actPrevPane   = "previous-pane"
	actTraffic    = "traffic"
	actDetail     = "detail"
	actStderr     = "stderr"
	actEvents     = "events"
	actZoom       = "zoom"
	actOpen       = "open"
	actBack       = "back"
	actSearch     = "search"
	actNextMatch  = "next-match"
	actPrevMatch  = "previous-match"
	actFilter     = "filter"
	actFollow     = "follow"
	actPartner    = "partner"
	actNextError  = "next-error"
	actPrevError  = "previous-error"
	actCompose    = "compose"
	actResend     = "resend"
	actEditResend = "edit-resend"
	actCancel     = "cancel"
	actCloseStdin = "close-stdin"
	actRestart    = "restart"
	actCopy       = "copy"
	actQuit       = "quit"
	actQuitNow    = "quit-now"
	actInterrupt  = "interrupt"
	actRedraw     = "redraw"
	actSuspend    = "suspend"

	actAccept      = "accept"
	actClosePrompt = "close-prompt"
	actYes         = "yes"
	actNo          = "no"

	actDialogUp       = "dialog-up"
	actDialogDown     = "dialog-down"
	actDialogPageUp   = "dialog-page-up"
	actDialogPageDown = "dialog-page-down"

	actAskAccept   = "ask-accept"
	actAskNext     = "ask-next"
	actAskPrevious = "ask-previous"
	actAskClear    = "ask-clear"
	actAskUp       = "ask-up"
	actAskDown     = "ask-down"
	actAskPageUp   = "ask-page-up"
	actAskPageDown = "ask-page-down"
	actDecline     = "decline"
)

// The scopes of the action table.
const (
	scopeTraffic  = "traffic"
	scopeDetail   = "detail"
	scopeStderr   = "stderr"
	scopeEvents   = "events"
	scopeComposer = "composer"
	scopePrompt   = "prompt"
	scopeDialog   = "dialog"
	scopeAsk      = "ask"
)

// entry is what the table says of an action.
type entry = keymap.Action[*App]

// An action is an entry with what it does; nil moves about in the pane that has
// the keys, or scrolls what stands over it.
type action struct {
	entry
	do func(*App) tea.Cmd
}

// scopes are all scopes, in the order of help.
var scopes = []keymap.Scope{
	{ID: scopeSessions, Title: "Sessions"},
	{ID: scopeTraffic, Title: "Traffic"},
	{ID: scopeDetail, Title: "Detail"},
	{ID: scopeStderr, Title: "Stderr"},
	{ID: scopeEvents, Title: "Events"},
	{ID: scopeCatalog, Title: "Catalog", Modal: true},
	{ID: scopePalette, Title: "Commands", Modal: true},
	{ID: scopeHelp, Title: "Help", Modal: true},
	{ID: scopeGrid, Title: "Grid of a smoke run", Modal: true},
	{ID: scopeHome, Title: "Open a server or a recording", Modal: true},
	{ID: scopeInputs, Title: "Values that a server needs", Modal: true},
	{ID: scopeForm, Title: "Composer, fields", Modal: true},
	{ID: scopeComposer, Title: "Composer", Modal: true},
	{ID: scopePresets, Title: "Composer, wrong on purpose", Modal: true},
	{ID: scopeAnswer, Title: "What the server asks", Modal: true},
	{ID: scopeAnswerText, Title: "What the server asks, as JSON", Modal: true},
	{ID: scopePolicies, Title: "Who answers the server", Modal: true},
	{ID: scopeAgain, Title: "What is run again", Modal: true},
	{ID: scopeCompare, Title: "Comparison", Modal: true},
	{ID: scopeCompareWith, Title: "What to compare with", Modal: true},
	{ID: scopePrompt, Title: "Filter and search line", Modal: true},
	{ID: scopeDialog, Title: "Question", Modal: true},
	{ID: scopeStop, Title: "Stop menu", Modal: true},
	{ID: scopeFindings, Title: "Findings", Modal: true},
	{ID: scopeNotes, Title: "Marks and notes", Modal: true},
	{ID: scopeProcess, Title: "Process pane", Modal: true},
	{ID: scopeTrouble, Title: "What is wrong", Modal: true},
	{ID: scopeTree, Title: "Processes to kill", Modal: true},
	{ID: scopeCopy, Title: "Copy menu", Modal: true},
	{ID: scopeAsk, Title: "When mcpdbg asks: host key, passphrase, password", Modal: true},
}

// actions are all actions: each file that adds to what a person can do lists
// its own.
func actions() []action {
	return slices.Concat(
		moving(),
		trafficActions(),
		playActions(),
		noteActions(),
		splitActions(),
		mouseActions(),
		sessionActions(),
		paletteActions(),
		helpActions(),
		homeActions(),
		gridActions(),
		inputActions(),
		detailActions(),
		copyActions(),
		stopActions(),
		processActions(),
		findingActions(),
		verdictActions(),
		troubleActions(),
		cataloguing(),
		composing(),
		answerActions(),
		policyActions(),
		calling(),
		compareActions(),
		watchActions(),
		againActions(),
		acting(),
		modal(),
	)
}

// Actions returns the table of everything a person can do. It panics if the
// table is wrong, which is a mistake in the program.
func Actions() *keymap.Table[*App] {
	table, _, err := bind(actions(), nil)
	if err != nil {
		panic("ui: " + err.Error())
	}
	return table
}

// bind makes the table of actions, with the keys of the person, and that of what
// they do.
func bind(actions []action, keys map[string][]string) (*keymap.Table[*App], map[string]func(*App) tea.Cmd, error) {
	entries := make([]entry, len(actions))
	doers := make(map[string]func(*App) tea.Cmd, len(actions))
	for i, action := range actions {
		entries[i], doers[action.ID] = action.entry, action.do
	}
	keymap.Rebind(entries, keys)
	table, err := keymap.New(scopes, entries)
	return table, doers, err
}

// moving are the actions that change what is looked at.
func moving() []action {
	return []action{
		{entry{ID: actDown, Keys: []string{"j", "down"}, Scope: keymap.Global, Title: "down", Help: "Move down by a line.", Priority: 50, Hint: keymap.Hint{Keys: "j/k", Title: "move"}}, nil},
		{entry{ID: actUp, Keys: []string{"k", "up"}, Scope: keymap.Global, Title: "up", Help: "Move up by a line; the pane no longer follows."}, nil},
		{entry{ID: actLeft, Keys: []string{"h", "left"}, Scope: keymap.Global, Title: "left", Help: "Scroll to the left; in a tree, fold or go to the parent."}, nil},
		{entry{ID: actRight, Keys: []string{"l", "right"}, Scope: keymap.Global, Title: "right", Help: "Scroll to the right; in a tree, unfold."}, nil},
		{entry{ID: actPageDown, Keys: []string{"pgdown"}, Scope: keymap.Global, Title: "page down", Help: "Move down by a screen."}, nil},
		{entry{ID: actPageUp, Keys: []string{"pgup"}, Scope: keymap.Global, Title: "page up", Help: "Move up by a screen."}, nil},
		{entry{ID: actHalfDown, Keys: []string{"ctrl+d"}, Scope: keymap.Global, Title: "half page down", Help: "Move down by half a screen."}, nil},
		{entry{ID: actHalfUp, Keys: []string{"ctrl+u"}, Scope: keymap.Global, Title: "half page up", Help: "Move up by half a screen."}, nil},
		{entry{ID: actTop, Keys: []string{"g", "home"}, Scope: keymap.Global, Title: "first", Help: "Go to the first line."}, nil},
		{entry{ID: actBottom, Keys: []string{"G", "end"}, Scope: keymap.Global, Title: "last", Help: "Go to the last line and follow."}, nil},

		{entry{ID: actOpen, Keys: []string{"enter"}, Scope: keymap.Global, Title: "open", Help: "Show the selected row in the detail pane, full size; in a tree or on a flood, unfold.", Priority: 60}, nothing((*App).open)},
		{entry{ID: actBack, Keys: []string{"esc"}, Scope: keymap.Global, Title: "back", Help: "Leave the zoom, then the detail pane, then end a search, then the filter, then go back to the grid. Never quits."}, (*App).back},
		{entry{ID: actNextPane, Keys: []string{"tab"}, Scope: keymap.Global, Title: "next pane", Help: "Go to the next pane.", Priority: 20, Hint: keymap.Hint{Keys: "tab", Title: "pane"}}, nothing(func(a *App) { a.focusBeside(1) })},
		{entry{ID: actPrevPane, Keys: []string{"shift+tab"}, Scope: keymap.Global, Title: "previous pane", Help: "Go to the previous pane."}, nothing(func(a *App) { a.focusBeside(-1) })},
		{entry{ID: actTraffic, Keys: []string{"2"}, Scope: keymap.Global, Title: "traffic", Help: "Go to the traffic pane."}, nothing(func(a *App) { a.focusOn(trafficID) })},
		{entry{ID: actDetail, Keys: []string{"3"}, Scope: keymap.Global, Title: "detail", Help: "Go to the detail pane."}, nothing(func(a *App) { a.focusOn(detailID) })},
		{entry{ID: actStderr, Keys: []string{"4"}, Scope: keymap.Global, Title: "stderr", Help: "Go to the stderr pane."}, nothing(func(a *App) { a.focusOn(stderrID) })},
		{entry{ID: actEvents, Keys: []string{"5"}, Scope: keymap.Global, Title: "events", Help: "Go to the events pane."}, nothing(func(a *App) { a.focusOn(eventsID) })},
		{entry{ID: actZoom, Keys: []string{"z"}, Scope: keymap.Global, Title: "zoom", Help: "Give the pane the whole screen, or end that.", Priority: 15}, nothing(func(a *App) { a.setZoom(!a.zoom) })},

		{entry{ID: actSearch, Keys: []string{"/"}, Scope: keymap.Global, Title: "search", Help: "Look for text in the pane; /text/ is a regular expression.", Priority: 40}, nothing((*App).askSearch)},
		{entry{ID: actNextMatch, Keys: []string{"n"}, Scope: keymap.Global, Title: "next match", Help: "Go to the next match of the search.", Enabled: searched}, func(a *App) tea.Cmd { return a.findNext(1) }},
		{entry{ID: actPrevMatch, Keys: []string{"N"}, Scope: keymap.Global, Title: "previous match", Help: "Go to the previous match of the search.", Enabled: searched}, func(a *App) tea.Cmd { return a.findNext(-1) }},
		{entry{ID: actFilter, Keys: []string{"f"}, Scope: keymap.Global, Title: "filter", Help: "Show only some of the traffic: method: tool: id: dir: kind: n: seq: run: err >100ms text /regexp/ !not and or.", Priority: 45}, nothing((*App).askFilter)},
		{entry{ID: actFollow, Keys: []string{"F"}, Scope: keymap.Global, Title: "follow", Help: "Show new rows as they come, or end that.", Priority: 35, Enabled: listFocused}, nothing((*App).toggleFollow)},
		{entry{ID: actPartner, Keys: []string{"p"}, Scope: keymap.Global, Title: "partner", Help: "Go from a request to its response, and back.", Priority: 25, Enabled: hasPartner}, nothing((*App).goToPartner)},
		{entry{ID: actNextError, Keys: []string{"e"}, Scope: keymap.Global, Title: "next error", Help: "Go to the next row of the traffic with something wrong.", Priority: 10}, func(a *App) tea.Cmd { return a.findError(1) }},
		{entry{ID: actPrevError, Keys: []string{"E"}, Scope: keymap.Global, Title: "previous error", Help: "Go to the previous row of the traffic with something wrong."}, func(a *App) tea.Cmd { return a.findError(-1) }},
	}
}

// acting are the actions that do something, and those of the program itself.
func acting() []action {
	return []action{

		{entry{ID: actCompose, Keys: []string{"c"}, Scope: keymap.Global, Title: "compose", Help: "Write a message and send it. A draft is kept.", Priority: 30, Enabled: canSend}, nothing((*App).compose)},
		{entry{ID: actResend, Keys: []string{"r"}, Scope: keymap.Global, Title: "resend", Help: "Send the selected message again; a request gets an id of its own. Asks first for tools/call.", Priority: 14, Enabled: canResend}, (*App).resend},
		{entry{ID: actEditResend, Keys: []string{"R"}, Scope: keymap.Global, Title: "edit and resend", Help: "Take the selected message into the composer.", Enabled: canResend}, (*App).editSelected},
		{entry{ID: actCancel, Keys: []string{"x"}, Scope: keymap.Global, Title: "cancel", Help: "Send notifications/cancelled for the selected request.", Priority: 28, Enabled: canCancel}, (*App).cancelSelected},
		{entry{ID: actCopy, Keys: []string{"Y"}, Scope: keymap.Global, Title: "copy message", Help: "Copy the selected message to the terminal's clipboard (OSC 52).", Enabled: hasSelection}, (*App).copySelected},
		{entry{ID: actCloseStdin, Keys: []string{"i"}, Scope: keymap.Global, Title: "close stdin", Help: "Close the server's standard input.", Destructive: true, Enabled: canSend}, nothing((*App).askCloseStdin)},
		{entry{ID: actRestart, Keys: []string{"ctrl+r"}, Scope: keymap.Global, Title: "restart", Help: "Stop the server, if it runs, and start it again; when the connection to its host is lost, connect anew first. In a recording that was opened from the grid: start its server anew on its host, in a session of its own.", Priority: 9, Destructive: true, Enabled: canRestart, Now: restartNow}, (*App).restart},

		{entry{ID: actQuit, Keys: []string{"q"}, Scope: keymap.Global, Title: "quit", Help: "Leave the zoom or the detail pane; else go back to the grid, or stop the server and quit.", Priority: 80, Now: quitNow}, (*App).quit},
		{entry{ID: actQuitNow, Keys: []string{"Q"}, Scope: keymap.Global, Title: "quit now", Help: "Stop the server and quit, whatever is open."}, (*App).interrupt},
		{entry{ID: actInterrupt, Keys: []string{"ctrl+c"}, Scope: keymap.Global, Title: "quit at once", Help: "Stop the server and quit, from anywhere; while a smoke run goes on, asks first. A second time: kill the server.", Everywhere: true}, (*App).interrupt},
		{entry{ID: actRedraw, Keys: []string{"ctrl+l"}, Scope: keymap.Global, Title: "redraw", Help: "Paint the screen anew.", Everywhere: true}, func(*App) tea.Cmd { return tea.ClearScreen }},
		{entry{ID: actSuspend, Keys: []string{"ctrl+z"}, Scope: keymap.Global, Title: "suspend", Help: "Go back to the shell; fg returns. The server runs on.", Everywhere: true}, func(*App) tea.Cmd { return tea.Suspend }},
	}
}

// modal are the actions of text fields, questions and help, where no other key
// has its meaning.
func modal() []action {
	return []action{
		{entry{ID: actAccept, Keys: []string{"enter"}, Scope: scopePrompt, Title: "accept", Help: "Use what is written; an empty line ends the filter or the search.", Priority: 90}, (*App).acceptPrompt},
		{entry{ID: actClosePrompt, Keys: []string{"esc"}, Scope: scopePrompt, Title: "cancel", Help: "Leave things as they were.", Priority: 80}, nothing((*App).closePrompt)},
		{entry{ID: actYes, Keys: []string{"y"}, Scope: scopeDialog, Title: "yes", Help: "Do it.", Priority: 80, Enabled: asksQuestion}, (*App).yes},
		{entry{ID: actNo, Keys: []string{"n", "q", "esc", "enter"}, Scope: scopeDialog, Title: "no", Help: "Close, and do nothing.", Priority: 90, Hint: keymap.Hint{Keys: "n/enter", Title: "no, close"}}, nothing(func(a *App) { a.dialog = nil })},
		{entry{ID: actDialogDown, Keys: []string{"j", "down"}, Scope: scopeDialog, Title: "down", Help: "Scroll down, if it is long."}, nil},
		{entry{ID: actDialogUp, Keys: []string{"k", "up"}, Scope: scopeDialog, Title: "up", Help: "Scroll up."}, nil},
		{entry{ID: actDialogPageDown, Keys: []string{"pgdown", "space", "ctrl+d"}, Scope: scopeDialog, Title: "page down", Help: "Scroll down by a screen."}, nil},
		{entry{ID: actDialogPageUp, Keys: []string{"pgup", "ctrl+u"}, Scope: scopeDialog, Title: "page up", Help: "Scroll up by a screen."}, nil},

		{entry{ID: actAskAccept, Keys: []string{"enter"}, Scope: scopeAsk, Title: "answer", Help: "Answer with what is typed, or go to the next field; for a host key nothing means no.", Priority: 90}, (*App).acceptField},
		{entry{ID: actDecline, Keys: []string{"esc"}, Scope: scopeAsk, Title: "cancel", Help: "Close the question without an answer; a host key is not accepted.", Priority: 85}, (*App).decline},
		{entry{ID: actAskNext, Keys: []string{"tab"}, Scope: scopeAsk, Title: "next field", Help: "Go to the next field.", Priority: 60, Enabled: severalFields}, nothing(func(a *App) { a.otherField(1) })},
		{entry{ID: actAskPrevious, Keys: []string{"shift+tab"}, Scope: scopeAsk, Title: "previous field", Help: "Go to the previous field.", Enabled: severalFields}, nothing(func(a *App) { a.otherField(-1) })},
		{entry{ID: actAskClear, Keys: []string{"ctrl+u"}, Scope: scopeAsk, Title: "clear", Help: "Empty the field.", Priority: 20}, nothing((*App).clearField)},
		{entry{ID: actAskDown, Keys: []string{"down"}, Scope: scopeAsk, Title: "down", Help: "Scroll down, if it is long."}, nil},
		{entry{ID: actAskUp, Keys: []string{"up"}, Scope: scopeAsk, Title: "up", Help: "Scroll up."}, nil},
		{entry{ID: actAskPageDown, Keys: []string{"pgdown", "ctrl+d"}, Scope: scopeAsk, Title: "page down", Help: "Scroll down by a screen."}, nil},
		{entry{ID: actAskPageUp, Keys: []string{"pgup"}, Scope: scopeAsk, Title: "page up", Help: "Scroll up by a screen."}, nil},
	}
}

func searched(a *App) (bool, string) {
	return a.search != nil, "nothing was searched for yet"
}

func listFocused(a *App) (bool, string) {
	return a.focus != detailID && a.focus != sessionsID, "this pane does not grow row by row"
}

func hasSelection(a *App) (bool, string) {
	return a.selected.ok, "no row is selected"
}

func hasPartner(a *App) (bool, string) {
	return a.selected.ok && a.selected.row.Pair != 0, "the selected row has no partner"
}

func asksQuestion(a *App) (bool, string) {
	return a.dialog != nil && a.dialog.yes != nil, "there is no question"
}

func severalFields(a *App) (bool, string) {
	return a.ask != nil && len(a.ask.fields) > 1, "there is one field"
}

// quitNow is what leaving means where there is a grid to go back to.
func quitNow(a *App) string {
	if a.grid != nil && !a.zoom && !a.gridShown() {
		return "back to the grid"
	}
	return ""
}

// restartNow is what a restart means when nothing else helps.
func restartNow(a *App) string {
	switch {
	case a.ofTarget():
		return "debug"
	case a.session == nil || a.starting || a.status.State != session.Failed:
		return ""
	case a.lostLink():
		return "reconnect and restart"
	}
	return "start again"
}

// canSend tells whether there is a server to send to.
func canSend(a *App) (bool, string) {
	if a.session == nil {
		return false, noServer(a)
	}
	switch a.status.State {
	case session.Handshaking, session.Ready, session.Running, session.Stopping:
		return true, ""
	}
	return false, "no server is running"
}

func canResend(a *App) (bool, string) {
	if ok, reason := canSend(a); !ok {
		return false, reason
	}
	if !a.selected.ok || a.selected.row.Kind != session.KindStdin {
		return false, "only a message to the server can be sent again"
	}
	return true, ""
}

func canCancel(a *App) (bool, string) {
	if ok, reason := canSend(a); !ok {
		return false, reason
	}
	row := a.selected.row
	if !a.selected.ok || row.Kind != session.KindStdin || row.Msg != framing.Request || row.State != session.ReqPending {
		return false, "only a pending request to the server can be cancelled"
	}
	if method := a.source.Method(row.Method); method == mcp.MethodInitialize || method == mcp.MethodDiscover {
		return false, "the handshake may not be cancelled"
	}
	return true, ""
}

func canKill(a *App) (bool, string) {
	if a.session == nil {
		return false, noServer(a)
	}
	switch a.status.State {
	case session.Idle, session.Closed, session.Failed:
		return false, "no server is running"
	}
	return true, ""
}

func canRestart(a *App) (bool, string) {
	switch {
	case a.ofTarget():
		return canStartFresh(a)
	case a.session == nil:
		return false, noServer(a)
	case a.starting:
		return false, "the server is being started"
	}
	return true, ""
}
