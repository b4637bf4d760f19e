package shapes

import (
	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// maxBare is how many pending requests without a version are tracked. Beyond it, all
// later ones count as such.
const maxBare = 1 << 10

// bareRequests are the pending requests of a session of the modern era that have no
// version in _meta, by the number of their entry. A server that serves both eras
// takes them for requests of the legacy era.
type bareRequests struct {
	pending  map[uint64]bool
	overflow bool
}

func (b *bareRequests) add(n uint64) {
	switch {
	case len(b.pending) == maxBare:
		b.overflow = true
		return
	case b.pending == nil:
		b.pending = make(map[uint64]bool)
	}
	b.pending[n] = true
}

// remove reports whether a request is bare, and forgets it.
func (b *bareRequests) remove(n uint64) bool {
	bare := b.overflow || b.pending[n]
	delete(b.pending, n)
	return bare
}

// hasVersion reports whether params have a version in _meta.
func hasVersion(params []byte) bool {
	meta := framing.Member(params, "_meta").Of(params)
	return framing.Member(meta, mcp.MetaProtocolVersion) != framing.Span{}
}
