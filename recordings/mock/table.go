package mock

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
)

// otherMethods is how a Source calls the methods for which it has no more
// numbers.
const otherMethods = "(other methods)"

// A key stands for a request: 128 bits of the SHA-256 of what match makes of
// its method and params, so that no two requests share one.
type key [16]byte

// A table finds recorded requests. Rows are looked at in their order, and
// entries of one method only when a request of that method is looked for.
type table struct {
	rows     rows
	rules    *match.Rules
	run      uint16
	next     int // the first row that was not looked at
	end      bool
	skipped  uint64 // requests that can't be served
	sent     map[string]*sent
	wanted   []*sent // those that were asked for
	prepared bool    // all of their requests have keys
	queues   map[key]queue
	links    []link
	keys     cache[string, key]
	raw      []byte // of the request that is looked for, without its id
	asked    []byte // what match makes of it
	keyed    []byte // and of a recorded one
}

// A query is a request that is looked for.
type query struct {
	method string
	params []byte
	line   []byte // of which it is, nil if it is made here
	id     framing.Span
}

// sent are the messages of the client of one method.
type sent struct {
	requests []uint32 // rows
	keyed    int      // how many of them have a key
	wanted   bool     // they were asked for
	wild     []wild   // those that something was redacted in
	notes    []uint32 // rows of notifications
	noted    int      // how many of them came again
}

// A queue is what was recorded for one key. Numbers are of links, plus one.
type queue struct {
	first, last, next uint32
	again             bool // it goes round for the second time
}

// A link is one request of a queue.
type link struct{ row, next uint32 }

// A wild request is equal to more requests than one.
type wild struct {
	text   []byte // what match made of it
	row    int
	served bool
}

// maxWild is how many requests of a method may have redacted spots; the others
// are found by their bytes only.
const maxWild = 4096

func newTable(rows rows, rules *match.Rules, run uint16, first int) *table {
	return &table{rows: rows, rules: rules, run: run, next: first, sent: map[string]*sent{}, queues: map[key]queue{},
		keys: cache[string, key]{limit: keysKept}}
}

// A found is where a recorded request is.
type found struct {
	row   int
	again bool // it was served before
}

var (
	errNotRecorded = errors.New("was not recorded")
	errUsedUp      = errors.New("was not recorded that often")
	errOrder       = errors.New("is not what came next")
	errOver        = errors.New("comes after the last recorded request")
)

// take finds the next recorded request that is equal to one of a client. The
// error is errNotRecorded or errUsedUp.
func (t *table) take(ctx context.Context, r *query, repeat Repeat) (found, error) {
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
		t.asked, _ = t.key(t.asked, r.method, r.params)
		if f, err := s.take(t.asked, repeat); !errors.Is(err, errNotRecorded) {
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

// fresh takes the first request of a queue that was not served.
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

// take finds a redacted request that is equal to one whose text is given.
func (s *sent) take(text []byte, repeat Repeat) (f found, err error) {
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

// keyOf is the key of a request that is looked for. Clients that poll send the
// same bytes again and again: their key is known.
func (t *table) keyOf(r *query) key {
	if len(r.line) == 0 || len(r.line) > longestKept {
		var k key
		t.asked, k = t.key(t.asked, r.method, r.params)
		return k
	}
	t.raw = withoutID(t.raw, r.line, r.id)
	k, ok := getBytes(&t.keys, t.raw)
	if !ok {
		t.asked, k = t.key(t.asked, r.method, r.params)
		t.keys.put(string(t.raw), k, len(t.raw)+entryCost)
	}
	return k
}

// withoutID is a message without the bytes of its id, in buf. Messages that
// differ otherwise stay different: nothing but an id can stand where there is
// nothing.
func withoutID(buf, message []byte, id framing.Span) []byte {
	return append(append(buf[:0], message[:id.Start]...), message[id.End:]...)
}

// key is what a request is found by, with the text that it is made of in buf.
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

// of is what was recorded of a method so far; nil if nothing was.
func (t *table) of(method string) *sent {
	const longest = 256 // of the names that a Source keeps
	if s := t.sent[method[:min(len(method), longest)]]; s != nil {
		return s
	}
	return t.sent[otherMethods]
}

// extend gives one more request of a method its key; false if there is none.
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

// keyNext gives the next request of a method its key.
func (t *table) keyNext(s *sent) {
	at := s.requests[s.keyed]
	s.keyed++
	row, _ := t.rows.row(int(at))
	e, err := t.rows.look(row)
	if err != nil {
		return // it can't be served either
	}
	var k key
	known := false
	if len(e.Payload) <= longestKept {
		t.keyed = withoutID(t.keyed, e.Payload, e.Msg.ID)
		k, known = getBytes(&t.keys, t.keyed) // the client sends the same bytes
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

// prepare gives up to n requests of the wanted methods their keys, or looks at
// rows for them. More says that there is more to do, wait that it has to wait
// for rows.
func (t *table) prepare(n int) (more, wait bool) {
	for range n {
		switch s := t.behind(); {
		case s != nil:
			t.keyNext(s)
		case !t.end && t.next < t.rows.src.Len():
			t.look(context.Background()) // the rows are there
		default:
			t.prepared = t.end || t.rows.complete() && t.next >= t.rows.src.Len()
			return !t.prepared, !t.prepared
		}
	}
	return true, false
}

// want notes that requests of a method were asked for.
func (t *table) want(s *sent) {
	if s != nil && !s.wanted {
		s.wanted, t.prepared = true, false
		t.wanted = append(t.wanted, s)
	}
}

// behind is a wanted method that has requests without a key.
func (t *table) behind() *sent {
	for _, s := range t.wanted {
		if s.keyed < len(s.requests) {
			return s
		}
	}
	return nil
}

// look looks at further rows; false if there are none. It waits for rows that
// are still to be indexed.
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

// add notes the row i.
func (t *table) add(i int, row session.Row) {
	if row.Kind != session.KindStdin || row.Msg != framing.Request && row.Msg != framing.Notification {
		return
	}
	if row.Msg == framing.Request && !isRequest(row) {
		t.skipped++
		return
	}
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

// note finds the next recorded notification of a method. Only for one that
// every client sends it waits for rows to come.
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
