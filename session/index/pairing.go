package index

import (
	"crypto/sha256"
	"encoding/binary"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// maxPending is how many requests may be pending before further ones are
	// counted as untracked instead of paired.
	maxPending = 1 << 16
	// maxDone is how many settled ids are remembered to distinguish a duplicate
	// response from an unmatched one.
	maxDone = 1 << 14
)

// A pairKey is an id with the direction of its request: the raw bytes of a number,
// so that 1 and 1.0 differ, or the decoded text of a string with the quote before
// and after it, so that 1 and "1" do; or a hash of them if they do not fit. It holds
// no pointer and needs no allocation.
type pairKey [40]byte

const (
	toServer   = '>'
	fromServer = '<'
	hashedID   = 0xff
	noID       = 0xfe
)

func newPairKey(outgoing bool, id []byte) (k pairKey) {
	k[0] = fromServer
	if outgoing {
		k[0] = toServer
	}
	if len(id) == 0 || id[0] == 'n' {
		k[1] = noID
		return k
	}
	id = framing.IDValue(id)
	if len(id) <= len(k)-2 {
		k[1] = byte(len(id))
		copy(k[2:], id)
		return k
	}
	k[1] = hashedID
	sum := sha256.Sum256(id)
	copy(k[2:], sum[:])
	return k
}

func (k *pairKey) outgoing() bool { return k[0] == toServer }

// ofRequest gives the request of a row whose id is null or missing a key that no
// response has.
func (k *pairKey) ofRequest(row uint32, member int) {
	if k[1] == noID {
		binary.LittleEndian.PutUint32(k[2:], row+1)
		binary.LittleEndian.PutUint32(k[6:], uint32(member))
	}
}

// pairing matches responses to requests by id and direction. It covers one
// process: a new process does not share its ids.
type pairing struct {
	pending    map[pairKey]uint32  // request row by key
	done       map[pairKey]settled // of requests that are no longer pending
	doneOrder  []pairKey           // ring of the keys of done
	doneNext   int
	pendingOut int
	pendingIn  int
	untracked  [2]bool          // requests to the server and from it: some are not in pending
	tallies    map[uint32]tally // by row, of rows with several requests, some of them pending
	tokens     tokens
	subscribed bool   // there was a subscriptions/listen
	saved      []byte // source of the maps, unpacked when needed; see restore
}

// settled is a request that is no longer pending.
type settled struct {
	row      uint32
	element  uint16 // of the row's messages, from 1; 0: the only one
	answered bool   // false: it was given up
}

// A tally summarizes the requests of one row, which is a batch or several
// lines.
type tally struct {
	open    int              // number of pending requests
	several bool             // there is more than one request
	failed  bool             // one was answered with an error or by a failed tool
	state   session.ReqState // the highest state of the settled ones; ReqNone without any
}

func (t *tally) addPending() {
	t.several = t.several || t.open > 0 || t.state != session.ReqNone
	t.open++
}

// settleOne records the outcome of one request. It reports whether that was the
// last pending one.
func (t *tally) settleOne(state session.ReqState, failed bool) bool {
	t.open--
	t.state = max(t.state, state)
	t.failed = t.failed || failed
	return t.open <= 0
}

// keep stores the tally of a row. There are at most as many as pending
// requests.
func (p *pairing) keep(row uint32, t tally) {
	if p.tallies == nil {
		p.tallies = make(map[uint32]tally)
	}
	p.tallies[row] = t
}

func (p *pairing) count(key pairKey, by int) {
	if key.outgoing() {
		p.pendingOut += by
	} else {
		p.pendingIn += by
	}
}

// open makes the request of a row pending. ok is false if too many are pending.
// If the id was pending already, again is true and older is the row that has
// now lost it.
func (p *pairing) open(key pairKey, row uint32) (older uint32, again, ok bool) {
	if p.pending == nil {
		p.pending = make(map[pairKey]uint32)
	}
	older, again = p.pending[key]
	if !again {
		if len(p.pending) >= maxPending {
			*p.untrackedLike(key) = true
			return 0, false, false
		}
		p.count(key, 1)
	}
	p.pending[key] = row
	return older, again, true
}

// untrackedLike returns whether requests in the direction of key are untracked, so that
// an unmatched response may be to one of them.
func (p *pairing) untrackedLike(key pairKey) *bool {
	if key.outgoing() {
		return &p.untracked[0]
	}
	return &p.untracked[1]
}

// settle moves a request from pending to done, which is an element of its row.
func (p *pairing) settle(key pairKey, element uint16, answered bool) (row uint32, ok bool) {
	row, ok = p.pending[key]
	if !ok {
		return 0, false
	}
	delete(p.pending, key)
	p.count(key, -1)
	p.remember(key, settled{row, element, answered})
	return row, true
}

// find returns the request with a key, pending or settled.
func (p *pairing) find(key pairKey) (row uint32, ok bool) {
	if row, ok = p.pending[key]; ok {
		return row, true
	}
	done, ok := p.done[key]
	return done.row, ok
}

func (p *pairing) remember(key pairKey, s settled) {
	if p.done == nil {
		p.done = make(map[pairKey]settled)
	}
	_, again := p.done[key]
	p.done[key] = s
	switch {
	case again:
	case len(p.doneOrder) < maxDone:
		p.doneOrder = append(p.doneOrder, key)
	default:
		delete(p.done, p.doneOrder[p.doneNext])
		p.doneOrder[p.doneNext] = key
		p.doneNext = (p.doneNext + 1) % maxDone
	}
}

func (p *pairing) forget() {
	clear(p.pending)
	clear(p.done)
	clear(p.tallies)
	p.doneOrder, p.doneNext = p.doneOrder[:0], 0
	p.pendingOut, p.pendingIn = 0, 0
	p.untracked = [2]bool{}
	p.tokens.forget()
	p.subscribed = false
}
