package ui

import (
	"encoding/json"
	"fmt"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxAfterwards is how many notifications of progress are looked at in one go.
const maxAfterwards = 64

// obeyed says what became of a call that was cancelled some time ago. It stays
// on the list, for an answer that comes later still.
func (a *App) obeyed(c *call) {
	if c.over {
		return
	}
	c.over, a.stale = true, true
	if c.since > 0 {
		a.complain(fmt.Sprintf("cancelled, but the server works on (progress since: %d): %s", c.since, c.title))
	} else {
		a.say("cancelled, and the server has not answered: " + c.title)
	}
	over := 0
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].over {
			if over++; over > callsWatched {
				a.dropCall(a.calls[i])
			}
		}
	}
}

// watchCancelled looks for what a server does about calls that were cancelled.
func (a *App) watchCancelled() {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if c := a.calls[i]; !c.cancelled.IsZero() {
			a.watchOne(c)
		}
	}
	rows := a.afterwards
	a.afterwards = nil
	for _, number := range rows {
		a.progressed(int(number))
	}
}

// watchOne looks for the answer to a call that was cancelled.
func (a *App) watchOne(c *call) {
	if c.row == 0 {
		number, ok := a.rowOf(c.number.Load())
		if !ok {
			return
		}
		c.row = number + 1
		if row, ok := a.rows.at(number); ok && row.Len <= loadInline {
			if e, err := a.source.Entry(row, 0); err == nil {
				c.id = string(e.Msg.ID.Of(e.Payload))
			}
		}
	}
	row, _ := a.rows.at(c.row - 1)
	if row.Pair == 0 {
		return
	}
	answer, ok := a.rows.at(int(row.Pair) - 1)
	if !ok {
		return
	}
	a.dropCall(c)
	if c.listens {
		return // it is how a subscription ends
	}
	after := time.Duration(answer.T-row.T)*time.Microsecond - c.cancelled.Sub(c.began)
	a.complain(fmt.Sprintf("answered %v after the server was told to stop: %s", max(after, 0).Round(time.Millisecond), c.title))
}

// noticeProgress keeps a notification of progress that may be of a call which
// was cancelled.
func (s *subject) noticeProgress(number uint32, row *session.Row) {
	if row.Msg != framing.Notification || len(s.afterwards) == maxAfterwards || row.Len > loadInline {
		return
	}
	for _, c := range s.calls {
		if !c.cancelled.IsZero() && s.source.Method(row.Method) == mcp.MethodProgress {
			s.afterwards = append(s.afterwards, number)
			return
		}
	}
}

// progressed counts progress of a call that was cancelled.
func (a *App) progressed(number int) {
	row, ok := a.rows.at(number)
	if !ok {
		return
	}
	e, err := a.source.Entry(row, 0)
	if err != nil {
		return
	}
	var params struct {
		Token json.RawMessage `json:"progressToken"`
	}
	_ = json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) // without a token it is of no call
	for _, c := range a.calls {
		if c.id == "" || c.id != string(params.Token) {
			continue
		}
		c.since++
		if c.over && c.since == 1 {
			a.complain("the server works on, though it was told to stop: " + c.title)
		}
	}
}
