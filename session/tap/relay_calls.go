package tap

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// A callTable has the requests of the client that the server has not answered.
type callTable struct {
	open      map[key]*call
	n         int
	units     int // batches so far
	kept      int // bytes of lines
	untracked int // requests that did not fit
	dead      []key
}

// A call is a request of the client that the server has.
type call struct {
	n         int // order
	id        []byte
	method    string
	line      []byte // if it may be sent again
	sent      time.Time
	token     key // of its progress
	batch     int // number of its batch, 0 for none
	cancelled bool
	answered  bool // by us: the response is dropped
	listen    *listen
	uri       string // of a subscription
	tool      string
}

// register adds the request of an element that is sent to the server.
func (r *relay) register(u *unit, el *element) {
	t := &r.calls
	id := keyOf(el.id())
	c := &call{n: t.n, id: bytes.Clone(el.id()), method: el.method(), sent: r.now, token: keyOf(el.param("_meta", "progressToken")), tool: el.tool()}
	t.n++
	if u.batch {
		c.batch = t.units
	} else if mcp.IsRepeatable(c.method) || c.method == mcp.MethodListen {
		if t.kept+len(u.line) <= maxKept || c.method == mcp.MethodInitialize {
			c.line = bytes.Clone(u.line)
		} else {
			r.noteOnce("more than 8 MiB of requests are in flight: a restart answers the rest with an error")
		}
	}
	t.remove(id)
	if len(t.open) >= maxCalls && !t.forget() {
		t.untracked++
		r.noteOnce("more than 4096 requests are in flight: a restart does not answer the rest")
		return
	}
	if r.hello.meta == nil || c.method == mcp.MethodDiscover {
		r.hello.modern(el)
	}
	switch c.method {
	case mcp.MethodListen:
		c.listen = newListen(el)
	case mcp.MethodInitialize:
		r.hello.began(el)
	case mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		c.uri = string(framing.IDValue(el.param("uri")))
	}
	t.open[id] = c
	t.kept += len(c.line)
}

// resume takes a request that an earlier process had, and that is sent again.
func (t *callTable) resume(c *call, now time.Time) {
	c.n, c.sent = t.n, now
	t.n++
	t.open[keyOf(c.id)] = c
	t.kept += len(c.line)
}

func (t *callTable) remove(id key) {
	if c := t.open[id]; c != nil {
		t.kept -= len(c.line)
		delete(t.open, id)
	}
}

// forget removes the oldest request that the client has cancelled.
func (t *callTable) forget() bool {
	var oldest *call
	for _, c := range t.open {
		if c.cancelled && (oldest == nil || c.n < oldest.n) {
			oldest = c
		}
	}
	if oldest != nil {
		t.remove(keyOf(oldest.id))
	}
	return oldest != nil
}

func (t *callTable) sorted() []*call {
	return slices.SortedFunc(maps.Values(t.open), func(a, b *call) int { return cmp.Compare(a.n, b.n) })
}

// find returns the request that a response has the id of.
func (t *callTable) find(id []byte) (key, *call) {
	if c := t.open[keyOf(id)]; c != nil {
		return keyOf(id), c
	}
	return looseKey(id), t.open[looseKey(id)]
}

// drained reports whether no request is left that a restart would fail.
func (t *callTable) drained() bool {
	for _, c := range t.open {
		if c.line == nil && !c.cancelled && c.listen == nil {
			return false
		}
	}
	return true
}

// died remembers the progress token of a request that got an error.
func (t *callTable) died(token key) {
	if token == "" {
		return
	}
	if len(t.dead) >= maxTokens {
		t.dead = t.dead[1:]
	}
	t.dead = append(t.dead, token)
}

// hasToken reports whether a request in flight has a progress token.
func (t *callTable) hasToken(token key) bool {
	for _, c := range t.open {
		if c.token == token {
			return true
		}
	}
	return false
}

// An askTable has the requests of servers that the client has not answered.
type askTable struct {
	client map[key]*ask // by the id that the client got
	server map[key]*ask // those of the current process, by its own id
	hex    string
	n      int
	mapped int
}

// An ask is a request of a server. It is stale after its process has ended: its response
// is dropped.
type ask struct {
	n         int
	id        []byte // as the server wrote it
	shown     []byte // as the client got it
	method    string
	token     key
	stale     bool
	cancelled bool
}

// add registers a request of the server, nil if it does not fit. Its id at the client is a
// new one if its own is in use there.
func (t *askTable) add(el *element) *ask {
	if len(t.client) >= maxAsks && !t.forget() {
		return nil
	}
	a := &ask{n: t.n, id: bytes.Clone(el.id()), method: el.method(), token: keyOf(el.param("_meta", "progressToken"))}
	t.n++
	for a.shown = a.id; t.client[keyOf(a.shown)] != nil; {
		t.mapped++
		a.shown = quoted("mcpdbg:" + t.hex + ":s" + strconv.Itoa(t.mapped))
	}
	t.client[keyOf(a.shown)], t.server[keyOf(a.id)] = a, a
	return a
}

// answer gives the response of an element the id that the server used. It drops a response
// to a process that has ended, and returns a note about it; the first
// process may get any response.
func (t *askTable) answer(el *element, first bool) (note string) {
	if el.Kind != framing.Response && el.Kind != framing.ErrorResponse {
		return ""
	}
	a := t.client[keyOf(el.id())]
	switch {
	case a == nil && (first || len(el.id()) == 0):
		return ""
	case a == nil:
		el.drop = true
		return "response to an unknown request id, after a restart"
	}
	t.remove(a)
	if a.stale {
		el.drop = true
		return "response to a request that has ended"
	}
	if !bytes.Equal(a.id, a.shown) {
		el.replace(el.ID, string(a.id))
	}
	return ""
}

// forget removes the oldest request whose response matters least.
func (t *askTable) forget() bool {
	var oldest *ask
	for _, a := range t.client {
		if (a.stale || a.cancelled) && (oldest == nil || a.n < oldest.n) {
			oldest = a
		}
	}
	if oldest != nil {
		t.remove(oldest)
	}
	return oldest != nil
}

func (t *askTable) remove(a *ask) {
	delete(t.client, keyOf(a.shown))
	if t.server[keyOf(a.id)] == a {
		delete(t.server, keyOf(a.id))
	}
}

func (t *askTable) sorted() []*ask {
	return slices.SortedFunc(maps.Values(t.client), func(a, b *ask) int { return cmp.Compare(a.n, b.n) })
}

// ofToken returns the request that asked for progress with a token: an open one rather
// than a stale one.
func (t *askTable) ofToken(token key) (found *ask) {
	for _, a := range t.client {
		if a.token == token && token != "" && (found == nil || found.stale) {
			found = a
		}
	}
	return found
}
