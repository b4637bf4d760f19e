package detail

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/detail/content"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// rest is how long a call is shown before the same call before it is looked for.
const rest = 150 * time.Millisecond

// An earlier is what a pane knows about the same call before the shown one.
type earlier struct {
	view *content.View // that shows the call
	stop context.CancelFunc
}

type rested struct {
	pane *Pane
	view *content.View
	call int
}

// lookBack returns a command that looks for the same call before the shown one, if the
// cursor rests on it; nil if it has begun.
func (d *Pane) lookBack() tea.Cmd {
	if d.earlier.view == d.content {
		return nil
	}
	if d.earlier.stop != nil {
		d.earlier.stop()
	}
	d.earlier = earlier{view: d.content}
	call, ok := d.ws.CallOf(d.wanted.Number)
	if !ok || !d.wanted.Traffic {
		return nil
	}
	return d.options.After(rest, rested{d, d.content, call})
}

// Deliver looks for the call, unless another row is shown by now.
func (msg rested) Deliver(c host.Context) tea.Cmd {
	d := msg.pane
	if d.content != msg.view {
		return nil
	}
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	d.earlier.stop = stop
	return host.CompareEarlier(ctx, d.ws, msg.call, func(c host.Context, e workspace.Earlier) tea.Cmd {
		stop()
		if d.content == msg.view {
			before := content.Before{Text: d.sayBefore(e), Hint: "compares the two"}
			if _, marked := d.ws.MarkedCall(msg.call); marked {
				before.Hint = "compares with the marked call"
			}
			d.content.SetBefore(before)
			c.Host.Redraw()
		}
		return nil
	})
}

// sayBefore describes the earlier call.
func (d *Pane) sayBefore(e workspace.Earlier) string {
	row, _ := d.ws.Shown.Rows.At(e.Row)
	text := string(wording.AppendClock(nil, row.T))
	if pid := d.ws.PIDAt(e.Row); e.Restarted && pid != 0 {
		text += fmt.Sprintf(" on pid %d", pid)
	}
	switch e.Answer {
	case workspace.SameAnswer:
		text += ": same answer"
	case workspace.OtherAnswer:
		text += ": different answer"
	case workspace.NoAnswer:
		if _, _, answered := d.ws.Response(e.Row); !answered {
			return text + ": no answer"
		}
		text += ": answered"
	}
	if _, response, ok := d.ws.Response(e.Row); ok {
		text += ", " + wording.Took(d.ws.Took(e.Row, response).Server)
	}
	return text
}
