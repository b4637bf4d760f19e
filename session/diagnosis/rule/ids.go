package rule

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/session/diagnosis/message"
)

const (
	// maxOpen limits the pending requests that are tracked; beyond it responses are
	// not judged. maxSettled limits the settled ids.
	maxOpen    = 1 << 16
	maxSettled = 1 << 14
	// maxID is the longest id that is stored without hashing, in bytes.
	maxID = 128
	// maxTwins is the largest number of open requests that are searched for the one
	// that a response with an unknown id may belong to.
	maxTwins = 1 << 10
	// answerTimeout is when a response is late, in microseconds, unless the log has a
	// shorter timeout. It is the default of the TypeScript SDK.
	answerTimeout = 60_000_000
)

// An idKey is a raw id with the direction of its request: > to the server, < from
// the server.
type idKey string

func newIDKey(fromServer bool, id []byte) idKey {
	dir := ">"
	if fromServer {
		dir = "<"
	}
	if len(id) > maxID {
		return idKey(fmt.Sprintf("%s#%x", dir, sha256.Sum256(id)))
	}
	return idKey(dir + string(id))
}

func (k idKey) fromServer() bool { return k[0] == '<' }
func (k idKey) id() string       { return string(k[1:]) }

// A request is a pending request.
type request struct {
	sent      *message.Request
	late      bool // RPC19 was reported
	handshake bool // part of the handshake
	twice     int  // number of older open requests with this id
	order     int  // among all requests of the process
}

// ids tracks the open and the recently settled ids of one process.
type ids struct {
	open     map[idKey]request
	settled  map[idKey]bool // true if answered, false if given up
	order    []idKey        // ring of the keys in settled
	next     int
	count    int
	overflow bool    // too many were open, so some are not tracked
	queue    []idKey // open requests to the server, oldest first; may contain settled ones
}

// add opens a request.
func (x *ids) add(key idKey, r request) {
	if x.open == nil {
		x.open = make(map[idKey]request)
	}
	older, again := x.open[key]
	switch {
	case again:
		r.twice = older.twice + 1
	case len(x.open) >= maxOpen:
		x.overflow = true
		return
	}
	x.count++
	r.order = x.count
	x.open[key] = r
	if !key.fromServer() && !waitsLong(r.sent.Method) {
		x.enqueue(key)
	}
}

// enqueue appends a request, and drops settled ones when they are most of the
// queue.
func (x *ids) enqueue(key idKey) {
	if len(x.queue) > 2*len(x.open)+64 {
		kept := x.queue[:0]
		seen := make(map[idKey]bool, len(x.open))
		for _, k := range x.queue {
			if _, open := x.open[k]; open && !seen[k] {
				kept, seen[k] = append(kept, k), true
			}
		}
		x.queue = kept
	}
	x.queue = append(x.queue, key)
}

// settle closes a request that was answered or given up, and remembers its id.
func (x *ids) settle(key idKey, answered bool) (request, bool) {
	r, ok := x.open[key]
	if !ok {
		return r, false
	}
	if r.twice > 0 && answered {
		r.twice--
		x.open[key] = r
		return r, true
	}
	delete(x.open, key)
	x.remember(key, answered)
	return r, true
}

func (x *ids) remember(key idKey, answered bool) {
	if x.settled == nil {
		x.settled = make(map[idKey]bool)
	}
	_, again := x.settled[key]
	switch {
	case again:
	case len(x.order) < maxSettled:
		x.order = append(x.order, key)
	default:
		delete(x.settled, x.order[x.next])
		x.order[x.next] = key
		x.next = (x.next + 1) % maxSettled
	}
	x.settled[key] = answered
}

// drop removes the requests of an entry that did not reach the server.
func (x *ids) drop(n uint64) {
	for key, r := range x.open {
		if r.sent.At.N == n {
			delete(x.open, key)
		}
	}
}

// forgive gives up the open requests to the server, because lost output may
// contain their responses.
func (x *ids) forgive() {
	for key := range x.open {
		if !key.fromServer() {
			x.settle(key, false)
		}
	}
}

// settleRow closes the requests of a row, for a response that is too long to be
// searched for ids.
func (x *ids) settleRow(row int) {
	for key, r := range x.open {
		if r.sent.At.Row == row {
			x.settle(key, true)
		}
	}
}

// oldest returns the open request to the server that has been pending longest.
func (x *ids) oldest() (idKey, request, bool) {
	for len(x.queue) > 0 {
		if r, open := x.open[x.queue[0]]; open && !r.late {
			return x.queue[0], r, true
		}
		x.queue = x.queue[1:]
	}
	return "", request{}, false
}

// due returns when the oldest request is late. Progress extends the time.
func (x *ids) due(progressed int64) int64 {
	_, r, ok := x.oldest()
	if !ok {
		return never
	}
	return max(r.sent.At.T, progressed) + answerTimeout
}

// overdue reports requests that are late by now.
func (l *Checker) overdue() {
	x := &l.run.ids
	for l.now >= x.due(l.run.progressed) {
		key, r, _ := x.oldest()
		r.late = true
		x.open[key] = r
		l.reportAs(rpc19, l.run.severityOf(rpc19, r), r.sent.At, fmt.Sprintf("%s id %s: no response after %d s", excerpt([]byte(r.sent.Method)), key.id(), answerTimeout/1_000_000))
	}
}

// timedOut reports a request whose caller has given up.
func (l *Checker) timedOut(key idKey) {
	if r, ok := l.run.ids.settle(key, false); ok {
		took := float64(l.now-r.sent.At.T) / 1e6
		severity := l.run.severityOf(rpc19, r)
		l.reportAs(rpc19, severity, r.sent.At, fmt.Sprintf("%s id %s: timed out after %.1f s", excerpt([]byte(r.sent.Method)), key.id(), took))
	}
}

// twin finds the open request that a response with an unknown id may belong to,
// and returns why.
func (x *ids) twin(key idKey) (twin idKey, why string, retyped bool) {
	id := key.id()
	bare := strings.Trim(id, `"`)
	other := key[:1] + idKey(strconv.Quote(bare))
	if bare != id {
		other = key[:1] + idKey(bare)
	}
	if _, open := x.open[other]; open {
		return other, fmt.Sprintf("response id %s for request id %s: the type changed", id, other.id()), true
	}
	number, err := strconv.ParseFloat(id, 64)
	if err != nil || len(x.queue) > maxTwins {
		return "", "", false
	}
	numbered := "-" + bare + `"`
	for _, candidate := range x.queue {
		name := candidate.id()
		renamed := strings.HasSuffix(name, numbered)
		if !renamed && !rounds(name, number) {
			continue
		}
		switch _, open := x.open[candidate]; {
		case !open:
		case renamed:
			return candidate, fmt.Sprintf("response id %s for request id %s: the type changed", id, name), true
		default:
			return candidate, fmt.Sprintf("id %s is %s rounded to a double", id, name), false
		}
	}
	return "", "", false
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
func (x *ids) unanswered() []request {
	var left []request
	for key, r := range x.open {
		if !key.fromServer() {
			left = append(left, r)
		}
	}
	slices.SortFunc(left, func(a, b request) int { return cmp.Compare(a.order, b.order) })
	return left
}
