package workspace

import (
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/table"
)

const (
	// burstFrom is the minimum number of adjacent notifications of one method that
	// are one row.
	burstFrom = 5
	// burstPause is the time between two notifications, in microseconds, that ends
	// a burst.
	burstPause = 1_000_000
	// maxOpen is how many pending requests are known; with more, nothing is
	// attributed to one of them.
	maxOpen = 64
	// MaxParts is how many parts of an exchange are listed when it is unfolded.
	MaxParts = 1000
)

// Exchanges lists the rows of a log by exchange. An exchange has one row, that of
// its first message; its other rows are its parts, which are listed only while it
// is unfolded: the response, progress, and the rest of a handshake. A message
// that belongs to no exchange is a row of its own. It costs four bytes an
// exchange, and nothing for a message in a range of parts.
type Exchanges struct {
	List *table.Folded

	shakes []Handshake // one for each process
	nested []nesting   // requests of the server during a call, by their rows
	ranges []partRange // progress, by row
	whole  []uint32    // exchanges that have a range of parts, ascending

	open     []uint32 // our requests that may be pending, oldest first
	crowded  bool     // there were more than maxOpen
	shaking  bool     // initialize may still follow server/discover
	greeted  bool     // notifications/initialized was seen
	run      uint16
	last     int64  // time of the latest notification
	pause    uint32 // flips at each pause between notifications
	unfolded map[uint32][]uint32
	rows     Rows
}

// A Handshake is an exchange of one or two requests that begins the use of a
// server.
type Handshake struct {
	First uint32 // row of the first request: the row of the exchange
	Last  uint32 // row of the last request, whose response decides
	End   uint32 // row of the last message so far
	parts int    // messages besides the first
}

// A nesting is a request of the server with the only call that was pending then.
type nesting struct{ row, call uint32 }

// A partRange is a range of adjacent rows that belong to one exchange.
type partRange struct{ first, last, of uint32 }

func newExchanges() *Exchanges {
	return &Exchanges{List: &table.Folded{From: burstFrom}, unfolded: map[uint32][]uint32{}}
}

// add lists a new row, or makes it a part of an exchange.
func (x *Exchanges) add(number uint32, row *session.Row) {
	if row.Run != x.run {
		x.run, x.shaking, x.greeted = row.Run, false, false
		x.open, x.crowded = x.open[:0], false
	}
	switch {
	case !row.Kind.IsStream():
		if ownRow(row) {
			x.List.Append(number, 0)
		}
	case row.Kind == session.KindStderr, x.isPart(number, row):
	case row.Msg == framing.Notification:
		x.List.Append(number, x.burstKind(row))
	default:
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
			if call, ok := x.onlyPending(number); ok {
				x.nested = append(x.nested, nesting{number, call})
			}
			return false
		}
		if x.isHandshake(number, row) {
			return x.shakes[len(x.shakes)-1].First != number
		}
		x.opened(number)
	case framing.Response, framing.ErrorResponse, framing.Batch:
		if !Answers(int(number), row) {
			return false
		}
		x.answered(number, row.Pair-1)
		return true
	case framing.Notification:
		return x.isProgress(number, row) || x.ends(number, row)
	}
	return false
}

// Answers reports whether a row is the response to the request of an earlier row,
// in whose exchange it is.
func Answers(number int, row *session.Row) bool {
	return row.Pair != 0 && int(row.Pair)-1 < number && row.State != session.ReqDuplicate && row.State != session.ReqUnmatched
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
	if !ok || row.Pair == 0 {
		return false
	}
	response, ok := x.rows.At(int(row.Pair) - 1)
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

func (x *Exchanges) opened(number uint32) {
	if len(x.open) == maxOpen {
		x.crowded = true
		return
	}
	x.open = append(x.open, number)
}

func (x *Exchanges) answered(number, request uint32) {
	x.listPart(number, request)
	if i := slices.Index(x.open, request); i >= 0 {
		x.open = slices.Delete(x.open, i, i+1)
	}
	if n := len(x.shakes); n > 0 && request <= x.shakes[n-1].Last && request >= x.shakes[n-1].First {
		x.shakes[n-1].End = max(x.shakes[n-1].End, number)
		x.shakes[n-1].parts++
	}
}

// listPart lists a new part of an exchange that is unfolded.
func (x *Exchanges) listPart(number, of uint32) {
	if parts, open := x.unfolded[of]; open && len(parts) < MaxParts {
		x.unfolded[of] = append(parts, number)
		x.List.Append(number, 0)
	}
}

// onlyPending returns the call of ours that was pending before a row, if there was
// exactly one.
func (x *Exchanges) onlyPending(number uint32) (call uint32, ok bool) {
	if x.crowded {
		return 0, false
	}
	for i := 0; i < len(x.open); i++ {
		row, known := x.rows.At(int(x.open[i]))
		if !known || row.Pair != 0 && row.Pair-1 < number || row.Pair == 0 && row.State != session.ReqPending {
			x.open = slices.Delete(x.open, i, i+1)
			i--
		}
	}
	if len(x.open) != 1 {
		return 0, false
	}
	return x.open[0], true
}

// isProgress reports whether a notification is progress of the only pending call.
// With several pending calls it is a row of its own: its token is not read here.
func (x *Exchanges) isProgress(number uint32, row *session.Row) bool {
	if row.Kind != session.KindStdout || row.Flags != 0 || len(x.open) == 0 || x.rows.Source.Method(row.Method) != mcp.MethodProgress {
		return false
	}
	call, ok := x.onlyPending(number)
	if !ok {
		return false
	}
	x.listPart(number, call)
	if n := len(x.ranges); n > 0 && x.ranges[n-1].of == call && x.ranges[n-1].last+1 == number {
		x.ranges[n-1].last = number
		return true
	}
	x.ranges = append(x.ranges, partRange{number, number, call})
	if i, found := slices.BinarySearch(x.whole, call); !found {
		x.whole = slices.Insert(x.whole, i, call)
	}
	return true
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
	row, ok := x.rows.At(number)
	if !ok || number < 0 {
		return number
	}
	if i := sort.Search(len(x.shakes), func(i int) bool { return int(x.shakes[i].First) > number }) - 1; i >= 0 && x.inHandshake(x.shakes[i], number, &row) {
		return int(x.shakes[i].First)
	}
	switch row.Msg {
	case framing.Response, framing.ErrorResponse, framing.Batch:
		if row.Kind.IsStream() && Answers(number, &row) {
			return int(row.Pair) - 1
		}
	case framing.Notification:
		if r, ok := x.rangeOf(number); ok {
			return int(r.of)
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
	request := int(row.Pair) - 1
	return Answers(number, row) && (request == int(h.First) || request == int(h.Last))
}

// rangeOf returns the range of parts that a row is in.
func (x *Exchanges) rangeOf(number int) (partRange, bool) {
	i := sort.Search(len(x.ranges), func(i int) bool { return int(x.ranges[i].last) >= number })
	if i == len(x.ranges) || int(x.ranges[i].first) > number {
		return partRange{}, false
	}
	return x.ranges[i], true
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
func (x *Exchanges) During(number int) (call int, ok bool) {
	i, ok := slices.BinarySearchFunc(x.nested, number, func(n nesting, number int) int { return int(n.row) - number })
	if !ok {
		return 0, false
	}
	return int(x.nested[i].call), true
}

// Progress returns the row of the latest progress of a call.
func (x *Exchanges) Progress(call int) (number int, ok bool) {
	if _, has := slices.BinarySearch(x.whole, uint32(call)); !has {
		return 0, false
	}
	const near = 64
	for i := len(x.ranges) - 1; i >= max(len(x.ranges)-near, 0); i-- {
		if int(x.ranges[i].of) == call {
			return min(int(x.ranges[i].last), x.rows.Source.Len()-1), true
		}
	}
	return 0, false
}

// HasParts reports whether an exchange has parts other than its response.
func (x *Exchanges) HasParts(number int) bool {
	if h, ok := x.Handshake(number); ok {
		return h.parts > 1
	}
	_, has := slices.BinarySearch(x.whole, uint32(number))
	return has
}

// Unfolded reports whether the parts of an exchange are listed.
func (x *Exchanges) Unfolded(number int) bool {
	_, open := x.unfolded[uint32(number)]
	return open
}

// Unfold lists the parts of an exchange, at most MaxParts of them. It returns how
// many there are; 0 if it has none or is unfolded already.
func (x *Exchanges) Unfold(number int) int {
	if x.Unfolded(number) {
		return 0
	}
	parts, n := x.parts(number)
	if n == 0 {
		return 0
	}
	for _, part := range parts {
		x.List.Insert(int(part))
	}
	x.unfolded[uint32(number)] = parts
	return n
}

// Fold hides the parts of an exchange again, and reports whether they were
// listed.
func (x *Exchanges) Fold(number int) bool {
	parts, open := x.unfolded[uint32(number)]
	for _, part := range parts {
		x.List.Remove(int(part))
	}
	delete(x.unfolded, uint32(number))
	return open
}

// parts returns the rows of the first parts of an exchange, and the number of all.
func (x *Exchanges) parts(number int) (parts []uint32, n int) {
	add := func(row uint32) {
		if n++; len(parts) < MaxParts {
			parts = append(parts, row)
		}
	}
	if h, ok := x.Handshake(number); ok {
		for at := h.First + 1; at <= min(h.End, h.First+MaxParts); at++ {
			if row, ok := x.rows.At(int(at)); ok && x.inHandshake(h, int(at), &row) {
				add(at)
			}
		}
		return parts, n
	}
	from := sort.Search(len(x.ranges), func(i int) bool { return int(x.ranges[i].first) > number })
	row, ok := x.rows.At(number)
	if !ok {
		return nil, 0
	}
	for _, r := range x.ranges[from:] {
		if row.Pair != 0 && r.first > row.Pair-1 {
			break
		}
		if int(r.of) != number {
			continue
		}
		last := min(r.last, uint32(x.rows.Source.Len()-1))
		for at := r.first; at <= last && len(parts) < MaxParts; at++ {
			parts = append(parts, at)
		}
		n += int(last-r.first) + 1
	}
	if row.Msg == framing.Request && int(row.Pair)-1 > number && int(row.Pair)-1 < x.rows.Source.Len() {
		add(row.Pair - 1)
	}
	return parts, n
}

// upTo returns the exchanges as they were when the log, which source shows in
// that state, had the given number of rows.
func (x *Exchanges) upTo(source session.Source, rows int) *Exchanges {
	cut := newExchanges()
	cut.rows.Source = source
	cut.List = x.List.UpTo(rows)
	cut.shakes = x.shakes[:sort.Search(len(x.shakes), func(i int) bool { return int(x.shakes[i].First) >= rows })]
	cut.nested = x.nested[:sort.Search(len(x.nested), func(i int) bool { return int(x.nested[i].row) >= rows })]
	cut.ranges = x.ranges[:sort.Search(len(x.ranges), func(i int) bool { return int(x.ranges[i].first) >= rows })]
	cut.whole = before(x.whole, rows)
	for number, parts := range x.unfolded {
		if int(number) < rows {
			cut.unfolded[number] = before(parts, rows)
		}
	}
	return cut
}
