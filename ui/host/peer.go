package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/workspace"
)

// errOnlyRequests is why a message is not sent into the session of a client.
var errOnlyRequests = errors.New("only a request can be sent into the session of a client")

// NoTap is why an action on a tap is disabled elsewhere.
const NoTap = "only for a live tap"

// CanReach reports whether requests can be sent to the server, by the session or through
// the tap that is watched, and if not, why.
func CanReach(c Context) (bool, string) {
	if c.Workspace.Session == nil && c.Workspace.Tap != nil {
		return CanSteer(c)
	}
	return CanSend(c)
}

// CanSteer reports whether the workspace shows a live tap that can be steered, and if not,
// why.
func CanSteer(c Context) (bool, string) {
	switch t := c.Workspace.Tap; {
	case t == nil || c.Workspace.Session != nil:
		return false, NoTap
	case t.Link == nil:
		return false, watchOnly(t)
	}
	return true, ""
}

func watchOnly(t *workspace.Tap) string {
	if t.Over {
		return t.Why
	}
	return "watch only: " + t.Why
}

// Steer calls do if this program steers the tap. Else it confirms, and takes the steering.
func Steer(c Context, do func(Context) tea.Cmd) tea.Cmd {
	t := c.Workspace.Tap
	if t.Steers() {
		return do(c)
	}
	d := &Dialog{
		Title: "Steer the session of " + t.Client() + "?", No: "watch only",
		Lines: []string{"One mcpdbg at a time steers a tap: it holds, edits and sends messages.", "When it is gone, everything that it holds is let go."},
	}
	pid := t.Steerer()
	d.Yes = func(c Context) tea.Cmd { return takeSteering(c, pid != 0, do) }
	if pid != 0 {
		d.Title = fmt.Sprintf("Take the steering over from pid %d?", pid)
		d.Lines = []string{fmt.Sprintf("mcpdbg with pid %d steers the session of %s.", pid, t.Client()), "What it holds stays held."}
	}
	c.Host.Confirm(c.Workspace, d)
	return nil
}

// takeSteering takes the steering of the tap, with take also from another program, and calls
// do. It asks if another one has begun to steer.
func takeSteering(c Context, take bool, do func(Context) tea.Cmd) tea.Cmd {
	link, ctx := c.Workspace.Tap.Link, c.Host.Lifetime()
	if link == nil {
		c.Host.Warn("steer: " + watchOnly(c.Workspace.Tap))
		return nil
	}
	return func() tea.Msg {
		err := link.Steer(ctx, take)
		_, other := errors.AsType[*control.SteeredError](err)
		if other {
			err = nil
		}
		return Result{What: "steer", Err: err, Then: func(c Context) tea.Cmd {
			cmd := c.Panes().Refresh()
			switch {
			case err != nil, c.Workspace.Tap.Link == nil:
				return cmd
			case other:
				return tea.Batch(cmd, Steer(c, do))
			}
			return tea.Batch(cmd, do(c))
		}}
	}
}

// Order gives the tap an order, and reports that it is done. Then is called after it
// succeeded; nil does nothing more.
func Order(c Context, what, done string, give func(context.Context, workspace.TapLink) error, then func(Context) tea.Cmd) tea.Cmd {
	link, ctx := c.Workspace.Tap.Link, c.Host.Lifetime()
	if link == nil {
		c.Host.Warn(what + ": " + watchOnly(c.Workspace.Tap))
		return nil
	}
	return func() tea.Msg {
		err := give(ctx, link)
		return Result{What: what, Text: done, Err: err, Then: func(c Context) tea.Cmd {
			cmd := c.Panes().Refresh()
			if err != nil || then == nil || c.Workspace.Tap.Link == nil {
				return cmd
			}
			return tea.Batch(cmd, then(c))
		}}
	}
}

// Attach takes the steering when the program starts, and asks if another one has it.
func Attach(c Context) tea.Cmd {
	t := c.Workspace.Tap
	if t.Link == nil {
		c.Host.Warn("steer: " + watchOnly(t))
		return nil
	}
	return takeSteering(c, false, func(Context) tea.Cmd { return nil })
}

// drive sends a request to the server into the session of a client, which does not get the
// response.
func drive(c Context, title, method string, params json.RawMessage) tea.Cmd {
	return Steer(c, func(c Context) tea.Cmd {
		w, link, ctx := c.Workspace, c.Workspace.Tap.Link, c.Host.Lifetime()
		w.Overview = false // the request is what the user wants to see
		w.Tap.Drives()
		return func() tea.Msg {
			id, err := link.Drive(ctx, method, withoutToken(params))
			return Result{What: "send", Err: err, Text: cmp.Or(strings.TrimPrefix(title, mcp.MethodToolsCall+" "), method) + " sent", Then: func(c Context) tea.Cmd {
				workspace.Drove(c.Workspace, id)
				return c.Panes().Refresh()
			}}
		}
	})
}

// withoutToken removes the progress token of a request: the client may use it.
func withoutToken(params json.RawMessage) json.RawMessage {
	var all, meta map[string]json.RawMessage
	if json.Unmarshal(params, &all) != nil || json.Unmarshal(all["_meta"], &meta) != nil || meta["progressToken"] == nil {
		return params
	}
	delete(meta, "progressToken")
	delete(all, "_meta")
	if len(meta) > 0 {
		all["_meta"], _ = json.Marshal(meta) // valid JSON
	}
	params, _ = json.Marshal(all) // valid JSON
	return params
}

// DriveLine sends a request that the user has written, with an id of the tap, into the
// session of a client.
func DriveLine(c Context, line []byte) tea.Cmd {
	m := framing.Scan(line)
	var method string
	if m.Kind == framing.Request {
		_ = json.Unmarshal([]byte(`"`+string(m.Method.Of(line))+`"`), &method) // without one it is refused
	}
	if method == "" {
		c.Host.Warn("send: " + errOnlyRequests.Error())
		return nil
	}
	return drive(c, "", method, m.Params.Of(line))
}

// DriveRow sends the request at a row once more, with an id of the tap.
func DriveRow(c Context, row session.Row) tea.Cmd {
	source := c.Workspace.Shown.Source
	return func() tea.Msg {
		e, err := source.Entry(row, 0)
		return Result{What: "re-send", Err: err, Then: func(c Context) tea.Cmd {
			if err != nil {
				return nil
			}
			return DriveLine(c, e.Payload)
		}}
	}
}

// OfClient reports whether a held message is a request of the client, or the response to
// one.
func OfClient(h *control.Held) bool { return h.ToServer == (h.Method != "") }

// cancelInTap cancels a request of the client: the server gets a cancellation, and the
// client an error.
func cancelInTap(c Context, number int) tea.Cmd {
	w := c.Workspace
	row, ok := w.Shown.Rows.At(number)
	if !ok {
		return nil
	}
	held := json.RawMessage(nil)
	if h, ok := w.Tap.HeldAt(number); ok && OfClient(h) {
		held = h.ID
	}
	return Steer(c, func(c Context) tea.Cmd {
		source := c.Workspace.Shown.Source
		return Order(c, "cancel", "cancelled: "+w.Tap.Client()+" gets an error", func(ctx context.Context, link workspace.TapLink) error {
			if held != nil {
				return link.Cancel(ctx, held)
			}
			e, err := source.Entry(row, 0)
			if err != nil {
				return err
			}
			return link.Cancel(ctx, e.Msg.ID.Of(e.Payload))
		}, nil)
	})
}

// EndInTap asks before it restarts or stops what runs behind a tap, and does so.
func EndInTap(c Context, order string) tea.Cmd {
	t := c.Workspace.Tap
	d := &Dialog{No: "change nothing"}
	if order == ActRestart {
		d.Title = "Restart the server under " + t.Client() + "?"
		d.Lines = []string{"The client stays connected. Calls that the server is handling get an error that says so; reads are sent to the new server.", "Memory, open files and logins of the old process are lost."}
	} else {
		d.Title = "End the server of " + t.Client() + "?"
		d.Lines = []string{"The tap ends it as if the client had closed its input, and then itself. The client loses this server until it starts it again."}
	}
	d.Yes = func(c Context) tea.Cmd {
		switch {
		case t.Link != nil:
			return endNow(c, order)
		case t.Give != nil:
			return giveOld(c, order)
		}
		c.Host.Warn(order + ": " + watchOnly(t)) // it has ended meanwhile
		return nil
	}
	c.Host.Confirm(c.Workspace, d)
	return nil
}

func endNow(c Context, order string) tea.Cmd {
	if order != ActRestart {
		return Order(c, "stop", "the tap has ended", func(ctx context.Context, link workspace.TapLink) error { return link.Stop(ctx) }, nil)
	}
	link, ctx := c.Workspace.Tap.Link, c.Host.Lifetime()
	c.Host.Notify("restarting the server")
	return func() tea.Msg {
		text, err := link.Restart(ctx)
		return Result{What: "restart", Text: text, Err: err}
	}
}

// giveOld gives an order to a tap that cannot be steered.
func giveOld(c Context, order string) tea.Cmd {
	give, ctx := c.Workspace.Tap.Give, c.Host.Lifetime()
	if order != ActRestart {
		order = "stop"
	}
	return func() tea.Msg {
		text, err := give(ctx, order)
		return Result{What: order, Text: text, Err: err}
	}
}

// CanEndInTap reports whether there is a tap that restarts and stops its server, and if not,
// why.
func CanEndInTap(c Context) (bool, string) {
	if t := c.Workspace.Tap; t != nil && t.Link == nil && t.Give != nil {
		return true, ""
	}
	return CanSteer(c)
}

// AnswerBody returns the member of a response that decides it: an error, or else the whole
// object as the result.
func AnswerBody(response json.RawMessage) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(response, &members) == nil && len(members) == 1 && members["error"] != nil {
		return append([]byte(`"error":`), members["error"]...)
	}
	return append([]byte(`"result":`), response...)
}
