package traffic

import (
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/summary"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// Parent returns the row of the batch that an element is in: see table.Nested.
func (x *exchangeRows) Parent(number int) int { return x.ws.Shown.Index.Exchanges.Parent(number) }

// batchVersion changes with the outcome of the elements of a batch.
func (x *exchangeRows) batchVersion(number int, row *session.Row) uint32 {
	o := x.ws.Shown.Index.Exchanges.BatchOutcome(number, row)
	return mixed(mixed(uint32(o.Answered), uint32(o.Pending)), uint32(o.Lost+o.Cancelled+o.TimedOut))
}

func (x *exchangeRows) paintBatch(number int, row session.Row, b session.Batch, c *table.Cells) {
	style := x.theme.Text
	if row.Kind == session.KindStdout {
		c.Text(exCall, style, x.arrow(row.Kind))
	}
	what := "batch of " + wording.Thousands(b.Elements)
	if b.Elements == 0 {
		what = "empty batch"
	}
	x.text(c, exCall, style, what)
	e, ok := x.read(row)
	if ok {
		x.paintArguments(summary.Batch(e.Payload), c)
	}
	size := e.FullSize
	switch {
	case b.Elements == 0:
		x.mark(kit.NotMessage, c)
		x.text(c, exResult, x.theme.Odd, "invalid: a batch has at least one message")
	case b.Requests == 0 && b.Responses > 0:
		x.text(c, exResult, x.theme.Dim, "has answers to unknown ids")
	case b.Requests == 0:
		x.text(c, exResult, x.theme.Dim, "no requests in it")
	default:
		size += x.paintBatchOutcome(number, row, b, c)
	}
	x.paintSize(size, c)
}

// paintBatchOutcome paints how the requests of a batch ended and how long that took.
// It returns the size of their responses.
func (x *exchangeRows) paintBatchOutcome(number int, row session.Row, b session.Batch, c *table.Cells) (size int64) {
	o := x.ws.Shown.Index.Exchanges.BatchOutcome(number, &row)
	last := row.T
	for _, at := range o.Rows {
		if response, ok := x.ws.Shown.Rows.At(at); ok {
			last, size = max(last, response.T), size+x.says(at, response).Size
		}
	}
	style := x.theme.Text
	switch {
	case o.Pending > 0:
		style = x.theme.Accent
		x.mark(kit.Running, c)
		if x.ws.Clock >= 0 {
			x.paintTook(max(x.ws.Clock-row.T, 0)/tick*tick, style, exTook, c)
		}
	case o.Lost+o.TimedOut > 0:
		style = x.theme.Odd
		x.mark(kit.Unanswered, c)
	case o.Failed > 0:
		style = x.theme.Failed
		x.mark(kit.Failed, c)
	case o.Cancelled > 0:
		style = x.theme.Odd
		x.mark(kit.Cancelled, c)
	}
	if o.Pending == 0 && len(o.Rows) > 0 {
		x.paintTook(last-row.T, x.theme.Text, exTook, c)
	}
	text := outcomeText(o)
	if b.Elements > session.MaxElements {
		text = "of the first " + wording.Thousands(session.MaxElements) + ": " + text
	}
	x.text(c, exResult, style, text)
	return size
}

func outcomeText(o workspace.BatchOutcome) string {
	var words []string
	for _, w := range []struct {
		n    int
		what string
	}{
		{o.Answered - o.Failed, "answered"},
		{o.Failed, "failed"},
		{o.Cancelled, "cancelled"},
		{o.TimedOut + o.Lost, "without an answer"},
		{o.Pending, "running"},
	} {
		if w.n > 0 {
			words = append(words, wording.Thousands(w.n)+" "+w.what)
		}
	}
	return strings.Join(words, ", ")
}

func (x *exchangeRows) paintElement(number int, row session.Row, c *table.Cells) {
	method := x.ws.Shown.Source.Method(row.Method)
	m, style := x.says(number, row), x.theme.Dim
	c.Text(exCall, style, "  ")
	size := m.Size
	switch row.Msg {
	case framing.Request:
		x.paintCall(number, row, method, m.Call, c)
		x.paintArguments(m.Text, c)
		if row.State == session.ReqPending {
			x.paintPending(number, row, c)
		} else {
			x.paintEnd(number, row, row, c)
		}
		size = x.roundSize(number)
	case framing.Notification:
		c.Text(exCall, style, x.arrow(row.Kind))
		x.text(c, exCall, style, summary.Short(method))
		x.text(c, exResult, x.theme.Text, strings.TrimSpace(m.Call+" "+m.Text))
	case framing.Response, framing.ErrorResponse:
		c.Text(exCall, style, strings.TrimSpace("answer "+method))
		x.paintResult(number, row, c)
	default:
		x.mark(kit.NotMessage, c)
		c.Text(exCall, x.theme.Odd, filter.ShownNotMessage+" in a batch")
		if e, ok := x.read(row); ok {
			c.Rest(exResult)
			x.hits.Paint(c, exResult, x.theme.Text, x.theme.Match, e.Payload)
		}
	}
	x.paintSize(size, c)
}

func (t *trafficRows) paintBatchRow(number int, e *session.Entry, c *table.Cells) {
	text := "batch"
	if b, ok := t.ws.Shown.Index.Exchanges.Batch(number); ok {
		text += " of " + strconv.Itoa(b.Elements)
	}
	t.withNote(c, t.theme.Text, text, t.theme.Dim, summary.Batch(e.Payload))
}
