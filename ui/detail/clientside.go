package detail

import (
	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/summary"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// leastForClient is the height from which the client's side of a message has a line.
const leastForClient = 3

// lookAtClient takes in the client's side of the shown row, which may be logged after it.
func (d *Pane) lookAtClient() {
	events := len(d.ws.Shown.Index.Events)
	if !d.wanted.OK || d.clientsOf == d.wanted.Number && d.clientsAt == events {
		return
	}
	lines := d.clientLines()
	d.clientsOf, d.clientsAt = d.wanted.Number, events
	if d.clients = d.ws.Shown.ClientSides(d.wanted.Number, d.wanted.Row); d.clientLines() != lines {
		d.resize()
	}
}

// clientLines returns the number of lines for the client's side.
func (d *Pane) clientLines() int {
	if d.h < leastForClient || d.view == viewClient {
		return 0
	}
	return min(len(d.clients), d.h-leastForClient+1)
}

// otherBytes returns the side of the client that has other bytes than that of the server,
// that of a response if there are two.
func (d *Pane) otherBytes() *workspace.ClientSide {
	for i := len(d.clients) - 1; i >= 0; i-- {
		if !d.clients[i].Same {
			return &d.clients[i]
		}
	}
	return nil
}

// paintClient paints how the client's side of a message differs, and its bytes if they do.
func (d *Pane) paintClient(l *paint.Line, c *workspace.ClientSide) {
	l.Text(d.theme.Accent, " "+clientWords(c)+" ")
	if !c.Same {
		l.Bytes(d.theme.Text, memberOf(c)[:min(len(memberOf(c)), summary.Limit)])
	}
}

// memberOf returns the params, the result or the error of the client's side.
func memberOf(c *workspace.ClientSide) []byte {
	switch c.Msg.Kind {
	case framing.Response:
		return c.Msg.Result.Of(c.Line)
	case framing.ErrorResponse:
		return c.Msg.Error.Of(c.Line)
	}
	return c.Msg.Params.Of(c.Line)
}

func clientWords(c *workspace.ClientSide) string {
	asked := c.Of.Msg.Kind == framing.Request
	switch {
	case c.Kind == session.KindFromClient && c.Same:
		return "held for " + wording.Took(c.Of.T-c.T) + " before the server got it"
	case c.Kind == session.KindFromClient:
		return "edited: the client sent"
	case asked && c.Msg.Kind != framing.Request:
		return "answered by the tap: the client got"
	case !c.Same:
		return "edited: the client got"
	case c.Why == "own":
		return "not passed on: the client did not ask for it"
	case c.Why == "restart":
		return "not passed on: the client has that of before the restart"
	case c.Why == "held":
		return "held before the client got it"
	}
	return "not passed on: the client did not get it"
}

// newClientPair returns both sides of a message whose bytes differ.
func newClientPair(c *workspace.ClientSide, th *paint.Theme, look termsafe.Options) *pairView {
	p := &pairView{theme: th, look: look, heads: [2]string{"< the client got", "< the server sent"}}
	switch {
	case c.Kind == session.KindFromClient:
		p.heads = [2]string{"> the client sent", "> the server got"}
	case c.Of.Msg.Kind == framing.Request && c.Msg.Kind != framing.Request:
		p.heads[1] = kit.Direction(session.KindStdin) + " the server got"
	}
	for i, text := range [][]byte{c.Line, c.Of.Payload} {
		p.sides[i] = jsontree.New(text, th, look)
		p.heads[i] += "  " + wording.Size(int64(len(text)))
	}
	return p
}
