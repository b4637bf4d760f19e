package mock

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// otherMethods is the name that a Source uses for methods beyond its limit.
const otherMethods = "(other methods)"

// A key is 128 bits of the SHA-256 of a match key, so that no two requests share one.
type key [16]byte

// A table finds recorded requests. Rows are read in order, and the entries of a method
// only when a request of that method is searched.
type table struct {
	rows      rows
	rules     *match.Rules
	run       uint16
	next      int
	end       bool
	skipped   uint64 // requests that can't be served
	sent      map[string]*sent
	wanted    []*sent // requested methods
	prepared  bool    // all of their requests have keys
	queues    map[key]queue
	links     []link
	keys      cache[string, key]
	raw       []byte
	queryText []byte // its match key
	keyed     []byte // the match key of a recorded request
}

type query struct {
	method string
	params []byte
	line   []byte // nil if there is none
	id     framing.Span
}

// sent are the client messages of one method.
type sent struct {
	requests []uint32 // rows
	keyed    int      // how many of them have a key
	wanted   bool     // the method was requested
	wild     []wild   // requests with redacted values
	notes    []uint32 // rows
	noted    int      // how many of them were used
}

// A queue lists the recorded requests with one key, as indexes in links plus one.
type queue struct {
	first, last, next uint32
	again             bool // its requests are repeated
}

type link struct{ row, next uint32 }

// A wild is a redacted request, which equals more than one request.
type wild struct {
	text   []byte // its match key
	row    int
	served bool
}

// Further redacted requests of a method are matched by their bytes only.
const maxWild = 4096

func newTable(rows rows, rules *match.Rules, run uint16, first int) *table {
	return &table{rows: rows, rules: rules, run: run, next: first, sent: map[string]*sent{}, queues: map[key]queue{},
		keys: cache[string, key]{limit: keysKept}}
}

type found struct {
	row   int
	again bool // it was served before
}

var (
	errNotRecorded = errors.New("was not recorded")
	errUsedUp      = errors.New("was recorded fewer times")
	errOrder       = errors.New("is not the next recorded request")
	errOver        = errors.New("comes after the last recorded request")
)

// find finds the next recorded request that equals a client's. The error is
// errNotRecorded or errUsedUp.
func (t *table) find(ctx context.Context, r *query, repeat Repeat) (found, error) {
	k := t.keyOf(r)
	if f, ok := t.fresh(k); ok {
		return f, nil
	}
	s := t.of(r.method)
	t.want(s)
	for t.extend(ctx, r.method, &s) {
		if f, ok := t.fresh(k); ok {
			return f, nil
		}
	}
	if s != nil && len(s.wild) > 0 {
		t.queryText, _ = t.key(t.queryText, r.method, r.params)
		if f, err := s.find(t.queryText, repeat); !errors.Is(err, errNotRecorded) {
			return f, err
		}
	}
	q, ok := t.queues[k]
	switch {
	case !ok:
		return found{}, errNotRecorded
	case repeat == RepeatError:
		return found{}, errUsedUp
	case repeat == RepeatCycle:
		q.next, q.again = q.first, true
		t.queues[k] = q
		f, _ := t.fresh(k)
		return f, nil
	}
	return found{row: int(t.links[q.last-1].row), again: true}, nil
}

// fresh returns the first request of a queue that was not served yet.
func (t *table) fresh(k key) (found, bool) {
	q, ok := t.queues[k]
	if !ok || q.next == 0 {
		return found{}, false
	}
	l := t.links[q.next-1]
	q.next = l.next
	t.queues[k] = q
	return found{row: int(l.row), again: q.again}, true
}

// find finds a redacted request that equals the one with the given key.
func (s *sent) find(text []byte, repeat Repeat) (f found, err error) {
	err = errNotRecorded
	for i := range s.wild {
		w := &s.wild[i]
		switch {
		case !match.Equal(w.text, text):
		case !w.served:
			w.served = true
			return found{row: w.row}, nil
		case repeat == RepeatError:
			err = errUsedUp
		default:
			f, err = found{row: w.row, again: true}, nil
		}
	}
	return f, err
}

// Clients that poll send the same bytes repeatedly: their keys are cached.
func (t *table) keyOf(r *query) key {
	if len(r.line) == 0 || len(r.line) > longestKept {
		var k key
		t.queryText, k = t.key(t.queryText, r.method, r.params)
		return k
	}
	t.raw = withoutID(t.raw, r.line, r.id)
	k, ok := getBytes(&t.keys, t.raw)
	if !ok {
		t.queryText, k = t.key(t.queryText, r.method, r.params)
		t.keys.put(string(t.raw), k, len(t.raw)+entryCost)
	}
	return k
}

// withoutID returns a message without its id, in buf. Different messages stay different:
// only an id can be in the place of the gap.
func withoutID(buf, message []byte, id framing.Span) []byte {
	return append(append(buf[:0], message[:id.Start]...), message[id.End:]...)
}

// key returns the key of a request, and the text it is computed from in buf.
func (t *table) key(buf []byte, method string, params []byte) (text []byte, k key) {
	if isHandshake(method) {
		params = nil
	}
	if cap(buf) > keptBuffer {
		buf = nil
	}
	// Params that can't be read are equal to the same bytes.
	text, _ = match.AppendKey(buf[:0], method, params, t.rules)
	sum := sha256.Sum256(text)
	return text, key(sum[:16])
}

// of returns nil if no message of the method was recorded so far.
func (t *table) of(method string) *sent {
	const longest = 256 // the longest name that a Source keeps
	if s := t.sent[method[:min(len(method), longest)]]; s != nil {
		return s
	}
	return t.sent[otherMethods]
}

// extend computes the key of one more request of a method; false if there is none.
func (t *table) extend(ctx context.Context, method string, s **sent) bool {
	for *s == nil || (*s).keyed == len((*s).requests) {
		if !t.look(ctx) {
			return false
		}
		*s = t.of(method)
		t.want(*s)
	}
	t.keyNext(*s)
	return true
}

func (t *table) keyNext(s *sent) {
	at := s.requests[s.keyed]
	s.keyed++
	row, _ := t.rows.row(int(at))
	e, err := t.rows.look(row)
	if err != nil {
		return // it can't be served, either
	}
	var k key
	known := false
	if len(e.Payload) <= longestKept {
		t.keyed = withoutID(t.keyed, e.Payload, e.Msg.ID)
		k, known = getBytes(&t.keys, t.keyed) // the client has sent the same bytes
	}
	if !known {
		t.keyed, k = t.key(t.keyed, string(e.Msg.Method.Of(e.Payload)), e.Msg.Params.Of(e.Payload))
		if match.HasRedacted(t.keyed) && len(s.wild) < maxWild {
			s.wild = append(s.wild, wild{text: bytes.Clone(t.keyed), row: int(at)})
			return
		}
	}
	t.links = append(t.links, link{row: at})
	number := uint32(len(t.links))
	q := t.queues[k]
	if q.first == 0 {
		q.first = number
	} else {
		t.links[q.last-1].next = number
	}
	if q.next == 0 {
		q.next = number
	}
	q.last = number
	t.queues[k] = q
}

// prepare computes the keys of up to n requests of the wanted methods, or reads rows for
// them. more means that there is more to do, wait that it must wait for rows first.
func (t *table) prepare(n int) (more, wait bool) {
	for range n {
		switch s := t.behind(); {
		case s != nil:
			t.keyNext(s)
		case !t.end && t.next < t.rows.src.Len():
			t.look(context.Background()) // the rows are available
		default:
			t.prepared = t.end || t.rows.complete() && t.next >= t.rows.src.Len()
			return !t.prepared, !t.prepared
		}
	}
	return true, false
}

func (t *table) want(s *sent) {
	if s != nil && !s.wanted {
		s.wanted, t.prepared = true, false
		t.wanted = append(t.wanted, s)
	}
}

// behind returns a wanted method with requests that have no key yet.
func (t *table) behind() *sent {
	for _, s := range t.wanted {
		if s.keyed < len(s.requests) {
			return s
		}
	}
	return nil
}

// look reads further rows; false if there are none. It waits for rows that are not
// indexed yet.
func (t *table) look(ctx context.Context) bool {
	if t.end || !t.rows.wait(ctx, t.next) {
		return false
	}
	page := t.rows.page[:]
	for _, row := range page[:t.rows.src.Rows(t.next, page)] {
		if row.Run != t.run {
			t.end = true
			break
		}
		t.add(t.next, row)
		t.next++
	}
	return true
}

func (t *table) add(i int, row session.Row) {
	if row.Kind == session.KindStdin && row.Msg == framing.Batch {
		t.addBatch(i)
		return
	}
	if row.Kind != session.KindStdin || row.Msg != framing.Request && row.Msg != framing.Notification {
		return
	}
	if row.Msg == framing.Request && !isRequest(row) {
		t.skipped++
		return
	}
	t.addMessage(i, row)
}

// The message may be in a batch.
func (t *table) addMessage(i int, row session.Row) {
	name := t.rows.method(row)
	s := t.sent[name]
	if s == nil {
		s = new(sent)
		t.sent[name] = s
	}
	if row.Msg == framing.Request {
		s.requests = append(s.requests, uint32(i))
	} else {
		s.notes = append(s.notes, uint32(i))
	}
}

// note finds the next recorded notification of a method. If wait is set, which is for one
// that every client sends, it waits for rows that are not indexed yet.
func (t *table) note(ctx context.Context, method string, wait bool) (row int, ok bool) {
	for {
		if s := t.of(method); s != nil && s.noted < len(s.notes) {
			s.noted++
			return int(s.notes[s.noted-1]), true
		}
		if !wait && t.next >= t.rows.src.Len() || !t.look(ctx) {
			return 0, false
		}
	}
}

// An order requires requests in their recorded order.
type order struct {
	next int
}

// find returns the next recorded request if it equals the client's. With errOrder it
// returns the request that was expected; after the last one the error is errOver.
func (o *order) find(ctx context.Context, t *table, r *query) (found, error) {
	at, ok := o.expected(ctx, t)
	if !ok {
		return found{}, errOver
	}
	row, _ := t.rows.row(at)
	e, err := t.rows.look(row)
	if err != nil {
		return found{row: at}, err
	}
	var requested, recorded key
	t.queryText, requested = t.key(t.queryText, r.method, r.params)
	t.keyed, recorded = t.key(t.keyed, string(e.Msg.Method.Of(e.Payload)), e.Msg.Params.Of(e.Payload))
	if requested != recorded && !match.Equal(t.queryText, t.keyed) {
		return found{row: at}, errOrder
	}
	o.next = at + 1
	return found{row: at}, nil
}

// expected returns the row of the next request. Handshake and ping are not part of the
// order.
func (o *order) expected(ctx context.Context, t *table) (row int, ok bool) {
	for ; t.rows.wait(ctx, o.next); o.next++ {
		row, _ := t.rows.row(o.next)
		if row.Run != t.run {
			break
		}
		if method := t.rows.method(row); isRequest(row) && !isHandshake(method) && method != mcp.MethodPing {
			return o.next, true
		}
	}
	return 0, false
}
