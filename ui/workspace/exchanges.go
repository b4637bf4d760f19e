package workspace

import (
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/widget/table"
)

const (
	// burstFrom is the minimum number of adjacent notifications of one method that
	// are one row.
	burstFrom = 5
	// burstPause is the time between two notifications, in microseconds, that ends
	// a burst.
	burstPause = 1_000_000
	// MaxParts is how many parts of an exchange are listed when it is unfolded.
	MaxParts = 1000
)

// Exchanges lists the rows of a log by exchange. An exchange has one row, that of
// its first message; its other rows are its parts, which are listed only while it
// is unfolded: the response, progress, later rounds, its cancellation, and the rest
// of a handshake. A message that belongs to no exchange is a row of its own. An
// exchange costs four bytes, with parts besides its response up to 16, and a
// message in a range of progress nothing.
type Exchanges struct {
	*exchange.Table
	List *table.Folded

	shakes []Handshake // one for each process
	reports
	tap      tapFacts
	exits    []ProcessEnd // of processes, in order
	lostCall int          // see Workspace.TakeLost
	// Unanswered counts our calls that were given up, or lost, without a response.
	Unanswered int
	whole      []uint32 // exchanges whose first progress is far from them, or that were cancelled, ascending

	begun    bool // the handshake of the process was seen
	shaking  bool // initialize may still follow server/discover
	greeted  bool // notifications/initialized was seen
	run      uint16
	last     int64  // time of the latest notification
	pause    uint32 // flips at each pause between notifications
	unfolded map[uint32][]uint32
	shown    []uint32 // of these, exchanges that are unfolded while they are pending
	parted   int      // listed parts of all of them
	scanned  int      // rows taken in so far
	rows     Rows
	lines    *session.LineParts
	elements *elements.Source // the source; nil if it is another one
}

func newExchanges() *Exchanges {
	x := &Exchanges{Table: &exchange.Table{}, List: &table.Folded{From: burstFrom}, unfolded: map[uint32][]uint32{}}
	x.List.Place = x.place
	return x
}

// setSource sets the log whose rows Next reads.
func (x *Exchanges) setSource(source session.Source) {
	if x.rows.Source == nil {
		x.Table = exchange.NewTable(source)
	}
	x.rows.Source, x.lines = source, session.NewLineParts(source)
	x.elements, _ = source.(*elements.Source)
}

// add lists the row that Next has read, or makes it a part of an exchange.
func (x *Exchanges) add(number uint32, row *session.Row) {
	x.scanned = int(number) + 1
	if row.Run != x.run {
		x.run, x.begun, x.shaking, x.greeted = row.Run, false, false, false
		x.current = 0
		clear(x.latest)
	}
	switch {
	case !row.Kind.IsStream():
		x.event(number, row)
	case row.Kind == session.KindStderr, x.isPart(number, row), x.continues(number, row):
	case row.Msg == framing.Notification:
		x.List.Append(number, x.burstKind(row))
	default:
		x.List.Append(number, 0)
	}
}

// continues reports whether a row is a later part of a line of stdout, which has one row.
func (x *Exchanges) continues(number uint32, row *session.Row) bool {
	part, ok := x.lines.Of(int(number), *row)
	return ok && part.Number > 1
}

// event takes in an entry that is not a message.
func (x *Exchanges) event(number uint32, row *session.Row) {
	switch row.Kind {
	case session.KindState, session.KindWrite:
		if part := x.Part(); part.Kind == exchange.GiveUp {
			x.foldShown(uint32(part.Of))
			if call, ok := x.rows.At(part.Of); ok && call.State == session.ReqTimedOut && !IsHandshake(x.rows.Method(call.Method)) {
				x.Unanswered++
			}
		}
	case session.KindNote:
		x.noted(number, row)
	case session.KindExited, session.KindClosed, session.KindFailed:
		for len(x.shown) > 0 {
			x.foldShown(x.shown[0])
		}
	}
	x.ended(number, row)
	if x.ownRow(int(number), row) {
		x.List.Append(number, 0)
	}
}

// ownRow reports whether an event is listed among the exchanges. The start of another
// process is part of the row of the end of the one before it.
func (x *Exchanges) ownRow(number int, row *session.Row) bool {
	switch row.Kind {
	case session.KindStart:
		_, listed := x.endBefore(number)
		return row.Run > 1 && !listed
	case session.KindGap, session.KindLagged, session.KindExited, session.KindFailed:
		return true
	}
	return false
}

// isPart takes in a message and reports whether it is a part of an exchange.
func (x *Exchanges) isPart(number uint32, row *session.Row) bool {
	switch row.Msg {
	case framing.Request:
		if row.Kind == session.KindStdin && x.isHandshake(number, row) {
			return x.shakes[len(x.shakes)-1].First != number
		}
	case framing.Response, framing.ErrorResponse, framing.Batch:
		if !Answers(int(number), row) {
			return false
		}
		x.answered(number, row)
		return true
	case framing.Notification:
		if x.ends(number, row) {
			return true
		}
	}
	part := x.Part()
	of := uint32(part.Of)
	switch part.Kind {
	case exchange.NoPart:
		if x.IsProgress(row) {
			x.reports.add(number, loose)
		}
		return false
	case exchange.Progress:
		if far := x.reports.add(number, of); far && !x.near(part.Of) {
			x.markWhole(of)
		}
	case exchange.Cancel:
		x.markWhole(of)
		x.foldShown(of)
	case exchange.Round:
		if !x.Unfolded(part.Of) {
			if any, _ := x.Unfold(part.Of); any { // until it is no longer pending
				x.shown = append(x.shown, of)
			}
			return true
		}
	}
	x.listPart(number, of)
	return true
}

// markWhole records that an exchange has progress far from it, or was cancelled.
func (x *Exchanges) markWhole(of uint32) {
	if i, marked := slices.BinarySearch(x.whole, of); !marked {
		x.whole = slices.Insert(x.whole, i, of)
	}
}

// Answers reports whether a row is the response to the request of an earlier row,
// in whose exchange it is. A batch with requests is an exchange of its own.
func Answers(number int, row *session.Row) bool {
	if row.Msg == framing.Batch && row.State != session.ReqNone {
		return false
	}
	request, ok := row.Partner()
	return ok && request < number && row.State != session.ReqDuplicate && row.State != session.ReqUnmatched
}

// answered takes in a response.
func (x *Exchanges) answered(number uint32, row *session.Row) {
	partner, _ := row.Partner()
	request, first := uint32(partner), uint32(x.First(partner))
	if _, batch := x.Batch(int(request)); first == request && !batch { // others are in the rows of rounds and elements
		x.listPart(number, request)
	}
	if row.State != session.ReqInput && row.State != session.ReqTask {
		x.over(first)
		x.foldShown(first)
	}
	if n := len(x.shakes); n > 0 && request <= x.shakes[n-1].Last && request >= x.shakes[n-1].First {
		x.shakes[n-1].End = max(x.shakes[n-1].End, number)
		x.shakes[n-1].parts++
	}
}

// burstKind returns the key by which a notification folds: that of its method and
// direction, another one after a pause.
func (x *Exchanges) burstKind(row *session.Row) uint32 {
	kind := FloodKind(row)
	if row.T-x.last > burstPause {
		x.pause ^= 1 << 7
	}
	x.last = row.T
	if kind == 0 {
		return 0
	}
	return kind ^ x.pause
}

// Of returns the row of the exchange that a row belongs to: the row itself if it
// is not a part.
func (x *Exchanges) Of(number int) int {
	number = x.Parent(number)
	row, ok := x.rows.At(number)
	if !ok || number < 0 {
		return number
	}
	if i := sort.Search(len(x.shakes), func(i int) bool { return int(x.shakes[i].First) > number }) - 1; i >= 0 && x.inHandshake(x.shakes[i], number, &row) {
		return int(x.shakes[i].First)
	}
	if row.Kind == session.KindStart {
		if end, ok := x.endBefore(number); ok {
			return end
		}
		return number
	}
	switch row.Msg {
	case framing.Request:
		return x.First(number)
	case framing.Response, framing.ErrorResponse, framing.Batch:
		if row.Kind.IsStream() && Answers(number, &row) {
			request, _ := row.Partner()
			return x.First(request)
		}
	case framing.Notification:
		if of, ok := x.progressOf(number, &row); ok {
			return of
		}
		if of, ok := x.CancelOf(number); ok {
			return of
		}
		if of, ok := x.StatusOf(number); ok {
			return of
		}
	}
	return number
}

// Round returns which round of its exchange a part is: the response of the first
// round, or the request of a later one. ok is false for other rows.
func (x *Exchanges) Round(number int, row *session.Row) (n int, ok bool) {
	request := number
	if row.Msg != framing.Request {
		request, _ = row.Partner()
	}
	first := x.First(request)
	if x.IsTask(first) || first == number || row.Msg != framing.Request && first != request {
		return 0, false
	}
	n = 1
	for round := range x.Later(&x.rows, first) {
		if n++; round == request {
			return n, true
		}
	}
	return 1, n > 1 && first == request
}

// Len returns the number of rows without the parts of unfolded exchanges.
func (x *Exchanges) Len() int { return len(x.List.All()) - x.parted }

// upTo returns the exchanges as they were when the log, which source shows in
// that state, had the given number of rows.
func (x *Exchanges) upTo(source session.Source, rows int) *Exchanges {
	cut := newExchanges()
	cut.setSource(source)
	cut.Table = x.At(source, rows)
	cut.scanned = rows
	cut.List = x.List.UpTo(rows)
	cut.shakes = x.shakes[:sort.Search(len(x.shakes), func(i int) bool { return int(x.shakes[i].First) >= rows })]
	ranges := x.from(rows)
	cut.ranges, cut.exits = x.ranges[:ranges:ranges], x.endsUpTo(rows)
	cut.whole = before(x.whole, rows)
	if x.tap.clientRow < rows {
		cut.tap = x.tap
	}
	for number, parts := range x.unfolded {
		if int(number) < rows {
			end := sort.Search(len(parts), func(i int) bool { return x.Parent(int(parts[i])) >= rows })
			cut.unfolded[number] = parts[:end:end]
			cut.parted += len(cut.unfolded[number])
		}
	}
	return cut
}
