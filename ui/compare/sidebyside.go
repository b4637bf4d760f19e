package compare

import (
	"context"

	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/kit"
)

// sideBySide shows one exchange of both sides, side by side or unified.
type sideBySide struct {
	pair    int // -1 for none
	rows    []valueRow
	unified bool    // one line for each side of a row that differs
	order   []place // the lines, made from rows
	failure string
	stop    context.CancelFunc // cancels reading the exchange
	at      int
	top     int
	x       int
	height  int
	want    match.Pointer // where to go once it is read; "" for the first difference
	last    bool          // go to the last difference, not the first
}

func (b *sideBySide) settle() {
	b.at = kit.Between(0, b.at, max(b.lines()-1, 0))
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

// goTo goes to the first differing line of a place, or else to the first line
// of that place.
func (b *sideBySide) goTo(place match.Pointer) {
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

type place struct {
	n    int     // of a row
	side rowSide // shown: both next to each other, or if that is the same, once
}

// The cursor stays on its row.
func (b *sideBySide) arrange(unified bool) {
	at := place{n: -1}
	if b.at < len(b.order) {
		at = b.order[b.at]
	}
	b.unified, b.order = unified, b.order[:0]
	for n := 0; n < len(b.rows); {
		if !unified {
			b.order = append(b.order, place{n: n})
			n++
			continue
		}
		n = b.unify(n)
	}
	for i, p := range b.order {
		if p.n == at.n {
			b.at = i
			break
		}
	}
}

// unify appends the lines of a row, or of adjacent lines of a text that differ: first the
// left, then the right. It returns the next row.
func (b *sideBySide) unify(n int) (next int) {
	end := n + 1
	for b.textDiffers(n) && end < len(b.rows) && b.textDiffers(end) {
		end++
	}
	for _, side := range []rowSide{onlyLeft, onlyRight} {
		for i := n; i < end; i++ {
			switch of := b.rows[i].Only; {
			case of == side, of == bothSides && b.rows[i].Mark == markDifferent:
				b.order = append(b.order, place{i, side})
			case of == bothSides && side == onlyLeft:
				b.order = append(b.order, place{n: i})
			}
		}
	}
	return end
}

func (b *sideBySide) textDiffers(n int) bool {
	return b.rows[n].Text && b.rows[n].Mark == markDifferent
}

func (b *sideBySide) lines() int { return len(b.order) }

func (b *sideBySide) pointer(line int) (match.Pointer, bool) {
	if line < 0 || line >= b.lines() {
		return "", false
	}
	return b.rows[b.order[line].n].Pointer, true
}

func (b *sideBySide) differs(line int) bool {
	return b.rows[b.order[line].n].Mark == markDifferent
}

// next returns the first line of the next differing block, starting from a
// line.
func (b *sideBySide) next(from, way int) (int, bool) {
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

func (b *sideBySide) move(n int) { b.at = kit.Between(0, b.at+n, max(b.lines()-1, 0)) }

// contextLines is how many lines stay visible above and below the cursor, if there are so
// many.
const contextLines = 2

// fit keeps the cursor visible, with its context.
func (b *sideBySide) fit(height int) {
	b.height = max(height, 1)
	around := min(contextLines, (b.height-1)/2)
	b.top = kit.Between(b.at-b.height+1+around, b.top, b.at-around)
	b.top = max(min(b.top, b.lines()-b.height), 0)
}

type judge struct{ look *diff.Look }

func (j judge) at(path []string) (rowMark, string) {
	p := match.PointerTo(path...)
	if j.look.A == nil || j.look.B == nil {
		return markDifferent, ""
	}
	ended := false
	for i := range j.look.Differences {
		d := &j.look.Differences[i]
		ended = ended || d.Class == diff.ClassOutcome
		if !match.Covers(d.Pointer, p) {
			continue
		}
		if d.Counts {
			return markDifferent, ""
		}
		return markLoose, ""
	}
	if ended && len(path) > 0 && path[0] != "params" {
		return markDifferent, ""
	}
	for i := range j.look.Masked {
		if m := &j.look.Masked[i]; match.Covers(m.Pointer, p) {
			if m.Guess { // the values are shown
				return markLoose, ""
			}
			return markLoose, m.Type
		}
	}
	return markLoose, ""
}
