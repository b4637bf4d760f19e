package traffic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// The columns of the exchanges.
const (
	exTime = iota
	exCall
	exArguments
	exResult
	exTook
	exSize
)

// The widths of the table, in cells, below which columns go.
const (
	wideExchanges   = 100 // the arguments have a column, and there are sizes
	narrowExchanges = 70  // there are times
)

// hiddenColumn fits into no table.
var hiddenColumn = table.Column{Min: 1 << 20, Priority: -1}

// exchangeColumns returns the columns of the exchanges for a table of width
// cells. State, call and result are never dropped.
func exchangeColumns(width int, times *timeForm) []table.Column {
	title, clock := times.column()
	columns := []table.Column{
		exTime:      {Title: title, Min: max(clock, 9), Priority: 3, Align: termsafe.Right},
		exCall:      {Title: "call", Min: 16, Weight: 3, Must: true},
		exArguments: {Title: "arguments", Min: 12, Weight: 3, Priority: 5},
		exResult:    {Title: "result", Min: 16, Weight: 5, Must: true, Scroll: true},
		exTook:      {Title: "took", Min: 7, Priority: 4, Align: termsafe.Right},
		exSize:      {Title: "size", Min: 6, Priority: 2, Align: termsafe.Right},
	}
	if width < wideExchanges {
		columns[exArguments], columns[exSize] = hiddenColumn, hiddenColumn
		columns[exCall].Weight, columns[exResult].Weight = 1, 1
	}
	if width < narrowExchanges {
		columns[exTime], columns[exTook] = hiddenColumn, hiddenColumn
	}
	return columns
}

type exchangeRows struct {
	*trafficRows
	buf [summary.Limit + 1<<10]byte // the entry being read
}

// Version changes with everything that can change in a row.
func (x *exchangeRows) Version(number int) uint32 {
	v := x.trafficRows.Version(number)
	ex := x.ws.Shown.Index.Exchanges
	if ex.Unfolded(number) {
		v = mixed(v, 1)
	}
	if h, ok := ex.Handshake(number); ok {
		return mixed(mixed(mixed(v, x.trafficRows.Version(int(h.Last))), h.Last), h.End)
	}
	if _, ok := ex.Batch(number); ok {
		row, _ := x.ws.Shown.Rows.At(number)
		v = mixed(v, x.batchVersion(number, &row))
	}
	if at, ok := ex.Progress(number); ok {
		v = mixed(v, uint32(at))
	}
	if t, ok := ex.Task(number); ok {
		v = mixed(mixed(v, uint32(t.Said)), uint32(len(x.ws.Shown.Index.Points[workspace.ExitPoint])))
	}
	if last, n := ex.LastRound(number); n > 1 {
		v = mixed(mixed(v, x.trafficRows.Version(last)), uint32(n))
	}
	if x.ws.Clock >= 0 {
		v = mixed(v, x.clockVersion(number))
	}
	return mixed(v, uint32(len(x.ws.Waiting)))
}

// clockVersion changes with the time in a row that is not that of a pending
// request: of a call that waits for the person between two rounds, and of one that
// was cancelled.
func (x *exchangeRows) clockVersion(number int) uint32 {
	row, _ := x.ws.Shown.Rows.At(number)
	switch {
	case row.State == session.ReqCancelled && !row.Paired() && x.mayAnswer(number):
		return 1
	case row.State == session.ReqAnswered && len(x.ws.Waiting) > 0 && x.waits(number), x.ws.OpenTask(number):
		return uint32((x.ws.Clock - row.T) / 1e6)
	}
	return 0
}

func (x *exchangeRows) Paint(number int, c *table.Cells) {
	row, ok := x.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	x.paintFlag(number, c)
	x.num = x.pane.times.append(x.num[:0], row.T, x.start())
	c.Bytes(exTime, x.theme.Dim, x.num)
	ex := x.ws.Shown.Index.Exchanges
	rows, folded := x.pane.Listed().Fold(number)
	switch {
	case !row.Kind.IsStream():
		x.paintOwnEvent(row, c)
	case folded:
		x.paintBurst(number, rows, row, c)
	case ex.Parent(number) != number:
		x.paintElement(number, row, c)
	case ex.Of(number) != number:
		x.paintPart(number, row, c)
	case row.Msg == framing.Request:
		if h, ok := ex.Handshake(number); ok {
			x.paintHandshake(row, h, c)
			return
		}
		x.paintExchange(number, row, c)
	case row.Msg == framing.Notification:
		x.paintNotification(number, row, c)
	default:
		if b, ok := ex.Batch(number); ok {
			x.paintBatch(number, row, b, c)
			return
		}
		x.paintStray(number, row, c)
	}
}

func (x *exchangeRows) paintFlag(number int, c *table.Cells) {
	ex := x.ws.Shown.Index.Exchanges
	rows, folded := x.pane.Listed().Fold(number)
	switch {
	case x.ws.Notes.Texts[number] != "":
		c.Flag(x.theme.Accent, "n")
	case x.ws.Notes.Marks.Has(number):
		c.Flag(x.theme.Accent, "m")
	case ex.Unfolded(number), rows > 0 && !folded && x.firstOfBurst(number):
		c.Flag(x.theme.Dim, "-")
	case folded, ex.HasParts(number):
		c.Flag(x.theme.Dim, "+")
	}
}

func (x *exchangeRows) firstOfBurst(number int) bool {
	before := x.pane.Listed().Before(number)
	if before == 0 {
		return true
	}
	all := x.pane.Listed().All()
	rows, _ := x.pane.Listed().Fold(int(all[before-1]))
	return rows == 0
}

// read reads the beginning of a message. It is valid until the next call.
func (x *exchangeRows) read(row session.Row) (session.Entry, bool) {
	e, err := session.EntryInto(x.ws.Shown.Source, row, summary.Limit, x.buf[:0])
	return e, err == nil
}

func (x *exchangeRows) paintOwnEvent(row session.Row, c *table.Cells) {
	c.Rest(exCall)
	if e, ok := x.read(row); ok {
		paintEvent(c, exCall, &e, x.theme, x.hits)
	}
}

// paintBurst paints a number of adjacent notifications of one method: how many,
// the newest one, and how long they took.
func (x *exchangeRows) paintBurst(number, rows int, row session.Row, c *table.Cells) {
	method := x.ws.Shown.Source.Method(row.Method)
	c.Text(exCall, x.theme.Dim, x.arrow(row.Kind))
	x.text(c, exCall, x.theme.Dim, summary.Short(method))
	x.paintBurstRows(rows, exCall, c)
	_, last := x.pane.Listed().Span(x.pane.Listed().Position(number))
	newest, ok := x.ws.Shown.Rows.At(last)
	if !ok {
		return
	}
	if text := x.says(last, newest).Text; text != "" {
		c.Text(exResult, x.theme.Dim, "last: ")
		x.text(c, exResult, x.theme.Dim, text)
	}
	x.paintTook(newest.T-row.T, x.theme.Dim, exTook, c)
}

func (x *exchangeRows) paintPart(number int, row session.Row, c *table.Cells) {
	method := x.ws.Shown.Source.Method(row.Method)
	if round, ok := x.ws.Shown.Index.Exchanges.Round(number, &row); ok {
		x.paintRound(number, round, row, c)
		return
	}
	if row.Msg == framing.Request && row.Kind == session.KindStdin && mcp.IsTaskMethod(method) {
		x.paintPoll(number, row, c)
		return
	}
	m, style := x.says(number, row), x.style(row)
	c.Text(exCall, style, "  ")
	switch row.Msg {
	case framing.Response, framing.ErrorResponse:
		c.Text(exCall, style, "response")
		x.paintResult(number, row, c)
	case framing.Request:
		c.Text(exCall, style, x.arrow(row.Kind))
		x.text(c, exCall, style, method)
		x.paintArguments(m.Text, c)
	default:
		c.Text(exCall, style, x.arrow(row.Kind))
		x.text(c, exCall, style, summary.Short(method))
		x.text(c, exResult, x.theme.Dim, m.Text)
	}
	x.paintSize(m.Size, c)
}

// paintRound paints a round of an unfolded exchange: the first one at its response,
// because its request is the row of the exchange, a later one at its request.
func (x *exchangeRows) paintRound(number, round int, row session.Row, c *table.Cells) {
	c.Text(exCall, x.theme.Dim, "  round "+strconv.Itoa(round))
	request := number
	if row.Msg == framing.Request {
		x.paintArguments(x.says(number, row).Text, c)
	} else {
		request, _ = row.Partner()
		row, _ = x.ws.Shown.Rows.At(request)
	}
	if row.State == session.ReqPending {
		x.paintPending(number, row, c)
	} else {
		x.paintEnd(request, row, row, c)
	}
	x.paintSize(x.roundSize(request), c)
}

// paintHandshake paints how the use of the server began: its name, and what was
// agreed.
func (x *exchangeRows) paintHandshake(first session.Row, h workspace.Handshake, c *table.Cells) {
	last, ok := x.ws.Shown.Rows.At(int(h.Last))
	if !ok {
		return
	}
	x.text(c, exCall, x.theme.Dim, "handshake")
	response, answered := x.ws.Shown.Rows.PartnerOf(last)
	switch {
	case !answered && last.State == session.ReqPending:
		c.Mark(x.theme.Accent, x.glyph("…", "."))
		x.paintPending(int(h.First), first, c)
		return
	case !answered && last.Flags&session.FlagProbe != 0:
		x.text(c, exResult, x.theme.Dim, "no response to server/discover")
		return
	case !answered:
		c.Mark(x.theme.Failed, "!")
		x.paintOutcome(int(h.Last), last, last, c)
		return
	}
	x.paintTook(response.T-first.T, x.theme.Dim, exTook, c)
	e, ok := x.read(response)
	switch {
	case !ok:
	case response.Msg == framing.ErrorResponse && last.Flags&session.FlagProbe == 0:
		c.Mark(x.theme.Failed, x.glyph("✗", "x"))
		x.text(c, exResult, x.theme.Failed, summary.Response(mcp.MethodInitialize, e.Payload, e.FullSize))
	default:
		protocol, server := agreed(x.ws.Shown.Source.Method(last.Method), &e)
		x.text(c, exCall, x.theme.Dim, x.inCall(protocol))
		x.text(c, exArguments, x.theme.Dim, protocol)
		x.text(c, exResult, x.theme.Dim, server+x.offered(h))
		x.paintSize(e.FullSize, c)
	}
}

// agreed returns the protocol version and era, and the name and version of the
// server, of the response that decided a handshake.
func agreed(method string, e *session.Entry) (protocol, server string) {
	type info struct{ Name, Version string }
	var r struct {
		ProtocolVersion   string                     `json:"protocolVersion"`
		SupportedVersions []string                   `json:"supportedVersions"`
		ServerInfo        info                       `json:"serverInfo"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if e.Cut || json.Unmarshal(e.Msg.Result.Of(e.Payload), &r) != nil {
		return "", summary.Response(method, e.Payload, e.FullSize)
	}
	protocol = r.ProtocolVersion + " " + mcp.Legacy.String()
	if method == mcp.MethodDiscover {
		modern, legacy := mcp.Newest(r.SupportedVersions)
		if protocol = modern + " " + mcp.Modern.String(); modern == "" {
			protocol = "only " + legacy
		}
		_ = json.Unmarshal(r.Meta[mcp.MetaServerInfo], &r.ServerInfo)
	}
	return protocol, strings.TrimSpace(r.ServerInfo.Name + " " + r.ServerInfo.Version)
}

// offered describes the lists of the server, if they are known and this is its
// latest handshake.
func (x *exchangeRows) offered(h workspace.Handshake) string {
	if _, later := x.ws.Shown.Index.Exchanges.HandshakeAfter(h); later {
		return ""
	}
	text := ""
	for _, l := range x.ws.Shown.Catalog.Lists {
		if n := len(l.Items) + l.LeftOut; l.Complete && n > 0 {
			text += fmt.Sprintf(" %d %s", n, l.Name)
		}
	}
	if text == "" {
		return ""
	}
	return x.glyph(" ·", " -") + text
}

func (x *exchangeRows) paintExchange(number int, row session.Row, c *table.Cells) {
	method := x.ws.Shown.Source.Method(row.Method)
	m := x.says(number, row)
	if m.Lost {
		c.Text(exCall, x.theme.Failed, "(not kept) ")
		x.text(c, exCall, x.theme.Failed, method)
		return
	}
	x.paintCall(number, row, method, m.Call, c)
	x.paintArguments(m.Text, c)
	if t, ok := x.ws.Shown.Index.Exchanges.Task(number); ok {
		x.paintTask(number, row, t, c)
		x.paintSize(x.exchangeSize(number), c)
		return
	}
	last, rounds := x.ws.Shown.Index.Exchanges.LastRound(number)
	decides, _ := x.ws.Shown.Rows.At(last)
	response, answered := x.ws.Shown.Rows.PartnerOf(decides)
	if rounds > 1 {
		c.Text(exResult, x.theme.Dim, strconv.Itoa(rounds)+" rounds"+x.glyph(" · ", ", "))
	}
	if decides.State == session.ReqPending || answered && response.State == session.ReqInput && x.waits(number) {
		x.paintPending(number, row, c)
	} else {
		x.paintEnd(number, row, decides, c)
	}
	x.paintSize(x.exchangeSize(number), c)
}

func (x *exchangeRows) exchangeSize(number int) int64 {
	size := x.roundSize(number)
	for round := range x.ws.Shown.Index.Exchanges.Later(&x.ws.Shown.Rows, number) {
		size += x.roundSize(round)
	}
	return size
}

func (x *exchangeRows) roundSize(number int) int64 {
	row, _ := x.ws.Shown.Rows.At(number)
	size := x.says(number, row).Size
	at, ok := x.ws.Shown.Index.Exchanges.ResponseOf(number, &row)
	if response, found := x.ws.Shown.Rows.At(at); ok && found && response.Msg != framing.Batch {
		size += x.says(at, response).Size
	}
	return size
}

func (x *exchangeRows) paintCall(number int, row session.Row, method, name string, c *table.Cells) {
	if row.Kind == session.KindStdout {
		if _, during := x.ws.Shown.Index.Exchanges.During(number); during {
			c.Text(exCall, x.theme.Text, "  ")
		}
		c.Text(exCall, x.theme.Text, x.arrow(row.Kind))
		name = ""
	}
	if name == "" {
		x.text(c, exCall, kit.MethodStyle(method, x.theme), method)
		return
	}
	room := c.Width(exCall)
	if method != mcp.MethodToolsCall || c.Width(exArguments) > 0 {
		x.text(c, exCall, x.theme.Dim, method)
		c.Text(exCall, x.theme.Dim, " ")
		room -= len(method) + 1
	}
	x.text(c, exCall, kit.MethodStyle(method, x.theme), middle(name, room, x.ellipsis))
}

// The ends tell names apart.
func middle(name string, cells int, ellipsis string) string {
	const least = 9
	if len(name) <= cells || cells < least || termsafe.Width(name) != len(name) {
		return name
	}
	right := (cells - 1) / 2
	return name[:cells-1-right] + ellipsis + name[len(name)-right:]
}

// paintArguments paints a summary of the params, in a column of its own or after
// the call.
func (x *exchangeRows) paintArguments(text string, c *table.Cells) {
	x.text(c, exCall, x.theme.Dim, x.inCall(text))
	if c.Width(exArguments) > 0 {
		x.text(c, exArguments, x.theme.Dim, text)
	}
}

// inCall returns a text for the end of the column of calls, while the arguments
// have no column.
func (x *exchangeRows) inCall(text string) string {
	if text == "" || x.pane.wide() {
		return ""
	}
	return "  " + text
}

func (x *exchangeRows) paintNotification(number int, row session.Row, c *table.Cells) {
	m, style := x.says(number, row), x.style(row)
	c.Text(exCall, style, x.arrow(row.Kind))
	x.text(c, exCall, style, summary.Short(x.ws.Shown.Source.Method(row.Method)))
	x.text(c, exResult, x.theme.Text, m.Call)
	if m.Call != "" {
		c.Text(exResult, x.theme.Text, " ")
	}
	x.text(c, exResult, x.theme.Text, m.Text)
	x.paintSize(m.Size, c)
}

// paintStray paints what is neither a request, nor a response to one, nor a
// notification.
func (x *exchangeRows) paintStray(number int, row session.Row, c *table.Cells) {
	e, ok := x.read(row)
	if !ok {
		return
	}
	c.Mark(x.theme.Odd, "#")
	call, text := filter.ShownStray+" on "+row.Kind.String(), e.Payload
	switch {
	case row.Msg == framing.Batch:
		call = filter.ShownBatch
	case row.Flags&session.FlagPart != 0:
		call = filter.ShownPart + " on " + row.Kind.String()
	case row.Msg == framing.Response, row.Msg == framing.ErrorResponse:
		call = filter.ShownUnknownID
		if refusal, ok := session.Refusal(x.ws.Shown.Source, number, &e); ok {
			call, text = filter.ShownNoID, []byte(refusal)
		}
		if row.State == session.ReqDuplicate {
			call = filter.ShownSecond
		}
	case filter.IsStray(row):
	default:
		call = filter.ShownNotJSONRPC + " on " + row.Kind.String()
	}
	x.text(c, exCall, x.theme.Odd, call)
	c.Rest(exResult)
	x.hits.Paint(c, exResult, x.theme.Text, x.theme.Match, bytes.TrimSpace(text))
}

func (x *exchangeRows) paintSize(size int64, c *table.Cells) {
	x.num = wording.AppendSize(x.num[:0], size)
	c.Bytes(exSize, x.theme.Dim, x.num)
}
