package lint

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxOpen is how many requests without an answer are known of; beyond it
	// answers are not judged. maxSettled is how many answered ids are.
	maxOpen    = 1 << 16
	maxSettled = 1 << 14
	// maxID is the longest id that is kept as it is.
	maxID = 128
	// maxTwins is among how many open requests one is looked for that an answer
	// with another id may be meant for.
	maxTwins = 1 << 10
	// answerTimeout is when an answer is late, where the log does not say that
	// somebody waited for less. It is the default of the TypeScript SDK.
	answerTimeout = 60_000_000
)

// An idKey is a raw id in the direction of its request: > to the server, < from
// it.
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

// A request is one whose answer has not come.
type request struct {
	at       place
	method   string
	revision string // that it names itself, in the modern era
	late     bool   // RPC19 was found
	shakes   bool   // it is one of the handshake
	twice    int    // how many older requests with this id are open
	order    int    // of all requests of the process
}

// ids are the ids of one process: those open and those of late.
type ids struct {
	open     map[idKey]request
	settled  map[idKey]bool // whether it was answered, and not only given up
	order    []idKey        // ring of the keys of settled
	next     int
	count    int
	overflow bool    // too many were open: not all are known
	queue    []idKey // open requests to the server, oldest first; some of them settled since
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
	if !key.fromServer() && !waitsLong(r.method) {
		x.enqueue(key)
	}
}

// enqueue puts a request behind all others, and forgets those settled when they
// are most of the queue.
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

// drop forgets the requests of an entry that did not reach the server.
func (x *ids) drop(n uint64) {
	for key, r := range x.open {
		if r.at.n == n {
			delete(x.open, key)
		}
	}
}

// forgive gives up the open requests to the server: their answers may be in
// output that is lost.
func (x *ids) forgive() {
	for key := range x.open {
		if !key.fromServer() {
			x.settle(key, false)
		}
	}
}

// settleRow closes the requests of a row, to which a line answers that is too
// long to look for their ids.
func (x *ids) settleRow(row int) {
	for key, r := range x.open {
		if r.at.row == row {
			x.settle(key, true)
		}
	}
}

// oldest is the open request to the server that waits for the longest time.
func (x *ids) oldest() (idKey, request, bool) {
	for len(x.queue) > 0 {
		if r, open := x.open[x.queue[0]]; open && !r.late {
			return x.queue[0], r, true
		}
		x.queue = x.queue[1:]
	}
	return "", request{}, false
}

// due is when the oldest request is late. Progress gives it more time.
func (x *ids) due(progressed int64) int64 {
	_, r, ok := x.oldest()
	if !ok {
		return never
	}
	return max(r.at.t, progressed) + answerTimeout
}

// overdue reports requests that are late by now.
func (l *Linter) overdue() {
	x := &l.run.ids
	for l.now >= x.due(l.run.progressed) {
		key, r, _ := x.oldest()
		r.late = true
		x.open[key] = r
		l.reportAs(rpc19, l.run.severityOf(rpc19, r), r.at, fmt.Sprintf("%s id %s has no answer after %d s", excerpt([]byte(r.method)), key.id(), answerTimeout/1_000_000))
	}
}

// timedOut reports a request that somebody does not wait for any more.
func (l *Linter) timedOut(key idKey) {
	if r, ok := l.run.ids.settle(key, false); ok {
		took := float64(l.now-r.at.t) / 1e6
		severity := l.run.severityOf(rpc19, r)
		l.reportAs(rpc19, severity, r.at, fmt.Sprintf("%s id %s had no answer when the wait was over, after %.1f s", excerpt([]byte(r.method)), key.id(), took))
	}
}

// twin looks for the open request that an answer with another id may be meant
// for, and says why.
func (x *ids) twin(key idKey) (twin idKey, why string, retyped bool) {
	id := key.id()
	bare := strings.Trim(id, `"`)
	other := key[:1] + idKey(strconv.Quote(bare))
	if bare != id {
		other = key[:1] + idKey(bare)
	}
	if _, open := x.open[other]; open {
		return other, fmt.Sprintf("id %s answers %s: the type changed", id, other.id()), true
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
			return candidate, fmt.Sprintf("id %s answers %s: the type changed", id, name), true
		default:
			return candidate, fmt.Sprintf("id %s is %s rounded to a double", id, name), false
		}
	}
	return "", "", false
}

// rounds tells whether an integer is number as a double, and not as it is.
func rounds(integer string, number float64) bool {
	if !beyondDouble([]byte(integer)) {
		return false
	}
	asked, err := strconv.ParseFloat(integer, 64)
	return err == nil && asked == number
}

// unanswered are the open requests to the server, oldest first.
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
