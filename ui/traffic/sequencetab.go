package traffic

import (
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
)

// The columns of the sequence.
const (
	seqTime = iota
	seqCall
	seqLanes
	seqNote
)

const (
	// callsFrom and timesFrom are the widths from which there are the names of
	// calls, and times.
	callsFrom = 100
	timesFrom = 70
	callWidth = 18
	timeWidth = 9
	noteWidth = 13
	// Arrows get no longer: a response would be too far from its time.
	widestSequence = 160
	// leastLanes is the least width of the lanes.
	leastLanes = 20
)

type sequencePart struct {
	*table.Table
	text  *rowText
	list  *table.Folded // what the table lists
	width int
	lane  []byte // scratch
}

func newSequence(text *rowText) *sequencePart {
	s := &sequencePart{text: text}
	s.Table = table.New(table.Config{
		Source: s, Theme: text.screen.Theme, Options: text.screen.Look(), Header: true, Empty: "no messages yet",
		Columns: s.columns(0),
	})
	return s
}

// The title of the lanes names both sides.
func (s *sequencePart) columns(width int) []table.Column {
	lanes := width - 2 - noteWidth - 1
	columns := []table.Column{
		seqTime: {Title: "time", Min: timeWidth, Priority: 1, Align: termsafe.Right},
		seqCall: {Title: "call", Min: callWidth, Priority: 2},
		seqNote: {Title: "", Min: noteWidth, Priority: 3},
	}
	if width < timesFrom {
		columns[seqTime] = hiddenColumn
	} else {
		lanes -= timeWidth + 1
	}
	if width < callsFrom {
		columns[seqCall] = hiddenColumn
	} else {
		lanes -= callWidth + 1
	}
	title := "client" + strings.Repeat(" ", max(lanes-len("client")-len("server"), 1)) + "server"
	columns[seqLanes] = table.Column{Title: title, Min: leastLanes, Weight: 1, Must: true}
	return columns
}

func (s *sequencePart) paint(out *paint.Lines) {
	width, height := out.Size()
	width = min(width, widestSequence)
	if width != s.width {
		s.width = width
		s.SetColumns(s.columns(width))
	}
	s.SetSize(width, height)
	s.Table.Paint(out, false)
}

func (s *sequencePart) Len() int { return s.text.ws.Shown.Index.Scanned }

func (s *sequencePart) Version(number int) uint32 {
	rows, _ := s.list.Fold(number)
	return s.text.version(number) ^ uint32(rows)<<6
}

func (s *sequencePart) Paint(number int, c *table.Cells) {
	row, ok := s.text.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	s.text.paintClock(row.T, seqTime, c)
	if row.Msg == framing.Request {
		s.text.paintName(number, row, seqCall, c)
	}
	style, incoming := s.style(row), row.Kind == session.KindStdout
	s.paintLane(s.message(number, row, c.Width(seqCall) == 0), style, incoming, row.Msg == framing.Response || row.Msg == framing.ErrorResponse, c)
	s.paintNote(number, row, c)
}

func (s *sequencePart) style(row session.Row) paint.Style {
	th := s.text.screen.Theme
	switch {
	case row.Msg == framing.ErrorResponse, row.Msg == framing.Response && row.Flags&session.FlagError != 0:
		return th.Failed.If(row.Flags&session.FlagProbe == 0)
	case row.Msg == framing.Request, row.Msg == framing.Response:
		return th.Text
	case row.Msg == framing.Notification:
		return th.Dim
	}
	return th.Odd
}

// named adds what a request names, such as a tool, where calls have no column.
func (s *sequencePart) message(number int, row session.Row, named bool) string {
	said, method := s.text.says(number, row), s.text.ws.Shown.Source.Method(row.Method)
	rows, folded := s.list.Fold(number)
	switch {
	case said.Lost:
		return method + " (not kept)"
	case folded:
		return summary.Short(method) + s.text.glyph(" ×", " x") + wording.Thousands(rows)
	case row.Msg == framing.Notification:
		return wording.Join(" ", summary.Short(method), said.Call, said.Text)
	case row.Msg == framing.Request:
		call, id := said.Call, summary.ID(said.ID)
		if !named {
			call = ""
		}
		if id != "" { // a bare number would look like an argument
			id = "id " + id
		}
		return wording.Join(" ", method, call, id, said.Text)
	case row.Msg == framing.ErrorResponse, row.Msg == framing.Response:
		text, failed := s.text.resultText(number, row)
		switch {
		case failed:
			return text
		case row.Msg == framing.ErrorResponse:
			return wording.Join(" ", "error", text)
		}
		return wording.Join(" ", "result", text)
	case row.Msg == framing.Batch:
		return "batch"
	}
	return wording.Join(" ", filter.ShownNoise+":", said.Text)
}

// paintLane paints the arrow of a message between the lanes of client and server,
// with its text at the end where it begins.
func (s *sequencePart) paintLane(text string, style paint.Style, incoming, response bool, c *table.Cells) {
	const ends = 2 * len("| ")            // the two lanes
	const marks = len("-- ") + len(" ->") // around the text
	room := c.Width(seqLanes) - ends
	if room <= marks {
		return
	}
	if s.text.screen.ASCII {
		text = strings.ReplaceAll(text, " · ", ", ") // of summaries
	}
	text = termsafe.Truncate(termsafe.String(text), room-marks, s.text.screen.Look().Ellipsis)
	dashes := room - marks - termsafe.Width(text)
	line, left, right := s.text.glyph("─", "-"), s.text.glyph("◀", "<"), s.text.glyph("▶", ">")
	b := s.lane[:0]
	switch {
	case !incoming:
		b = append(append(append(append(b, line...), line...), ' '), text...)
		b = append(repeated(append(b, ' '), line, dashes+1), right...)
	case response:
		b = append(repeated(append(b, left...), line, dashes+1), ' ')
		b = append(append(append(append(b, text...), ' '), line...), line...)
	default:
		b = append(append(append(append(append(b, left...), line...), ' '), text...), ' ')
		b = repeated(b, line, dashes+2)
	}
	s.lane = b
	bar := s.text.glyph("│", "|")
	c.Text(seqLanes, s.text.screen.Theme.Rule, bar+" ")
	c.Bytes(seqLanes, style, b)
	c.Text(seqLanes, s.text.screen.Theme.Rule, " "+bar)
}

func repeated(b []byte, glyph string, n int) []byte {
	for range n {
		b = append(b, glyph...)
	}
	return b
}

// paintNote paints how long a response took, the call during which the server
// made a request, or why there is no response.
func (s *sequencePart) paintNote(number int, row session.Row, c *table.Cells) {
	th, p := s.text.screen.Theme, s.text.ws.Shown
	request, paired := p.Rows.PartnerOf(row)
	switch row.Msg {
	case framing.Response, framing.ErrorResponse:
		if paired && row.State != session.ReqDuplicate {
			number, _ := row.Partner()
			took, _ := s.text.ws.Times(number, exchange.Span{From: request.T, To: row.T}).Answering(request.Kind)
			c.Text(seqNote, th.Text, wording.Clip(wording.Took(took), noteWidth, wording.Dots))
		}
	case framing.Request:
		call, during := p.Index.Exchanges.During(number)
		over := row.State == session.ReqAnswered || row.State == session.ReqFailed
		switch {
		case during && over:
			c.Text(seqNote, th.Dim, "during #"+s.idOf(call))
		case during:
			c.Text(seqNote, th.Odd, "during #"+s.idOf(call))
		case !over:
			c.Text(seqNote, th.Odd, row.State.String())
		}
	}
}

func (s *sequencePart) idOf(number int) string {
	row, _ := s.text.ws.Shown.Rows.At(number)
	return strings.Trim(s.text.says(number, row).ID, `"`)
}
