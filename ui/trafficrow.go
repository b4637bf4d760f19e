package ui

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// rowRead is how much of a message is read to show its row, in bytes.
const rowRead = 4096

// trafficRows paints the rows of the traffic pane.
type trafficRows struct {
	pane     *traffic
	rows     rowReader
	theme    *theme.Theme
	hits     *highlight
	found    *findings
	callee   calleeReader
	ellipsis string
	num      []byte                // scratch
	buf      [rowRead + 1<<10]byte // the entry that is painted
}

// Len returns the number of rows in the log, of whatever kind.
func (t *trafficRows) Len() int { return t.pane.index.scanned }

// Version changes with what may change of a row: its state, its partner, its
// marks, how many rows are folded into it, the seconds that a request has been
// pending, and the search.
func (t *trafficRows) Version(number int) uint32 {
	row, _ := t.rows.at(number)
	v := uint32(row.State) | uint32(row.Flags)<<4
	if row.Pair != 0 {
		v |= 1 << 12
	}
	switch {
	case row.State != session.ReqPending:
	case t.pane.outOfReach:
		v |= 1 << 30 // no time that a request has been pending
	case t.pane.clock >= 0:
		v |= uint32((t.pane.clock-row.T)/1e6) << 13
	}
	if t.pane.marks.has(number) {
		v ^= 1 << 31
	}
	if floodKind(&row) != 0 {
		if rows, folded := t.pane.listed().Fold(number); folded {
			v ^= uint32(rows) << 8
		}
	}
	return v ^ t.hits.version<<24 ^ t.found.version<<20
}

// Paint paints one row.
func (t *trafficRows) Paint(number int, c *table.Cells) {
	row, ok := t.rows.at(number)
	if !ok {
		return
	}
	e, err := session.EntryInto(t.pane.source, row, rowRead, t.buf[:0])
	style := t.style(row)
	if t.pane.marks.has(number) {
		c.Flag(t.theme.Key, "m")
		if text := t.pane.texts[number]; text != "" {
			c.Flag(t.theme.Key, "n")
			defer func() { c.Text(colMethod, t.theme.Key, "  ; "+text) }()
		}
	}
	t.paintMark(number, row, c)
	t.paintSeq(e, c)
	t.num = t.pane.times.append(t.num[:0], row.T, t.start())
	c.Bytes(colTime, t.theme.Dim, t.num)
	c.Text(colDirection, style, direction(row.Kind))
	switch rows, folded := t.pane.listed().Fold(number); {
	case err != nil:
		c.Text(colMethod, t.theme.Error, "(not kept) "+t.pane.source.Method(row.Method))
	case folded:
		t.paintFold(row, rows, style, c)
	case row.Kind == session.KindStderr && row.Flags&session.FlagLineEnd != 0:
		c.Text(colMethod, t.theme.Dim, "(end of the line before)")
	case row.Kind == session.KindStderr:
		c.Rest(colMethod)
		t.hits.paint(c, colMethod, style, t.theme.Match, e.Payload)
	case !row.Kind.IsStream():
		c.Rest(colMethod)
		paintEvent(c, colMethod, &e, t.theme, t.hits)
	default:
		t.paintMethod(number, row, &e, style, c)
		c.Bytes(colID, t.theme.Text, t.id(row, &e))
		t.paintLatency(row, c)
		t.num = appendSize(t.num[:0], e.FullSize)
		c.Bytes(colSize, t.theme.Dim, t.num)
	}
}

// start is when the log began.
func (t *trafficRows) start() time.Time {
	if !t.pane.times.wall {
		return time.Time{}
	}
	return t.pane.source.Header().Start
}

// paintFold paints the row that stands for a flood. How many rows it hides must
// be seen, however little room there is.
func (t *trafficRows) paintFold(row session.Row, rows int, style theme.Style, c *table.Cells) {
	c.Rest(colMethod)
	count := " x " + paint.Thousands(rows)
	method := t.pane.source.Method(row.Method)
	if room := c.Width(colMethod) - len(count); room > 0 {
		method = termsafe.Truncate(method, room, t.ellipsis)
	}
	t.hits.paint(c, colMethod, style, t.theme.Match, []byte(method))
	c.Text(colMethod, t.theme.Strong, count)
	c.Text(colMethod, t.theme.Dim, "  (collapsed, enter unfolds)")
}

func direction(kind session.Kind) string {
	switch kind {
	case session.KindStdin:
		return ">"
	case session.KindStdout:
		return "<"
	case session.KindStderr:
		return "!"
	}
	return " "
}

func (t *trafficRows) style(row session.Row) theme.Style {
	switch {
	case row.Kind == session.KindStderr:
		return t.theme.Stderr
	case row.Kind == session.KindStdout && row.Msg == framing.Request:
		return t.theme.ServerRequest
	}
	switch row.Msg {
	case framing.Request:
		return t.theme.Request
	case framing.Response, framing.ErrorResponse:
		return t.theme.Response
	case framing.Notification:
		return t.theme.Notification
	}
	return t.theme.Warn
}

// paintMark paints the glyph that tells what is special about a row.
func (t *trafficRows) paintMark(number int, row session.Row, c *table.Cells) {
	request := row.Msg == framing.Request
	probe := row.Flags&session.FlagProbe != 0
	switch {
	case row.State == session.ReqOrphan || row.State == session.ReqDuplicate:
		c.Mark(t.theme.Warn, "!")
	case !probe && (row.State == session.ReqLost || row.State == session.ReqTimedOut):
		c.Mark(t.theme.Error, "x")
	case row.State == session.ReqCancelled:
		c.Mark(t.theme.Warn, "-")
	case row.Flags&session.FlagError != 0 && !request && !probe:
		c.Mark(t.theme.Error, "x")
	case filter.IsStray(row) || row.Flags&session.FlagProblem != 0:
		c.Mark(t.theme.Warn, "?")
	case request && row.Kind == session.KindStdout:
		c.Mark(t.theme.ServerRequest, "~")
	default:
		if f, ok := t.found.of(number); ok {
			_, style := severityOf(f.Severity, t.theme)
			c.Mark(style, "!")
		}
	}
}

func (t *trafficRows) paintSeq(e session.Entry, c *table.Cells) {
	if e.Seq == 0 {
		c.Text(colSeq, t.theme.Dim, "-")
		return
	}
	t.num = strconv.AppendUint(t.num[:0], e.Seq, 10)
	c.Bytes(colSeq, t.theme.Dim, t.num)
}

// paintMethod paints what the row is: a method and what else is to be known,
// or the text of a line that is no message.
func (t *trafficRows) paintMethod(number int, row session.Row, e *session.Entry, style theme.Style, c *table.Cells) {
	method := t.pane.source.Method(row.Method)
	switch {
	case row.Flags&session.FlagPart != 0:
		t.paintText("(part of a line) ", e, c)
	case row.Msg == framing.NotJSON:
		t.paintText("(not JSON) ", e, c)
	case row.Msg == framing.Other:
		t.paintText("(no message) ", e, c)
	case row.Msg == framing.Batch:
		t.withNote(c, style, method, t.theme.Dim, "(batch)")
	case method == "":
		t.withNote(c, style, "(response)", t.theme.Error, errorNote(row, e))
	case row.State == session.ReqLost:
		t.withNote(c, style, method, t.theme.Error, t.lossNote(number, row))
		t.paintCallee(method, row, e, c)
	case row.Kind == session.KindStdout && row.Msg == framing.Request:
		note := t.answerNote(row)
		if room := c.Width(colMethod) - len(note) - 1; note != "" && room > 0 {
			method = termsafe.Truncate(method, room, t.ellipsis) // how it was answered must be seen
		}
		t.withNote(c, style, method, t.theme.Warn, note)
	default:
		note, noteStyle := errorNote(row, e), t.failure(row)
		if row.Flags&session.FlagProbe != 0 {
			note = strings.TrimSpace("probe " + note)
		}
		if f, ok := t.found.of(number); ok && note == "" {
			note = f.Rule.ID
			_, noteStyle = severityOf(f.Severity, t.theme)
		}
		t.withNote(c, style, method, noteStyle, note)
		t.paintCallee(method, row, e, c)
	}
}

// paintCallee paints which tool, prompt or resource a request is about.
func (t *trafficRows) paintCallee(method string, row session.Row, e *session.Entry, c *table.Cells) {
	member := calleeMembers[method]
	if member == "" || row.Msg != framing.Request || e.Cut {
		return
	}
	if callee := t.callee.read(e.Msg.Params.Of(e.Payload), member); callee != nil {
		c.Text(colMethod, t.theme.Dim, " ")
		t.hits.paint(c, colMethod, t.theme.Dim, t.theme.Match, callee)
	}
}

func (t *trafficRows) paintText(what string, e *session.Entry, c *table.Cells) {
	c.Text(colMethod, t.theme.Warn, what)
	t.hits.paint(c, colMethod, t.theme.Text, t.theme.Match, e.Payload)
}

// withNote paints a method and a note behind it, as far as there is room.
func (t *trafficRows) withNote(c *table.Cells, style theme.Style, method string, noteStyle theme.Style, note string) {
	t.hits.paint(c, colMethod, style, t.theme.Match, []byte(method))
	if note != "" {
		c.Text(colMethod, style, " ")
		c.Text(colMethod, noteStyle, note)
	}
}

// errorNote says which error a response carries.
func errorNote(row session.Row, e *session.Entry) string {
	switch {
	case row.Msg == framing.Response && row.Flags&session.FlagError != 0:
		return "isError"
	case row.Msg != framing.ErrorResponse:
		return ""
	}
	code, message := rpcError(e)
	return strings.TrimSpace(code + " " + message)
}

// rpcError returns code and message of an error response, as far as they can
// be read.
func rpcError(e *session.Entry) (code, message string) {
	var failure struct {
		Code    json.Number `json:"code"`
		Message string      `json:"message"`
	}
	if json.Unmarshal(e.Msg.Error.Of(e.Payload), &failure) != nil {
		return "", ""
	}
	return failure.Code.String(), failure.Message
}

// answerNote says how a request of the server was answered. An automatic error has
// no answer act directly before it.
func (t *trafficRows) answerNote(request session.Row) string {
	response, ok := t.rows.at(int(request.Pair) - 1)
	if !ok || response.Msg != framing.ErrorResponse {
		return ""
	}
	e, err := t.pane.source.Entry(response, rowRead)
	if err != nil || e.Cut {
		return ""
	}
	code, message := rpcError(&e)
	if strings.HasPrefix(message, "mcpdbg:") || message == "Method not found" && !t.chosen(int(request.Pair)-2) {
		return "auto " + code
	}
	return "answered " + code
}

// chosen reports whether a row is the act of an answer, which stands directly
// before the response that it led to.
func (t *trafficRows) chosen(number int) bool {
	row, ok := t.rows.at(number)
	if !ok || row.Kind != session.KindAct {
		return false
	}
	var b session.ActBody
	e, err := t.pane.source.Entry(row, 0)
	return err == nil && e.DecodeBody(&b) == nil && b.Act == session.ActAnswer
}

// id returns the raw id of a message. Of a response that is too long to be
// read whole it is its request's.
func (t *trafficRows) id(row session.Row, e *session.Entry) []byte {
	if !e.Cut {
		return e.Msg.ID.Of(e.Payload)
	}
	partner, ok := t.rows.at(int(row.Pair) - 1)
	if !ok {
		return nil
	}
	request, err := t.pane.source.Entry(partner, rowRead)
	if err != nil || request.Cut {
		return nil
	}
	return request.Msg.ID.Of(request.Payload)
}

// failure is how it looks that there was no answer, or an error: of a probe
// either is as it should be.
func (t *trafficRows) failure(row session.Row) theme.Style {
	if row.Flags&session.FlagProbe != 0 {
		return t.theme.Dim
	}
	return t.theme.Error
}

// paintLatency paints how long a response took, or what became of a request.
func (t *trafficRows) paintLatency(row session.Row, c *table.Cells) {
	switch row.State {
	case session.ReqPending:
		if t.pane.outOfReach {
			c.Text(colLatency, t.theme.Warn, "no reply")
			return
		}
		t.num = append(t.num[:0], "pending"...)
		if t.pane.clock >= 0 {
			t.num = strconv.AppendInt(t.num[:0], max(t.pane.clock-row.T, 0)/1e6, 10)
			t.num = append(t.num, " s ..."...)
		}
		c.Bytes(colLatency, t.theme.Warn, t.num)
	case session.ReqCancelled, session.ReqOrphan, session.ReqDuplicate:
		c.Text(colLatency, t.theme.Warn, row.State.String())
	case session.ReqLost, session.ReqTimedOut:
		c.Text(colLatency, t.failure(row), row.State.String())
	case session.ReqFailed:
		if row.Kind == session.KindStdin { // how we answered stands beside the method
			c.Text(colLatency, t.failure(row), row.State.String())
		}
	case session.ReqNone:
		request, ok := t.rows.at(int(row.Pair) - 1)
		if !ok || row.Msg != framing.Response && row.Msg != framing.ErrorResponse && row.Msg != framing.Batch {
			return
		}
		t.num = appendMillis(t.num[:0], row.T-request.T)
		c.Bytes(colLatency, t.theme.Text, t.num)
	}
}
