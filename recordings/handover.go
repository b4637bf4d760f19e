package recordings

import (
	"slices"
	"sync"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// lent is how many blocks a handover keeps: the reader is in one of them, and the next ones
// are ready.
const lent = 3

// A handover lends the decoded blocks of a file that is being indexed to a reader of its
// entries, which need not decode them again. Indexing waits for the reader. The zero
// handover has none; a nil one never gets one.
type handover struct {
	mu     sync.Mutex
	moved  sync.Cond
	open   bool
	at     int64        // the reader has passed all entries before
	blocks []*lineBlock // oldest first
}

func (h *handover) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open, h.moved.L = true, &h.mu
}

// end lets indexing go on without the reader.
func (h *handover) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open {
		h.open, h.blocks = false, nil
		h.moved.Signal()
	}
}

func (h *handover) hasReader() bool {
	if h == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open
}

// swap takes a block whose rows can be read, and returns one that is free, or nil as long as
// few are lent. A block without an entry is not lent: no reader would pass it.
func (h *handover) swap(b *lineBlock) *lineBlock {
	if b.decoder.rows || b.long() || len(b.entries) == 0 {
		return b
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open {
		return b
	}
	h.blocks = append(h.blocks, b)
	if len(h.blocks) <= lent {
		return nil
	}
	oldest := h.blocks[0]
	for h.open && h.at < oldest.off+oldest.size {
		h.moved.Wait()
	}
	h.blocks = slices.DeleteFunc(h.blocks, func(b *lineBlock) bool { return b == oldest })
	return oldest
}

// entry returns a copy of the entry of a row, with the payload in buf if it fits. It is not
// ok if the entry is not in memory.
func (h *handover) entry(row session.Row, buf []byte) (e session.Entry, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open && row.Off > h.at {
		h.at = row.Off
		h.moved.Signal()
	}
	for _, b := range h.blocks {
		i, found := slices.BinarySearch(b.begins, row.Off)
		if !found {
			continue
		}
		e = b.entries[i]
		if e.Payload != nil {
			e.Payload = append(buf[:0], e.Payload...)
		}
		if row.Flags&session.FlagPart != 0 {
			e.Msg = framing.Message{} // parts are not scanned
		}
		return e, true
	}
	return e, false
}

// AsIndexed returns a view for the function that OpenWhile calls, and one goroutine: its
// reader in order takes entries from where they are indexed. Indexing waits for that
// reader, which has to read each entry.
func (r *Recording) AsIndexed() session.Source {
	r.handover.begin()
	return &asIndexed{r}
}

type asIndexed struct{ *Recording }

// InOrder implements session.OrderReader.
func (a *asIndexed) InOrder() session.IntoReader {
	return &handedReader{a.Recording.InOrder(), &a.handover}
}

type handedReader struct {
	file     session.IntoReader
	handover *handover
}

// EntryInto implements session.IntoReader.
func (h *handedReader) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	if e, ok := h.handover.entry(row, buf); ok && (limit <= 0 || int(row.Len) <= limit) {
		return e, nil
	}
	return h.file.EntryInto(row, limit, buf)
}
