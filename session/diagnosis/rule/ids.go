package rule

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const (
	// maxOpen limits the pending requests that are tracked; beyond it responses are
	// not judged. maxSettled limits the settled ids.
	maxOpen    = 1 << 16
	maxSettled = 1 << 14
	// maxFree is how many records of requests are kept to be used again.
	maxFree = 1 << 10
	// maxTwins is the largest number of open requests that are searched for the one
	// that a response with an unknown id may belong to, and of those that stay open after
	// such a response.
	maxTwins = 1 << 10
	// answerTimeout is when a response is late, in microseconds, unless the log has a
	// shorter timeout. It is the default of the TypeScript SDK.
	answerTimeout = 60_000_000
)

// An idKey is the hash of an id and of the direction of its request. Which messages
// belong together is known from the log: see exchange.Follower.
type idKey uint64

var idSeed = maphash.MakeSeed()

// A request is a pending request, or one that was given up: its response may still
// come.
type request struct {
	sent      message.Request
	key       idKey
	open      bool // in ids.open
	late      bool // RPC19 was reported
	handshake bool // part of the handshake
	twin      bool // a response with another id was taken for its own
	order     int  // among all requests of the process
	overtaken bool // RPC20 counted it
}

// A settledID is an id that was answered or given up.
type settledID struct {
	answered bool
	at       int64
	givenUp  *request // nil if it was answered, or is not known
}

// ids tracks the open and the recently settled ids of one process.
type ids struct {
	open     map[idKey]*request
	settled  map[idKey]settledID
	order    []idKey // ring of the keys in settled
	next     int
	count    int
	overflow bool       // too many were open, or entries are missing, so some are not tracked
	queue    []idKey    // open requests to the server, oldest first from head on; may contain settled ones
	head     int        // of queue
	ahead    int        // of queue: all before it are settled or overtaken
	asked    int        // open requests of the server: somebody else has to answer first
	askedAt  int64      // when the last one came: an older one is not about a later call
	replied  int64      // time of the last response to one
	twins    []idKey    // latest ones; some may be settled
	free     []*request // to be used again
}

func (x *ids) key(fromServer bool, id []byte) idKey {
	h := maphash.Bytes(idSeed, framing.IDValue(id))
	if fromServer {
		h ^= 1
	}
	return idKey(h)
}

func (x *ids) record() *request {
	if n := len(x.free); n > 0 {
		r := x.free[n-1]
		x.free = x.free[:n-1]
		return r
	}
	return new(request)
}

// release makes a request that nothing refers to available again.
func (x *ids) release(r *request) {
	if r != nil && !r.open && len(x.free) < maxFree {
		*r = request{}
		x.free = append(x.free, r)
	}
}

// add opens a request. It reports whether the request is tracked.
func (x *ids) add(key idKey, r *request) bool {
	if x.open == nil {
		x.open = make(map[idKey]*request)
	}
	older, again := x.open[key]
	switch {
	case again:
		older.open = false
	case len(x.open) >= maxOpen:
		x.overflow = true
		return false
	}
	x.count++
	r.key, r.order, r.open = key, x.count, true
	x.open[key] = r
	if r.sent.FromServer && !again {
		x.asked, x.askedAt = x.asked+1, r.sent.At.T
	}
	if !r.sent.FromServer && !mcp.WaitsLong(r.sent.Method) {
		x.enqueue(key)
	}
	return true
}

// keepTwin keeps a request open whose response had an id of another type: one with the
// right id may follow. The oldest of too many are closed.
func (x *ids) keepTwin(r *request, at int64) {
	r.twin = true
	x.twins = append(x.twins, r.key)
	if len(x.twins) <= maxTwins {
		return
	}
	if oldest := x.open[x.twins[0]]; oldest != nil && oldest.twin {
		x.release(x.settle(x.twins[0], true, at))
	}
	x.twins = x.twins[1:]
}

// enqueue appends a request, and drops settled ones when they are most of the
// queue.
func (x *ids) enqueue(key idKey) {
	switch {
	case x.head == len(x.queue):
		x.queue, x.head, x.ahead = x.queue[:0], 0, 0
	case len(x.queue) > 2*len(x.open)+64:
		kept := x.queue[:0]
		seen := make(map[idKey]bool, len(x.open))
		for _, k := range x.queue[x.head:] {
			if _, open := x.open[k]; open && !seen[k] {
				kept, seen[k] = append(kept, k), true
			}
		}
		x.queue, x.head, x.ahead = kept, 0, 0
	}
	x.queue = append(x.queue, key)
}

// settle closes a request that was answered or given up at a time, and remembers its
// id. It returns nil if there is none.
func (x *ids) settle(key idKey, answered bool, at int64) *request {
	r := x.open[key]
	if r == nil {
		return nil
	}
	delete(x.open, r.key)
	r.open = false
	if r.sent.FromServer {
		x.asked, x.replied = x.asked-1, at
	}
	now := settledID{answered: answered, at: max(at, 1)}
	if !answered {
		now.givenUp = r
	}
	x.remember(r.key, now)
	return r
}

func (x *ids) remember(key idKey, now settledID) {
	if x.settled == nil {
		x.settled = make(map[idKey]settledID)
	}
	old, again := x.settled[key]
	switch {
	case again:
		x.release(old.givenUp)
	case len(x.order) < maxSettled:
		x.order = append(x.order, key)
	default:
		oldest := x.order[x.next]
		x.release(x.settled[oldest].givenUp)
		delete(x.settled, oldest)
		x.order[x.next] = key
		x.next = (x.next + 1) % maxSettled
	}
	x.settled[key] = now
}

// forgotten reports whether settled ids may be missing.
func (x *ids) forgotten() bool { return x.overflow || len(x.order) == maxSettled }

// drop removes the requests of an entry that did not reach the server.
func (x *ids) drop(n uint64) {
	for key, r := range x.open {
		if r.sent.At.N == n {
			r.open = false
			delete(x.open, key)
		}
	}
}

// forgive gives up the open requests to the server, because lost output may
// contain their responses.
func (x *ids) forgive(at int64) {
	for key, r := range x.open {
		if !r.sent.FromServer {
			x.settle(key, false, at)
		}
	}
}

// settleRow closes the requests of a row, for a response that is too long to be
// searched for ids.
func (x *ids) settleRow(row int, at int64) {
	for key, r := range x.open {
		if r.sent.At.Row == row {
			x.settle(key, true, at)
		}
	}
}

// oldest returns the open request to the server that has been pending longest, nil
// if there is none.
func (x *ids) oldest() *request {
	for ; x.head < len(x.queue); x.head++ {
		if r := x.open[x.queue[x.head]]; r != nil && !r.late && !r.twin {
			return r
		}
	}
	return nil
}

// overtaken returns the next open request to the server that is older than an answered one,
// each only once; nil if there is none.
func (x *ids) overtaken(by *request) *request {
	for x.ahead = max(x.ahead, x.head); x.ahead < len(x.queue); x.ahead++ {
		r := x.open[x.queue[x.ahead]]
		if r == nil || r.late || r.twin || r.handshake || r.overtaken {
			continue
		}
		if r.sent.At.Row >= by.sent.At.Row {
			return nil
		}
		r.overtaken = true
		return r
	}
	return nil
}

// due returns when the oldest request is late. Progress and questions of the server extend
// the time.
func (x *ids) due(progressed int64) int64 {
	r := x.oldest()
	if r == nil || x.asked > 0 && x.askedAt >= r.sent.At.T {
		return never
	}
	return max(r.sent.At.T, progressed, x.replied) + answerTimeout
}

// overdue reports requests that are late by now.
func (l *Checker) overdue() {
	x := &l.run.ids
	for l.now >= x.due(l.run.progressed) {
		r := x.oldest()
		r.late = true
		l.reportAs(rpc19, l.run.severityOf(rpc19, r), r.sent.At, fmt.Sprintf("%s id %s: no response after %d s", excerpt([]byte(r.sent.Method)), excerpt([]byte(r.sent.ID)), answerTimeout/1_000_000))
	}
}

// timedOut reports a request whose caller has given up.
func (l *Checker) timedOut(key idKey) {
	if r := l.run.ids.settle(key, false, l.now); r != nil {
		took := float64(l.now-r.sent.At.T) / 1e6
		severity := l.run.severityOf(rpc19, r)
		l.reportAs(rpc19, severity, r.sent.At, fmt.Sprintf("%s id %s: timed out after %.1f s", excerpt([]byte(r.sent.Method)), excerpt([]byte(r.sent.ID)), took))
	}
}

// twinOf finds the open request to the server that a response with an unknown id may
// belong to, and returns why.
func (x *ids) twinOf(id string) (twin *request, why string, retyped bool) {
	bare := strings.Trim(id, `"`)
	other := strconv.Quote(bare)
	if bare != id {
		other = bare
	}
	if r := x.open[x.key(false, []byte(other))]; r != nil && !r.twin {
		return r, fmt.Sprintf("response id %s for request id %s: the type changed", id, r.sent.ID), true
	}
	number, err := strconv.ParseFloat(id, 64)
	if err != nil || len(x.queue)-x.head > maxTwins {
		return nil, "", false
	}
	numbered := "-" + bare + `"`
	for _, key := range x.queue[x.head:] {
		r := x.open[key]
		if r == nil || r.twin {
			continue
		}
		switch name := r.sent.ID; {
		case strings.HasSuffix(name, numbered):
			return r, fmt.Sprintf("response id %s for request id %s: the type changed", id, name), true
		case rounds(name, number):
			return r, fmt.Sprintf("id %s is %s rounded to a double", id, name), false
		case equals(name, number):
			return r, fmt.Sprintf("id %s is %s in another form", id, name), false
		}
	}
	return nil, "", false
}

// equals reports whether a raw id is a number.
func equals(id string, number float64) bool {
	n, err := strconv.ParseFloat(id, 64)
	return err == nil && n == number
}

// rounds reports whether number is integer rounded to a double.
func rounds(integer string, number float64) bool {
	if !beyondDouble([]byte(integer)) {
		return false
	}
	rounded, err := strconv.ParseFloat(integer, 64)
	return err == nil && rounded == number
}

// unanswered returns the open requests to the server, oldest first.
func (x *ids) unanswered() []*request {
	var left []*request
	for _, r := range x.open {
		if !r.sent.FromServer && !r.twin {
			left = append(left, r)
		}
	}
	slices.SortFunc(left, func(a, b *request) int { return cmp.Compare(a.order, b.order) })
	return left
}
