package exchange

import (
	"crypto/sha256"
	"maps"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/summary"
)

// A key is the hash of an id.
type key [sha256.Size]byte

func keyOf(id []byte) key { return sha256.Sum256(framing.IDValue(id)) }

// requestKey returns the hash of the id of a request and of its direction.
func requestKey(kind session.Kind, id []byte) key {
	k := keyOf(id)
	k[0] ^= byte(kind)
	return k
}

// ids are the ids of requests, by row. They are read only where a request is given up:
// rows do not say when that was.
type ids struct {
	unread []uint32 // some may no longer be in flight
	read   map[key]uint32
}

func (x *ids) add(number uint32, inFlight func(uint32) bool) {
	if n := len(x.unread); n == cap(x.unread) && n > 0 {
		x.unread = slices.DeleteFunc(x.unread, func(number uint32) bool { return !inFlight(number) })
		x.unread = slices.Grow(x.unread, len(x.unread)+64)
	}
	x.unread = append(x.unread, number)
}

func (x *ids) clear() {
	x.unread = x.unread[:0]
	clear(x.read)
}

// find returns the request in flight with an id.
func (x *ids) find(wanted key, t *Table) (number uint32, ok bool) {
	for _, number := range x.unread {
		if !t.inFlight(number) {
			continue
		}
		row, _ := session.RowAt(t.src, int(number))
		if id := t.part(&row, summary.IDOf); id != nil {
			x.read[requestKey(row.Kind, id)] = number
		}
	}
	x.unread = x.unread[:0]
	if len(x.read) > 2*(len(t.open)+len(t.asked))+64 {
		maps.DeleteFunc(x.read, func(_ key, number uint32) bool { return !t.inFlight(number) })
	}
	number, ok = x.read[wanted]
	return number, ok && t.inFlight(number)
}
