package workspace

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/widget/table"
)

const (
	// barParts is how many pauses of our reading are read for one bar.
	barParts = table.MaxBarParts
	// maxHolds is how many pauses of our reading are remembered.
	maxHolds = 1024
)

// Bars finds how long exchanges took, for those that are visible. It must be used
// by one goroutine only.
type Bars struct {
	ws    *Workspace
	holds map[int]table.Span // by row; see hold
	of    *Projection
}

// NewBars returns the bars of a workspace.
func NewBars(ws *Workspace) *Bars { return &Bars{ws: ws} }

// Of returns the bar of the exchange at a row; ok is false for rows that are not
// the first of an exchange.
func (b *Bars) Of(number int) (bar table.Bar, ok bool) {
	p := b.ws.Shown
	row, ok := p.Rows.At(number)
	if !ok || row.Msg != framing.Request {
		return table.Bar{}, false
	}
	at, _ := p.Index.Exchanges.LastRound(number)
	if h, ok := p.Index.Exchanges.Handshake(number); ok {
		at = int(h.Last)
	}
	decides, _ := p.Rows.At(at)
	bar.From, bar.To = row.T, row.T
	response, answered := p.Rows.PartnerOf(decides)
	givenUp := decides.State == session.ReqCancelled || decides.State == session.ReqTimedOut // a response is late
	since, waits := b.ws.WaitsSince(number)
	switch {
	case waits && b.ws.Clock >= 0:
		bar.Open, bar.To = true, max(b.ws.Clock, row.T)
		bar.Add(table.Waiting, table.Span{From: since, To: bar.To})
	case answered && !givenUp && !b.ws.OpenTask(number):
		bar.To = max(response.T, row.T)
		bar.Failed = response.Flags&session.FlagError != 0 || response.State == session.ReqUnread
	case (decides.State == session.ReqPending || b.ws.OpenTask(number)) && !b.ws.Unreachable:
		bar.Open = true
		bar.To = max(b.ws.Clock, p.Index.Latest, row.T)
	default:
		bar.Failed = decides.State == session.ReqLost || decides.State == session.ReqTimedOut
		bar.To = max(b.endOf(number, at, &decides), row.T)
	}
	if row.Kind == session.KindStdout {
		bar.Add(table.Waiting, bar.Span)
	}
	whole := exchange.Span{From: bar.From, To: bar.To}
	for _, wait := range p.Index.Exchanges.WaitsIn(&p.Rows, number, whole) {
		bar.Add(table.Waiting, table.Span(wait))
	}
	b.addLags(&bar, number)
	return bar, true
}

// endOf returns when the exchange of a first request ended without a response to the one
// that decides: when it was given up, or else at the end of its process.
func (b *Bars) endOf(first, number int, row *session.Row) int64 {
	if at, ok := b.ws.Shown.Index.Exchanges.EndOf(&b.ws.Shown.Rows, first); ok {
		return at
	}
	if at, ok := b.ws.EndOfProcess(number, row); ok {
		return at
	}
	return row.T
}

// addLags adds the time in which the server's output was not read. A pause is in
// the log when it ends, which may be after the response.
func (b *Bars) addLags(bar *table.Bar, call int) {
	lags := b.ws.Shown.Index.Points[LagPoint]
	i, _ := slices.BinarySearch(lags, uint32(call))
	for n := 0; n < barParts && i < len(lags); n, i = n+1, i+1 {
		hold := b.hold(int(lags[i]))
		if hold.From >= bar.To { // as are all after it
			return
		}
		if hold.To > bar.From {
			bar.Add(table.Lagging, hold)
		}
	}
}

// hold returns the pause that the entry at a row reports; it is empty if it
// reports none.
func (b *Bars) hold(number int) table.Span {
	p := b.ws.Shown
	if b.of != p || len(b.holds) >= maxHolds {
		b.of, b.holds = p, map[int]table.Span{}
	}
	if hold, ok := b.holds[number]; ok {
		return hold
	}
	var hold table.Span
	var body session.HeldBody
	if row, ok := p.Rows.At(number); ok && row.Kind == session.KindHeld {
		e, err := p.Source.Entry(row, 0)
		if err == nil && e.DecodeBody(&body) == nil && body.End > body.Begin {
			hold = table.Span{From: body.Begin, To: body.End}
		}
	}
	b.holds[number] = hold
	return hold
}
