package ui

import (
	"context"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/compare"
	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/player"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/send"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

// The names of the actions. Keys, footer, help, palette and docs/keys.md come
// from the action tables; nothing else maps keys to actions.
const (
	actNextPane   = "next-pane"
	actPrevPane   = "previous-pane"
	actTraffic    = "traffic"
	actDetail     = host.ActDetail
	actStderr     = "stderr"
	actEvents     = "events"
	actZoom       = "zoom"
	actJumpBack   = "jump-back"
	actSearch     = "search"
	actNextMatch  = "next-match"
	actPrevMatch  = "previous-match"
	actFilter     = "filter"
	actFollow     = "follow"
	actPartner    = "partner"
	actNextError  = "next-error"
	actPrevError  = "previous-error"
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
	actAlways   = "always"
	actYes      = "yes"
	actNo       = "no"

	actAskAccept   = "ask-accept"
	actAskNext     = "ask-next"
	actAskPrevious = "ask-previous"
	actAskClear    = "ask-clear"
)

const (
	scopeLog    = "log"
	scopePrompt = "prompt"
	scopeDialog = "dialog"
	scopeAsk    = "ask"
)

type finder func(host.Context) *sessionScreen

func (of finder) do(effect func(*sessionScreen) tea.Cmd) func(host.Context) tea.Cmd {
	return func(c host.Context) tea.Cmd { return effect(of(c)) }
}

func (of finder) run(effect func(*sessionScreen)) func(host.Context) tea.Cmd {
	return func(c host.Context) tea.Cmd {
		effect(of(c))
		return nil
	}
}

func (of finder) can(can func(*sessionScreen) (bool, string)) func(host.Context) (bool, string) {
	return func(c host.Context) (bool, string) { return can(of(c)) }
}

func (of finder) title(now func(*sessionScreen) string) func(host.Context) string {
	return func(c host.Context) string { return now(of(c)) }
}

// scopes lists all scopes that can have the focus, in the order of help.
var scopes = []keymap.Scope{
	{ID: scopeSessions, Title: "Sessions"},
	{ID: traffic.Scope, Title: "Calls"},
	{ID: detail.Scope, Title: "Detail"},
	{ID: server.ScopeOverview, Title: "Server"},
	{ID: detail.ScopeJQ, Title: "jq bar", Modal: true, Inherits: "closing"},
	{ID: scopeLog, Title: "Stderr and events"},
	{ID: steer.Scope, Title: "Held messages"},
	{ID: server.ScopeCatalog, Title: "Catalog", Modal: true, Inherits: "picker"},
	{ID: help.ScopePalette, Title: "Commands", Modal: true, Inherits: "picker"},
	{ID: help.Scope, Title: "Menu", Modal: true, Inherits: "closing"},
	{ID: fleet.Scope, Title: "Smoke run grid", Modal: true, Inherits: "lines"},
	{ID: home.Scope, Title: "Open a server or a recording", Modal: true, Inherits: "picker"},
	{ID: home.ScopeInputs, Title: "Server inputs", Modal: true, Inherits: "steps"},
	{ID: send.ScopeComposerForm, Title: "Composer form", Modal: true, Inherits: send.ScopeFields},
	{ID: send.ScopeComposerText, Title: "Composer", Modal: true, Inherits: "closing"},
	{ID: send.ScopePresets, Title: "Composer, malformed messages", Modal: true, Inherits: "picker"},
	{ID: send.ScopeAnswer, Title: "Server request", Modal: true, Inherits: send.ScopeFields},
	{ID: send.ScopeAnswerJSON, Title: "Server request, JSON", Modal: true, Inherits: "closing"},
	{ID: send.ScopePolicies, Title: "Server request rules", Modal: true, Inherits: "steps"},
	{ID: replay.Scope, Title: "Run again", Modal: true, Inherits: "pages"},
	{ID: compare.Scope, Title: "Comparison", Modal: true, Inherits: "lines"},
	{ID: copies.ScopeExport, Title: "Export", Modal: true, Inherits: "steps"},
	{ID: compare.ScopeMenu, Title: "Compare with", Modal: true, Inherits: "picker"},
	{ID: traffic.ScopeWaterfall, Title: "Time: waterfall", Modal: true, Inherits: traffic.ScopeTime},
	{ID: traffic.ScopeSequence, Title: "Time: sequence", Modal: true, Inherits: traffic.ScopeTime},
	{ID: traffic.ScopeLatency, Title: "Time: latency", Modal: true, Inherits: traffic.ScopeTime},
	{ID: scopePrompt, Title: "Filter and search prompt", Modal: true, Inherits: "closing"},
	{ID: scopeDialog, Title: "Confirmation", Modal: true, Inherits: "text"},
	{ID: process.ScopeStop, Title: "Stop menu", Modal: true, Inherits: "picker"},
	{ID: steer.ScopeDrop, Title: "Drop a held message", Modal: true, Inherits: "closing"},
	{ID: problems.ScopeList, Title: "Problems", Modal: true, Inherits: "ends"},
	{ID: copies.ScopeNotes, Title: "Marks and notes", Modal: true, Inherits: "picker"},
	{ID: process.ScopePane, Title: "Process pane", Modal: true, Inherits: "text"},
	{ID: problems.ScopeCauses, Title: "Why", Modal: true, Inherits: "steps"},
	{ID: problems.ScopeStart, Title: "Failed start", Modal: true, Inherits: "pages"},
	{ID: process.ScopeTree, Title: "Processes to kill", Modal: true, Inherits: "picker"},
	{ID: copies.ScopeCopy, Title: "Copy menu", Modal: true, Inherits: "picker"},
	{ID: server.ScopeLogLevel, Title: "Log level", Modal: true, Inherits: "picker"},
	{ID: scopeAsk, Title: "mcpdbg prompts: host key, passphrase, password", Modal: true, Inherits: "text"},
}

func actions(of finder) []host.Action {
	launcher := func(c host.Context) host.Launcher { return of(c).app.opts.Launcher }
	compose := func(c host.Context, item *workspace.CatalogItem) tea.Cmd { return of(c).composer.ComposeItem(c, item) }
	return slices.Concat(
		moving(of),
		traffic.Actions(func(c host.Context) *traffic.Lists { return of(c).rows }, copies.ToggleMark),
		promptActions(of),
		player.Actions(func(c host.Context) *player.State { return &of(c).player }),
		copies.NoteActions(),
		splitActions(of),
		mouseActions(of),
		sessionActions(of),
		help.PaletteActions(),
		server.LogLevelActions(),
		themeActions(of),
		logActions(of),
		help.Actions(),
		home.Actions(launcher),
		fleet.Actions(func(c host.Context) *fleet.View { return of(c).app.grid.view },
			of.run(func(s *sessionScreen) { s.app.grid.show() }),
			of.run(func(s *sessionScreen) { s.app.grid.askStop(false) })),
		home.InputActions(),
		detail.Actions(func(c host.Context) *detail.Pane { return of(c).detail }),
		copies.CopyActions(),
		process.Actions(),
		problems.Actions(func(c host.Context) *problems.State { return &of(c).problems }),
		problems.StartActions(func(c host.Context, name string) tea.Cmd { return setVariable(c, of(c), name) }, func(c host.Context) tea.Cmd { return editCommand(of(c)) }),
		server.OverviewActions(),
		server.CatalogActions(func(c host.Context) *server.Catalog { return of(c).catalog }, compose),
		send.ComposerActions(),
		send.RequestActions(func(c host.Context) *send.Requests { return of(c).requests }),
		traffic.TimeActions(func(c host.Context) *traffic.TimeState { return &of(c).time }),
		compare.Actions(func(c host.Context) *compare.State { return of(c).app.compared }),
		watch.Actions(func(c host.Context) *watch.State { return of(c).watching }),
		steer.Actions(func(c host.Context) *steer.Pane { return of(c).held }, steer.Editors{
			Edit: func(c host.Context, title string, line []byte, send func(host.Context, []byte) tea.Cmd) tea.Cmd {
				return of(c).composer.EditLine(c, title, line, send)
			},
			Answer: func(c host.Context, h control.Held, line []byte, deliver func(host.Context, []byte) tea.Cmd) tea.Cmd {
				return of(c).requests.AnswerLine(c, send.Line{Text: line, Client: h.ToServer, Since: h.Since, Deliver: deliver})
			},
		}),
		replay.Actions(func(c host.Context) *replay.State { return of(c).replay }),
		copies.ExportActions(),
		acting(of),
		modal(of),
		inheritedActions(of),
	)
}

// Actions returns the table of all actions with their default keys. It panics if the
// table is invalid: a bug in the program.
func Actions() *keymap.Table[host.Context] {
	table, _, err := bind(nil, nil)
	if err != nil {
		panic("ui: " + err.Error())
	}
	return table
}

// bind returns all actions with the user's keys, and their effects by id. An action
// without an effect moves the cursor in the focused pane. of may be nil if no action is
// carried out.
func bind(of finder, keys map[string][]string) (*keymap.Table[host.Context], map[string]func(host.Context) tea.Cmd, error) {
	actions, err := keymap.Inherit(append(slices.Clone(parents), scopes...), actions(of), func(a *host.Action) *host.Entry { return &a.Entry })
	if err != nil {
		return nil, nil, err
	}
	entries := make([]host.Entry, len(actions))
	effects := make(map[string]func(host.Context) tea.Cmd, len(actions))
	for i, action := range actions {
		entries[i], effects[action.ID] = action.Entry, action.Do
	}
	keymap.Rebind(entries, keys)
	table, err := keymap.New(scopes, entries)
	return table, effects, err
}

func moving(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: kit.Down, Keys: []string{"j", "down"}, Scope: keymap.Global, Title: "down", Help: "Move down by a line."}},
		{Entry: host.Entry{ID: kit.Up, Keys: []string{"k", "up"}, Scope: keymap.Global, Title: "up", Help: "Move up by a line and stop following."}},
		{Entry: host.Entry{ID: kit.Left, Keys: []string{"h", "left"}, Scope: keymap.Global, Title: "left", Help: "Scroll to the left; in a tree, fold or go to the parent."}},
		{Entry: host.Entry{ID: kit.Right, Keys: []string{"l", "right"}, Scope: keymap.Global, Title: "right", Help: "Scroll to the right; in a tree, unfold."}},
		{Entry: host.Entry{ID: kit.PageDown, Keys: []string{"pgdown"}, Scope: keymap.Global, Title: "page down", Help: "Move down by a screen."}},
		{Entry: host.Entry{ID: kit.PageUp, Keys: []string{"pgup"}, Scope: keymap.Global, Title: "page up", Help: "Move up by a screen."}},
		{Entry: host.Entry{ID: kit.HalfPageDown, Keys: []string{"ctrl+d"}, Scope: keymap.Global, Title: "half page down", Help: "Move down by half a screen."}},
		{Entry: host.Entry{ID: kit.HalfPageUp, Keys: []string{"ctrl+u"}, Scope: keymap.Global, Title: "half page up", Help: "Move up by half a screen."}},
		{Entry: host.Entry{ID: kit.Top, Keys: []string{"g", "home"}, Scope: keymap.Global, Title: "first", Help: "Go to the first line."}},
		{Entry: host.Entry{ID: kit.Bottom, Keys: []string{"G", "end"}, Scope: keymap.Global, Title: "last", Help: "Go to the last line and follow."}},

		{Entry: host.Entry{ID: host.ActOpen, Keys: []string{"enter"}, Scope: keymap.Global, Title: "open", Help: "Show the selected row full size in the detail pane; unfold a tree or a group of rows; in the content view, read a linked resource.", Priority: 95, Now: of.openNow}, Do: of.do((*sessionScreen).open)},
		{Entry: host.Entry{ID: host.ActBack, Keys: []string{"esc"}, Scope: keymap.Global, Title: "back", Synonyms: []string{"clear"}, Help: "Step back: leave the zoom, then the detail pane, the moment of a recording, clear the search, then the filter, then return to the grid or unselect the row. Never quits.", Now: of.backNow}, Do: of.do((*sessionScreen).back)},
		{Entry: host.Entry{ID: actJumpBack, Keys: []string{"`", "backspace"}, Scope: keymap.Global, Title: "row before the jump", Synonyms: []string{"back", "previous place"}, Help: "Go back to the row that was selected before the last jump.", Yields: true, Enabled: of.can(hasJumped)}, Do: of.do(jumpBack)},
		{Entry: host.Entry{ID: actNextPane, Keys: []string{"tab"}, Scope: keymap.Global, Title: "next pane", Help: "Go to the next pane."}, Do: of.run(func(s *sessionScreen) { s.app.focusBeside(1) })},
		{Entry: host.Entry{ID: actPrevPane, Keys: []string{"shift+tab"}, Scope: keymap.Global, Title: "previous pane", Help: "Go to the previous pane."}, Do: of.run(func(s *sessionScreen) { s.app.focusBeside(-1) })},
		{Entry: host.Entry{ID: actTraffic, Keys: []string{"2"}, Scope: keymap.Global, Title: "messages", Help: "Go to the list of calls or messages."}, Do: of.run(func(s *sessionScreen) { s.app.focusOn(trafficID) })},
		{Entry: host.Entry{ID: actDetail, Keys: []string{"3"}, Scope: keymap.Global, Title: "detail", Help: "Go to the detail pane."}, Do: of.run(func(s *sessionScreen) { s.app.focusOn(detailID) })},
		{Entry: host.Entry{ID: actStderr, Keys: []string{"4"}, Scope: keymap.Global, Title: "stderr", Help: "Go to stderr; again: show it alone, or with the events."}, Do: of.run(func(s *sessionScreen) { s.app.focusOnLog(stderrID) })},
		{Entry: host.Entry{ID: actEvents, Keys: []string{"5"}, Scope: keymap.Global, Title: "events", Help: "Go to the events; again: show them alone, or with stderr."}, Do: of.run(func(s *sessionScreen) { s.app.focusOnLog(eventsID) })},
		{Entry: host.Entry{ID: steer.ActFocus, Keys: []string{"6"}, Scope: keymap.Global, Title: "held messages", Help: "Go to the messages that are held in a live tap.", Enabled: of.can(showsHeld)}, Do: of.run(func(s *sessionScreen) { s.app.focusOn(heldID) })},
		{Entry: host.Entry{ID: actZoom, Keys: []string{"z"}, Scope: keymap.Global, Title: "full screen", Synonyms: []string{"zoom", "maximize"}, Help: "Show the pane full screen, or restore the layout."}, Do: of.run(func(s *sessionScreen) { s.app.setZoom(!s.app.panes.zoom) })},

		{Entry: host.Entry{ID: actSearch, Keys: []string{"/"}, Scope: keymap.Global, Title: "find", Synonyms: []string{"find", "grep"}, Help: "Search the pane; /text/ is a regular expression.", Priority: 72, Now: host.Ranks{None: -1}.Now}, Do: of.run((*sessionScreen).askSearch)},
		{Entry: host.Entry{ID: actNextMatch, Keys: []string{"n"}, Scope: keymap.Global, Title: "next match", Help: "Go to the next match of the search.", Enabled: of.can(searched)}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.findNext(1) })},
		{Entry: host.Entry{ID: actPrevMatch, Keys: []string{"N"}, Scope: keymap.Global, Title: "previous match", Help: "Go to the previous match of the search.", Enabled: of.can(searched)}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.findNext(-1) })},
		{Entry: host.Entry{ID: actFilter, Keys: []string{"f"}, Scope: keymap.Global, Title: "filter", Help: "Filter the traffic: method: tool: id: dir: kind: n: seq: run: err >100ms text /regexp/ k=3 (not k=33) !not and or.", Priority: 74, Now: host.Ranks{None: -1}.Now}, Do: func(c host.Context) tea.Cmd { return of(c).askFilter(c.Word) }},
		{Entry: host.Entry{ID: actFollow, Keys: []string{"F"}, Scope: keymap.Global, Title: "follow", Synonyms: []string{"tail"}, Help: "Follow new rows as they arrive, or stop following.", Enabled: of.can(listFocused)}, Do: of.run((*sessionScreen).toggleFollow)},
		{Entry: host.Entry{ID: actPartner, Keys: []string{"p"}, Scope: keymap.Global, Title: "partner", Synonyms: []string{"response", "pair"}, Help: "Go from a request to its response, and back.", Enabled: host.HasPartner}, Do: of.do(otherSide)},
		{Entry: host.Entry{ID: actNextError, Keys: []string{"e"}, Scope: keymap.Global, Title: "next failed", Synonyms: []string{"failed", "failure"}, Help: "Go to the next call that failed or has no answer; after the last, to the first.", Priority: 80, Hint: key.Help{Key: "e", Desc: "failed"}, Now: func(c host.Context) (string, int) { return of(c).rows.FailedNow(c) }}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.rows.FindError(1) })},
		{Entry: host.Entry{ID: actPrevError, Keys: []string{"E"}, Scope: keymap.Global, Title: "previous failed", Help: "Go to the previous call that failed or has no answer."}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.rows.FindError(-1) })},
	}
}

// asksToQuit is when the two ways to quit ask.
const asksToQuit = "while a call is pending, several servers run or a smoke run goes on"

func acting(of finder) []host.Action {
	return []host.Action{

		{Entry: host.Entry{ID: host.ActCompose, Keys: []string{"c"}, Scope: keymap.Global, Title: "any message", Synonyms: []string{"compose", "raw", "send", "request", "ping"}, Help: "Write and send a message. The draft is kept.", Priority: 70, Enabled: host.CanReach}, Do: func(c host.Context) tea.Cmd { return of(c).composer.Compose(c) }},
		{Entry: host.Entry{ID: actResend, Keys: []string{"r"}, Scope: keymap.Global, Title: "again", Synonyms: []string{"re-send", "repeat", "retry"}, Help: "Send the selected message again; a request gets a new id.", Asks: "before a tool that is not said to be read-only, the first time; each time if it is said to be destructive", Priority: 85, Hint: key.Help{Key: "r", Desc: "again"}, Now: host.Ranks{Running: -1}.Now, Enabled: canResend}, Do: resend},
		{Entry: host.Entry{ID: actEditResend, Keys: []string{"R"}, Scope: keymap.Global, Title: "edit", Synonyms: []string{"re-send", "modify"}, Help: "Open the selected message in the composer.", Priority: 84, Now: host.Ranks{Running: -1, Failed: 98}.Now, Enabled: canResend}, Do: func(c host.Context) tea.Cmd { return of(c).composer.EditSelected(c) }},
		{Entry: host.Entry{ID: actCancel, Keys: []string{"x"}, Scope: keymap.Global, Title: "cancel", Synonyms: []string{"abort"}, Help: "Send notifications/cancelled for the selected request, or for the only pending one.", Now: host.Ranks{Running: 100}.Now, Enabled: canCancel}, Do: cancelSelected},
		{Entry: host.Entry{ID: actCopy, Keys: []string{"Y"}, Scope: keymap.Global, Title: "copy message", Help: "Copy the selected message to the terminal's clipboard (OSC 52).", Enabled: host.HasSelection}, Do: copies.Message},
		{Entry: host.Entry{ID: actCloseStdin, Scope: keymap.Global, Title: "close stdin", Help: "Close the server's standard input: nothing can be sent afterwards, and most servers exit.", Enabled: host.CanSend}, Do: closeStdin},
		{Entry: host.Entry{ID: host.ActRestart, Keys: []string{"ctrl+r"}, Scope: keymap.Global, Title: "restart", Synonyms: []string{"reconnect", "reload", "start"}, Help: "Restart the server; if the connection to its host is lost, reconnect first. In a recording opened from the grid: start its server on its host in a new session.", Priority: 62, Asks: "while a call is pending", Enabled: of.can(canRestart), CurrentTitle: of.title(restartNow)}, Do: of.do((*sessionScreen).restart)},

		{Entry: host.Entry{ID: actQuit, Keys: []string{"q"}, Scope: keymap.Global, Title: "quit", Synonyms: []string{"exit", "leave"}, Help: "Leave the zoom or the detail pane; otherwise return to the grid, or stop the server and quit.", Asks: asksToQuit, CurrentTitle: of.title(quitNow)}, Do: of.do((*sessionScreen).quit)},
		{Entry: host.Entry{ID: actQuitNow, Keys: []string{"Q"}, Scope: keymap.Global, Title: "quit now", Help: "Stop the server and quit at once, without a question."}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.app.interrupt() })},
		{Entry: host.Entry{ID: host.ActInterrupt, Keys: []string{"ctrl+c"}, Scope: keymap.Global, Title: "quit immediately", Help: "Stop the server and quit, from anywhere, also from its question. Press it again to kill the server.", Asks: asksToQuit, Everywhere: true}, Do: of.do(interrupted)},
		{Entry: host.Entry{ID: actRedraw, Keys: []string{"ctrl+l"}, Scope: keymap.Global, Title: "redraw", Help: "Redraw the screen.", Everywhere: true}, Do: func(host.Context) tea.Cmd { return tea.ClearScreen }},
		{Entry: host.Entry{ID: actSuspend, Keys: []string{"ctrl+z"}, Scope: keymap.Global, Title: "suspend", Help: "Suspend to the shell; fg resumes. The server keeps running.", Everywhere: true}, Do: suspend},
	}
}

// openNow has no hint where there is no row to open, or what it opens is shown.
func (of finder) openNow(c host.Context) (title string, priority int) {
	if a := of(c).app; a.panes.focus == detailID && !c.Workspace.Overview {
		return "", -1
	}
	return host.Ranks{None: -1}.Now(c)
}

// backNow is first among the hints of the full screen and of a moment of a recording.
func (of finder) backNow(c host.Context) (title string, priority int) {
	switch ws := c.Workspace; {
	case of(c).app.panes.zoom:
		return "back", 101
	case ws.Playback != nil && ws.Playback.Past != nil:
		return "leave", 101
	}
	return "", 0
}

// noNow is what the harmless answer of a question does.
func (of finder) noNow(c host.Context) (title string, priority int) {
	if d := of(c).app.front.dialog; d != nil && d.asked.Yes != nil {
		return "no, " + d.asked.No, 0
	}
	return "", 0
}

// modal returns the actions of text fields, questions and help, where no other keys
// apply.
func modal(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actAccept, Keys: []string{"enter"}, Scope: scopePrompt, Title: "accept", Help: "Apply the text; an empty line clears the filter or the search.", Priority: 90}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.app.front.prompt.accept() })},
		host.Override(host.Entry{Name: nameClose, ID: "close-prompt", Scope: scopePrompt, Title: "cancel", Help: "Close without changes."}),
		{Entry: host.Entry{ID: actYes, Keys: []string{"y"}, Scope: scopeDialog, Title: "yes", Help: "Do it.", Priority: 80, Enabled: of.can(asksQuestion)}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.app.front.dialog.yes(s.app.front.dialog.asked.Yes) })},
		{Entry: host.Entry{ID: actAlways, Keys: []string{"a"}, Scope: scopeDialog, Title: "always", Help: "Do it, and do not ask again in this session.", Priority: 70, Hint: key.Help{Key: "a", Desc: "always for this tool"}, Enabled: of.can(asksWithAlways)}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.app.front.dialog.yes(s.app.front.dialog.asked.Always) })},
		host.Override(host.Entry{Name: nameClose, ID: actNo, Keys: []string{"enter", "n", "esc", "q"}, Scope: scopeDialog, Title: "close", Help: "Close without doing anything.", Priority: 90, Now: of.noNow}),

		{Entry: host.Entry{ID: actAskAccept, Keys: []string{"enter"}, Scope: scopeAsk, Title: "answer", Help: "Submit the answer, or go to the next field; for a host key, an empty answer means no.", Priority: 90}, Do: of.do(func(s *sessionScreen) tea.Cmd { return s.app.front.ask.accept() })},
		host.Override(host.Entry{Name: nameClose, ID: "decline", Scope: scopeAsk, Title: "cancel", Help: "Close the question without an answer; a host key is not accepted.", Priority: 85}),
		{Entry: host.Entry{ID: actAskNext, Keys: []string{"tab"}, Scope: scopeAsk, Title: "next field", Help: "Go to the next field.", Priority: 60, Enabled: of.can(severalFields)}, Do: of.run(func(s *sessionScreen) { s.app.front.ask.step(1) })},
		{Entry: host.Entry{ID: actAskPrevious, Keys: []string{"shift+tab"}, Scope: scopeAsk, Title: "previous field", Help: "Go to the previous field.", Enabled: of.can(severalFields)}, Do: of.run(func(s *sessionScreen) { s.app.front.ask.step(-1) })},
		{Entry: host.Entry{ID: actAskClear, Keys: []string{"ctrl+u"}, Scope: scopeAsk, Title: "clear", Help: "Clear the field.", Priority: 20}, Do: of.run(func(s *sessionScreen) { s.app.front.ask.clear() })},
		host.Override(host.Entry{Name: kit.Down, Scope: scopeAsk, Keys: []string{"down"}}),
		host.Override(host.Entry{Name: kit.Up, Scope: scopeAsk, Keys: []string{"up"}}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: scopeAsk, Keys: []string{"pgdown", "ctrl+d"}}),
		host.Override(host.Entry{Name: kit.PageUp, Scope: scopeAsk, Keys: []string{"pgup"}}),
		host.Override(host.Entry{Name: kit.Top, Scope: scopeAsk, Keys: []string{"home"}}),
		host.Override(host.Entry{Name: kit.Bottom, Scope: scopeAsk, Keys: []string{"end"}}),
	}
}

func searched(s *sessionScreen) (bool, string) {
	return s.rows.Search != nil, "no search yet"
}

func showsHeld(s *sessionScreen) (bool, string) {
	if ok, why := host.CanSteer(s.context()); !ok {
		return false, why
	}
	return steer.Rows(s.ws, s.app.screen.Height) > 0, "nothing is held"
}

// suspend lets go what this program holds, before it no longer reads keys.
func suspend(c host.Context) tea.Cmd {
	var links []workspace.TapLink
	for _, w := range c.Host.Workspaces() {
		if t := w.Tap; t != nil && t.Steers() {
			links = append(links, t.Link)
		}
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(c.Host.Lifetime(), releaseWait)
		defer cancel()
		for _, link := range links {
			_ = link.Release(ctx) // a tap that is gone holds nothing
		}
		return tea.Suspend()
	}
}

// releaseWait is how long a tap may take to let go what is held.
const releaseWait = time.Second

func listFocused(s *sessionScreen) (bool, string) {
	return !isAside(s.app.panes.focus), "this pane cannot follow new rows"
}

func asksQuestion(s *sessionScreen) (bool, string) {
	return s.app.front.dialog != nil && s.app.front.dialog.asked.Yes != nil, "there is no question to answer"
}

func asksWithAlways(s *sessionScreen) (bool, string) {
	return s.app.front.dialog != nil && s.app.front.dialog.asked.Always != nil, "this question is asked each time"
}

func severalFields(s *sessionScreen) (bool, string) {
	return s.app.front.ask != nil && len(s.app.front.ask.fields) > 1, "there is only one field"
}

// quitNow returns "" without a grid to return to.
func quitNow(s *sessionScreen) string {
	if s.app.grid.view != nil && !s.app.panes.zoom && !s.app.grid.shown() {
		return "back to the grid"
	}
	return ""
}

// restartNow returns "" for the usual meaning.
func restartNow(s *sessionScreen) string {
	switch {
	case s.ws.OfTarget():
		return "debug"
	case s.ws.Session == nil || s.ws.Starting || s.ws.Status.State != session.Failed:
		return ""
	case s.ws.LostLink():
		return "reconnect"
	}
	return "start again"
}

func canResend(c host.Context) (bool, string) {
	if ok, reason := host.CanReach(c); !ok {
		return false, reason
	}
	if !c.Workspace.Selected.OK || c.Workspace.Selected.Row.Kind != session.KindStdin {
		return false, "only a message to the server can be re-sent"
	}
	return true, ""
}

func canCancel(c host.Context) (bool, string) {
	if ok, reason := host.CanReach(c); !ok {
		return false, reason
	}
	if h, held := c.Workspace.Tap.HeldAt(c.Workspace.Selected.Number); held && h.ToServer && len(h.ID) > 0 {
		return true, ""
	}
	_, row, ok := c.Workspace.CancellableRequest()
	if !ok {
		return false, "only a pending request to the server can be cancelled: select it"
	}
	if method := c.Workspace.Shown.Source.Method(row.Method); method == mcp.MethodInitialize || method == mcp.MethodDiscover {
		return false, "the handshake cannot be cancelled"
	}
	return true, ""
}

func canRestart(s *sessionScreen) (bool, string) {
	if s.ws.OfTarget() {
		return s.app.grid.view.CanStart()
	}
	if s.ws.Session == nil && s.ws.Tap != nil {
		return host.CanEndInTap(s.context())
	}
	return host.CanRestart(s.context())
}
