package ui

import (
	"context"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/beside"
)

// besideView is one exchange, side by side.
type besideView struct {
	pair   int // -1 for none
	rows   []beside.Row
	noted  []compare.Difference // that have no place in the rows
	wrong  string
	stop   context.CancelFunc // ends what reads it
	at     int
	top    int
	x      int
	height int
	want   match.Pointer // to go to once it is read; "" for the first difference
	last   bool          // to the last difference, not the first
}

// settle puts the cursor where it was wanted.
func (b *besideView) settle() {
	b.at = between(0, b.at, max(b.lines()-1, 0))
	switch {
	case b.want != "":
		b.goTo(b.want)
	case b.last:
		if at, ok := b.next(b.lines(), -1); ok {
			b.at = at
		}
	default:
		if at, ok := b.next(-1, 1); ok {
			b.at = at
		}
	}
	b.want, b.last = "", false
	b.top = max(b.at-b.height/3, 0)
}

// goTo goes to the first line that is about a place and differs, or to the first
// one that is about it.
func (b *besideView) goTo(place match.Pointer) {
	found := false
	for i := range b.lines() {
		p, _ := b.pointer(i)
		if !match.Covers(place, p) {
			continue
		}
		if !found || b.differs(i) {
			b.at, found = i, true
		}
		if b.differs(i) {
			return
		}
	}
}

// lines is how many lines there are: differences without a place, and rows.
func (b *besideView) lines() int { return len(b.noted) + len(b.rows) }

// pointer is what a line is about.
func (b *besideView) pointer(line int) (match.Pointer, bool) {
	switch {
	case line < 0 || line >= b.lines():
		return "", false
	case line < len(b.noted):
		return b.noted[line].Pointer, true
	}
	return b.rows[line-len(b.noted)].Pointer, true
}

// differs tells whether a line differs in a way that counts.
func (b *besideView) differs(line int) bool {
	if line < len(b.noted) {
		return b.noted[line].Counts
	}
	return b.rows[line-len(b.noted)].Mark == beside.Different
}

// next is the first line of the next block that differs, from a line on.
func (b *besideView) next(from, way int) (int, bool) {
	inBlock := from >= 0 && from < b.lines() && b.differs(from)
	for i := from + way; i >= 0 && i < b.lines(); i += way {
		switch {
		case !b.differs(i):
			inBlock = false
		case !inBlock && way > 0:
			return i, true
		case !inBlock:
			for i > 0 && b.differs(i-1) {
				i--
			}
			return i, true
		}
	}
	return 0, false
}

// move moves the cursor by n lines.
func (b *besideView) move(n int) { b.at = between(0, b.at+n, max(b.lines()-1, 0)) }

// fit takes the height of the view and keeps the cursor in sight.
func (b *besideView) fit(height int) {
	b.height = max(height, 1)
	b.top = max(min(b.top, b.at, b.lines()-b.height), b.at-b.height+1, 0)
}

// A judge tells what a look says of a place.
type judge struct{ look *compare.Look }

// at implements beside.Judge.
func (j judge) at(path []string) (beside.Mark, string) {
	p := match.PointerTo(path...)
	if j.look.A == nil || j.look.B == nil {
		return beside.Different, ""
	}
	ended := false
	for i := range j.look.Differences {
		d := &j.look.Differences[i]
		ended = ended || d.Class == compare.ClassOutcome
		if !match.Covers(d.Pointer, p) {
			continue
		}
		if d.Counts {
			return beside.Different, ""
		}
		return beside.Loose, ""
	}
	if ended && len(path) > 0 && path[0] != "params" {
		return beside.Different, ""
	}
	for i := range j.look.Masked {
		if m := &j.look.Masked[i]; match.Covers(m.Pointer, p) {
			return beside.Loose, m.Type
		}
	}
	return beside.Loose, ""
}

// unplaced are the differences that are about no value: how an exchange ended,
// what was told of progress.
func unplaced(look *compare.Look) (out []compare.Difference) {
	for _, d := range look.Differences {
		switch d.Class {
		case compare.ClassResult, compare.ClassError, compare.ClassParams, compare.ClassEnvelope:
		default:
			out = append(out, d)
		}
	}
	return out
}
