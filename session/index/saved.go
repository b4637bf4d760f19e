package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// Version changes whenever the same log yields different rows, counts or
// states: data saved by another version is useless.
const Version = 7

// PageSize is the size in bytes of a page, which an Index reads from its
// file at once.
const PageSize = pageSize

// errSaved is the error for a state that Index.State did not write.
var errSaved = errors.New("index: the saved state is damaged")

// State calls do with all data of the index except its rows, piece by piece. A
// piece is valid until the next call. Restore makes the same index from them.
// State may be called when all rows are published, by the goroutine that adds
// them. The error is that of do.
func (x *Index) State(do func(piece []byte) error) error {
	x.mu.Lock() // unpack restored maps
	x.pair.unpack()
	x.mu.Unlock()
	x.mu.RLock()
	defer x.mu.RUnlock()
	var w stateWriter
	w.int(x.added)
	w.int(len(x.methods))
	for _, m := range x.methods {
		w.bytes([]byte(m))
	}
	x.handshakeState.save(&w)
	w.bytes(x.openIn.bytes)
	w.bool(x.openIn.over)
	for _, open := range x.inParts {
		w.bool(open)
	}
	savePartial(&w, &x.partial)
	x.numbering.save(&w)
	x.elements.save(&w)
	x.pair.save(&w)
	if err := do(w); err != nil {
		return err
	}
	return x.history.pieces(do)
}

// Pages calls do with the rows in the format of IndexFile, page by page, the
// last one padded with zero bytes. A page is valid until the next call. Pages
// may be called whenever State may. The error is that of do, or of a page that
// can't be read back.
func (x *Index) Pages(do func(page []byte) error) error {
	buf := make([]byte, 0, pageSize)
	for i := 0; i*pageRows < x.added; i++ {
		x.mu.Lock()
		page := x.page(i)
		if page == nil {
			x.mu.Unlock()
			return fmt.Errorf("index: page %d can't be read back", i)
		}
		buf = buf[:0]
		for k := range min(pageRows, x.added-i*pageRows) {
			buf = page[k].AppendBinary(buf)
		}
		x.mu.Unlock()
		clear(buf[len(buf):pageSize])
		if err := do(buf[:pageSize]); err != nil {
			return err
		}
	}
	return nil
}

// Restore turns a new Index into the one that wrote state and whose pages are
// in file. The file is read page by page when rows are requested, and written
// when a row changes. Restore keeps state. After an error the Index is
// unusable.
func (x *Index) Restore(state []byte, file File) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := stateReader{b: state}
	x.added = r.int(maxIndexRows)
	for range r.int(maxMethods) {
		x.methods = append(x.methods, string(r.bytes()))
	}
	x.numbers = make(map[string]uint16, len(x.methods))
	for i, m := range x.methods {
		x.numbers[m] = uint16(i + 1)
	}
	x.handshakeState.restore(&r, x.added)
	x.openIn.bytes = slices.Clone(r.bytes())
	x.openIn.over = r.bool()
	for i := range x.inParts {
		x.inParts[i] = r.bool()
	}
	restorePartial(&r, &x.partial)
	x.numbering.restore(&r, x.added)
	x.elements.restore(&r, x.added)
	x.pair.restore(&r, x.added)
	if r.bad {
		return errSaved
	}
	history, err := restoreHistory(r.b)
	if err != nil || history.rows != x.added {
		return errSaved
	}
	x.history, x.stats = history, history.last.stats()
	x.pair.pendingOut, x.pair.pendingIn = x.stats.PendingOut, x.stats.PendingIn
	x.stats.PendingOut, x.stats.PendingIn = 0, 0 // counted in pair
	x.file, x.resident = file, x.added/pageRows
	x.pages = make([]*[pageRows]session.Row, x.resident)
	if x.added%pageRows != 0 {
		page := x.readPage(x.resident)
		if page == nil {
			return errSaved
		}
		x.pages = append(x.pages, page)
	}
	x.visible = x.added
	return nil
}

func savePartial(w *stateWriter, p *framing.Partial) {
	for _, is := range []bool{p.Begun, p.Found, p.Other} {
		w.bool(is)
	}
	w.int(int(p.Kind))
	w.bytes(p.ID)
	w.bytes(p.Ending)
}

func restorePartial(r *stateReader, p *framing.Partial) {
	for _, is := range []*bool{&p.Begun, &p.Found, &p.Other} {
		*is = r.bool()
	}
	p.Kind = framing.Kind(r.int(int(framing.Other)))
	p.ID, p.Ending = slices.Clone(r.bytes()), slices.Clone(r.bytes())
}

func (p *pairing) save(w *stateWriter) {
	for _, is := range p.untracked {
		w.bool(is)
	}
	w.bool(p.subscribed)
	w.int(len(p.pending))
	keys := slices.Collect(maps.Keys(p.pending))
	sort.Slice(keys, func(i, j int) bool {
		return cmp.Or(cmp.Compare(p.pending[keys[i]], p.pending[keys[j]]), bytes.Compare(keys[i][:], keys[j][:])) < 0
	})
	for _, key := range keys {
		w.pair(key, p.pending[key])
	}
	w.int(len(p.doneOrder))
	for _, key := range p.doneOrder {
		w.pair(key, p.done[key].row)
		w.int(int(p.done[key].element))
		w.bool(p.done[key].answered)
	}
	w.int(p.doneNext)
	w.int(len(p.tallies))
	for _, row := range slices.Sorted(maps.Keys(p.tallies)) {
		t := p.tallies[row]
		w.int(int(row))
		w.int(t.open)
		w.bool(t.failed)
		w.int(int(t.state))
	}
	p.tokens.save(w)
}

// restore checks the output of save and keeps it: the maps are built only when
// the next entry comes, as that takes longer than everything else.
func (p *pairing) restore(r *stateReader, rows int) {
	for i := range p.untracked {
		p.untracked[i] = r.bool()
	}
	p.subscribed = r.bool()
	all := r.b
	for range r.int(maxPending) {
		r.pair(rows)
	}
	done := r.int(maxDone)
	for range done {
		r.pair(rows)
		r.int(session.MaxPaired)
		r.bool()
	}
	next := r.int(done)
	r.bad = r.bad || next > 0 && next == done
	for range r.int(maxPending) {
		r.tally(rows)
	}
	p.tokens.check(r, rows)
	p.saved = all[:len(all)-len(r.b)]
}

// unpack builds the maps from the data that restore kept.
func (p *pairing) unpack() {
	if p.saved == nil {
		return
	}
	r := stateReader{b: p.saved}
	p.saved = nil
	n := r.int(maxPending)
	p.pending = make(map[pairKey]uint32, n)
	for range n {
		key, row := r.pair(maxIndexRows)
		p.pending[key] = row
	}
	n = r.int(maxDone)
	p.done = make(map[pairKey]settled, n)
	for range n {
		key, row := r.pair(maxIndexRows)
		p.done[key] = settled{row, uint16(r.int(session.MaxPaired)), r.bool()}
		p.doneOrder = append(p.doneOrder, key)
	}
	p.doneNext = r.int(maxDone)
	for range r.int(maxPending) {
		row, t := r.tally(maxIndexRows)
		p.keep(row, t)
	}
	p.tokens.restore(&r)
}

// A stateWriter appends numbers and bytes.
type stateWriter []byte

func (w *stateWriter) int(n int) { *w = binary.AppendUvarint(*w, uint64(n)) }

func (w *stateWriter) bytes(b []byte) {
	w.int(len(b))
	*w = append(*w, b...)
}

func (w *stateWriter) bool(b bool) {
	n := byte(0)
	if b {
		n = 1
	}
	*w = append(*w, n)
}

func (w *stateWriter) pair(key pairKey, row uint32) {
	*w = append(*w, key[:]...)
	w.int(int(row))
}

// A stateReader reads the output of a stateWriter. Once it finds invalid data,
// it is bad and reads zeros.
type stateReader struct {
	b   []byte
	bad bool
}

func (r *stateReader) take(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	took := r.b[:n:n]
	r.b = r.b[n:]
	return took
}

// int reads a number of at most most.
func (r *stateReader) int(most int) int {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || most < 0 || n > uint64(most) {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

func (r *stateReader) bytes() []byte { return r.take(r.int(len(r.b))) }

func (r *stateReader) bool() bool {
	b := r.take(1)
	return b != nil && b[0] != 0
}

func (r *stateReader) pair(rows int) (key pairKey, row uint32) {
	copy(key[:], r.take(len(key)))
	return key, uint32(r.int(rows - 1))
}

// tally reads the tally of a row with several requests.
func (r *stateReader) tally(rows int) (row uint32, t tally) {
	row = uint32(r.int(rows - 1))
	t = tally{several: true, open: r.int(maxPending), failed: r.bool()}
	t.state = session.ReqState(r.int(int(session.ReqLost)))
	return row, t
}
