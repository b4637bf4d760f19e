package session

import "crypto/sha256"

const (
	// maxPending is how many requests may be open before further ones are
	// counted as untracked instead of paired.
	maxPending = 1 << 16
	// maxDone is how many settled ids are remembered to tell a second answer
	// from one to no request.
	maxDone = 1 << 14
)

// A pairKey is an id in the direction of its request: the raw bytes of the id,
// so that 1, "1" and 1.0 are three, or a hash of them if they are many. It
// holds no pointer and is made without an allocation.
type pairKey [40]byte

const (
	toServer   = '>'
	fromServer = '<'
	hashedID   = 0xff
)

func newPairKey(outgoing bool, id []byte) (k pairKey) {
	k[0] = fromServer
	if outgoing {
		k[0] = toServer
	}
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

// pairing matches responses to requests by id and direction. It lasts as long
// as one process: another one knows nothing of the ids before it.
type pairing struct {
	pending    map[pairKey]uint32  // request row by key
	done       map[pairKey]settled // of requests that wait no more
	doneOrder  []pairKey           // ring of the keys of done
	doneNext   int
	pendingOut int
	pendingIn  int
	tallies    map[uint32]tally // by row, of rows with several requests of which some are pending
	saved      []byte           // what the maps are made of when they are needed; see restore
}

// settled is a request that waits for an answer no more.
type settled struct {
	row      uint32
	answered bool // and was not only given up
}

// A tally is about the requests of one row, which is a batch or several lines.
type tally struct {
	open    int      // that are pending
	several bool     // there is more than one
	failed  bool     // one was answered with an error, or by a tool that failed
	state   ReqState // the highest of those that wait no more; ReqNone without any
}

// opens takes another request.
func (t *tally) opens() {
	t.several = t.several || t.open > 0 || t.state != ReqNone
	t.open++
}

// settles takes what became of one request. It reports whether that was the last
// one that was pending.
func (t *tally) settles(state ReqState, failed bool) bool {
	t.open--
	t.state = max(t.state, state)
	t.failed = t.failed || failed
	return t.open <= 0
}

// keep keeps the tally of a row. There are no more of them than requests pending.
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

// open makes the request of a row pending. It is not ok if too many are. If
// the id was pending already, older is the row that has now lost it.
func (p *pairing) open(key pairKey, row uint32) (older uint32, again, ok bool) {
	if p.pending == nil {
		p.pending = make(map[pairKey]uint32)
	}
	older, again = p.pending[key]
	if !again {
		if len(p.pending) >= maxPending {
			return 0, false, false
		}
		p.count(key, 1)
	}
	p.pending[key] = row
	return older, again, true
}

// settle takes a request out of pending, and remembers it.
func (p *pairing) settle(key pairKey, answered bool) (row uint32, ok bool) {
	row, ok = p.pending[key]
	if !ok {
		return 0, false
	}
	delete(p.pending, key)
	p.count(key, -1)
	p.remember(key, settled{row, answered})
	return row, true
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

// forget begins anew.
func (p *pairing) forget() {
	clear(p.pending)
	clear(p.done)
	clear(p.tallies)
	p.doneOrder, p.doneNext = p.doneOrder[:0], 0
	p.pendingOut, p.pendingIn = 0, 0
}
