package send

import (
	"context"
	"encoding/json"
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// Requests is what a session keeps of its server's requests: the responses that the
// user is writing and those that were sent.
type Requests struct {
	drafts   map[uint64]*answerView     // by request, the views opened so far, with the text typed in them
	sent     map[string]json.RawMessage // by method, the last response sent
	canned   map[string]json.RawMessage // by method, the last canned response
	answered map[uint64]int             // by entry of a call's result, how many of its requests were answered
}

// NewRequests returns the state of a session.
func NewRequests() *Requests {
	return &Requests{
		drafts: map[uint64]*answerView{}, sent: map[string]json.RawMessage{}, canned: map[string]json.RawMessage{},
		answered: map[uint64]int{},
	}
}

// Observe takes in the pending requests of a running session, and closes the views of
// ended ones.
func (s *Requests) Observe(c host.Context) {
	w := c.Workspace
	w.PullRequests()
	if len(s.drafts) == 0 {
		return
	}
	pending := map[uint64]bool{}
	for _, q := range w.Requests() {
		pending[q.ID] = true
	}
	for id, v := range s.drafts {
		if pending[id] {
			continue
		}
		delete(s.drafts, id)
		for _, open := range c.Host.Views(w) {
			if open == host.View(v) {
				c.Host.Close(v)
				c.Host.Warn(howEnded(w, v.request))
				break
			}
		}
	}
}

// howEnded describes how a request ended that the user did not answer.
func howEnded(w *workspace.Workspace, q session.ServerRequest) string {
	const latest = 256 // it must be in one of the last rows
	for row := w.Shown.Source.Len() - 1; row >= max(w.Shown.Source.Len()-latest, 0); row-- {
		var rows [1]session.Row
		if w.Shown.Source.Rows(row, rows[:]) == 0 || rows[0].Kind != session.KindAct {
			continue
		}
		e, err := w.Shown.Source.Entry(rows[0], kit.MaxDraft)
		var body session.ActBody
		if err != nil || e.DecodeBody(&body) != nil || body.Of != q.N || body.Key != q.Key {
			continue
		}
		switch body.Act {
		case session.ActWithdrawn:
			return "not answered: " + body.Detail
		case session.ActAnswer:
			return "answered by its rule: " + body.Detail
		}
	}
	if !q.Due.IsZero() {
		return wording.Clip(q.Method, inSentence, wording.Dots) + ": answered by its rule"
	}
	return wording.Clip(q.Method, inSentence, wording.Dots) + ": " + session.ErrNotPending.Error()
}

func canAnswer(c host.Context) (bool, string) {
	if c.Workspace.Session == nil && c.Workspace.Tap != nil {
		if ok, why := host.CanSteer(c); !ok {
			return false, why
		}
		_, ok := askedClient(c.Workspace)
		return ok, "select a request of the server that waits for the client"
	}
	for _, w := range c.Host.Workspaces() {
		if len(w.Requests()) > 0 {
			return true, ""
		}
	}
	return false, "nothing waits"
}

func answerNow(c host.Context) string {
	for _, w := range c.Host.Workspaces() {
		if len(w.Waiting) > 0 {
			return "answer the server"
		}
	}
	return ""
}

// openOldest opens the oldest request: of the visible session, or else of another
// one, which becomes visible.
func openOldest(c host.Context, of func(host.Context) *Requests) tea.Cmd {
	for _, list := range []func(*workspace.Workspace) []session.ServerRequest{
		func(w *workspace.Workspace) []session.ServerRequest { return w.Waiting },
		func(w *workspace.Workspace) []session.ServerRequest { return w.Delayed },
	} {
		for _, w := range append([]*workspace.Workspace{c.Workspace}, c.Host.Workspaces()...) {
			if pending := list(w); len(pending) > 0 {
				if w != c.Workspace {
					c.Host.Show(w)
				}
				there := host.Context{Host: c.Host, Workspace: w}
				of(there).open(there, pending[0])
				return nil
			}
		}
	}
	return nil
}

// open opens a request in the state in which it was left, and selects its row.
func (s *Requests) open(c host.Context, q session.ServerRequest) {
	v := s.drafts[q.ID]
	if v == nil {
		v = s.newAnswer(c, q)
		s.drafts[q.ID] = v
	}
	if row, ok := c.Workspace.RowOf(q.N); ok {
		host.Reveal(c, row)
		c.Host.Notify("") // it does not matter that a filter hides the row
	}
	c.Host.Open(c.Workspace, v)
}

// position returns the position of a request among the requests of one call, and
// their number; 1 of 1 if it came alone. In the modern era one result of a call
// contains all requests.
func (s *Requests) position(w *workspace.Workspace, q session.ServerRequest) (at, of int) {
	at = s.answered[q.N] + 1
	of = at - 1
	for _, other := range w.Requests() {
		if other.N == q.N {
			of++
		}
	}
	return at, max(of, at)
}

// A Line is a request that is answered in place of the side that should get it.
type Line struct {
	Text   []byte
	Client bool      // the client sent it
	Since  time.Time // it waits
	// Deliver gets the response.
	Deliver func(c host.Context, response []byte) tea.Cmd
}

// AnswerLine lets the user answer the request in a line.
func (s *Requests) AnswerLine(c host.Context, l Line) tea.Cmd {
	m := framing.Scan(l.Text)
	var method string
	_ = json.Unmarshal([]byte(`"`+string(m.Method.Of(l.Text))+`"`), &method) // without one it is a request of an unknown kind
	v := s.newAnswer(c, session.ServerRequest{ID: math.MaxUint64, Method: method, Params: json.RawMessage(m.Params.Of(l.Text)), Since: l.Since})
	v.deliver, v.from = l.Deliver, "server"
	if l.Client {
		v.from = "client"
		kind := anyRequest(method, v.request.Params)
		if method == mcp.MethodToolsCall {
			kind.text = json.RawMessage(`{"content":[{"type":"text","text":""}]}`)
		}
		v.begin(c, kind)
	}
	c.Host.Open(c.Workspace, v)
	return nil
}

// askedClient returns the row of the selected request of the server, if it waits for the
// client.
func askedClient(w *workspace.Workspace) (number int, ok bool) {
	row := w.Selected.Row
	return w.Selected.Number, w.Selected.OK && row.Kind == session.KindStdout && row.Msg == framing.Request && row.State == session.ReqPending
}

// takeOver answers a request of the server in place of the client.
func takeOver(c host.Context, s *Requests) tea.Cmd {
	number, _ := askedClient(c.Workspace)
	row, _ := c.Workspace.Shown.Rows.At(number)
	return host.Steer(c, func(c host.Context) tea.Cmd {
		e, err := c.Workspace.Shown.Source.Entry(row, 0)
		if err != nil {
			c.Host.Warn("answer: " + err.Error())
			return nil
		}
		return s.AnswerLine(c, Line{Text: e.Payload, Since: c.Workspace.Shown.Source.Header().Start.Add(time.Duration(row.T) * time.Microsecond), Deliver: func(c host.Context, response []byte) tea.Cmd {
			if h, held := c.Workspace.Tap.HeldAt(number); held && !h.ToServer && h.Method != "" {
				n := h.N
				return host.Order(c, "answer", "answered here", func(ctx context.Context, link workspace.TapLink) error {
					return link.Answer(ctx, n, host.AnswerBody(response))
				}, nil)
			}
			return host.Order(c, "answer", "answered in place of "+c.Workspace.Tap.Client(), func(ctx context.Context, link workspace.TapLink) error {
				return link.TakeOver(ctx, e.Msg.ID.Of(e.Payload), host.AnswerBody(response))
			}, nil)
		}})
	})
}
