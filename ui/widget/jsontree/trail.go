package jsontree

import (
	"context"
	"math"
)

// alongShare is the share of a step that unfolding scans with a known trail: the rest of
// what it shows is not looked for.
const alongShare = 8

// A Trail is the way to an offset of a document, found by another goroutine: for each
// container around it, from outside inwards, the position of its child there.
type Trail []trailStep

type trailStep struct {
	container int // offset
	at        gap // before the child
}

// Follow returns the trail of an offset, shorter if ctx is done or the document is not
// JSON from some place on.
func Follow(ctx context.Context, doc []byte, offset int) (trail Trail) {
	p := skipSpace(doc, 0)
	for p < len(doc) && p <= offset && (doc[p] == '{' || doc[p] == '[') && ctx.Err() == nil {
		g := gap{in: doc[p], pos: p + 1}
		at, child, ok := g.childAt(ctx, doc, offset)
		if !ok {
			return trail
		}
		trail = append(trail, trailStep{p, at})
		p = child
	}
	return trail
}

// childAt returns the gap from the child on that is at an offset or the last one before
// it, and where the value of that child begins: after the document if the offset is not
// in it.
func (g gap) childAt(ctx context.Context, doc []byte, offset int) (at gap, child int, ok bool) {
	const often = 1 << 10 // children between two checks of ctx
	all := math.MaxInt
	for i := 0; ; i++ {
		before := g
		n, more, err := g.next(doc, &all)
		switch {
		case err != nil || !more || i%often == 0 && ctx.Err() != nil:
			return gap{}, 0, false
		case n.start() > offset:
			return at, len(doc), i > 0
		case n.end > offset:
			return before, n.off, true
		}
		at = before
	}
}

// in returns the step of a trail in the container whose gap is in line i.
func (trail Trail) in(t *Tree, i int) (at gap, ok bool) {
	if len(trail) == 0 || t.asText {
		return gap{}, false
	}
	parent, g := t.lines.parent(i), t.lines[i].gap
	if parent < 0 || g.in == '"' {
		return gap{}, false
	}
	for _, step := range trail {
		if step.container == t.lines[parent].off {
			step.at.stop = g.stop
			return step.at, true
		}
	}
	return gap{}, false
}
