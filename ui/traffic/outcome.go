package traffic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

func (x *exchangeRows) paintPending(number int, row session.Row, c *table.Cells) {
	c.Mark(x.theme.Accent, x.glyph("…", "."))
	switch {
	case x.ws.Unreachable:
		c.Mark(x.theme.Odd, x.glyph("…", "."))
		c.Text(exResult, x.theme.Odd, "no reply: the connection is lost")
		return
	case x.waits(number):
		c.Mark(x.theme.Waits, "?")
		text := "waits for your answer"
		if row.Kind == session.KindStdout {
			text = x.pane.answerKey + " to answer"
		}
		c.Text(exResult, x.theme.Odd, text)
	default:
		x.paintProgress(number, c)
	}
	x.paintElapsed(number, row, c)
}

// paintElapsed paints how long an exchange has been pending, in whole seconds: the time
// of the server, and that of the user.
func (x *exchangeRows) paintElapsed(number int, row session.Row, c *table.Cells) {
	if x.ws.Clock < 0 {
		return
	}
	took, waited := x.ws.Elapsed(number, row).Answering(row.Kind)
	if exchange.Noticed(waited) {
		c.Text(exResult, x.theme.You, x.glyph(" · ", ", ")+workspace.You(waited))
	}
	switch seconds := took / 1e6; {
	case seconds == 0:
	case c.Width(exTook) > 0:
		x.paintTook(seconds*1e6, x.theme.Accent, exTook, c)
	default:
		c.Text(exResult, x.theme.Accent, "  "+wording.RoundedTime(time.Duration(seconds)*time.Second))
	}
}

// waits reports whether a pending exchange waits for the person.
func (x *exchangeRows) waits(number int) bool {
	_, waits := x.ws.WaitsSince(number)
	return waits
}

const barCells = 5

func (x *exchangeRows) paintProgress(number int, c *table.Cells) {
	at, ok := x.ws.Shown.Index.Exchanges.Progress(number)
	row, known := x.ws.Shown.Rows.At(at)
	if !ok || !known {
		c.Text(exResult, x.theme.Accent, "running")
		return
	}
	e, ok := x.read(row)
	var p struct{ Progress, Total float64 }
	if ok && !e.Cut && json.Unmarshal(e.Msg.Params.Of(e.Payload), &p) == nil && p.Total > 0 {
		full, empty := x.glyph("▓", "#"), x.glyph("░", "-")
		n := kit.Between(0, int(p.Progress/p.Total*barCells+0.5), barCells)
		c.Text(exResult, x.theme.Accent, strings.Repeat(full, n)+strings.Repeat(empty, barCells-n)+" ")
	}
	x.text(c, exResult, x.theme.Text, x.says(at, row).Text)
}

// answerWait is how long after a cancellation a response may still come, before
// the row says that there was none. It is less than the time after which the rows
// are painted again.
const answerWait = 1_800_000 // microseconds

// mayAnswer reports whether a call was cancelled a moment ago.
func (x *exchangeRows) mayAnswer(number int) bool {
	at, ok := x.ws.Shown.Index.Exchanges.Cancelled(number)
	cancel, known := x.ws.Shown.Rows.At(at)
	return ok && known && x.ws.Clock >= 0 && !x.ws.Unreachable && x.ws.Clock-cancel.T < answerWait
}

// paintEnd paints how a request ended: with the response to the round that decides,
// which is the last one, or without.
func (x *exchangeRows) paintEnd(number int, row, decides session.Row, c *table.Cells) {
	request, _ := x.ws.Shown.Index.Exchanges.LastRound(number)
	at, _ := x.ws.Shown.Index.Exchanges.ResponseOf(request, &decides)
	response, answered := x.ws.Shown.Rows.At(at)
	switch decides.State {
	case session.ReqCancelled, session.ReqTimedOut, session.ReqLost:
		answered = false
	}
	if !answered {
		x.paintOutcome(number, row, decides, c)
		return
	}
	x.paintTimes(request, row, response, x.theme.Text, c)
	x.paintResult(at, response, c)
}

// times returns whose time it was from a row until the response to the request at a
// row of its exchange.
func (t *trafficRows) times(number int, from, response session.Row) exchange.Times {
	return t.ws.Times(number, exchange.Span{From: from.T, To: response.T})
}

// paintTimes paints how long the server took from a row until a response, and for how
// long it waited for the user. A response of the user just has its time.
func (x *exchangeRows) paintTimes(number int, from, response session.Row, style paint.Style, c *table.Cells) {
	took, waited := x.times(number, from, response).Answering(from.Kind)
	x.paintTook(took, style, exTook, c)
	if exchange.Noticed(waited) {
		c.Text(exResult, x.theme.You, workspace.You(waited)+x.glyph(" · ", ", "))
	}
}

// paintOutcome paints why an exchange has no response that counts. decides is the
// request of its last round.
func (x *exchangeRows) paintOutcome(number int, row, decides session.Row, c *table.Cells) {
	late := ""
	if response, ok := x.ws.Shown.Rows.PartnerOf(decides); ok && response.State != session.ReqUnread {
		late = x.glyph(" · ", ", ") + "answered late"
		took, _ := x.times(number, row, response).Answering(row.Kind)
		x.paintTook(took, x.theme.Dim, exTook, c)
	}
	style, text := x.theme.Failed, ""
	switch decides.State {
	case session.ReqCancelled:
		c.Mark(x.theme.Odd, x.glyph("⊘", "c"))
		style, text = x.theme.Odd, x.cancelled(number, row)
		if late == "" && !x.mayAnswer(number) {
			late = x.glyph(" · ", ", ") + "no answer"
		}
	case session.ReqTimedOut:
		c.Mark(style, "!")
		text = filter.ShownTimedOut
	case session.ReqLost:
		c.Mark(style, "!")
		text = strings.Trim(x.lossNote(number, decides), "()")
		if text = "lost: " + text; text == "lost: " {
			text = "lost"
		}
	}
	x.text(c, exResult, style, text+late)
}

func (x *exchangeRows) cancelled(number int, row session.Row) string {
	at, ok := x.ws.Shown.Index.Exchanges.Cancelled(number)
	cancel, known := x.ws.Shown.Rows.At(at)
	if !ok || !known {
		return "cancelled"
	}
	return "cancelled by you at " + wording.RoundedTime(time.Duration(cancel.T-row.T)*time.Microsecond)
}

func (x *exchangeRows) paintResult(number int, response session.Row, c *table.Cells) {
	if response.Msg == framing.Batch { // with an element that is not listed
		x.text(c, exResult, x.theme.Dim, "answered beyond the first "+wording.Thousands(session.MaxElements)+" elements of a batch")
		return
	}
	x.paintOutcomeText(x.says(number, response).Text, response, c)
	if response.Kind != session.KindStdin {
		return
	}
	if by, _ := x.answeredBy(number - 1); by != session.ByPerson {
		c.Text(exResult, x.theme.Dim, " (auto)")
	}
}

func (x *exchangeRows) paintOutcomeText(text string, response session.Row, c *table.Cells) {
	style := x.theme.Text
	switch {
	case response.Flags&session.FlagProbe != 0:
		style = x.theme.Dim
	case response.Msg == framing.ErrorResponse, response.Flags&session.FlagError != 0:
		style = x.theme.Failed
		c.Mark(style, x.glyph("✗", "x"))
		if response.Msg == framing.Response && !strings.HasPrefix(text, "isError") {
			text = strings.TrimSuffix("isError: "+text, ": ")
		}
	}
	x.text(c, exResult, style, text)
}

// lossNote returns why a request can no longer get a response, according to the
// log: its process ended, or the request was not written.
func (t *trafficRows) lossNote(number int, request session.Row) string {
	if response, ok := t.ws.Shown.Rows.PartnerOf(request); ok && response.State == session.ReqUnread {
		if response.Flags&session.FlagPart != 0 {
			return "(" + filter.ShownTooLong + ")"
		}
		return "(" + filter.ShownTooDeep + ")"
	}
	if reason := t.unsent(number); reason != "" {
		return "(" + reason + ")"
	}
	ends := t.ws.Shown.Index.Points[workspace.ExitPoint]
	i, _ := slices.BinarySearch(ends, uint32(number))
	for _, at := range []int{i, i - 1} { // a process may have exited while its streams stayed open
		if at < 0 || at >= len(ends) {
			continue
		}
		if row, ok := t.ws.Shown.Rows.At(int(ends[at])); ok && row.Run == request.Run {
			if e, err := t.ws.Shown.Source.Entry(row, 0); err == nil {
				return "(" + ending(&e) + ")"
			}
		}
	}
	return ""
}

// "" if the write did not fail. The log has the failure in one of the next entries.
func (t *trafficRows) unsent(number int) string {
	events := t.ws.Shown.Index.Events
	i, _ := slices.BinarySearch(events, uint32(number))
	for _, at := range events[i:min(i+4, len(events))] {
		row, ok := t.ws.Shown.Rows.At(int(at))
		if !ok || row.Kind != session.KindWrite {
			continue
		}
		var b session.WriteBody
		e, err := t.ws.Shown.Source.Entry(row, 0)
		if err == nil && e.DecodeBody(&b) == nil && b.Of == uint64(number)+1 {
			return "not sent: " + b.Status
		}
	}
	return ""
}

func ending(e *session.Entry) string {
	if e.Kind == session.KindFailed {
		var b session.FailedBody
		switch err := e.DecodeBody(&b); {
		case err == nil && b.Code != "":
			return "link lost"
		case err == nil:
			return wording.FirstLine(b.Error)
		}
	}
	var b session.ExitedBody
	err := e.DecodeBody(&b)
	switch by := executor.ParseEndedBy(b.By); {
	case err == nil && by == executor.EndedByWatchdog:
		return "process ended by the watchdog"
	case err == nil && session.EndedFromOutside(by):
		return "process ended by the guard"
	case err == nil && b.Signal != "":
		return "process ended by " + b.Signal
	case err == nil && b.Code != nil:
		return fmt.Sprintf("process exited %d", *b.Code)
	}
	return strings.TrimSpace("process ended: " + session.Describe(e))
}
