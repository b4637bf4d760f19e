package workspace

import (
	"bytes"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

const (
	// maxOpen is how many pending requests are known, and how many that were given
	// up. Nothing is attributed to further ones, while they are further ones.
	maxOpen = 64
	// maxFurther is how many further requests are counted.
	maxFurther = 1 << 16
	// nearParts is how many ranges of progress, and cancellations, after a call are
	// read to find one of it; calls with later ones are listed.
	nearParts = 16
	// progressRead is how many ranges of progress, and how many rows before the end
	// of one, are read to find the latest progress at an earlier moment.
	progressRead = 64
	// partsRead is how many rows are read to find the progress of a call that is
	// unfolded.
	partsRead = 1 << 20
)

// A pendingCall is a request of ours that has no response so far.
type pendingCall struct {
	row, first uint32 // of the request, and of the first request of its exchange
	progress   uint32 // row of its latest progress, plus one
	read       bool   // id and token are known
	id, token  string // as JSON
}

// pendingCalls are the requests of ours to one process, oldest first.
type pendingCalls struct {
	open    []pendingCall     // they wait for a response
	over    []pendingCall     // cancelled or timed out: something may still arrive
	further map[uint32]uint32 // the first request of the exchange of further open ones, by row
	crowded bool              // there were more of these
}

func (p *pendingCalls) add(row, first uint32) {
	switch {
	case len(p.open) < maxOpen:
		p.open = append(p.open, pendingCall{row: row, first: first})
	case len(p.further) == maxFurther:
		p.crowded = true
	default:
		if p.further == nil {
			p.further = map[uint32]uint32{}
		}
		p.further[row] = first
	}
}

// drop forgets a request that was answered.
func (p *pendingCalls) drop(row uint32) {
	delete(p.further, row)
	is := func(c pendingCall) bool { return c.row == row }
	if i := slices.IndexFunc(p.open, is); i >= 0 {
		p.open = slices.Delete(p.open, i, i+1)
	} else if i = slices.IndexFunc(p.over, is); i >= 0 {
		p.over = slices.Delete(p.over, i, i+1)
	}
}

// giveUp records that a request no longer waits for a response.
func (p *pendingCalls) giveUp(row uint32) {
	delete(p.further, row)
	i := slices.IndexFunc(p.open, func(c pendingCall) bool { return c.row == row })
	if i < 0 {
		return
	}
	if len(p.over) == maxOpen {
		p.over = slices.Delete(p.over, 0, 1)
	}
	p.over = append(p.over, p.open[i])
	p.open = slices.Delete(p.open, i, i+1)
}

// only returns the pending call, if there is exactly one.
func (p *pendingCalls) only() (call *pendingCall, ok bool) {
	if p.crowded || len(p.open)+len(p.further) != 1 {
		return nil, false
	}
	for row, first := range p.further {
		p.open = append(p.open, pendingCall{row: row, first: first})
		p.further = nil
	}
	return &p.open[0], true
}

// replaced drops the requests whose id a new one takes over: the responses of the two
// could not be told apart. Only a request that the log calls lost can be one.
func (x *Exchanges) replaced(row *session.Row) {
	lost := func(c pendingCall) bool {
		older, ok := x.rows.At(int(c.row))
		return ok && older.State == session.ReqLost
	}
	if !slices.ContainsFunc(x.pending.open, lost) {
		return
	}
	e, ok := x.reader.read(x.rows.Source, *row)
	if !ok {
		return
	}
	id := string(summary.IDOf(e.Payload))
	x.identify()
	x.pending.open = slices.DeleteFunc(x.pending.open, func(c pendingCall) bool { return c.id != "" && c.id == id && lost(c) })
}

// OnlyPending returns the row of the only request of ours that waits for a
// response, if there is exactly one.
func (x *Exchanges) OnlyPending() (number int, ok bool) {
	call, ok := x.pending.only()
	if !ok {
		return 0, false
	}
	return int(call.row), true
}

// find returns a request that was sent and not answered.
func (p *pendingCalls) find(is func(*pendingCall) bool) *pendingCall {
	for _, list := range [][]pendingCall{p.open, p.over} {
		for i := range list {
			if is(&list[i]) {
				return &list[i]
			}
		}
	}
	return nil
}

// A reader reads the beginnings of messages while rows are listed.
type reader struct {
	buf [summary.Limit + 1<<10]byte
	n   int // messages read since the cost was taken
}

func (r *reader) read(source session.Source, row session.Row) (session.Entry, bool) {
	r.n++
	e, err := session.EntryInto(source, row, summary.Limit, r.buf[:0])
	return e, err == nil
}

// messageCost is how many rows can be listed while one message is read.
const messageCost = 16

// takeCost returns what reading messages has cost since it was called last, in
// rows.
func (r *reader) takeCost() int {
	n := r.n
	r.n = 0
	return n * messageCost
}

// identify reads the ids and the progress tokens of all requests that were sent
// and not answered.
func (x *Exchanges) identify() {
	for _, list := range [][]pendingCall{x.pending.open, x.pending.over} {
		for i := range list {
			c := &list[i]
			if c.read {
				continue
			}
			c.read = true
			row, _ := x.rows.At(int(c.row))
			if e, ok := x.reader.read(x.rows.Source, row); ok {
				c.id, c.token = string(summary.IDOf(e.Payload)), string(summary.ProgressToken(e.Payload))
			}
		}
	}
}

// gaveUp takes in that a request timed out, or was not sent.
func (x *Exchanges) gaveUp(event uint32, row *session.Row) {
	if len(x.pending.open) == 0 {
		return
	}
	e, ok := x.reader.read(x.rows.Source, *row)
	var of struct {
		Of uint64 `json:"of"`
	}
	if !ok || e.DecodeBody(&of) != nil || of.Of == 0 {
		return
	}
	if number, ok := x.rows.OfEntry(of.Of); ok {
		first := uint32(x.rounds.First(number))
		x.rounds.givenUp = append(x.rounds.givenUp, link{event, first})
		x.pending.giveUp(uint32(number))
		x.foldShown(first)
	}
}

// isCancel reports whether a notification cancels a call, to which it then
// belongs.
func (x *Exchanges) isCancel(number uint32, row *session.Row) bool {
	p := &x.pending
	if row.Flags != 0 || !x.isMethod(row.Method, cancelledMethod) {
		return false
	}
	if row.Kind == session.KindStdout {
		x.withdraws(number, row)
		return false
	}
	if len(p.open)+len(p.over) == 0 {
		return false
	}
	e, ok := x.reader.read(x.rows.Source, *row)
	if !ok {
		return false
	}
	id := string(summary.CancelledID(e.Payload))
	x.identify()
	call := p.find(func(c *pendingCall) bool { return c.id != "" && c.id == id })
	if call == nil {
		return false
	}
	at, first := call.row, call.first
	x.rounds.cancels = append(x.rounds.cancels, link{number, first})
	x.markWhole(first)
	p.giveUp(at)
	x.foldShown(first)
	x.listPart(number, first)
	return true
}

// withdraws takes in that the server cancels a request that it made during a call.
func (x *Exchanges) withdraws(number uint32, row *session.Row) {
	nested := x.rounds.nested[max(len(x.rounds.nested)-maxWithdrawn, 0):]
	if len(nested) == 0 {
		return
	}
	e, ok := x.reader.read(x.rows.Source, *row)
	if !ok {
		return
	}
	id := bytes.Clone(summary.CancelledID(e.Payload))
	for _, l := range slices.Backward(nested) {
		request, _ := x.rows.At(int(l.row))
		if request.State != session.ReqCancelled || id == nil {
			continue
		}
		if e, ok = x.reader.read(x.rows.Source, request); ok && bytes.Equal(summary.IDOf(e.Payload), id) {
			x.rounds.withdrawn = append(x.rounds.withdrawn, link{number, l.row})
			return
		}
	}
}

// Cancelled returns the row of the cancellation of a call.
func (x *Exchanges) Cancelled(call int) (number int, ok bool) { return x.rounds.Cancelled(call) }

// progresses reports whether a row is progress that a call may have.
func (x *Exchanges) progresses(row *session.Row) bool {
	return row.Kind == session.KindStdout && row.Msg == framing.Notification && row.Flags == 0 && x.isMethod(row.Method, progressMethod)
}

// A method is one that the exchanges treat in a special way.
type method uint8

const (
	unknownMethod method = iota // its name was not read so far
	otherMethod
	progressMethod
	cancelledMethod
	taskMethod   // a request about a task
	statusMethod // a notification about a task
)

// isMethod reports whether a method is the given one. Its name is read once.
func (x *Exchanges) isMethod(id uint16, is method) bool {
	if missing := int(id) + 1 - len(x.methods); missing > 0 {
		x.methods = append(x.methods, make([]method, missing)...)
	}
	m := &x.methods[id]
	if *m == unknownMethod {
		switch x.rows.Source.Method(id) {
		case mcp.MethodProgress:
			*m = progressMethod
		case mcp.MethodCancelled:
			*m = cancelledMethod
		case mcp.MethodTasksGet, mcp.MethodTasksResult, mcp.MethodTasksUpdate, mcp.MethodTasksCancel:
			*m = taskMethod
		case "notifications/tasks/status", "notifications/tasks":
			*m = statusMethod
		default:
			*m = otherMethod
		}
	}
	return *m == is
}

// isProgress reports whether a notification is progress of a call: of the only
// pending one, or of the one with its token.
func (x *Exchanges) isProgress(number uint32, row *session.Row) bool {
	if !x.progresses(row) {
		return false
	}
	call, ok := x.pending.only()
	if !ok || len(x.pending.over) > 0 {
		call = x.withToken(row)
	}
	of := uint32(loose)
	if call != nil {
		of, call.progress = call.first, number+1
	}
	if n := len(x.ranges); n == 0 && call != nil || n > 0 && x.ranges[n-1].of != of {
		x.ranges = append(x.ranges, link{number, of})
		x.markWhole(of)
	}
	if call == nil {
		return false
	}
	x.listPart(number, of)
	return true
}

// withToken returns the call that progress reports on.
func (x *Exchanges) withToken(row *session.Row) *pendingCall {
	if len(x.pending.open)+len(x.pending.over) == 0 {
		return nil
	}
	e, ok := x.reader.read(x.rows.Source, *row)
	if !ok {
		return nil
	}
	token := string(summary.ProgressOf(e.Payload))
	x.identify()
	return x.pending.find(func(c *pendingCall) bool { return c.token != "" && c.token == token })
}

// isWhole reports whether an exchange has progress or was cancelled.
func (x *Exchanges) isWhole(exchange int) bool {
	for _, list := range []links{x.ranges, x.rounds.cancels} {
		from := list.from(exchange)
		for _, l := range list[from:min(from+nearParts, len(list))] {
			if int(l.of) == exchange {
				return true
			}
		}
	}
	_, has := slices.BinarySearch(x.whole, uint32(exchange))
	return has
}

// markWhole records that an exchange has progress or was cancelled, unless that is
// found near its row.
func (x *Exchanges) markWhole(exchange uint32) {
	if exchange == loose || x.isWhole(int(exchange)) {
		return
	}
	i, _ := slices.BinarySearch(x.whole, exchange)
	x.whole = slices.Insert(x.whole, i, exchange)
}

// progressOf returns the exchange that progress at a row belongs to.
func (x *Exchanges) progressOf(number int, row *session.Row) (exchange int, ok bool) {
	i := x.ranges.from(number+1) - 1
	if i < 0 || x.ranges[i].of == loose || !x.progresses(row) {
		return 0, false
	}
	return int(x.ranges[i].of), true
}

// Progress returns the row of the latest progress of a pending call.
func (x *Exchanges) Progress(call int) (number int, ok bool) {
	if !x.isWhole(call) {
		return 0, false
	}
	if c := x.pending.find(func(c *pendingCall) bool { return int(c.first) == call && c.progress > 0 }); c != nil {
		return int(c.progress) - 1, true
	}
	end := x.scanned
	for i := len(x.ranges) - 1; i >= max(len(x.ranges)-progressRead, 0); i-- {
		r := x.ranges[i]
		if int(r.of) != call {
			end = int(r.row)
			continue
		}
		for at := end - 1; at >= max(int(r.row), end-progressRead); at-- {
			if row, ok := x.rows.At(at); ok && x.progresses(&row) {
				return at, true
			}
		}
		return int(r.row), true
	}
	return 0, false
}

// progressParts returns the rows of the first progress of a call, one more than
// are listed if there are so many.
func (x *Exchanges) progressParts(call int) (parts []uint32) {
	if !x.isWhole(call) {
		return nil
	}
	left := partsRead
	for i := x.ranges.from(call); i < len(x.ranges) && left > 0 && len(parts) <= MaxParts; i++ {
		if int(x.ranges[i].of) != call {
			continue
		}
		end := x.scanned
		if i+1 < len(x.ranges) {
			end = int(x.ranges[i+1].row)
		}
		from := int(x.ranges[i].row)
		end = min(end, from+left)
		left -= end - from
		parts = x.appendProgress(parts, from, end)
	}
	return parts
}

// appendProgress appends the rows of progress between two rows, until there are
// more than are listed.
func (x *Exchanges) appendProgress(parts []uint32, from, end int) []uint32 {
	var block [64]session.Row
	for from < end && len(parts) <= MaxParts {
		n := x.rows.Source.Rows(from, block[:min(len(block), end-from)])
		if n == 0 {
			break
		}
		for i := range block[:n] {
			if x.progresses(&block[i]) {
				parts = append(parts, uint32(from+i))
			}
		}
		from += n
	}
	return parts
}
