package match

import (
	"bytes"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A request is a request seen by a walker.
type request struct {
	at        Ref
	id        string
	token     string
	method    string
	era       mcp.Era
	handshake bool
	probe     bool
	answered  bool // it has its response
}

// requests are the requests of one side in one run.
type requests struct {
	open    map[string]*request // by id
	tokens  map[string]string   // id by progress token
	order   []*request          // oldest first, mixed with settled ones
	settled map[string]request
	ring    []string // keys of settled, to drop the oldest
	next    int
}

func newRequests() requests {
	return requests{open: map[string]*request{}, tokens: map[string]string{}, settled: map[string]request{}}
}

func (r *requests) add(it *Item) {
	id := string(it.Msg.RawID())
	if len(r.open) >= maxOpen && r.open[id] == nil {
		return
	}
	q := &request{at: it.At, id: id, method: it.Method, era: it.Era, handshake: it.Handshake, probe: it.Probe}
	if token := progressToken(it.Msg.RawParams()); token != nil {
		q.token = string(token)
		r.tokens[q.token] = id
	}
	r.open[id] = q
	r.order = append(r.order, q)
	r.tidy()
}

// progressToken returns the raw progress token of a request, nil if it has none.
func progressToken(params []byte) []byte {
	const name = "progressToken"
	if !bytes.Contains(params, []byte(name)) {
		return nil
	}
	return Member(Member(params, "_meta"), name)
}

// tidy keeps order at no more than about twice the open requests.
func (r *requests) tidy() {
	if len(r.order) <= 2*len(r.open)+64 {
		return
	}
	kept := r.order[:0]
	for _, q := range r.order {
		if r.open[q.id] == q {
			kept = append(kept, q)
		}
	}
	clear(r.order[len(kept):])
	r.order = kept
}

// settle returns the request that a response is for. The state is ReqOrphan if there
// is none, and ReqDuplicate if it already has a response.
func (r *requests) settle(id []byte) (request, session.ReqState) {
	q := r.open[string(id)]
	if q == nil {
		old, ok := r.settled[string(id)]
		switch {
		case !ok:
			return request{}, session.ReqUnmatched
		case old.answered:
			return old, session.ReqDuplicate
		}
		q = &old // given up before; this is its late response
	}
	q.answered = true
	r.close(q)
	return *q, session.ReqNone
}

// settleRow settles the request at a row, whose response can't be read.
func (r *requests) settleRow(row int) {
	for _, q := range r.open {
		if q.at.Row == row {
			q.answered = true
			r.close(q)
			return
		}
	}
}

// giveUp stops waiting for a response, which may still come.
func (r *requests) giveUp(id string) {
	if q := r.open[id]; q != nil {
		r.close(q)
	}
}

func (r *requests) close(q *request) {
	delete(r.open, q.id)
	if r.tokens[q.token] == q.id {
		delete(r.tokens, q.token)
	}
	r.remember(*q)
}

func (r *requests) remember(q request) {
	_, again := r.settled[q.id]
	r.settled[q.id] = q
	switch {
	case again:
	case len(r.ring) < maxSettled:
		r.ring = append(r.ring, q.id)
	default:
		delete(r.settled, r.ring[r.next])
		r.ring[r.next] = q.id
		r.next = (r.next + 1) % maxSettled
	}
}

func (r *requests) byID(id []byte) (request, bool) {
	if q := r.open[string(id)]; q != nil {
		return *q, true
	}
	return request{}, false
}

func (r *requests) byToken(token []byte) (request, bool) {
	id, ok := r.tokens[string(token)]
	if !ok {
		return request{}, false
	}
	return r.byID([]byte(id))
}

// latest returns the most recent open request.
func (r *requests) latest() (request, bool) {
	for len(r.order) > 0 {
		q := r.order[len(r.order)-1]
		if r.open[q.id] == q {
			break
		}
		r.order = r.order[:len(r.order)-1]
	}
	for i := len(r.order) - 1; i >= 0; i-- {
		if q := r.order[i]; r.open[q.id] == q && q.method != mcp.MethodListen {
			return *q, true
		}
	}
	return request{}, false
}
