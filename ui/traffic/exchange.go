package traffic

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

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

// The columns of the calls. The bars are next to them.
const (
	exTime = iota
	exCall
	exArguments
	exResult
	exTook
	exYou
	exSize
)

// The widths of the table, in cells, from which columns are shown.
const (
	wideExchanges   = 100 // the arguments and the time of the user have columns, and there are bars
	narrowExchanges = 70  // there are times
	tinyExchanges   = 48  // call and result have their usual least width
)

// hiddenColumn fits into no table.
var hiddenColumn = table.Column{Min: 1 << 20, Priority: -1}

// exchangeColumns returns the columns of the calls for a table of width cells. Call,
// result and the time taken are never dropped.
func exchangeColumns(width int, times *timeForm) []table.Column {
	title, clock := times.column()
	columns := []table.Column{
		exTime:      {Title: title, Min: max(clock, 9), Priority: 4, Align: termsafe.Right},
		exCall:      {Title: "call", Min: 16, ByNeed: true, Must: true, Gap: 1},
		exArguments: {Title: "arguments", Min: 12, ByNeed: true, Priority: 5},
		exResult:    {Title: "result", Min: 16, ByNeed: true, Weight: 1, Must: true, Scroll: true},
		exTook:      {Title: "took", Min: 7, Must: true, Align: termsafe.Right},
		exYou:       {Title: "you", Min: 7, ByNeed: true, Optional: true, Priority: 4, Align: termsafe.Right},
		exSize:      {Title: "size", Min: 6, Priority: 2, Align: termsafe.Right},
	}
	if width < wideExchanges {
		columns[exArguments], columns[exYou] = hiddenColumn, hiddenColumn
	}
	if width < waterfallFrom {
		columns[exSize] = hiddenColumn
	}
	if width < narrowExchanges {
		columns[exTime] = hiddenColumn
	}
	if width < tinyExchanges {
		columns[exCall].Min, columns[exResult].Min = 12, 12
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
	if end, ok := ex.ProcessEnd(number); ok {
		v = mixed(mixed(v, uint32(end.Next.Row)), uint32(end.Ready.Row))
		v = mixed(mixed(v, uint32(end.Unanswered)), uint32(end.By))
		if end.Restart != nil {
			v = mixed(v, 1)
		}
	}
	if x.ws.Clock >= 0 {
		v = mixed(v, x.clockVersion(number))
	}
	if h, ok := x.ws.Tap.HeldAt(number); ok {
		v = mixed(v, uint32(x.ws.Tap.Waited(h)/time.Second)+1)
	} else if x.ws.Tap.Mine(number) {
		v = mixed(v, 1)
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
	case row.State == session.ReqPending && row.Msg == framing.Request,
		row.State == session.ReqAnswered && len(x.ws.Waiting) > 0 && x.waits(number), x.ws.OpenTask(number):
		return tickOf(x.ws.Clock - row.T)
	}
	return 0
}

func (x *exchangeRows) Paint(number int, c *table.Cells) {
	row, ok := x.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	rows, folded := x.pane.Listed().Fold(number)
	defer x.paintFlag(number, rows, folded, c)
	ex := x.ws.Shown.Index.Exchanges
	if end, ok := ex.ProcessEnd(number); ok {
		x.paintProcessEnd(row, end, c)
		return
	}
	x.num = x.pane.times.append(x.num[:0], row.T, x.start())
	c.Bytes(exTime, x.theme.Dim, x.num)
	if h, ok := x.ws.Tap.HeldAt(number); ok {
		x.paintHeld(number, row, h, c)
		return
	}
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

// paintFlag paints how a row folds, and the user's mark and note, where the state of the
// call leaves room for them.
func (x *exchangeRows) paintFlag(number, rows int, folded bool, c *table.Cells) {
	ex := x.ws.Shown.Index.Exchanges
	switch {
	case ex.Unfolded(number), rows > 0 && !folded && x.pane.Listed().Begins(number):
		c.Flag(x.theme.Dim, "-")
	case folded, ex.HasParts(number):
		c.Flag(x.theme.Dim, "+")
	}
	var own kit.Mark
	switch {
	case x.ws.Notes.Texts[number] != "":
		own = kit.Noted
	case x.ws.Notes.Marks.Has(number):
		own = kit.Marked
	default:
		return
	}
	if c.Marked() {
		c.Flag(x.screen.Mark(own))
		return
	}
	x.mark(own, c)
}

// read reads the beginning of a message. It is valid until the next call.
func (x *exchangeRows) read(row session.Row) (session.Entry, bool) {
	e, err := session.EntryInto(x.ws.Shown.Source, row, summary.Limit, x.buf[:0])
	return e, err == nil
}

func (x *exchangeRows) paintOwnEvent(row session.Row, c *table.Cells) {
	c.Rest(exCall)
	if row.Kind == session.KindGap {
		x.mark(kit.Failed, c)
	}
	if e, ok := x.read(row); ok {
		x.paintEvent(&e, exCall, c)
	}
}

// paintBurst paints a number of adjacent notifications of one method: how many, what the
// newest one says, how many a second, and how long they took.
func (x *exchangeRows) paintBurst(number, rows int, row session.Row, c *table.Cells) {
	method := x.ws.Shown.Source.Method(row.Method)
	c.Text(exCall, x.theme.Dim, x.arrow(row.Kind))
	x.text(c, exCall, x.theme.Text, summary.Short(method))
	_, last := x.pane.Listed().Span(x.pane.Listed().Position(number))
	newest, ok := x.ws.Shown.Rows.At(last)
	if !ok {
		return
	}
	m, took := x.says(last, newest), newest.T-row.T
	count := x.glyph("×", "x") + wording.Thousands(rows)
	text := m.Text
	if m.Call == "" && text == "" {
		c.Text(exResult, x.theme.Text, count+" in "+wording.Took(took))
		return
	}
	level, said, leveled := strings.Cut(text, ": ")
	if leveled && m.Call == "" && !strings.Contains(level, " ") {
		count, text = count+" "+level, said
	}
	x.paintArguments(count, c)
	x.text(c, exResult, x.theme.Text, strings.TrimSpace(m.Call+" "+text))
	if rate := int64(rows) * 1e6 / max(took, 1); took >= 1e6 {
		c.Text(exResult, x.theme.Dim, x.dot()+wording.Thousands(int(rate))+"/s")
	}
	c.Text(exResult, x.theme.Dim, x.dot()+wording.Took(took))
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
	m, style := x.says(number, row), x.theme.Dim
	c.Text(exCall, style, "  ")
	switch row.Msg {
	case framing.Response, framing.ErrorResponse:
		c.Text(exCall, style, "answer")
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
	c.Text(exCall, x.theme.Dim, "handshake")
	_, again := x.paintOwn(first, c)
	response, answered := x.ws.Shown.Rows.PartnerOf(last)
	switch {
	case !answered && last.State == session.ReqPending:
		x.paintPending(int(h.First), first, c)
		return
	case !answered && last.Flags&session.FlagProbe != 0:
		x.text(c, exResult, x.theme.Dim, filter.ShownNoAnswer+" to server/discover")
		return
	case !answered:
		x.paintOutcome(int(h.Last), last, last, c)
		return
	}
	x.paintTook(response.T-first.T, x.theme.Text, exTook, c)
	e, ok := x.read(response)
	switch {
	case !ok:
	case response.Msg == framing.ErrorResponse && last.Flags&session.FlagProbe == 0:
		text, failed := x.resultText(int(h.Last), response)
		x.paintOutcomeText(text, failed, c)
	default:
		protocol, server := agreed(x.ws.Shown.Source.Method(last.Method), &e)
		x.paintArguments(protocol, c)
		x.text(c, exResult, x.theme.Text, server+x.offered(h))
		if again {
			c.Text(exResult, x.theme.Dim, x.dot()+filter.ShownAgain)
		}
		x.paintSize(e.FullSize, c)
	}
}

// agreed returns the protocol version, and the name and version of the
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
	protocol = r.ProtocolVersion
	if method == mcp.MethodDiscover {
		modern, legacy := mcp.Newest(r.SupportedVersions)
		if protocol = modern; modern == "" {
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
			text += " " + wording.Plural(n, strings.TrimSuffix(l.Name, "s"))
		}
	}
	if text == "" {
		return ""
	}
	return x.glyph(" ·", ",") + text
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
	arguments := m.Text
	if own, _ := x.paintOwn(row, c); own {
		arguments = wording.Join(x.dot(), x.sender(number, c), arguments)
	}
	x.paintArguments(arguments, c)
	if t, ok := x.ws.Shown.Index.Exchanges.Task(number); ok {
		x.paintTask(number, row, t, c)
		x.paintSize(x.exchangeSize(number), c)
		return
	}
	last, rounds := x.ws.Shown.Index.Exchanges.LastRound(number)
	decides, _ := x.ws.Shown.Rows.At(last)
	response, answered := x.ws.Shown.Rows.PartnerOf(decides)
	if rounds > 1 {
		c.Text(exResult, x.theme.Dim, strconv.Itoa(rounds)+" rounds"+x.dot())
	}
	if decides.State == session.ReqPending || answered && response.State == session.ReqInput && x.waits(number) {
		x.paintPending(number, row, c)
	} else {
		x.paintEnd(number, row, decides, c)
	}
	x.paintSize(x.exchangeSize(number), c)
}

// paintOwn marks a request that no client sent; see Projection.SentByTap.
func (x *exchangeRows) paintOwn(row session.Row, c *table.Cells) (own, again bool) {
	if row.Kind != session.KindStdin || !x.ws.Shown.Tap() {
		return false, false
	}
	if e, ok := x.read(row); ok {
		own, again = x.ws.Shown.SentByTap(&row, &e)
	}
	if own || again {
		x.mark(kit.Own, c)
	}
	return own, again
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

// paintCall paints what a request calls: the name of a tool, a prompt or a resource, or
// else its method.
func (x *exchangeRows) paintCall(number int, row session.Row, method, name string, c *table.Cells) {
	if row.Kind == session.KindStdout {
		if _, during := x.ws.Shown.Index.Exchanges.During(number); during {
			c.Text(exCall, x.theme.Dim, "  ")
		}
		c.Text(exCall, x.theme.Dim, x.arrow(row.Kind))
		x.text(c, exCall, x.theme.Text, method)
		return
	}
	style := kit.MethodStyle(method, x.theme)
	if name == "" {
		x.text(c, exCall, style, method)
		return
	}
	if c.Width(exArguments) > 0 {
		c.Need(exCall, len(name))
		name = middle(name, c.Width(exCall), x.ellipsis)
	}
	x.text(c, exCall, style, name)
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
	if c.Width(exArguments) > 0 {
		x.text(c, exArguments, x.theme.Dim, text)
	} else if text != "" {
		x.text(c, exCall, x.theme.Dim, "  "+text)
	}
}

func (x *exchangeRows) paintNotification(number int, row session.Row, c *table.Cells) {
	m := x.says(number, row)
	c.Text(exCall, x.theme.Dim, x.arrow(row.Kind))
	x.text(c, exCall, x.theme.Text, summary.Short(x.ws.Shown.Source.Method(row.Method)))
	text := m.Text
	if level, said, leveled := strings.Cut(text, ": "); leveled && m.Call == "" && !strings.Contains(level, " ") {
		x.paintArguments(level, c)
		text = said
	}
	x.text(c, exResult, x.theme.Text, strings.TrimSpace(m.Call+" "+text))
	x.paintSize(m.Size, c)
}

// paintStray paints what is neither a request, nor a response to one, nor a
// notification.
func (x *exchangeRows) paintStray(number int, row session.Row, c *table.Cells) {
	e, ok := x.read(row)
	if !ok {
		return
	}
	x.mark(kit.NotMessage, c)
	call, text := filter.ShownNoise, bytes.TrimSpace(e.Payload)
	if row.Kind == session.KindStdin {
		call = filter.ShownNotMessage + ", sent by " + x.ws.Shown.User()
	}
	switch {
	case row.Msg == framing.Batch:
		call = filter.ShownBatch
	case row.Flags&session.FlagPart != 0:
		call = filter.ShownPart
		if part, ok := session.NewLineParts(x.ws.Shown.Source).Of(number, row); ok && part.Over {
			text = append([]byte(part.String()+"  "), text...)
		}
	case row.Msg == framing.Response, row.Msg == framing.ErrorResponse:
		call, text = x.strayAnswer(number, row, &e)
	}
	x.text(c, exCall, x.theme.Odd, call)
	c.Rest(exResult)
	x.hits.Paint(c, exResult, x.theme.Text, x.theme.Match, text)
}

func (x *exchangeRows) paintSize(size int64, c *table.Cells) {
	x.num = wording.AppendSize(x.num[:0], size)
	c.Bytes(exSize, x.theme.Dim, x.num)
}
