package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/calls"
	"mcpdbg/ui/host"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
)

// start runs a function that starts the server. Its context ends with a.stop.
func (sc *sessionScreen) start(what string, start func(context.Context) error) tea.Cmd {
	ctx, stop := context.WithCancel(sc.app.ctx)
	sc.ws.Starting, sc.ws.Stop = true, stop
	return func() tea.Msg {
		err := start(ctx)
		stop()
		return host.Result{Then: onScreen(func(s *sessionScreen) tea.Cmd {
			s.ws.Starting = false
			due := s.watching.Due(s.context())
			if err != nil && s.app.ctx.Err() == nil && due == nil {
				d := problems.StartFailed(s.context(), what, err)
				if len(s.app.screens) > 1 {
					d.Title = s.ws.Title + ": " + d.Title
				}
				s.confirm(d)
			}
			return due
		})}
	}
}

// restart starts the server; if one is running, it confirms before stopping it.
func (sc *sessionScreen) restart() tea.Cmd {
	if sc.ws.OfTarget() {
		return sc.app.startTarget(sc.ws.Target)
	}
	again := func(sc *sessionScreen) tea.Cmd {
		s := sc.ws.Session
		return sc.start("restart", func(ctx context.Context) error {
			s.Act("restart", "", 0)
			return s.Restart(ctx)
		})
	}
	if running, _ := process.CanStop(sc.context()); !running {
		return again(sc)
	}
	sc.confirm(&host.Dialog{Title: "Restart the server?", Lines: append(process.ShutdownSteps(sc.ws), "Then it is started again in the same session."), Yes: onScreen(again)})
	return nil
}

func (sc *sessionScreen) askCloseStdin() {
	s := sc.ws.Session
	sc.confirm(&host.Dialog{
		Title: "Close the server's standard input?",
		Lines: []string{"Nothing can be sent to it afterwards; most servers then exit."},
		Yes: onScreen(func(*sessionScreen) tea.Cmd {
			return func() tea.Msg {
				s.Act("close-stdin", "", 0)
				return host.Result{What: "close stdin", Err: s.CloseStdin(), Text: "stdin closed"}
			}
		}),
	})
}

// resend sends the selected message again; it confirms first if that may change
// something.
func (sc *sessionScreen) resend() tea.Cmd {
	row := sc.ws.Selected.Row
	method := sc.ws.Shown.Source.Method(row.Method)
	if row.Msg != framing.Request || method != mcp.MethodToolsCall {
		return sc.sendAgain(row)
	}
	sc.confirm(&host.Dialog{
		Title: "Call the tool again?",
		Lines: []string{"A tool may change things: files, accounts, anything the server can access."},
		Yes:   onScreen(func(s *sessionScreen) tea.Cmd { return s.sendAgain(row) }),
	})
	return nil
}

// sendAgain sends a message of the log: a request with a new id, anything else
// unchanged.
func (sc *sessionScreen) sendAgain(row session.Row) tea.Cmd {
	s, ctx, source := sc.ws.Session, sc.app.ctx, sc.ws.Shown.Source
	return func() tea.Msg {
		e, err := source.Entry(row, 0)
		if err != nil {
			return host.Result{What: "re-send", Err: err}
		}
		s.Act("resend", "", e.N)
		if e.Msg.Kind != framing.Request {
			_, err = s.Send(ctx, e.Payload)
			return host.Result{What: "re-send", Err: err}
		}
		method, err := rawString(e.Msg.Method.Of(e.Payload))
		if err == nil {
			_, err = s.Request(ctx, method, e.Msg.Params.Of(e.Payload), session.CallOptions{Bare: true})
		}
		return host.Result{What: "re-send", Err: err}
	}
}

// rawString decodes the inside of a JSON string.
func rawString(inside []byte) (string, error) {
	var s string
	quoted := append(append([]byte{'"'}, inside...), '"')
	err := framing.Unmarshal(quoted, &s)
	return s, err
}

// cancelSelected sends the server a cancellation of the selected request, or of the
// only pending one.
func (sc *sessionScreen) cancelSelected() tea.Cmd {
	number, _, _ := sc.ws.CancellableRequest()
	return calls.CancelRequest(sc.context(), number)
}
