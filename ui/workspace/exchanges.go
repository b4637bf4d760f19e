package workspace

import (
	"cmp"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
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
	List *table.Folded

	shakes []Handshake // one for each process
	rounds Rounds
	// polls are the requests about the task of each call that became one, besides
	// being rounds, and statuses the notifications.
	polls    map[uint32][]uint32
	statuses links
	ranges   links    // progress: of all notifications up to the next range; see loose
	whole    []uint32 // exchanges whose first progress or cancellation is far from them, ascending

	methods  []method // by id
	pending  pendingCalls
	tasks    tasks        // of the process
	asked    []askedInput // results that ask for input, with which no request was re-sent so far
	act      uint32       // row of the latest act, plus one
	shaking  bool         // initialize may still follow server/discover
	greeted  bool         // notifications/initialized was seen
	run      uint16
	last     int64  // time of the latest notification
	pause    uint32 // flips at each pause between notifications
	unfolded map[uint32][]uint32
	shown    []uint32 // of these, exchanges that are unfolded while they are pending
	parted   int      // listed parts of all of them
	scanned  int      // rows taken in so far
	rows     Rows
	elements *elements.Source // the source; nil if it is another one
	reader   reader
}

// A Handshake is an exchange of one or two requests that begins the use of a
// server.
type Handshake struct {
	First uint32 // row of the first request: the row of the exchange
	Last  uint32 // row of the last request, whose response decides
	End   uint32 // row of the last message so far
	parts int    // messages besides the first
}

func newExchanges() *Exchanges {
	x := &Exchanges{List: &table.Folded{From: burstFrom}, unfolded: map[uint32][]uint32{}}
	x.List.Place = x.place
	return x
}

// setSource sets the log whose rows are added.
func (x *Exchanges) setSource(source session.Source) {
	x.rows.Source = source
	x.elements, _ = source.(*elements.Source)
}

// add lists a new row, or makes it a part of an exchange.
func (x *Exchanges) add(number uint32, row *session.Row) {
	x.scanned = int(number) + 1
	if row.Run != x.run {
		x.run, x.shaking, x.greeted = row.Run, false, false
		x.pending, x.asked, x.tasks = pendingCalls{}, x.asked[:0], nil
	}
	switch {
	case !row.Kind.IsStream():
		x.event(number, row)
	case row.Kind == session.KindStderr, x.isPart(number, row):
	case row.Msg == framing.Notification:
		x.List.Append(number, x.burstKind(row))
	default:
		x.List.Append(number, 0)
	}
}

// event takes in an entry that is not a message.
func (x *Exchanges) event(number uint32, row *session.Row) {
	switch row.Kind {
	case session.KindAct:
		x.act = number + 1
	case session.KindState, session.KindWrite:
		x.gaveUp(number, row)
	case session.KindExited, session.KindClosed, session.KindFailed:
		for len(x.shown) > 0 {
			x.foldShown(x.shown[0])
		}
		if row.Kind != session.KindExited { // until then responses may come
			x.pending = pendingCalls{}
		}
	}
	if ownRow(row) {
		x.List.Append(number, 0)
	}
}

// ownRow reports whether an event is listed among the exchanges.
func ownRow(row *session.Row) bool {
	switch row.Kind {
	case session.KindStart:
		return row.Run > 1
	case session.KindGap, session.KindLagged, session.KindExited, session.KindFailed:
		return true
	}
	return false
}

// isPart takes in a message and reports whether it is a part of an exchange.
func (x *Exchanges) isPart(number uint32, row *session.Row) bool {
	switch row.Msg {
	case framing.Request:
		if row.Kind == session.KindStdout {
			if call, ok := x.taskOf(row, summary.RelatedTask); ok {
				x.rounds.nested = append(x.rounds.nested, link{number, call})
			} else if call, ok := x.pending.only(); ok {
				x.rounds.nested = append(x.rounds.nested, link{number, call.first})
			}
			return false
		}
		x.replaced(row)
		if x.isHandshake(number, row) {
			return x.shakes[len(x.shakes)-1].First != number
		}
		return x.isPoll(number, row) || x.isRound(number, row)
	case framing.Response, framing.ErrorResponse:
		if !Answers(int(number), row) {
			return false
		}
		x.answered(number, row)
		return true
	case framing.Batch:
		return x.isBatch(number, row)
	case framing.Notification:
		return x.isProgress(number, row) || x.isCancel(number, row) || x.isStatus(number, row) || x.ends(number, row)
	}
	return false
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

// isHandshake takes in a request of ours and reports whether it belongs to the
// handshake: the first request of a process if it is server/discover or
// initialize, and then another server/discover after a refusal, and initialize.
func (x *Exchanges) isHandshake(number uint32, row *session.Row) bool {
	method := x.rows.Source.Method(row.Method)
	n := len(x.shakes)
	first := n == 0 || !x.sameRun(x.shakes[n-1].First, row.Run)
	switch {
	case first && (method == mcp.MethodDiscover || method == mcp.MethodInitialize):
		x.shakes = append(x.shakes, Handshake{First: number, Last: number, End: number})
	case x.shaking && (method == mcp.MethodInitialize || method == mcp.MethodDiscover && x.refused(x.shakes[n-1].Last)):
		x.shakes[n-1].Last, x.shakes[n-1].End = number, number
		x.shakes[n-1].parts++
	default:
		x.shaking = false
		return false
	}
	x.shaking = method == mcp.MethodDiscover
	return true
}

// refused reports whether a request was answered with an error.
func (x *Exchanges) refused(number uint32) bool {
	row, ok := x.rows.At(int(number))
	if !ok || !row.Paired() {
		return false
	}
	response, ok := x.rows.PartnerOf(row)
	return ok && response.Msg == framing.ErrorResponse
}

func (x *Exchanges) sameRun(number uint32, run uint16) bool {
	row, ok := x.rows.At(int(number))
	return ok && row.Run == run
}

// ends reports whether a notification ends the handshake.
func (x *Exchanges) ends(number uint32, row *session.Row) bool {
	n := len(x.shakes)
	if x.greeted || n == 0 || row.Kind != session.KindStdin || x.rows.Source.Method(row.Method) != mcp.MethodInitialized {
		return false
	}
	x.greeted, x.shakes[n-1].End = true, number
	x.shakes[n-1].parts++
	return true
}

// answered takes in a response.
func (x *Exchanges) answered(number uint32, row *session.Row) {
	partner, _ := row.Partner()
	request, first := uint32(partner), uint32(x.rounds.First(partner))
	switch _, poll := x.polls[first]; {
	case row.State == session.ReqTask && !x.isMethod(row.Method, taskMethod): // progress may still come
		x.pending.giveUp(request)
		x.isTask(first, row)
	case !x.over(request, number): // other requests of the batch are pending
	default:
		x.pending.drop(request)
		if poll {
			x.endTask(first)
		}
	}
	if row.State == session.ReqInput {
		x.asks(first, request, row)
	}
	if _, batch := x.Batch(int(request)); first == request && !batch { // others are in the rows of rounds and elements
		x.listPart(number, request)
	}
	if row.State != session.ReqInput && row.State != session.ReqTask {
		x.foldShown(first)
	}
	if n := len(x.shakes); n > 0 && request <= x.shakes[n-1].Last && request >= x.shakes[n-1].First {
		x.shakes[n-1].End = max(x.shakes[n-1].End, number)
		x.shakes[n-1].parts++
	}
}

// listPart lists a new part of an exchange that is unfolded.
func (x *Exchanges) listPart(number, of uint32) {
	if parts, open := x.unfolded[of]; open && len(parts) < MaxParts {
		x.parted++
		x.unfolded[of] = append(parts, number)
		x.List.Append(number, 0)
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
	switch row.Msg {
	case framing.Request:
		return x.rounds.First(number)
	case framing.Response, framing.ErrorResponse, framing.Batch:
		if row.Kind.IsStream() && Answers(number, &row) {
			request, _ := row.Partner()
			return x.rounds.First(request)
		}
	case framing.Notification:
		if of, ok := x.progressOf(number, &row); ok {
			return of
		}
		for _, parts := range []links{x.rounds.cancels, x.statuses} {
			if of, ok := parts.of(number); ok {
				return of
			}
		}
	}
	return number
}

// inHandshake reports whether a row between the first and the last of a handshake
// belongs to it.
func (x *Exchanges) inHandshake(h Handshake, number int, row *session.Row) bool {
	switch {
	case number > int(h.End):
		return false
	case number == int(h.First), number == int(h.Last):
		return true
	case row.Msg == framing.Notification:
		return row.Kind == session.KindStdin && x.rows.Source.Method(row.Method) == mcp.MethodInitialized
	case row.Msg == framing.Request:
		return false
	}
	request, _ := row.Partner()
	return Answers(number, row) && (request == int(h.First) || request == int(h.Last))
}

// Handshake returns the handshake whose exchange has a row; ok is false for other
// rows.
func (x *Exchanges) Handshake(number int) (h Handshake, ok bool) {
	i, ok := slices.BinarySearchFunc(x.shakes, number, func(h Handshake, number int) int { return int(h.First) - number })
	if !ok {
		return Handshake{}, false
	}
	h = x.shakes[i]
	if last := uint32(x.rows.Source.Len() - 1); h.End > last { // an earlier moment
		h.End = last
		if h.Last > last {
			h.Last = h.First
		}
	}
	return h, true
}

// LatestHandshake returns the last handshake; ok is false if there is none.
func (x *Exchanges) LatestHandshake() (h Handshake, ok bool) {
	if len(x.shakes) == 0 {
		return Handshake{}, false
	}
	return x.Handshake(int(x.shakes[len(x.shakes)-1].First))
}

// HandshakeAfter returns the handshake after another one.
func (x *Exchanges) HandshakeAfter(h Handshake) (next Handshake, ok bool) {
	i := sort.Search(len(x.shakes), func(i int) bool { return x.shakes[i].First > h.First })
	if i == len(x.shakes) {
		return Handshake{}, false
	}
	return x.shakes[i], true
}

// During returns the call that was the only one pending when the server made the
// request at a row.
func (x *Exchanges) During(number int) (call int, ok bool) { return x.rounds.nested.of(number) }

// Rounds returns the later rounds of all exchanges so far. They may be read on
// any goroutine.
func (x *Exchanges) Rounds() Rounds { return x.rounds }

// LastRound returns the request of the last round of an exchange, and how many
// rounds it has; of a task the request that decides its state, and all
// requests.
func (x *Exchanges) LastRound(number int) (last, n int) {
	if polls := x.polls[uint32(number)]; len(polls) > 0 {
		return x.decides(number, polls), len(polls) + 1
	}
	last, n = number, 1
	for round := range x.rounds.Later(&x.rows, number) {
		last, n = round, n+1
	}
	return last, n
}

// Round returns which round of its exchange a part is: the response of the first
// round, or the request of a later one. ok is false for other rows.
func (x *Exchanges) Round(number int, row *session.Row) (n int, ok bool) {
	request := number
	if row.Msg != framing.Request {
		request, _ = row.Partner()
	}
	first := x.rounds.First(request)
	if _, task := x.polls[uint32(first)]; task {
		return 0, false
	}
	if first == number || row.Msg != framing.Request && first != request {
		return 0, false
	}
	n = 1
	for round := range x.rounds.Later(&x.rows, first) {
		if n++; round == request {
			return n, true
		}
	}
	return 1, n > 1 && first == request
}

// HasParts reports whether an exchange has parts other than its response.
func (x *Exchanges) HasParts(number int) bool {
	if h, ok := x.Handshake(number); ok {
		return h.parts > 1
	}
	if b, ok := x.Batch(number); ok && b.Elements > 0 || x.isWhole(number) {
		return true
	}
	for range x.rounds.Later(&x.rows, number) {
		return true
	}
	return false
}

// Len returns the number of rows without the parts of unfolded exchanges.
func (x *Exchanges) Len() int { return len(x.List.All()) - x.parted }

// Unfolded reports whether the parts of an exchange are listed.
func (x *Exchanges) Unfolded(number int) bool {
	_, open := x.unfolded[uint32(number)]
	return open
}

// Unfold lists the parts of an exchange, at most MaxParts of them. It returns
// whether there are any, and whether there are more; neither if it is unfolded
// already.
func (x *Exchanges) Unfold(number int) (any, more bool) {
	if x.Unfolded(number) {
		return false, false
	}
	parts, more := x.parts(number)
	if len(parts) == 0 {
		return false, false
	}
	for _, part := range parts {
		x.List.Insert(int(part))
	}
	x.parted += len(parts)
	x.unfolded[uint32(number)] = parts
	return true, more
}

// Fold hides the parts of an exchange again, and reports whether they were
// listed.
func (x *Exchanges) Fold(number int) bool {
	parts, open := x.unfolded[uint32(number)]
	for _, part := range parts {
		x.List.Remove(int(part))
	}
	x.parted -= len(parts)
	delete(x.unfolded, uint32(number))
	return open
}

// parts returns the rows of the first parts of an exchange in their order, and
// whether there are more.
func (x *Exchanges) parts(number int) (parts []uint32, more bool) {
	if h, ok := x.Handshake(number); ok {
		for at := h.First + 1; at <= min(h.End, h.First+MaxParts); at++ {
			if row, ok := x.rows.At(int(at)); ok && x.inHandshake(h, int(at), &row) {
				parts = append(parts, at)
			}
		}
		return parts, false
	}
	row, ok := x.rows.At(number)
	if !ok {
		return nil, false
	}
	parts = x.progressParts(number)
	if response, ok := x.ResponseOf(number, &row); ok && row.Msg == framing.Request && x.Parent(response) > number && x.Parent(response) < x.scanned {
		parts = append(parts, uint32(response))
	}
	b, batch := x.Batch(number)
	if batch {
		parts = append(parts, x.elementParts(number)...)
	}
	for round := range x.rounds.Later(&x.rows, number) {
		parts = append(parts, uint32(round))
	}
	if at, ok := x.Cancelled(number); ok {
		parts = append(parts, uint32(at))
	}
	parts = append(parts, x.statusParts(number)...)
	slices.SortFunc(parts, func(a, b uint32) int { return cmp.Compare(x.place(int(a)), x.place(int(b))) })
	return parts[:min(len(parts), MaxParts)], len(parts) > MaxParts || b.Elements > MaxParts
}

// upTo returns the exchanges as they were when the log, which source shows in
// that state, had the given number of rows.
func (x *Exchanges) upTo(source session.Source, rows int) *Exchanges {
	cut := newExchanges()
	cut.setSource(source)
	cut.scanned = rows
	cut.List = x.List.UpTo(rows)
	cut.shakes = x.shakes[:sort.Search(len(x.shakes), func(i int) bool { return int(x.shakes[i].First) >= rows })]
	cut.rounds, cut.ranges = x.rounds.upTo(rows), x.ranges.upTo(rows)
	cut.polls, cut.statuses = x.pollsBefore(rows), x.statuses.upTo(rows)
	cut.whole = before(x.whole, rows)
	for number, parts := range x.unfolded {
		if int(number) < rows {
			end := sort.Search(len(parts), func(i int) bool { return x.Parent(int(parts[i])) >= rows })
			cut.unfolded[number] = parts[:end:end]
			cut.parted += len(cut.unfolded[number])
		}
	}
	return cut
}
