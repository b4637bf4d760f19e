package ui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// A result is the end of a command. What there is to tell is shown, and then
// is called in Update.
type result struct {
	what string // what was tried, for the message about err
	text string
	err  error
	then func(*App) tea.Cmd
}

func (a *App) result(r result) tea.Cmd {
	a.observe()
	switch {
	case r.err != nil && !errors.Is(r.err, context.Canceled):
		a.complain(r.what + ": " + r.err.Error())
	case r.text != "":
		a.say(r.text)
	}
	if r.then != nil {
		return r.then(a)
	}
	return nil
}

// start runs what starts the server. Its context ends with a.stop.
func (a *App) start(what string, start func(context.Context) error) tea.Cmd {
	ctx, stop := context.WithCancel(a.ctx)
	a.starting, a.stop = true, stop
	return func() tea.Msg {
		err := start(ctx)
		stop()
		return result{then: func(a *App) tea.Cmd {
			a.starting = false
			due := a.dueRound()
			if err != nil && a.ctx.Err() == nil && due == nil {
				a.dialog = failure(what, err, a.keyOf(actRestart))
				if len(a.subjects) > 1 {
					a.dialog.title = a.title + ": " + a.dialog.title
				}
			}
			return due
		}}
	}
}

// restart asks whether to stop a server that runs, and starts it.
func (a *App) restart() tea.Cmd {
	if a.ofTarget() {
		return a.openFresh(a.target)
	}
	again := func(a *App) tea.Cmd {
		s := a.session
		return a.start("restart", func(ctx context.Context) error {
			s.Act("restart", "", 0)
			return s.Restart(ctx)
		})
	}
	if running, _ := canKill(a); !running {
		return again(a)
	}
	a.dialog = &dialog{title: "Restart the server?", lines: append(a.ladder(), "Then it is started again, in the same session."), yes: again}
	return nil
}

func (a *App) askCloseStdin() {
	s := a.session
	a.dialog = &dialog{
		title: "Close the server's standard input?",
		lines: []string{"Nothing can be sent to it any more; most servers end then."},
		yes: func(*App) tea.Cmd {
			return func() tea.Msg {
				s.Act("close-stdin", "", 0)
				return result{what: "close stdin", err: s.CloseStdin(), text: "stdin is closed"}
			}
		},
	}
}

// resend sends the selected message again; it asks first if that may change
// something.
func (a *App) resend() tea.Cmd {
	row := a.selected.row
	method := a.source.Method(row.Method)
	if row.Msg != framing.Request || method != mcp.MethodToolsCall {
		return a.sendAgain(row)
	}
	a.dialog = &dialog{
		title: "Call the tool again?",
		lines: []string{"A tool may change things: files, accounts, whatever the server has its hands on."},
		yes:   func(a *App) tea.Cmd { return a.sendAgain(row) },
	}
	return nil
}

// sendAgain sends a message of the log: a request with an id of its own,
// anything else as it was.
func (a *App) sendAgain(row session.Row) tea.Cmd {
	s, ctx, source := a.session, a.ctx, a.source
	return func() tea.Msg {
		e, err := source.Entry(row, 0)
		if err != nil {
			return result{what: "resend", err: err}
		}
		s.Act("resend", "", e.N)
		if e.Msg.Kind != framing.Request {
			_, err = s.Send(ctx, e.Payload)
			return result{what: "resend", err: err}
		}
		method, err := rawString(e.Msg.Method.Of(e.Payload))
		if err == nil {
			_, err = s.Request(ctx, method, e.Msg.Params.Of(e.Payload), session.CallOptions{Bare: true})
		}
		return result{what: "resend", err: err}
	}
}

// rawString decodes the inside of a JSON string.
func rawString(inside []byte) (string, error) {
	var s string
	quoted := append(append([]byte{'"'}, inside...), '"')
	err := json.Unmarshal(quoted, &s)
	return s, err
}

// cancelSelected tells the server that nobody wants the answer any more.
func (a *App) cancelSelected() tea.Cmd {
	s, source, row := a.session, a.source, a.selected.row
	return func() tea.Msg {
		e, err := source.Entry(row, 0)
		if err != nil {
			return result{what: "cancel", err: err}
		}
		s.Act("cancel", "", e.N)
		err = s.Cancel(string(e.Msg.ID.Of(e.Payload)), "cancelled by the user")
		return result{what: "cancel", err: err}
	}
}

// sendText sends what was composed.
func (a *App) sendText(text []byte) tea.Cmd {
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		n, err := s.Send(ctx, text)
		s.Act("compose", "", n)
		return result{what: "send", err: err, text: "sent"}
	}
}

// failure is the dialog about a server that could not be started.
func failure(what string, err error, again string) *dialog {
	d := &dialog{failedStart: true, title: "The server could not be started", lines: []string{brief(what+": "+err.Error(), maxServerText)}}
	var start *executor.StartError
	if errors.As(err, &start) {
		d.lines = []string{brief(err.Error(), maxServerText), startFacts(start)}
	}
	var open *session.OpenError
	switch {
	case errors.As(err, &open):
		d.add("What to try:", open.Hint)
		d.add(saidLabel(open.SaidBy), open.Said)
		d.add("stdout, no messages:", open.Stray...)
		d.add("stderr:", open.Stderr...)
	case start != nil:
		d.add("What to try:", start.Hint)
		d.add(saidLabel(start.SaidBy), start.Said)
	}
	d.lines = append(d.lines, "", "When this is closed, "+again+" starts it again.")
	return d
}

// saidLabel names whose words follow.
func saidLabel(by executor.Speaker) string {
	label := by.String() + " said:"
	return strings.ToUpper(label[:1]) + label[1:]
}

// startFacts says in one line what is known of a failed start besides its error.
func startFacts(e *executor.StartError) string {
	text := string(e.Code)
	if e.Phase != "" {
		text += ", while at " + e.Phase
	}
	if e.Elapsed >= time.Millisecond {
		text += ", after " + e.Elapsed.Round(time.Millisecond).String()
	}
	return text
}
