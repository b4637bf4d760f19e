package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"mcpdbg/session"
)

// historyVersion is the first byte of a stored history.
const historyVersion = 1

var errHistory = errors.New("the stored history of the index is damaged")

// AppendHistory appends the data that RowsAsOf and StatsAsOf need besides the
// rows: about 3 bytes a row.
func (x *Index) AppendHistory(b []byte) []byte {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.history.append(b)
}

// RestoreHistory is the inverse of AppendHistory, for an Index that has the
// same rows and no history. It keeps b and reads little of it, so it is fast.
// It fails if b is damaged or belongs to other rows; then the index is
// unchanged. Undetected damage shows wrong past states and nothing worse.
func (x *Index) RestoreHistory(b []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	h, err := restoreHistory(b)
	if err != nil {
		return err
	}
	if h.rows != x.added {
		return fmt.Errorf("%w: it has %d rows, the index %d", errHistory, h.rows, x.added)
	}
	x.history = h
	return nil
}

func (h *history) append(b []byte) []byte {
	_ = h.pieces(func(p []byte) error {
		b = append(b, p...)
		return nil
	})
	return b
}

// pieces calls do with the data that append appends, piece by piece. A piece is
// valid until the next call. The error is that of do.
func (h *history) pieces(do func([]byte) error) error {
	b := []byte{historyVersion}
	b = binary.AppendUvarint(b, uint64(h.rows))
	b = binary.AppendUvarint(b, h.rough)
	var was counts
	for page := range h.marks {
		b = appendStep(b, &was, &h.marks[page])
		was = h.marks[page]
		steps := h.open
		if page < len(h.steps) {
			steps = h.steps[page]
		}
		b = binary.AppendUvarint(b, uint64(len(steps)))
		b = append(b, steps...)
		if err := do(b); err != nil {
			return err
		}
		b = b[:0]
	}
	b = appendStep(b, &was, &h.last)
	b = binary.AppendUvarint(b, h.lost)
	b = binary.AppendUvarint(b, uint64(h.changed))
	for _, page := range slices.Sorted(maps.Keys(h.changes)) {
		for _, c := range h.changes[page] {
			b = binary.LittleEndian.AppendUint32(b, c.row)
			b = binary.LittleEndian.AppendUint32(b, c.by)
			b = append(b, byte(c.state), byte(c.flags))
		}
		if err := do(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return do(b)
}

func restoreHistory(b []byte) (h history, err error) {
	if len(b) == 0 || b[0] != historyVersion {
		return h, errHistory
	}
	d := historyDecoder{b: b[1:]}
	h.rows = int(d.number(maxIndexRows))
	h.rough = d.number(uint64(h.rows))
	h.full = h.rough > 0
	for page := range (h.rows + pageRows - 1) / pageRows {
		d.step(&h.last)
		h.marks = append(h.marks, h.last)
		steps := d.bytes(int(d.number(uint64(len(d.b)))))
		h.size += len(steps)
		switch {
		case (page+1)*pageRows >= h.rows:
			h.open = slices.Clone(steps) // which grows further
		case len(steps) == 0:
			h.steps = append(h.steps, nil)
		default:
			h.steps = append(h.steps, steps)
		}
		if d.bad {
			return history{}, errHistory
		}
	}
	d.step(&h.last)
	h.lost = d.number(math.MaxUint64)
	d.changes(&h)
	if d.bad || len(d.b) > 0 {
		return history{}, errHistory
	}
	return h, nil
}

// maxIndexRows is the maximum number of rows: a Row refers to others with 32
// bits.
const maxIndexRows = min(1<<32-1, math.MaxInt)

// A historyDecoder reads a stored history. Once bad is set it reads nothing.
type historyDecoder struct {
	b   []byte
	bad bool
}

func (d *historyDecoder) number(limit uint64) uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > limit {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *historyDecoder) bytes(n int) []byte {
	if n > len(d.b) {
		d.bad, d.b = true, nil
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *historyDecoder) step(c *counts) {
	if len(d.b) == 0 {
		d.bad = true
		return
	}
	d.b = addStep(c, d.b)
}

// changes reads the changes, which are sorted.
func (d *historyDecoder) changes(h *history) {
	const size = 10
	n := int(d.number(maxChanges))
	all := d.bytes(n * size)
	if d.bad || n == 0 {
		return
	}
	h.changes, h.changed = make(map[int][]change), n
	last := uint32(0)
	for ; len(all) > 0; all = all[size:] {
		c := change{
			row: binary.LittleEndian.Uint32(all), by: binary.LittleEndian.Uint32(all[4:]),
			state: session.ReqState(all[8]), flags: session.RowFlags(all[9]),
		}
		if c.row < last || int(c.row) >= h.rows {
			d.bad = true
			return
		}
		last = c.row
		page := int(c.row / pageRows)
		h.changes[page] = append(h.changes[page], c)
	}
}
