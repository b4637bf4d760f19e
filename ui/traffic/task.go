package traffic

import (
	"bytes"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
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
		x.mark(kit.Running, c)
		x.text(c, exResult, x.theme.Accent, x.taskState(row, t))
		x.paintElapsed(number, row, c)
	case t.Open && x.taskOver(t): // its result was not requested
		x.text(c, exResult, x.theme.Text, x.taskState(row, t))
	case !answered || t.Open:
		x.mark(kit.Unanswered, c)
		lost := x.lossNote(number, row)
		x.text(c, exResult, x.theme.Odd, strings.TrimSuffix(filter.ShownNoAnswer+": "+lost, ": ")+x.dot()+x.taskState(row, t))
	case response.Msg == framing.ErrorResponse && x.expired(row, response) != "":
		x.mark(kit.Unanswered, c)
		x.paintTimes(number, row, response.T, x.theme.Text, c)
		x.text(c, exResult, x.theme.Odd, "task expired after "+x.expired(row, response)+x.polls(t))
	default:
		x.paintTimes(number, row, response.T, x.theme.Text, c)
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
			x.mark(kit.Cancelled, c)
			x.text(c, exResult, x.theme.Odd, "task cancelled"+x.cancelledBy(number, row)+x.polls(t))
			return
		}
		if text := summary.TaskOutcome(e.Payload, e.FullSize); text != "" {
			_, failed := x.resultText(at, response)
			x.paintTaskText(text, failed, t, c)
			return
		}
	}
	text, failed := x.resultText(at, response)
	x.paintTaskText(text, failed, t, c)
}

func (x *exchangeRows) paintTaskText(text string, failed bool, t exchange.Task, c *table.Cells) {
	if polls := strings.TrimPrefix(x.polls(t), x.dot()); polls != "" {
		c.Text(exResult, x.theme.Dim, polls+x.dot())
	}
	x.paintOutcomeText(text, failed, c)
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
		message = x.dot() + message
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
		return x.dot() + "1 poll"
	}
	return x.dot() + strconv.Itoa(t.Polls) + " polls"
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
	return wording.Took(int64(ttl))
}

// "" if we did not cancel the task.
func (x *exchangeRows) cancelledBy(number int, row session.Row) string {
	at, ok := x.ws.Shown.Index.Exchanges.TaskCancelled(number)
	cancel, known := x.ws.Shown.Rows.At(at)
	if !ok || !known {
		return " by the server"
	}
	return " by " + x.ws.Shown.User() + " at " + wording.Took(cancel.T-row.T)
}

func (x *exchangeRows) paintPoll(number int, row session.Row, c *table.Cells) {
	c.Text(exCall, x.theme.Dim, "  ")
	x.text(c, exCall, x.theme.Dim, x.ws.Shown.Source.Method(row.Method))
	x.paintArguments(x.says(number, row).Text, c)
	if row.State == session.ReqPending {
		x.paintPending(number, row, c)
	} else {
		x.paintEnd(number, row, row, c)
	}
	x.paintSize(x.roundSize(number), c)
}
