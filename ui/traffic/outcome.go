package traffic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
	switch {
	case x.ws.Unreachable:
		x.mark(kit.Unanswered, c)
		c.Text(exResult, x.theme.Odd, filter.ShownNoAnswer+": connection lost")
		return
	case x.waits(number):
		x.mark(kit.Waits, c)
		x.text(c, exResult, x.theme.Odd, strings.TrimSuffix("waits for "+x.ws.Shown.User()+": "+x.question(number), ": "))
	default:
		x.mark(kit.Running, c)
		x.paintProgress(number, c)
	}
	x.paintElapsed(number, row, c)
}

// paintElapsed paints how long an exchange has been pending: the time of the server, and
// that of the user.
func (x *exchangeRows) paintElapsed(number int, row session.Row, c *table.Cells) {
	if x.ws.Clock < 0 {
		return
	}
	took, waited := x.ws.Elapsed(number, row).Answering(row.Kind)
	if row.Kind == session.KindStdout {
		took, waited = 0, took
	}
	x.paintYou(waited, c)
	switch {
	case row.Kind == session.KindStdin && x.waits(number): // the time of the server stands still
		x.paintTook(took, x.theme.Text, exTook, c)
	case took >= tick:
		x.paintTook(took/tick*tick, x.theme.Accent, exTook, c)
	}
}

// tick is the step in which the time of a running call is counted, in microseconds: 5 a
// second, and then once a second (see tickOf).
const tick = 200_000

// tickOf returns the number of the step in which a call is that has been running for a
// time.
func tickOf(elapsed int64) uint32 {
	if elapsed < countedFor {
		return uint32(elapsed / tick)
	}
	return uint32(elapsed/1e6) + 1<<20
}

// waits reports whether a pending exchange waits for the person.
func (x *exchangeRows) waits(number int) bool {
	_, waits := x.ws.WaitsSince(number)
	return waits
}

// question returns what the server asks in a pending exchange, "" if it cannot be read.
func (x *exchangeRows) question(number int) string {
	at, ok := x.ws.Question(number)
	row, known := x.ws.Shown.Rows.At(at)
	if !ok || !known {
		return ""
	}
	text := x.says(at, row).Text
	if quoted, isQuoted := strings.CutPrefix(text, `"`); isQuoted {
		text, _, _ = strings.Cut(quoted, `"`)
	}
	return text
}

// The width of a progress bar.
const (
	barCells   = 9
	leastCells = 4
)

func (x *exchangeRows) paintProgress(number int, c *table.Cells) {
	at, ok := x.ws.Shown.Index.Exchanges.Progress(number)
	row, known := x.ws.Shown.Rows.At(at)
	if !ok || !known {
		text := "running"
		if x.ws.Playback != nil && x.ws.Playback.Past != nil {
			text = "running at this moment"
		}
		c.Text(exResult, x.theme.Accent, text)
		return
	}
	var p struct {
		Progress, Total float64
		Message         string
	}
	e, ok := x.read(row)
	if !ok || e.Cut || json.Unmarshal(e.Msg.Params.Of(e.Payload), &p) != nil {
		x.text(c, exResult, x.theme.Accent, x.says(at, row).Text)
		return
	}
	if p.Total <= 0 {
		x.text(c, exResult, x.theme.Accent, wording.Join(x.dot(), p.Message, fmt.Sprint(p.Progress)))
		return
	}
	text := p.Message
	if text == "" {
		text = fmt.Sprintf("%v of %v", p.Progress, p.Total)
	}
	x.text(c, exResult, x.theme.Accent, text+x.dot())
	share := max(0, min(p.Progress/p.Total, 1))
	if cells := min(c.Width(exResult)-len(text)-len(" · 100 % "), barCells); cells >= leastCells {
		full, empty := x.glyph("█", "="), x.glyph("·", ".")
		n := int(share*float64(cells) + 0.5)
		c.Text(exResult, x.theme.Accent, strings.Repeat(full, n))
		c.Text(exResult, x.theme.Dim, strings.Repeat(empty, cells-n)+" ")
	}
	c.Text(exResult, x.theme.Accent, fmt.Sprintf("%d %%", int(share*100+1e-9)))
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
	x.paintTimes(request, row, response.T, x.theme.Text, c)
	x.paintResult(at, response, c)
}

// paintTimes paints how long the server took from a row until a time, and for how long it
// waited for the user. The time of a request of the server is that of the user, unless a
// rule answered at once.
func (x *exchangeRows) paintTimes(number int, from session.Row, to int64, style paint.Style, c *table.Cells) {
	took, waited := x.ws.Times(number, exchange.Span{From: from.T, To: to}).Answering(from.Kind)
	if from.Kind == session.KindStdout && exchange.Noticed(took) {
		x.paintYou(took, c)
		return
	}
	x.paintTook(took, style, exTook, c)
	x.paintYou(waited, c)
}

// paintYou paints for how long the server waited for the user, in the column for that or,
// in a narrow table, as a word after the result.
func (x *exchangeRows) paintYou(waited int64, c *table.Cells) {
	switch {
	case !exchange.Noticed(waited):
	case c.Width(exYou) > 0:
		x.paintTook(waited, x.theme.You, exYou, c)
	default:
		c.Tail(exResult, x.theme.You, "+you")
	}
}

// paintOutcome paints why an exchange has no response that counts. decides is the
// request of its last round.
func (x *exchangeRows) paintOutcome(number int, row, decides session.Row, c *table.Cells) {
	end, known := x.ws.Shown.Index.Exchanges.EndOf(&x.ws.Shown.Rows, number)
	if !known {
		end, known = x.ws.EndOfProcess(number, &decides)
	}
	if known {
		x.paintTimes(number, row, end, x.theme.Text, c)
	}
	text := ""
	switch decides.State {
	case session.ReqCancelled:
		x.mark(kit.Cancelled, c)
		text = filter.ShownCancelled + " by " + x.canceller(number)
		if row.Kind == session.KindStdout {
			text = filter.ShownCancelled + " by the server"
		}
		if response, ok := x.ws.Shown.Rows.PartnerOf(decides); ok && response.State != session.ReqUnread {
			text += x.dot() + "answered late"
		} else if !x.mayAnswer(number) {
			text += x.dot() + filter.ShownNoAnswer
		}
	case session.ReqTimedOut:
		x.mark(kit.Unanswered, c)
		text = filter.ShownNoAnswer
		if known {
			text += " in " + wording.Took(end-decides.T)
		}
		if _, ok := x.ws.Shown.Rows.PartnerOf(decides); ok {
			text += x.dot() + "answered late"
		}
	default:
		x.mark(kit.Unanswered, c)
		text = strings.TrimSuffix(filter.ShownNoAnswer+": "+x.lossNote(number, decides), ": ")
	}
	x.text(c, exResult, x.theme.Odd, text)
}

func (x *exchangeRows) paintResult(number int, response session.Row, c *table.Cells) {
	if response.Msg == framing.Batch { // with an element that is not listed
		x.text(c, exResult, x.theme.Dim, "answered beyond the first "+wording.Thousands(session.MaxElements)+" elements of a batch")
		return
	}
	text, failed := x.resultText(number, response)
	x.paintOutcomeText(text, failed, c)
	if response.Kind != session.KindStdin || x.ws.Shown.Tap() {
		return
	}
	if by, _ := x.answeredBy(number - 1); by != session.ByPerson {
		c.Text(exResult, x.theme.Dim, " (answered by a rule)")
	}
}

func (x *exchangeRows) paintOutcomeText(text string, failed bool, c *table.Cells) {
	style := x.theme.Text
	if failed {
		style = x.theme.Failed
		x.mark(kit.Failed, c)
	}
	x.text(c, exResult, style, text)
}

// lossNote returns why a request can no longer get a response, according to the
// log: its process ended, or the request was not written.
func (t *trafficRows) lossNote(number int, request session.Row) string {
	if response, ok := t.ws.Shown.Rows.PartnerOf(request); ok && response.State == session.ReqUnread {
		if response.Flags&session.FlagPart != 0 {
			return filter.ShownTooLong
		}
		return filter.ShownTooDeep
	}
	if reason := t.unsent(number); reason != "" {
		return reason
	}
	ends := t.ws.Shown.Index.Points[workspace.ExitPoint]
	i, _ := slices.BinarySearch(ends, uint32(number))
	for _, at := range []int{i, i - 1} { // a process may have exited while its streams stayed open
		if at < 0 || at >= len(ends) {
			continue
		}
		if row, ok := t.ws.Shown.Rows.At(int(ends[at])); ok && row.Run == request.Run {
			if e, err := t.ws.Shown.Source.Entry(row, 0); err == nil {
				return t.ending(&e)
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

func (r *rowText) ending(e *session.Entry) string {
	if e.Kind == session.KindFailed {
		var b session.FailedBody
		switch err := e.DecodeBody(&b); {
		case err == nil && b.Code != "":
			return "connection lost"
		case err == nil:
			return wording.FirstLine(b.Error)
		}
	}
	var b session.ExitedBody
	if e.DecodeBody(&b) != nil {
		return strings.TrimSpace("server ended: " + session.Describe(e))
	}
	return "server " + r.exitText(executor.ParseEndedBy(b.By), b)
}

// exitText describes how a process ended: its cause, and its exit code or signal. In a tap, only
// the tap itself runs the shutdown sequence.
func (r *rowText) exitText(by executor.EndedBy, b session.ExitedBody) string {
	how := "ended"
	switch {
	case b.Signal != "":
		how = "killed by " + b.Signal
	case b.Code != nil:
		how = fmt.Sprintf("exited %d", *b.Code)
	case by == executor.EndedUnknown && b.Why != "":
		how = "ended (" + b.Why + ")"
	}
	switch {
	case by == executor.EndedByWatchdog:
		return "killed by the watchdog"
	case session.EndedFromOutside(by):
		return "killed by the guard"
	case by == executor.EndedByShutdown && r.ws.Shown.Tap():
		return "stopped by the tap, " + how
	case by == executor.EndedByPerson && b.Signal != "":
		return "killed by you"
	case by == executor.EndedByPerson, by == executor.EndedByShutdown && b.Signal == "":
		return "stopped by you, " + how
	case by == executor.EndedByClient:
		return "stopped by the client, " + how
	}
	return how
}
