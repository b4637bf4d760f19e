package jsontree

import (
	"math"
	"slices"
)

// Reveal unfolds what is needed to show the byte at an offset and moves the
// cursor to its line. It scans everything before the offset that is not shown
// yet, which takes a second for a gigabyte.
func (t *Tree) Reveal(offset int) {
	if len(t.lines) == 0 {
		return
	}
	i := t.lastAt(-1, 0, offset)
	for {
		l := &t.lines[i]
		switch {
		case l.kind == moreLine:
			depth, parent := l.depth, t.parent(i)
			t.openGapAt(i, offset)
			next := t.lastAt(parent, depth, offset)
			if t.lines[next].kind == moreLine {
				t.moveTo(next)
				return // nothing there can be shown
			}
			i = next
			continue
		case l.isContainer(t.doc) && l.off < offset && (l.end == unknown || offset < l.end):
			t.unfold(i)
		}
		inner := i
		if t.lines[i].unfolded && t.lines[i].off < offset {
			inner = t.lastAt(i, t.lines[i].depth+1, offset)
		}
		if inner == i {
			t.moveTo(i)
			return
		}
		i = inner
	}
}

// parent returns the index of the line that contains line i, or -1 on the first
// level.
func (t *Tree) parent(i int) int {
	if t.lines[i].depth == 0 {
		return -1
	}
	return t.before(i, t.lines[i].depth-1)
}

// lastAt returns the last of the lines directly in parent that begin at or
// before an offset, or parent itself.
func (t *Tree) lastAt(parent int, depth int32, offset int) int {
	last := max(parent, 0)
	for i := parent + 1; i < len(t.lines); i++ {
		l := &t.lines[i]
		if parent >= 0 && l.depth <= t.lines[parent].depth {
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

// openGapAt shows the part of the gap in line i that begins with the child at
// an offset. The part before it stays a gap.
func (t *Tree) openGapAt(i, offset int) {
	depth := t.lines[i].depth
	all := math.MaxInt
	if t.lines[i].gap.skipping && !t.endChildBefore(i, &all) {
		return
	}
	from := *t.lines[i].gap
	if offset < from.pos {
		return // the offset is in the child before the gap
	}
	at, rest := from, from // at is the position before the last child found
	for {
		before := rest
		n, ok, err := rest.next(t.doc, &all)
		if err != nil || !ok {
			break
		}
		at = before
		if n.end > offset {
			break
		}
	}
	budget := t.limits.step
	lines := t.page(&at, depth, &budget)
	if from.index < at.index {
		before := from
		before.stop = lines[0].start()
		lines = append([]line{{kind: moreLine, depth: depth, off: from.pos, index: from.index, gap: &before}}, lines...)
	}
	t.lines = slices.Replace(t.lines, i, i+1, lines...)
}
