package ui

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/workspace"
)

// start runs a function that starts the server; its context ends with a.stop.
func (sc *sessionScreen) start(what string, start func(context.Context) error) tea.Cmd {
	sc.app.Dismiss(sc.ws, host.AboutStart)
	ctx, stop := context.WithCancel(sc.app.ctx)
	sc.ws.Starting, sc.ws.Stop = true, stop
	return func() tea.Msg {
		err := start(ctx)
		stop()
		return host.Result{Then: func(c host.Context) tea.Cmd {
			sc.ws.Starting = false
			due := sc.watching.Due(c)
			if err != nil && sc.app.ctx.Err() == nil && due == nil {
				of := ""
				if len(sc.app.screens) > 1 {
					of = sc.ws.Title + ": "
				}
				c.Host.Open(c.Workspace, problems.NewFailedStart(of, what, err))
				sc.app.front.views[len(sc.app.front.views)-1].guard = &guard{}
			}
			return due
		}}
	}
}

// startWith changes the command of the session, and starts it again.
func startWith(sc *sessionScreen, change session.Change) tea.Cmd {
	return sc.start("restart", func(ctx context.Context) error {
		change.Apply(sc.ws.Session)
		if name := change.Variable.Name; name != "" {
			sc.ws.Session.Note("no digest of the value of "+name+", which was set by hand", "rec redact does not find it in this recording unless it is named: --env "+name)
		}
		return sc.ws.Session.Restart(ctx)
	})
}

// setVariable asks for a variable, which is not shown, and starts the server with it.
func setVariable(c host.Context, sc *sessionScreen, name string) tea.Cmd {
	home.Ask(c, "start "+sc.ws.SessionName(), []host.Input{{ID: name, Secret: true}}, func(_ host.Context, values map[string]string) tea.Cmd {
		return startWith(sc, session.Change{Variable: executor.EnvVar{Name: name, Value: values[name]}})
	})
	return nil
}

// editCommand puts the command in a line, and starts the edited one.
func editCommand(sc *sessionScreen) tea.Cmd {
	argv := sc.edited
	if argv == nil {
		argv = sc.ws.Session.Log().Header().Argv
	}
	text := kit.QuoteWords(argv)
	if len(text) > maxCommand || strings.ContainsFunc(text, unicode.IsControl) {
		sc.app.Warn("the command is too long or has line breaks: it cannot be edited in a line")
		return nil
	}
	sc.ask(host.Prompt{
		Label: "command", Text: text, Limit: maxCommand,
		Accept: func(_ host.Context, text string) (tea.Cmd, error) {
			words, err := wording.SplitWords(text)
			if err != nil || len(words) == 0 {
				return nil, cmp.Or(err, errNoCommand)
			}
			sc.edited = words
			return startWith(sc, session.Change{Command: words}), nil
		},
	})
	return nil
}

// maxCommand is how many bytes of a command can be edited in a line.
const maxCommand = 16 << 10

var errNoCommand = errors.New("the command is empty")

// restart confirms before it ends a call.
func (sc *sessionScreen) restart() tea.Cmd {
	if sc.ws.OfTarget() {
		return sc.app.grid.start(sc.ws.Target)
	}
	if sc.ws.Session == nil {
		return host.EndInTap(sc.context(), host.ActRestart)
	}
	again := func(host.Context) tea.Cmd {
		s := sc.ws.Session
		return sc.start("restart", func(ctx context.Context) error {
			s.Act("restart", "", 0)
			return s.Restart(ctx)
		})
	}
	if running, _ := process.CanStop(sc.context()); !running || host.PendingRequests(sc.ws) == 0 {
		return again(sc.context())
	}
	sc.confirm(&host.Dialog{Title: "Restart the server?", Lines: append(process.ShutdownSteps(sc.ws), "Then it is started again in the same session."), No: "go on with the call", Yes: again})
	return nil
}

func closeStdin(c host.Context) tea.Cmd {
	s := c.Workspace.Session
	return func() tea.Msg {
		s.Act("close-stdin", "", 0)
		return host.Result{What: "close stdin", Err: s.CloseStdin(), Text: "stdin closed"}
	}
}

// resend sends the selected message again, and reports whether the answer is that of before.
func resend(c host.Context) tea.Cmd {
	return sendRow(c, c.Workspace.Selected.Row, func(c host.Context, n uint64) tea.Cmd {
		return tea.Batch(c.Panes().Refresh(), host.ReportEarlier(c, n, "", true))
	})
}

// sendRow sends a message again; then gets the entry of its response. It asks before it
// calls a tool that may change something: once for a tool, or each time if the server says
// that it is destructive.
func sendRow(c host.Context, row session.Row, then func(c host.Context, n uint64) tea.Cmd) tea.Cmd {
	ws := c.Workspace
	method := ws.Shown.Source.Method(row.Method)
	if row.Msg != framing.Request || method != mcp.MethodToolsCall {
		return sendAgain(c, row, then)
	}
	name := workspace.ToolOf(ws.Shown.Source, row)
	tool := ws.Shown.Catalog.Tool(name)
	if tool.Says("read-only") || ws.Trusted[name] {
		return sendAgain(c, row, then)
	}
	d := &host.Dialog{
		Title: "Call " + cmp.Or(wording.Clip(name, maxAskedName, wording.Dots), "the tool") + " again?",
		Lines: []string{"A tool may change things: files, accounts, anything the server can access."},
		No:    "send nothing",
		Yes:   func(c host.Context) tea.Cmd { return sendAgain(c, row, then) },
	}
	switch {
	case tool.Says("destructive"):
		d.Lines = append(d.Lines, "The server says that it is destructive.")
	case name != "":
		d.Always = func(c host.Context) tea.Cmd {
			c.Workspace.Trust(name)
			return sendAgain(c, row, then)
		}
	}
	c.Host.Confirm(ws, d)
	return nil
}

// maxAskedName is how many bytes of the name of a tool a question shows.
const maxAskedName = 40

// sendAgain sends a request with a new id, anything else unchanged. then gets the entry of
// its response.
func sendAgain(c host.Context, row session.Row, then func(c host.Context, n uint64) tea.Cmd) tea.Cmd {
	if c.Workspace.Session == nil {
		return host.DriveRow(c, row)
	}
	s, ctx, source := c.Workspace.Session, c.Host.Lifetime(), c.Workspace.Shown.Source
	return func() tea.Msg {
		e, err := source.Entry(row, 0)
		if err != nil {
			return host.Result{What: "re-send", Err: err}
		}
		act := session.ActBody{Act: session.ActResend, Of: e.N}
		if e.Msg.Kind != framing.Request {
			_, err = s.SendWith(ctx, act, e.Payload, false)
			return host.Result{What: "re-send", Err: err}
		}
		method, err := rawString(e.Msg.Method.Of(e.Payload))
		if err != nil {
			return host.Result{What: "re-send", Err: err}
		}
		resp, err := s.Request(ctx, method, e.Msg.Params.Of(e.Payload), session.CallOptions{Bare: true, Act: &act})
		if err != nil {
			return host.Result{What: "re-send", Err: err}
		}
		return host.Result{Then: func(c host.Context) tea.Cmd { return then(c, resp.N) }}
	}
}

func rawString(inside []byte) (string, error) {
	var s string
	quoted := append(append([]byte{'"'}, inside...), '"')
	err := framing.Unmarshal(quoted, &s)
	return s, err
}

// cancelSelected cancels the selected request, or the only pending one.
func cancelSelected(c host.Context) tea.Cmd {
	number, _, _ := c.Workspace.CancellableRequest()
	if h, held := c.Workspace.Tap.HeldAt(c.Workspace.Selected.Number); held && host.OfClient(h) {
		number = c.Workspace.Selected.Number
	}
	return host.CancelRequest(c, number)
}

// otherSide goes to the other message of the pair that is shown, or to the partner of the
// selected row.
func otherSide(sc *sessionScreen) tea.Cmd {
	if sc.app.panes.focus != detailID || !sc.detail.OtherSide() {
		partner, _ := sc.ws.Viewed.Row.Partner()
		sc.Select(partner)
	}
	return nil
}

// jumpBack returns to the row before the last jump; again, to that after it.
func jumpBack(sc *sessionScreen) tea.Cmd {
	sc.GoTo(sc.before - 1)
	return nil
}

func hasJumped(sc *sessionScreen) (bool, string) {
	return sc.before > 0 && sc.before <= sc.ws.Shown.Index.Scanned, "no jump yet"
}

func (sc *sessionScreen) startSearch(text string) (tea.Cmd, error) {
	if err := sc.rows.SetSearch(text); err != nil {
		return nil, err
	}
	sc.app.canvas.markAll()
	if sc.app.panes.focus == detailID {
		return sc.findInDetail(0), nil
	}
	return sc.rows.Start(sc.focusedList()), nil
}

func (sc *sessionScreen) endSearch() {
	_ = sc.rows.SetSearch("") // an empty text is never wrong
	sc.app.canvas.markAll()
}

// findNext selects the next match below (1) or above (-1) the cursor of the focused pane.
func (sc *sessionScreen) findNext(by int) tea.Cmd {
	if sc.app.panes.focus == detailID {
		return sc.findInDetail(by)
	}
	return sc.rows.FindNext(sc.focusedList(), by)
}

// focusedList returns the traffic if the focused pane does not list rows.
func (sc *sessionScreen) focusedList() traffic.ListID {
	list, _ := sc.listOf(sc.app.panes.focus)
	return list
}

func (sc *sessionScreen) findInDetail(by int) tea.Cmd {
	cmd, text := sc.detail.Search(sc.app.ctx, sc.rows.Search.Text, by)
	sc.app.Notify(text)
	return cmd
}
