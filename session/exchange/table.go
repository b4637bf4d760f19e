package exchange

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/summary"
)

const (
	// maxTasks is how many tasks of a process are known.
	maxTasks = 1024
	// maxAsked is how many results that ask for input are remembered until a request is
	// sent again with it.
	maxAsked = 64
	// manyOpen is how many requests may be in flight for one of them to be the only call.
	manyOpen = 64
)

// A Table finds out which rows belong to which exchange: rounds, tasks, requests of the
// server, cancellations. It follows the log as far as it is asked for, and belongs to one
// goroutine. The result is in its Links, which cost 8 bytes each; a call with its response
// has none.
//
// A request of the server belongs to the call whose task it names, or else to the only
// one of all calls in flight and running tasks. Without that evidence its wait belongs to
// no call, and is time of the server.
type Table struct {
	Links
	src     session.Source
	rows    reader
	cursor  *session.Cursor
	follow  *Follower // nil at an earlier moment
	kinds   []methodKind
	polls   map[uint32][]uint32 // the requests about the task of each call that became one
	tasks   map[key]uint32      // the calls of a process that became tasks, by the id of the task
	running map[uint32]bool     // those of them whose end is not in the log
	batches map[uint32]int      // requests without a response of rows with several messages
	inputs  []askedInput
	act     int // row after the latest act
	next    int // row to follow
	part    Part
	cost    int
	buf     []byte
}

// A key is the hash of an id.
type key [sha256.Size]byte

func keyOf(id []byte) key { return sha256.Sum256(framing.IDValue(id)) }

// An askedInput is a result that asks for input.
type askedInput struct {
	first  uint32 // request of the first round
	method uint16
	state  key // of its requestState, and of what the request names
}

// A Part is what a row is to the exchange of an earlier row.
type Part struct {
	Kind PartKind
	Of   int // row of the exchange
}

// A PartKind is how a row belongs to an exchange.
type PartKind uint8

// The kinds of parts. Responses have none: their rows name their requests.
const (
	NoPart   PartKind = iota
	Round             // a request that is sent again with the input that a result asked for
	Poll              // a request about the task that a call has become
	Status            // a notification about it
	Progress          // of a request that has not ended
	Cancel            // of a request that has not ended
	GiveUp            // the report that it timed out, or was not sent
)

// NewTable returns the table of a log, of which nothing is followed so far.
func NewTable(src session.Source) *Table {
	t := &Table{src: src, rows: reader{Source: src}, polls: map[uint32][]uint32{}, batches: map[uint32]int{}}
	if shown, ok := src.(interface{ Log() session.Source }); ok {
		src = shown.Log()
	}
	t.cursor, t.follow = session.NewCursor(src), NewFollower(src)
	t.cursor.Limit = maxEvent // of a longer batch only the first messages are known
	t.forget()
	return t
}

// At returns the table of the same log when it had a number of rows, which src shows in
// that state. It shares its lists with t, which may still go on, and follows nothing.
func (t *Table) At(src session.Source, rows int) *Table {
	cut := &Table{Links: t.upTo(rows), src: src, rows: reader{Source: src}, polls: make(map[uint32][]uint32, len(t.polls))}
	for call, polls := range t.polls {
		if n, _ := slices.BinarySearch(polls, uint32(rows)); int(call) < rows {
			cut.polls[call] = polls[:n:n]
		}
	}
	return cut
}

// Process returns the life of the process at the last row that was followed, nil for a
// Table of an earlier moment.
func (t *Table) Process() *Process {
	if t.follow == nil {
		return nil
	}
	return t.follow.Process()
}

// Lost is like [Follower.Lost], for the row that was followed last.
func (t *Table) Lost() []Exchange {
	if t.follow == nil {
		return nil
	}
	return t.follow.Lost()
}

// Running returns the first requests of the exchanges in flight, and of the calls that run
// as tasks, in order: of more than manyOpen, the oldest. A request of the server during a
// call is part of that.
func (t *Table) Running() (requests []int) {
	if t.follow == nil {
		return nil
	}
	for _, fromClient := range []bool{true, false} {
		n := 0
		for x := range t.follow.Waiting(fromClient) {
			row := int(x.Request.Row)
			if _, during := t.During(row); x.State != session.ReqPending || during {
				continue
			}
			if n++; n > manyOpen {
				break
			}
			requests = append(requests, t.First(row))
		}
	}
	for call := range t.running {
		requests = append(requests, int(call))
	}
	slices.Sort(requests)
	return slices.Compact(requests)
}

// forget forgets what is known of a process.
func (t *Table) forget() {
	t.tasks, t.running, t.inputs = map[key]uint32{}, map[uint32]bool{}, t.inputs[:0]
	clear(t.batches)
}

// Next follows the next row. It returns false at the current end of the log, and of a
// Table of an earlier moment.
func (t *Table) Next() bool {
	if t.follow == nil || !t.cursor.Next() {
		return false
	}
	number, row := t.cursor.Row()
	t.next = number + 1
	t.part = Part{}
	switch {
	case row.Msg == framing.Notification && row.Related == 0 && row.Flags == 0: // the Follower says nothing of it
		if row.Kind == session.KindStdout && t.kindOf(row.Method) == tellsTask {
			t.tells(number, row)
		}
		return true
	case row.Flags&session.FlagBatch != 0:
		t.cost += 1 + int(row.Len/summary.Limit)
	}
	steps, _ := t.follow.Add(t.cursor) // without the messages of a batch that can't be read
	switch row.Kind {
	case session.KindStart, session.KindClosed, session.KindFailed:
		t.forget()
	case session.KindAct:
		t.act = number + 1
	default:
		for i := range steps {
			t.step(number, row, &steps[i])
		}
		lost := t.follow.Lost()
		for i := range lost {
			t.settled(&lost[i])
		}
	}
	return true
}

// Row returns the row that was followed last, and its number.
func (t *Table) Row() (number int, row *session.Row) { return t.cursor.Row() }

// Part returns what that row is to the exchange of an earlier one.
func (t *Table) Part() Part { return t.part }

// TakeCost returns how many messages were read since it was called last.
func (t *Table) TakeCost() int {
	cost := t.cost
	t.cost = 0
	return cost
}

// Follow reads the log up to a row, or until ctx ends. Times, Between, Waits and GivenUp read
// what they need, however long that takes.
func (t *Table) Follow(ctx context.Context, row int) error {
	for t.next <= row && t.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// reach follows the log up to a row.
func (t *Table) reach(row int) {
	for more := true; more && t.next <= row; {
		more = t.Next()
	}
}

// step takes in what one message or event of a row did.
func (t *Table) step(number int, row *session.Row, s *Step) {
	fromClient := row.Kind == session.KindStdin
	switch s.Kind {
	case Opens:
		switch {
		case s.X != nil && s.X.several:
			t.batches[uint32(number)]++
		case row.Flags&session.FlagBatch != 0:
		case fromClient:
			t.sent(number, row)
		default:
			t.received(number, row)
		}
	case Answers, Unreadable:
		if s.X != nil {
			t.settled(s.X)
		}
		if s.Known && !fromClient && row.Flags&session.FlagBatch == 0 {
			t.answered(number, row, int(s.Of.Row))
		}
	case Cancels:
		t.cancelled(number, row, s)
	case GivesUp:
		if s.X != nil {
			first := t.First(int(s.Of.Row))
			t.givenUp = append(t.givenUp, link{uint32(number), uint32(first)})
			t.part = Part{GiveUp, first}
		}
	default:
		if row.Msg == framing.Notification && row.Flags == 0 && !fromClient {
			t.informed(number, row, s)
		}
	}
}

// settled takes in that a request has a response, or gets none any more.
func (t *Table) settled(x *Exchange) {
	if n := t.batches[x.Request.Row]; n > 1 {
		t.batches[x.Request.Row]--
	} else if n == 1 {
		delete(t.batches, x.Request.Row)
	}
}

// open reports whether the request that a step names, which is at a row, has not ended.
func (t *Table) open(s *Step, request uint32) bool {
	return s.X != nil || t.running[uint32(t.First(int(request)))] || t.batches[request] > 0
}

// sent takes in a request of the client.
func (t *Table) sent(number int, row *session.Row) {
	if kind := t.kindOf(row.Method); kind == readsTask || kind == steersTask {
		if call, ok := t.taskOf(row, summary.TaskID); ok {
			t.polls[call] = append(t.polls[call], uint32(number))
			t.goesOn(number, Poll, call)
			return
		}
	}
	if first, ok := t.resent(number, row); ok {
		t.inputs = slices.DeleteFunc(t.inputs, func(a askedInput) bool { return a.first == first })
		t.goesOn(number, Round, first)
	}
}

func (t *Table) goesOn(number int, kind PartKind, first uint32) {
	t.later = append(t.later, link{uint32(number), first})
	t.part = Part{kind, int(first)}
}

// received takes in a request of the server.
func (t *Table) received(number int, row *session.Row) {
	call, ok := t.taskOf(row, summary.RelatedTask)
	if !ok {
		var only int
		_, only, ok = t.only()
		call = uint32(only)
	}
	if ok {
		t.nested = append(t.nested, link{uint32(number), call})
	}
}

// answered takes in the response to a request of the client.
func (t *Table) answered(number int, row *session.Row, request int) {
	first := uint32(t.First(request))
	kind := t.kindOf(row.Method)
	about := kind == readsTask || kind == steersTask
	_, poll := t.polls[first]
	switch {
	case row.State == session.ReqTask && !about:
		t.becomesTask(first, row)
	case row.State == session.ReqInput:
		t.asksInput(first, request, row)
	case row.State != session.ReqTask && poll && (row.Msg != framing.ErrorResponse || kind != steersTask):
		delete(t.running, first)
	}
}

// cancelled takes in a cancellation.
func (t *Table) cancelled(number int, row *session.Row, s *Step) {
	switch owner, ok := row.Owner(); {
	case !ok:
	case row.Kind == session.KindStdout && s.X != nil && s.X.State == session.ReqCancelled:
		t.withdrawn = append(t.withdrawn, link{uint32(number), s.Of.Row})
	case row.Kind == session.KindStdin && row.Flags == 0 && t.open(s, uint32(owner)) && (s.X == nil || s.X.FromClient):
		first := t.First(owner)
		t.cancels = append(t.cancels, link{uint32(number), uint32(first)})
		t.part = Part{Cancel, first}
	}
}

// informed takes in another notification of the server.
func (t *Table) informed(number int, row *session.Row, s *Step) {
	switch t.kindOf(row.Method) {
	case progresses:
		if owner, ok := row.Owner(); ok && t.open(s, uint32(owner)) {
			t.part = Part{Progress, t.First(owner)}
		}
	case tellsTask:
		t.tells(number, row)
	}
}

// tells takes in a notification about a task.
func (t *Table) tells(number int, row *session.Row) {
	if call, ok := t.taskOf(row, summary.TaskID); ok {
		t.statuses = append(t.statuses, link{uint32(number), call})
		t.part = Part{Status, int(call)}
	}
}

// Only returns the request of the only call in flight, or the only call that runs as a
// task, if there is exactly one of both.
func (t *Table) Only() (request int, ok bool) {
	if t.follow == nil {
		return 0, false
	}
	request, _, ok = t.only()
	return request, ok
}

func (t *Table) only() (request, call int, ok bool) {
	open := &t.follow.open[side(true)]
	if open.pending > manyOpen || len(t.running) > 1 {
		return 0, 0, false
	}
	call = -1
	for running := range t.running {
		request, call = int(running), int(running)
	}
	for i, left := len(open.order)-1, open.pending; left > 0; i-- {
		x := open.order[i]
		if x.settled || x.State != session.ReqPending {
			continue
		}
		left--
		at := int(x.Request.Row)
		switch first := t.First(at); {
		case x.Handshake, first == call:
		case call >= 0:
			return 0, 0, false
		default:
			request, call = at, first
		}
	}
	return request, call, call >= 0
}

// becomesTask takes in a result that says that a call goes on as a task.
func (t *Table) becomesTask(first uint32, result *session.Row) {
	if len(t.tasks) == maxTasks {
		maps.DeleteFunc(t.tasks, func(_ key, call uint32) bool { return !t.running[call] })
	}
	if len(t.tasks) == maxTasks {
		return
	}
	if id := t.read(result, summary.TaskOf); id != nil {
		t.tasks[keyOf(id)], t.running[first], t.polls[first] = first, true, nil
	}
}

// taskOf returns the call that goes on as the task that a message names.
func (t *Table) taskOf(row *session.Row, id func([]byte) []byte) (call uint32, ok bool) {
	if len(t.tasks) == 0 {
		return 0, false
	}
	named := t.read(row, id)
	if named == nil {
		return 0, false
	}
	call, ok = t.tasks[keyOf(named)]
	return call, ok
}

// read reads a part of the beginning of a message, which is valid until the next call.
func (t *Table) read(row *session.Row, of func([]byte) []byte) []byte {
	if t.buf == nil {
		t.buf = make([]byte, summary.Limit+1<<10)
	}
	t.cost++
	e, err := session.EntryInto(t.src, *row, summary.Limit, t.buf[:0])
	if err != nil {
		return nil
	}
	return of(e.Payload)
}

// IsProgress reports whether a row is progress that a request may have.
func (t *Table) IsProgress(row *session.Row) bool {
	return row.Kind == session.KindStdout && row.Msg == framing.Notification && row.Flags == 0 && t.kindOf(row.Method) == progresses
}

func (t *Table) kindOf(method uint16) methodKind { return kindOf(t.src, &t.kinds, method) }

// asksInput remembers a result that asks for input, if its requestState identifies the
// request that is sent again with it.
func (t *Table) asksInput(first uint32, request int, result *session.Row) {
	state := slices.Clone(t.read(result, summary.AskedState))
	row, ok := t.rows.At(request)
	if !ok || state == nil {
		return
	}
	if len(t.inputs) == maxAsked {
		t.inputs = slices.Delete(t.inputs, 0, 1)
	}
	named := t.read(&row, func(msg []byte) []byte { return t.stateKey(state, row.Method, msg) })
	if named != nil {
		t.inputs = append(t.inputs, askedInput{first, row.Method, key(named)})
	}
}

// stateKey returns the hash of a requestState and of what its request names.
func (t *Table) stateKey(state []byte, method uint16, msg []byte) []byte {
	text := slices.Concat(framing.IDValue(state), []byte{0}, []byte(summary.Call(t.src.Method(method), msg)))
	sum := sha256.Sum256(text)
	return sum[:]
}

// resent returns the first request of the exchange that a request continues. The
// evidence is the act before it, in which the session has recorded that, or else
// the requestState of an earlier result.
func (t *Table) resent(number int, row *session.Row) (first uint32, ok bool) {
	if t.act == number && number > 0 {
		if first, ok = t.recordedRound(number, row); ok {
			return first, true
		}
	}
	if !slices.ContainsFunc(t.inputs, func(a askedInput) bool { return a.method == row.Method }) {
		return 0, false
	}
	state := t.read(row, func(msg []byte) []byte {
		if state := summary.ResentState(msg); state != nil {
			return t.stateKey(state, row.Method, msg)
		}
		return nil
	})
	for _, a := range slices.Backward(t.inputs) {
		if state != nil && a.method == row.Method && a.state == key(state) {
			return a.first, true
		}
	}
	return 0, false
}

// recordedRound returns the first request of the exchange that the act before a
// request names.
func (t *Table) recordedRound(number int, row *session.Row) (first uint32, ok bool) {
	act, _ := t.rows.At(number - 1)
	e, err := t.src.Entry(act, 0)
	t.cost++
	var body session.ActBody
	if err != nil || e.DecodeBody(&body) != nil || body.Act != session.ActAgain {
		return 0, false
	}
	at, ok := RowOf(&t.rows, body.Of)
	if !ok || at >= number {
		return 0, false
	}
	at = t.First(at)
	request, ok := t.rows.At(at)
	if !ok || request.Kind != session.KindStdin || request.Msg != framing.Request || request.Method != row.Method || request.Run != row.Run {
		return 0, false
	}
	result, ok := responseTo(&t.rows, at)
	return uint32(at), ok && result.State == session.ReqInput
}
