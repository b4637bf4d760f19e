package jsontree

import (
	"math"
	"slices"
)

// Reveal unfolds what is needed to show the byte at an offset and moves the cursor to its
// line. It scans everything before it that is not shown yet, a second for a gigabyte.
func (t *Tree) Reveal(offset int) { t.RevealAlong(nil, offset) }

// RevealAlong is Reveal with the trail of the offset, which spares it the scan.
func (t *Tree) RevealAlong(trail Trail, offset int) {
	if len(t.lines) == 0 {
		return
	}
	budget := t.limits.step
	if len(trail) > 0 {
		budget /= alongShare
	}
	i := t.lines.lastAt(-1, 0, offset)
	for {
		l := &t.lines[i]
		switch {
		case l.kind == moreLine:
			depth, parent := l.depth, t.lines.parent(i)
			if t.openGapAt(i, trail, offset) {
				i = t.lines.before(i, depth)
				continue
			}
			next := t.lines.lastAt(parent, depth, offset)
			if t.lines[next].kind == moreLine {
				t.moveTo(next)
				return // nothing there can be shown
			}
			i = next
			continue
		case l.isContainer(t.doc) && l.off < offset && (l.end == unknown || offset < l.end):
			t.unfoldWithin(i, budget)
		}
		inner := i
		if t.lines[i].unfolded && t.lines[i].off < offset {
			inner = t.lines.lastAt(i, t.lines[i].depth+1, offset)
		}
		if inner == i {
			t.moveTo(i)
			return
		}
		i = inner
	}
}

// parent returns the line that contains line i, or -1 on the first level.
func (ls lineList) parent(i int) int {
	if ls[i].depth == 0 {
		return -1
	}
	return ls.before(i, ls[i].depth-1)
}

// lastAt returns the last line directly in parent that begins at or before an offset, or
// parent.
func (ls lineList) lastAt(parent int, depth int32, offset int) int {
	last := max(parent, 0)
	for i := parent + 1; i < len(ls); i++ {
		l := &ls[i]
		if parent >= 0 && l.depth <= ls[parent].depth {
			break
		}
		if l.depth != depth || l.kind == closeLine || l.kind == errorLine {
			continue
		}
		if l.start() > offset {
			break
		}
		last = i
	}
	return last
}

// openGapAt shows the part of the gap in line i that begins with the child at an offset.
// The part before it stays a gap. It reports whether the offset is, by the trail, in the
// child before the gap, whose end is not known yet.
func (t *Tree) openGapAt(i int, trail Trail, offset int) (before bool) {
	depth := t.lines[i].depth
	from := *t.lines[i].gap
	at, known := trail.in(t, i)
	switch {
	case known && at.index < from.index:
		return true
	case !known:
		all := math.MaxInt
		if from.skipping && !t.endChildBefore(i, &all) {
			return false
		}
		if from = *t.lines[i].gap; offset < from.pos {
			return false // the offset is in the child before the gap
		}
		at = from.before(t.doc, offset)
	}
	budget := t.limits.step
	lines := t.page(&at, depth, &budget)
	if from.index < at.index {
		before := from
		before.stop = lines[0].start()
		lines = append([]line{{kind: moreLine, depth: depth, off: from.at(), index: from.index, gap: &before}}, lines...)
	}
	t.lines = slices.Replace(t.lines, i, i+1, lines...)
	return false
}

// before returns the gap from the child at an offset on, or else from the last child on.
func (g gap) before(doc []byte, offset int) gap {
	at, all := g, math.MaxInt
	for {
		before := g
		n, ok, err := g.next(doc, &all)
		if err != nil || !ok {
			return at
		}
		at = before
		if n.end > offset {
			return at
		}
	}
}
