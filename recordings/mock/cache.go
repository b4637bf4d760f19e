package mock

import "mcpdbg/framing"

// A cache keeps what was used lately, in two generations: when the young one is
// full it becomes the old one, and what nobody asked for since is gone. So it
// holds at most twice its limit. The zero value keeps nothing.
type cache[K comparable, V any] struct {
	limit      int // of a generation, in the unit of put's size
	size       int
	young, old map[K]V
}

func (c *cache[K, V]) get(k K) (v V, ok bool) {
	if v, ok = c.young[k]; ok {
		return v, true
	}
	v, ok = c.old[k]
	return v, ok
}

// put keeps v, which has a size, or counts it as used.
func (c *cache[K, V]) put(k K, v V, size int) {
	if c.young == nil || c.size+size > c.limit {
		if size > c.limit {
			return
		}
		c.old, c.young, c.size = c.young, make(map[K]V), 0
	}
	if _, again := c.young[k]; !again {
		c.size += size
	}
	c.young[k] = v
}

// getBytes is get with a string of bytes, which is not made for it.
func getBytes[V any](c *cache[string, V], k []byte) (v V, ok bool) {
	if v, ok = c.young[string(k)]; ok {
		return v, true
	}
	v, ok = c.old[string(k)]
	return v, ok
}

const (
	// keysKept bounds the requests whose key is known without reading them again,
	// and answersKept the answers that are not read from the file again: in bytes,
	// for each of two generations.
	keysKept    = 4 << 20
	answersKept = 8 << 20
	// entryCost is what an entry of a cache takes besides its bytes.
	entryCost = 128
	// longestKept is the longest request or answer that is kept.
	longestKept = 64 << 10
)

// A plainAnswer is all that was recorded between a request and what happened
// next: an answer.
type plainAnswer struct {
	message []byte
	id      framing.Span
}
