package jsontree

import (
	"slices"
	"strconv"

	"mcpdbg/ui/widget/termsafe"
)

// shortString is the length in bytes up to which a fully visible string cannot be
// unfolded.
const shortString = 48

func (t *Tree) canUnfold(l *line) bool {
	switch {
	case l.isContainer(t.doc):
		return l.count != 0
	case l.isString(t.doc):
		return l.end != unknown && (l.end-l.off > shortString || !t.fits(l))
	}
	return false
}

func (t *Tree) fits(l *line) bool {
	if t.width == 0 {
		return true
	}
	room := t.width - gutter - t.indent(l.depth) - len("> ") - t.keyWidth(l)
	used, _ := termsafe.Fit(t.doc[l.off:l.end], max(room, 0), t.options)
	return l.off+used == l.end
}

func (t *Tree) keyWidth(l *line) int {
	switch {
	case l.keyEnd > 0 && isWord(t.doc[l.keyOff+1:l.keyEnd-1]):
		return l.keyEnd - l.keyOff
	case l.keyEnd > 0:
		return l.keyEnd - l.keyOff + len(": ")
	case l.depth > 0:
		return len(strconv.Itoa(l.index)) + len(": ")
	}
	return 0
}

func (t *Tree) unfold(i int) { t.unfoldWithin(i, t.limits.step) }

// unfoldWithin limits the bytes that are scanned.
func (t *Tree) unfoldWithin(i, budget int) {
	l := &t.lines[i]
	if !t.canUnfold(l) || l.unfolded || len(t.lines) >= maxLines {
		return
	}
	inner := t.inside(l, &budget)
	t.lines = slices.Insert(t.lines, i+1, inner...)
}

func (t *Tree) inside(l *line, budget *int) []line {
	l.unfolded = true
	g := &gap{in: t.doc[l.off], pos: l.off + 1, width: t.textWidth(l.depth + 1)}
	if g.in == '"' {
		g.end = l.end - 1
		g.width -= len(textMark)
		return t.page(g, l.depth+1, budget)
	}
	inner := t.page(g, l.depth+1, budget)
	if len(inner) == 0 { // empty, which was unknown until now
		l.unfolded = false
		l.setEnd(t.doc, g.pos+1, 0)
		return nil
	}
	return append(inner, line{kind: closeLine, depth: l.depth, off: l.off, end: l.end})
}

// page returns lines from a gap: at most one page and within the budget, followed by a
// line for the rest, if any.
func (t *Tree) page(g *gap, depth int32, budget *int) []line {
	var lines []line
	for !g.skipping && (len(lines) == 0 || g.ended(t.doc) || len(lines) < t.limits.page && *budget > 0) {
		l, ok, err := g.next(t.doc, budget)
		if err == nil && !ok {
			if err = t.checkRest(g, depth); err == nil {
				return lines
			}
		}
		if err != nil && g.skipping {
			l.depth = depth
			lines = append(lines, l)
		}
		if err != nil {
			return append(lines, line{kind: errorLine, depth: depth, off: err.Offset, err: err})
		}
		l.depth = depth
		lines = append(lines, l)
	}
	return append(lines, line{kind: moreLine, depth: depth, off: g.at(), index: g.index, gap: g})
}

// checkRest checks for text after the document when the first level ends.
func (t *Tree) checkRest(g *gap, depth int32) *SyntaxError {
	if depth != 1 || g.stop > 0 || g.in == '"' {
		return nil
	}
	if p := skipSpace(t.doc, g.pos+1); p < len(t.doc) {
		return syntaxError(p, "text after the document")
	}
	return nil
}

func (t *Tree) openGap(i int) {
	if len(t.lines) >= maxLines {
		return
	}
	g, depth := t.lines[i].gap, t.lines[i].depth
	budget := t.limits.step
	if g.skipping && !t.endChildBefore(i, &budget) {
		return
	}
	t.lines = slices.Replace(t.lines, i, i+1, t.page(g, depth, &budget)...)
	t.keepInSight()
}

// endChildBefore continues to search for the end of the child before the gap in line i
// and reports whether it was found. An error replaces the gap.
func (t *Tree) endChildBefore(i int, budget *int) bool {
	g, depth := t.lines[i].gap, t.lines[i].depth
	child := t.lines.before(i, depth)
	err := g.endChild(t.doc, &t.lines[child], budget)
	t.lines[i].off = g.at()
	if err != nil {
		t.lines[i] = line{kind: errorLine, depth: depth, off: err.Offset, err: err}
	}
	return !g.skipping
}

func (t *Tree) fold(i int) {
	if !t.lines[i].unfolded {
		return
	}
	t.lines[i].unfolded = false
	end := t.after(i)
	t.lines = slices.Delete(t.lines, i+1, end)
	t.moveTo(i)
}

func (t *Tree) after(i int) int {
	depth := t.lines[i].depth
	for j := i + 1; j < len(t.lines); j++ {
		if l := &t.lines[j]; l.depth <= depth {
			if l.kind == closeLine && l.depth == depth && t.lines[i].isContainer(t.doc) {
				return j + 1
			}
			return j
		}
	}
	return len(t.lines)
}

type lineList []line

// before returns the last line of a value at a depth before line i.
func (ls lineList) before(i int, depth int32) int {
	for i--; i > 0; i-- {
		if l := &ls[i]; l.kind == valueLine && l.depth <= depth {
			break
		}
	}
	return max(i, 0)
}

func (ls lineList) node(i int) int {
	switch l := &ls[i]; l.kind {
	case valueLine:
		return i
	case closeLine:
		return ls.before(i, l.depth)
	default:
		return ls.before(i, l.depth-1)
	}
}

// Toggle folds or unfolds the line under the cursor. On "… more" it shows more.
func (t *Tree) Toggle() {
	t.fitting = false
	if len(t.lines) == 0 {
		return
	}
	switch l := &t.lines[t.cursor]; {
	case l.kind == moreLine:
		t.openGap(t.cursor)
	case l.kind == closeLine || l.unfolded:
		t.fold(t.lines.node(t.cursor))
	default:
		t.unfold(t.cursor)
	}
}

// Unfold unfolds the line under the cursor, or moves into it.
func (t *Tree) Unfold() {
	if len(t.lines) == 0 {
		return
	}
	switch l := &t.lines[t.cursor]; {
	case l.unfolded:
		t.Move(1)
	case l.kind != closeLine:
		t.Toggle()
	}
}

// Fold folds the line under the cursor, or moves to its parent.
func (t *Tree) Fold() {
	t.fitting = false
	if len(t.lines) == 0 || t.asText {
		return
	}
	if l := &t.lines[t.cursor]; l.unfolded || l.kind == closeLine {
		t.fold(t.lines.node(t.cursor))
		return
	}
	if l := &t.lines[t.cursor]; l.depth > 0 {
		t.moveTo(t.lines.before(t.cursor, l.depth-1))
	}
}

// FoldAll folds everything below the first level.
func (t *Tree) FoldAll() {
	if t.asText {
		return
	}
	t.fitting = false
	at := t.lines[t.lines.node(t.cursor)].start()
	t.fold(0)
	t.unfold(0)
	for i := range t.lines {
		if l := &t.lines[i]; l.kind == valueLine && l.depth == 1 && l.start() <= at {
			t.cursor = i
		}
	}
	t.keepInSight()
}

// UnfoldAll unfolds everything in the value under the cursor until about limit lines are
// shown or two steps of 32 MiB have been scanned.
func (t *Tree) UnfoldAll(limit int) {
	if len(t.lines) == 0 || t.asText {
		return
	}
	budget := 2 * t.limits.step
	limit = min(limit, maxLines-len(t.lines))
	t.moveTo(t.lines.node(t.cursor))
	i := t.cursor
	t.fold(i)

	// Lines to unfold, the next one on top.
	pending := []line{t.lines[i]}
	var shown []line
	for len(pending) > 0 {
		l := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if l.isContainer(t.doc) && t.canUnfold(&l) && budget > 0 && len(shown)+len(pending) < limit {
			inner := t.inside(&l, &budget)
			slices.Reverse(inner)
			pending = append(pending, inner...)
		}
		shown = append(shown, l)
	}
	t.lines = slices.Replace(t.lines, i, i+1, shown...)
}

// UnfoldToFit unfolds level by level within n lines, so that a small document is shown
// completely.
func (t *Tree) UnfoldToFit(n int) {
	if t.asText {
		return
	}
	for depth, deeper := int32(0), true; deeper; depth++ {
		deeper = false
		for i := 0; i < len(t.lines); i++ {
			l := &t.lines[i]
			if l.depth != depth || !l.isContainer(t.doc) {
				continue
			}
			if !l.unfolded && l.count > 0 && len(t.lines)+l.count < n {
				t.unfold(i)
			}
			deeper = deeper || t.lines[i].unfolded
		}
	}
	t.fitting = true
	t.unfoldStrings(n)
	t.keepInSight()
}

func (t *Tree) foldFitting() {
	for i := 0; i < len(t.lines); i++ {
		if l := &t.lines[i]; l.unfolded && l.isString(t.doc) && !t.canUnfold(l) {
			at, end := t.cursor, t.after(i)
			if at >= end {
				at -= end - i - 1
			} else {
				at = min(at, i)
			}
			t.fold(i)
			t.moveTo(at)
		}
	}
}

// unfoldStrings unfolds truncated strings, first ones first, within n lines.
func (t *Tree) unfoldStrings(n int) {
	for i := 0; i < len(t.lines) && len(t.lines) < n; i++ {
		l := &t.lines[i]
		room := (n - len(t.lines)) * t.textWidth(l.depth+1)
		if !l.isString(t.doc) || l.unfolded || l.end == unknown || l.end-l.off > room || t.fits(l) {
			continue
		}
		at, before := t.cursor, len(t.lines)
		t.unfold(i)
		switch {
		case len(t.lines) > n:
			t.fold(i)
			t.moveTo(at)
		case at > i:
			t.cursor += len(t.lines) - before
		}
	}
}
