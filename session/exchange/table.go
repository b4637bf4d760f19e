package exchange

import (
	"context"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

const (
	// maxOpen is how many requests in flight are known. Once there are more, no
	// request of the server belongs to a call until the process has ended.
	maxOpen = 1 << 16
	// maxWaits is how many requests of the server are known of one call.
	maxWaits = 4096
)

// A Table knows the times of the exchanges of a log. It follows the log as far as it
// is asked for, and belongs to one goroutine.
//
// A request of the server belongs to the call whose task it names, or else to the only
// call in flight. Without that evidence its wait belongs to no call, and is time of
// the server.
type Table struct {
	src     session.Source
	read    int // rows followed
	block   [256]session.Row
	open    map[uint32]uint32 // the calls of the requests of the client in flight, by row: another row for a request about a task
	crowded bool              // there were more
	tasks   map[key]uint32    // the calls that go on as tasks, by the hash of the task's id
	asked   map[uint32]wait   // the pending requests of the server, by row
	waits   map[uint32][]Span // of the calls that have any, by row of the call
	callOf  map[uint32]uint32 // the call of a request about its task, if the call has waits
	ids     ids               // of the requests in flight
	givenUp map[uint32]int64  // when a request was cancelled or timed out, by row
	kinds   []methodKind      // by method
	buf     [summary.Limit + 1<<10]byte
}

// A wait is the place of a span in Table.waits.
type wait struct {
	call uint32
	at   int
}

// NewTable returns the times of the exchanges of a log.
func NewTable(src session.Source) *Table {
	return &Table{
		src: src, open: map[uint32]uint32{}, tasks: map[key]uint32{}, asked: map[uint32]wait{},
		waits: map[uint32][]Span{}, callOf: map[uint32]uint32{}, ids: ids{read: map[key]uint32{}}, givenUp: map[uint32]int64{},
	}
}

// Times returns the times of the request at a row, which has a response. All the time
// of a request of the server is that of the person.
func (t *Table) Times(number int, request, response session.Row) Times {
	whole := Span{request.T, response.T}
	if request.Kind == session.KindStdout {
		return TimesOf(whole, []Span{whole})
	}
	answer, _ := request.Partner()
	return t.Between(number, answer, whole)
}

// Between returns the times of a request of the client at a row, whose response is at
// another one, for a span.
func (t *Table) Between(request, response int, whole Span) Times {
	return TimesOf(whole, t.Waits(request, response))
}

// Waits returns when the server waited for its client during the exchange of the request
// at a row, as far as the row of its response. The spans may exceed the exchange.
func (t *Table) Waits(number, response int) []Span {
	t.follow(response)
	if call, about := t.callOf[uint32(number)]; about {
		return t.waits[call]
	}
	return t.waits[uint32(number)]
}

// TimesOfRounds returns the times of an exchange of several requests, which are rows
// in ascending order: rounds, between which the server waited for input, or a call and
// the requests about its task, for whose input it waited before tasks/update.
func (t *Table) TimesOfRounds(requests []int) (times Times) {
	var whole Span
	var waits []Span
	for i, number := range requests {
		request, _ := session.RowAt(t.src, number)
		response, answered := session.PartnerOf(t.src, request)
		switch resumes := !mcp.IsTaskMethod(t.src.Method(request.Method)) || t.src.Method(request.Method) == mcp.MethodTasksUpdate; {
		case i == 0:
			whole.From = request.T
		case resumes:
			waits = append(waits, Span{whole.To, request.T})
		}
		if answered {
			whole.To = response.T
		}
		at, _ := request.Partner()
		waits = append(waits, t.Waits(number, at)...)
	}
	return TimesOf(whole, waits)
}

// Follow reads the log up to a row, or until ctx ends. The other methods read what they
// need, however long that takes.
func (t *Table) Follow(ctx context.Context, row int) error {
	for t.read <= row && t.next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// follow reads the log up to a row.
func (t *Table) follow(row int) {
	for more := true; more && t.read <= row; {
		more = t.next()
	}
}

// next reads the next rows. It reports whether there were any.
func (t *Table) next() bool {
	n := t.src.Rows(t.read, t.block[:])
	for i := range t.block[:n] {
		t.add(uint32(t.read), &t.block[i])
		t.read++
	}
	return n > 0
}

// GivenUp returns when the request at a row was cancelled or timed out. It follows the
// whole log.
func (t *Table) GivenUp(number int) (at int64, ok bool) {
	t.follow(t.src.Len() - 1)
	at, ok = t.givenUp[uint32(number)]
	return at, ok
}

func (t *Table) add(number uint32, row *session.Row) {
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		t.message(number, row)
	case session.KindStart, session.KindClosed, session.KindFailed:
		clear(t.open)
		clear(t.asked)
		clear(t.tasks)
		t.ids.clear()
		t.crowded = false
	case session.KindState:
		t.timedOut(row)
	}
}

// message takes in a row of a stream.
func (t *Table) message(number uint32, row *session.Row) {
	fromClient := row.Kind == session.KindStdin
	switch row.Msg {
	case framing.Request:
		if fromClient {
			t.sent(number, row)
		} else {
			t.received(number, row)
		}
	case framing.Notification:
		if t.kindOf(row.Method) == cancels {
			t.giveUp(row.T, row.Kind, t.part(row, summary.CancelledID))
		}
	case framing.Response, framing.ErrorResponse:
		request, ok := row.Partner()
		if !ok || request >= int(number) || row.State == session.ReqDuplicate || row.State == session.ReqUnmatched {
			return
		}
		if fromClient {
			t.settled(uint32(request), row.T)
		} else {
			t.returned(uint32(request), row)
		}
	}
}

// sent takes in a request of the client.
func (t *Table) sent(number uint32, row *session.Row) {
	if len(t.open) == maxOpen {
		t.crowded = true
		return
	}
	call := number
	if kind := t.kindOf(row.Method); kind == readsTask || kind == steersTask {
		if about, ok := t.taskOf(row, summary.TaskID); ok {
			call = about
		}
	}
	t.open[number] = call
	t.ids.add(number, t.inFlight)
}

// returned takes in the response to a request of the client, which is at a row.
func (t *Table) returned(request uint32, row *session.Row) {
	kind := t.kindOf(row.Method)
	call, ok := t.open[request]
	if !ok {
		return
	}
	if row.State == session.ReqTask && kind == other {
		if id := t.part(row, summary.TaskOf); id != nil {
			t.tasks[keyOf(id)] = request
			return // it stays open
		}
	}
	t.close(request, call)
	if call == request {
		return
	}
	if refused := row.Msg == framing.ErrorResponse && kind == steersTask; row.State != session.ReqTask && !refused {
		delete(t.open, call)
	}
}

// close takes in that a request is no longer in flight.
func (t *Table) close(request, call uint32) {
	delete(t.open, request)
	if call != request && len(t.waits[call]) > 0 {
		t.callOf[request] = call
	}
}

// received takes in a request of the server.
func (t *Table) received(number uint32, row *session.Row) {
	call, ok := t.taskOf(row, summary.RelatedTask)
	if !ok {
		call, ok = t.only()
	}
	if !ok || len(t.waits[call]) == maxWaits {
		return
	}
	t.asked[number] = wait{call, len(t.waits[call])}
	t.waits[call] = append(t.waits[call], Span{row.T, Open})
	t.ids.add(number, t.inFlight)
}

// settled takes in that a request of the server was answered, or given up.
func (t *Table) settled(number uint32, at int64) {
	if w, ok := t.asked[number]; ok {
		t.waits[w.call][w.at].To = at
		delete(t.asked, number)
	}
}

// only returns the only call in flight.
func (t *Table) only() (call uint32, ok bool) {
	for _, c := range t.open {
		if ok && c != call {
			return 0, false
		}
		call, ok = c, true
	}
	return call, ok && !t.crowded
}

// inFlight reports whether a request waits for its response, as far as that matters.
func (t *Table) inFlight(number uint32) bool {
	_, open := t.open[number]
	_, asked := t.asked[number]
	return open || asked
}

// timedOut takes in an entry that may say that a request has timed out.
func (t *Table) timedOut(row *session.Row) {
	e, err := session.EntryInto(t.src, *row, summary.Limit, t.buf[:0])
	var body session.StateBody
	if err == nil && e.DecodeBody(&body) == nil && body.State == session.ReqTimedOut.String() {
		t.giveUp(row.T, session.KindStdin, body.ID)
	}
}

// giveUp takes in that the request with an id was given up, if it is in flight.
func (t *Table) giveUp(at int64, kind session.Kind, id []byte) {
	if id == nil {
		return
	}
	wanted := requestKey(kind, id)
	number, ok := t.ids.find(wanted, t)
	if !ok {
		return
	}
	t.givenUp[number] = at
	t.settled(number, at)
	if call, open := t.open[number]; open {
		t.close(number, call)
	}
}

// taskOf returns the call that goes on as the task that a message names.
func (t *Table) taskOf(row *session.Row, id func([]byte) []byte) (call uint32, ok bool) {
	if len(t.tasks) == 0 {
		return 0, false
	}
	named := t.part(row, id)
	if named == nil {
		return 0, false
	}
	call, ok = t.tasks[keyOf(named)]
	return call, ok
}

// part reads a part of the beginning of a message.
func (t *Table) part(row *session.Row, of func([]byte) []byte) []byte {
	e, err := session.EntryInto(t.src, *row, summary.Limit, t.buf[:0])
	if err != nil {
		return nil
	}
	return of(e.Payload)
}

func (t *Table) kindOf(method uint16) methodKind { return kindOf(t.src, &t.kinds, method) }
