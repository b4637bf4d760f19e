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
	pending    map[pairKey]uint32 // request row by key
	done       map[pairKey]uint32 // the same, of requests that are settled
	doneOrder  []pairKey          // ring of the keys of done
	doneNext   int
	pendingOut int
	pendingIn  int
	saved      []byte // what the maps are made of when they are needed; see restore
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
func (p *pairing) settle(key pairKey) (row uint32, ok bool) {
	row, ok = p.pending[key]
	if !ok {
		return 0, false
	}
	delete(p.pending, key)
	p.count(key, -1)
	p.remember(key, row)
	return row, true
}

func (p *pairing) remember(key pairKey, row uint32) {
	if p.done == nil {
		p.done = make(map[pairKey]uint32)
	}
	_, again := p.done[key]
	p.done[key] = row
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
	p.doneOrder, p.doneNext = p.doneOrder[:0], 0
	p.pendingOut, p.pendingIn = 0, 0
}
