package workspace

import (
	"slices"
	"sort"

	"mcpdbg/framing"
)

// listPart lists a new part of an exchange that is unfolded.
func (x *Exchanges) listPart(number, of uint32) {
	if parts, open := x.unfolded[of]; open && len(parts) < MaxParts {
		x.parted++
		x.unfolded[of] = append(parts, number)
		x.List.Append(number, 0)
	}
}

// HasParts reports whether an exchange has parts other than its response.
func (x *Exchanges) HasParts(number int) bool {
	if h, ok := x.Handshake(number); ok {
		return h.parts > 1
	}
	if b, ok := x.Batch(number); ok && b.Elements > 0 || x.isWhole(number) {
		return true
	}
	for range x.Later(&x.rows, number) {
		return true
	}
	return false
}

// Unfolded reports whether the parts of an exchange are listed.
func (x *Exchanges) Unfolded(number int) bool {
	_, open := x.unfolded[uint32(number)]
	return open
}

// Unfold lists the parts of an exchange, at most MaxParts of them. It returns
// whether there are any, and whether there are more; neither if it is unfolded
// already.
func (x *Exchanges) Unfold(number int) (any, more bool) {
	if x.Unfolded(number) {
		return false, false
	}
	parts, more := x.parts(number)
	if len(parts) == 0 {
		return false, false
	}
	for _, part := range parts {
		x.List.Insert(int(part))
	}
	x.parted += len(parts)
	x.unfolded[uint32(number)] = parts
	return true, more
}

// Fold hides the parts of an exchange again, and reports whether they were
// listed.
func (x *Exchanges) Fold(number int) bool {
	parts, open := x.unfolded[uint32(number)]
	for _, part := range parts {
		x.List.Remove(int(part))
	}
	x.parted -= len(parts)
	delete(x.unfolded, uint32(number))
	return open
}

// parts returns the rows of the first parts of an exchange in their order, and
// whether there are more.
func (x *Exchanges) parts(number int) (parts []uint32, more bool) {
	if h, ok := x.Handshake(number); ok {
		for at := h.First + 1; at <= min(h.End, h.First+MaxParts); at++ {
			if row, ok := x.rows.At(int(at)); ok && x.inHandshake(h, int(at), &row) {
				parts = append(parts, at)
			}
		}
		return parts, false
	}
	row, ok := x.rows.At(number)
	if !ok {
		return nil, false
	}
	parts = x.progressParts(number)
	if response, ok := x.ResponseOf(number, &row); ok && row.Msg == framing.Request && x.Parent(response) > number && x.Parent(response) < x.scanned {
		parts = append(parts, uint32(response))
	}
	b, batch := x.Batch(number)
	if batch {
		parts = append(parts, x.elementParts(number)...)
	}
	for round := range x.Later(&x.rows, number) {
		parts = append(parts, uint32(round))
	}
	if at, ok := x.Cancelled(number); ok {
		parts = append(parts, uint32(at))
	}
	for at := range x.Statuses(number) {
		parts = append(parts, uint32(at))
	}
	sort.Slice(parts, func(i, j int) bool { return x.place(int(parts[i])) < x.place(int(parts[j])) })
	return parts[:min(len(parts), MaxParts)], len(parts) > MaxParts || b.Elements > MaxParts
}

// foldShown folds an exchange that was unfolded while it was pending.
func (x *Exchanges) foldShown(first uint32) {
	if i := slices.Index(x.shown, first); i >= 0 {
		x.shown = slices.Delete(x.shown, i, i+1)
		x.Fold(int(first))
	}
}
