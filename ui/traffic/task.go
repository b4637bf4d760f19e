package traffic

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/widget/table"
)

func (x *exchangeRows) paintTask(number int, row session.Row, t exchange.Task, c *table.Cells) {
	decides, _ := x.ws.Shown.Rows.At(t.Last)
	at, _ := decides.Partner()
	response, answered := x.ws.Shown.Rows.At(at)
	switch {
	case x.waits(number):
		x.paintPending(number, row, c)
	case t.Open && x.ws.OpenTask(number) && !x.taskOver(t):
		c.Mark(x.theme.Accent, x.glyph("…", "."))
		x.text(c, exResult, x.theme.Accent, x.taskState(row, t))
		x.paintElapsed(number, row, c)
	case t.Open && x.taskOver(t): // its result was not requested
		x.text(c, exResult, x.theme.Text, x.taskState(row, t))
	case !answered || t.Open:
		c.Mark(x.theme.Failed, "!")
		lost := strings.Trim(x.lossNote(number, row), "()")
		x.text(c, exResult, x.theme.Failed, strings.TrimSuffix("lost: "+lost, ": ")+x.glyph(" · ", ", ")+x.taskState(row, t))
	case response.Msg == framing.ErrorResponse && x.expired(row, response) != "":
		c.Mark(x.theme.Failed, "!")
		x.paintTimes(number, row, response, x.theme.Text, c)
		x.text(c, exResult, x.theme.Failed, "task expired after "+x.expired(row, response)+x.polls(t))
	default:
		x.paintTimes(number, row, response, x.theme.Text, c)
		x.paintTaskEnd(number, row, t, at, response, c)
	}
}

func (x *exchangeRows) paintTaskEnd(number int, row session.Row, t exchange.Task, at int, response session.Row, c *table.Cells) {
	e, ok := x.read(response)
	if !ok {
		return
	}
	if method := x.ws.Shown.Source.Method(response.Method); method != mcp.MethodTasksResult && response.Msg == framing.Response {
		if summary.TaskStatus(e.Payload) == session.TaskCancelled {
			c.Mark(x.theme.Odd, x.glyph("⊘", "c"))
			x.text(c, exResult, x.theme.Odd, "task cancelled"+x.cancelledBy(number, row)+x.polls(t))
			return
		}
		if text := summary.TaskOutcome(e.Payload, e.FullSize); text != "" {
			x.paintText(text, at, response, t, c)
			return
		}
	}
	x.paintText(x.says(at, response).Text, at, response, t, c)
}

func (x *exchangeRows) paintText(text string, at int, response session.Row, t exchange.Task, c *table.Cells) {
	if polls := strings.TrimPrefix(x.polls(t), x.glyph(" · ", ", ")); polls != "" {
		c.Text(exResult, x.theme.Dim, polls+x.glyph(" · ", ", "))
	}
	x.paintOutcomeText(text, response, c)
}

// taskState describes a task: its id, what the server said last, and how often it
// was polled.
func (x *exchangeRows) taskState(row session.Row, t exchange.Task) string {
	created, _ := x.ws.Shown.Rows.PartnerOf(row)
	e, ok := x.read(created)
	if !ok {
		return "task"
	}
	announced := bytes.Clone(e.Payload)
	said, _ := x.ws.Shown.Rows.At(t.Said)
	if e, ok = x.read(said); !ok {
		e.Payload = nil
	}
	now, message := summary.Task(announced, e.Payload)
	if message != "" {
		message = x.glyph(" · ", ", ") + message
	}
	return now + x.polls(t) + message
}

// taskOver reports whether a task has ended, but its result was not requested.
func (x *exchangeRows) taskOver(t exchange.Task) bool {
	decides, _ := x.ws.Shown.Rows.At(t.Last)
	if decides.State == session.ReqPending {
		return false
	}
	said, _ := x.ws.Shown.Rows.At(t.Said)
	e, ok := x.read(said)
	if !ok {
		return false
	}
	status := summary.TaskStatus(e.Payload)
	return status == session.TaskCompleted || status == session.TaskFailed
}

func (x *exchangeRows) polls(t exchange.Task) string {
	switch t.Polls {
	case 0:
		return ""
	case 1:
		return x.glyph(" · ", ", ") + "1 poll"
	}
	return x.glyph(" · ", ", ") + strconv.Itoa(t.Polls) + " polls"
}

// expired returns after which time a server may have forgotten a task, if that was
// over when it answered with an error; "" otherwise.
func (x *exchangeRows) expired(row, response session.Row) string {
	created, _ := x.ws.Shown.Rows.PartnerOf(row)
	e, ok := x.read(created)
	if !ok {
		return ""
	}
	ttl := summary.TaskTTL(e.Payload) * 1e3
	if ttl == 0 || float64(response.T-created.T) < ttl {
		return ""
	}
	return wording.RoundedTime(time.Duration(ttl) * time.Microsecond)
}

// "" if we did not cancel the task.
func (x *exchangeRows) cancelledBy(number int, row session.Row) string {
	at, ok := x.ws.Shown.Index.Exchanges.TaskCancelled(number)
	cancel, known := x.ws.Shown.Rows.At(at)
	if !ok || !known {
		return " by the server"
	}
	return " by you at " + wording.RoundedTime(time.Duration(cancel.T-row.T)*time.Microsecond)
}

func (x *exchangeRows) paintPoll(number int, row session.Row, c *table.Cells) {
	c.Text(exCall, x.theme.Text, "  ")
	x.text(c, exCall, x.theme.Text, x.ws.Shown.Source.Method(row.Method))
	x.paintArguments(x.says(number, row).Text, c)
	if row.State == session.ReqPending {
		x.paintPending(number, row, c)
	} else {
		x.paintEnd(number, row, row, c)
	}
	x.paintSize(x.roundSize(number), c)
}
