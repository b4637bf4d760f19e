package traffic

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// rowRead is how many bytes of a message are read to show its row.
const rowRead = 4096

type trafficRows struct {
	rowText
	pane     *Pane
	theme    *paint.Theme
	hits     *kit.Highlight
	ellipsis string
	buf      [rowRead + 1<<10]byte // the entry being painted
}

func (t *trafficRows) Len() int { return t.ws.Shown.Index.Scanned }

// Version changes with everything that can change in a row: its state, its
// partner, its marks, the number of rows folded into it, the seconds that a
// request has been pending, and the search.
func (t *trafficRows) Version(number int) uint32 {
	row, _ := t.ws.Shown.Rows.At(number)
	v := uint32(row.State) | uint32(row.Flags)<<4
	if row.Paired() {
		v |= 1 << 12
	}
	switch {
	case row.State != session.ReqPending:
	case t.ws.Unreachable:
		v |= 1 << 30 // no pending time
	case t.ws.Clock >= 0:
		v |= tickOf(t.ws.Clock-row.T) << 13
	}
	if t.ws.Notes.Marks.Has(number) {
		v |= 1 << 31
	}
	if workspace.FloodKind(&row) != 0 {
		if rows, folded := t.pane.Listed().Fold(number); folded {
			v = mixed(v, uint32(rows))
		}
	}
	return mixed(mixed(v, t.hits.Version), t.ws.Shown.Problems.Version)
}

// Changes of both do not cancel each other (as in FNV-1a).
func mixed(a, b uint32) uint32 { return (a*16777619 ^ b) * 16777619 }

func (t *trafficRows) Paint(number int, c *table.Cells) {
	row, ok := t.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	e, err := session.EntryInto(t.ws.Shown.Source, row, rowRead, t.buf[:0])
	style := t.style(row)
	written := t.ws.Notes.Texts[number]
	t.paintMark(number, row, c)
	if own, again := t.ws.Shown.SentByTap(&row, &e); (own || again) && !c.Marked() {
		t.mark(kit.Own, c)
	}
	t.paintSeq(e, c)
	t.num = t.pane.times.append(t.num[:0], row.T, t.start())
	c.Bytes(colTime, t.theme.Dim, t.num)
	c.Text(colDirection, t.theme.Dim, t.direction(row.Kind))
	switch rows, folded := t.pane.Listed().Fold(number); {
	case err != nil:
		c.Text(colMethod, t.theme.Failed, "(not kept) "+t.ws.Shown.Source.Method(row.Method))
	case folded:
		t.paintFold(row, rows, style, c)
	case row.Kind == session.KindStderr && row.Flags&session.FlagLineEnd != 0:
		c.Text(colMethod, t.theme.Dim, "(end of the previous line)")
	case row.Kind == session.KindStderr:
		c.Rest(colMethod)
		t.hits.Paint(c, colMethod, style, t.theme.Match, e.Payload)
	case !row.Kind.IsStream():
		c.Rest(colMethod)
		t.paintEvent(&e, colMethod, c)
	default:
		if written != "" && saidColumn(c) == colSummary {
			c.Text(colSummary, t.theme.Accent, "; "+written+"  ")
			written = ""
		}
		t.paintMethod(number, row, &e, style, c)
		c.Text(colID, t.theme.Text, t.id(row, &e))
		t.paintLatency(number, row, c)
		t.num = wording.AppendSize(t.num[:0], e.FullSize)
		c.Bytes(colSize, t.theme.Dim, t.num)
	}
	if written != "" {
		c.Text(colMethod, t.theme.Accent, "  ; "+written)
	}
}

func (t *trafficRows) start() time.Time {
	if !t.pane.times.wall {
		return time.Time{}
	}
	return t.ws.Shown.Source.Header().Start
}

// The number of hidden rows is always visible, however little room there is.
func (t *trafficRows) paintFold(row session.Row, rows int, style paint.Style, c *table.Cells) {
	c.Rest(colMethod)
	count := t.glyph(" ×", " x") + wording.Thousands(rows)
	method := t.ws.Shown.Source.Method(row.Method)
	if room := c.Width(colMethod) - len(count); room > 0 {
		method = termsafe.Truncate(method, room, t.ellipsis)
	}
	t.hits.Paint(c, colMethod, style, t.theme.Match, []byte(method))
	c.Text(colMethod, t.theme.Strong, count)
}

// style returns the style of the method of a message, or of a line of stderr.
func (t *trafficRows) style(row session.Row) paint.Style {
	switch {
	case row.Kind == session.KindStderr:
		return t.theme.Text
	case row.Msg == framing.Request && row.Kind == session.KindStdin:
		return kit.MethodStyle(t.ws.Shown.Source.Method(row.Method), t.theme)
	case row.Msg == framing.Response, row.Msg == framing.ErrorResponse:
		return t.theme.Dim
	}
	return t.theme.Text
}

// direction returns the sign of the column between time and method.
func (t *trafficRows) direction(kind session.Kind) string {
	switch kind {
	case session.KindStdin:
		return t.glyph("→", ">")
	case session.KindStdout:
		return t.glyph("←", "<")
	}
	return " "
}

func (t *trafficRows) paintMark(number int, row session.Row, c *table.Cells) {
	request := row.Msg == framing.Request
	probe := row.Flags&session.FlagProbe != 0
	mark := kit.NoMark
	switch {
	case row.State == session.ReqUnmatched, row.State == session.ReqDuplicate, filter.IsStray(row):
		mark = kit.NotMessage
	case !probe && (row.State == session.ReqLost || row.State == session.ReqTimedOut):
		mark = kit.Unanswered
	case row.State == session.ReqCancelled:
		mark = kit.Cancelled
	case row.Flags&session.FlagError != 0 && !request && !probe, row.Kind == session.KindGap, row.Kind == session.KindFailed:
		mark = kit.Failed
	case request && row.State == session.ReqPending && row.Kind == session.KindStdout:
		mark = kit.Waits
	case request && row.State == session.ReqPending:
		mark = kit.Running
	case row.Flags&session.FlagProblem != 0:
		mark = kit.NotMessage
	default:
		if f, ok := t.ws.Shown.Problems.Worst(number); ok {
			if mark = kit.Warning; f.Severity == diagnosis.Error {
				mark = kit.Failed
			}
		}
	}
	own := kit.NoMark
	switch {
	case t.ws.Notes.Texts[number] != "":
		own = kit.Noted
	case t.ws.Notes.Marks.Has(number):
		own = kit.Marked
	}
	if own != kit.NoMark {
		c.Flag(t.screen.Mark(own))
	}
	if mark != kit.NoMark {
		t.mark(mark, c)
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

// paintMethod paints the main text of a row: a method with notes, or the text of
// a line that is not a message.
func (t *trafficRows) paintMethod(number int, row session.Row, e *session.Entry, style paint.Style, c *table.Cells) {
	method := t.ws.Shown.Source.Method(row.Method)
	switch {
	case row.Flags&session.FlagPart != 0:
		t.paintText(filter.ShownPart+"  ", e, c)
	case filter.IsStray(row):
		t.paintText(filter.ShownNoise+"  ", e, c)
	case row.Msg == framing.NotJSON, row.Msg == framing.Other:
		t.paintText(filter.ShownNotMessage+", sent by "+t.ws.Shown.User()+"  ", e, c)
	case row.Msg == framing.Batch:
		t.paintBatchRow(number, e, c)
	case method == "":
		name := "answer"
		if row.State == session.ReqUnmatched {
			name, _ = t.strayAnswer(number, row, e)
		}
		t.withNote(c, style, name, t.theme.Failed, "")
		t.paintSummary(number, row, c)
	case row.State == session.ReqLost:
		t.withNote(c, style, method, t.theme.Odd, strings.TrimSuffix(filter.ShownNoAnswer+": "+t.lossNote(number, row), ": "))
		t.paintSummary(number, row, c)
	case row.Kind == session.KindStdout && row.Msg == framing.Request:
		note := t.answerNote(row)
		if room := c.Width(colMethod) - len(note) - 1; note != "" && room > 0 && saidColumn(c) == colMethod {
			method = termsafe.Truncate(method, room, t.ellipsis) // the outcome must stay visible
		}
		t.withNote(c, style, method, t.theme.Odd, note)
		t.paintSummary(number, row, c)
	default:
		note, noteStyle := stateWords[row.State], t.theme.Odd
		if row.Flags&session.FlagProbe != 0 {
			note, noteStyle = "tried first", t.theme.Dim
		}
		if f, ok := t.ws.Shown.Problems.Worst(number); ok && note == "" {
			note = f.Rule.ID
			_, noteStyle = kit.SeverityMark(f.Severity, t.theme)
		}
		if _, waited, ok := t.took(row); ok && exchange.Noticed(waited) && note == "" {
			note, noteStyle = workspace.You(waited), t.theme.Dim
		}
		if len(method) > c.Width(colMethod) {
			method = summary.Short(method)
		}
		t.withNote(c, style, method, noteStyle, note)
		t.paintSummary(number, row, c)
	}
}

func (t *trafficRows) text(c *table.Cells, column int, style paint.Style, text string) {
	if t.screen.ASCII {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "…", t.ellipsis), "·", "-") // of summaries
	}
	t.hits.PaintText(c, column, style, t.theme.Match, text)
}

// paintSummary paints what a message says: in a column of its own or, if there is
// no room for one, after the method.
func (t *trafficRows) paintSummary(number int, row session.Row, c *table.Cells) {
	m, style := t.says(number, row), t.theme.Dim
	text := m.Text
	if row.Msg == framing.ErrorResponse || row.Msg == framing.Response {
		failed := false
		if text, failed = t.resultText(number, row); failed {
			style = t.theme.Failed
		}
	}
	column := saidColumn(c)
	for _, said := range []struct {
		style paint.Style
		text  string
	}{{t.theme.Text, m.Call}, {style, text}} {
		if said.text != "" {
			t.text(c, column, said.style, said.text)
			c.Text(column, style, "  ")
		}
	}
}

func (t *trafficRows) paintText(what string, e *session.Entry, c *table.Cells) {
	c.Text(colMethod, t.theme.Odd, what)
	t.hits.Paint(c, saidColumn(c), t.theme.Text, t.theme.Match, e.Payload)
}

// saidColumn returns the column of what a message says: that of the method where
// the summary has none.
func saidColumn(c *table.Cells) int {
	if c.Width(colSummary) == 0 {
		return colMethod
	}
	return colSummary
}

func (t *trafficRows) withNote(c *table.Cells, style paint.Style, method string, noteStyle paint.Style, note string) {
	t.hits.Paint(c, colMethod, style, t.theme.Match, []byte(method))
	c.Text(colMethod, style, " ")
	if note != "" {
		c.Text(saidColumn(c), noteStyle, note)
		c.Text(saidColumn(c), style, "  ")
	}
}

// strayAnswer names a response that belongs to no request, and returns what it says.
func (t *trafficRows) strayAnswer(number int, row session.Row, e *session.Entry) (name string, text []byte) {
	if row.State == session.ReqDuplicate {
		return filter.ShownSecond, []byte(t.says(number, row).Text)
	}
	id := string(e.Msg.ID.Of(e.Payload))
	if refusal, ok := session.Refusal(t.ws.Shown.Source, number, e); ok {
		if code, _ := rpcError(e); code == "-32700" {
			return filter.ShownParseError + " " + code, []byte(refusal)
		}
		return filter.ShownNoID, []byte(refusal)
	}
	if id == "" || id == "null" {
		return filter.ShownNoID, []byte(t.says(number, row).Text)
	}
	return filter.ShownUnknownID + " " + wording.Clip(id, maxShownID, t.ellipsis), []byte(t.says(number, row).Text)
}

// maxShownID is how many bytes of an unknown id a row shows.
const maxShownID = 12

// stateWords name states next to a method.
var stateWords = map[session.ReqState]string{
	session.ReqCancelled: filter.ShownCancelled, session.ReqTimedOut: filter.ShownNoAnswer, session.ReqDuplicate: filter.ShownSecond,
}

// rpcError returns the code and message of an error response, as far as they can
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

// An automatic error has no answer act directly before it.
func (t *trafficRows) answerNote(request session.Row) string {
	response, ok := t.ws.Shown.Rows.PartnerOf(request)
	if !ok || response.Msg != framing.ErrorResponse {
		return ""
	}
	e, err := t.ws.Shown.Source.Entry(response, rowRead)
	if err != nil || e.Cut {
		return ""
	}
	code, message := rpcError(&e)
	at, _ := request.Partner()
	_, chosen := t.answeredBy(at - 1)
	if strings.HasPrefix(message, "mcpdbg:") || message == "Method not found" && !chosen {
		return "answered by a rule " + code
	}
	return "answered " + code
}

// answeredBy returns what gave the response in the row after a row, if that row is
// the act of an answer: the act is directly before the response that it caused.
func (t *trafficRows) answeredBy(number int) (by string, ok bool) {
	row, ok := t.ws.Shown.Rows.At(number)
	if !ok || row.Kind != session.KindAct {
		return "", false
	}
	var b session.ActBody
	e, err := t.ws.Shown.Source.Entry(row, 0)
	if err != nil || e.DecodeBody(&b) != nil || b.Act != session.ActAnswer {
		return "", false
	}
	return b.By, true
}

// id returns the id of a message, ours in short. For a response that is too long
// to be read completely it is the id of the request.
func (t *trafficRows) id(row session.Row, e *session.Entry) string {
	if !e.Cut {
		return summary.ID(string(e.Msg.ID.Of(e.Payload)))
	}
	partner, ok := t.ws.Shown.Rows.PartnerOf(row)
	if !ok {
		return ""
	}
	request, err := t.ws.Shown.Source.Entry(partner, rowRead)
	if err != nil || request.Cut {
		return ""
	}
	return summary.ID(string(request.Msg.ID.Of(request.Payload)))
}

// took returns how long the response at a row took, and for how long the server waited
// for the user; ok is false if the row is not a response.
func (t *trafficRows) took(row session.Row) (took, waited int64, ok bool) {
	request, ok := t.ws.Shown.Rows.PartnerOf(row)
	if !ok || row.Msg != framing.Response && row.Msg != framing.ErrorResponse && row.Msg != framing.Batch {
		return 0, 0, false
	}
	number, _ := row.Partner()
	took, waited = t.ws.Times(number, exchange.Span{From: request.T, To: row.T}).Answering(request.Kind)
	return took, waited, true
}

func (t *trafficRows) paintLatency(number int, row session.Row, c *table.Cells) {
	switch row.State {
	case session.ReqPending:
		if t.ws.Clock >= 0 && !t.ws.Unreachable {
			took, _ := t.ws.Elapsed(number, row).Answering(row.Kind)
			t.paintTook(took/tick*tick, t.theme.Accent, colLatency, c)
		}
	case session.ReqNone, session.ReqInput, session.ReqTask, session.ReqUnread:
		if took, _, ok := t.took(row); ok {
			t.paintTook(took, t.theme.Text, colLatency, c)
		}
	}
}
