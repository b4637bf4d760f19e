package jsontree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/termsafe"
)

// TestTrail goes to offsets with and without their trails: the same value is
// shown, however much was read before.
func TestTrail(t *testing.T) {
	doc := bigDocument(200 << 10)
	random := rand.New(rand.NewPCG(1, 2))
	for _, step := range []int{100, 4 << 10, 1 << 20} {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			limits := limits{checked: 1 << 10, page: 7, step: step}
			scanned, along := newTree(doc, plain(), termsafe.Options{}, limits), newTree(doc, plain(), termsafe.Options{}, limits)
			for i := range 60 {
				if i%20 == 0 { // nothing was read before
					scanned, along = newTree(doc, plain(), termsafe.Options{}, limits), newTree(doc, plain(), termsafe.Options{}, limits)
				}
				at := random.IntN(len(doc))
				scanned.Reveal(at)
				along.RevealAlong(Follow(t.Context(), doc, at), at)
				require.Equal(t, scanned.Pointer(), along.Pointer(), "offset %d", at)
				last := 0
				for _, l := range along.lines {
					if l.kind == valueLine {
						require.GreaterOrEqual(t, l.start(), last, "lines are in order")
						last = l.start()
					}
				}
			}
			for along.openFirstGap() {
			}
			require.NoError(t, along.Err())
		})
	}
}

// openFirstGap opens the first gap of the tree, and reports whether there was one.
func (t *Tree) openFirstGap() bool {
	for i := range t.lines {
		if t.lines[i].kind == moreLine && t.lines[i].gap.in != '"' {
			t.openGap(i)
			return true
		}
	}
	return false
}

// TestTrailEnds checks trails in documents that are not JSON, and in cancelled searches.
func TestTrailEnds(t *testing.T) {
	require.Empty(t, Follow(t.Context(), nil, 0))
	require.Empty(t, Follow(t.Context(), []byte(`"text"`), 3))
	require.Empty(t, Follow(t.Context(), []byte(`{"a":[1,2`), 8), "no end")
	require.Len(t, Follow(t.Context(), []byte(`{"a":[1,2]}`), 8), 2)
	require.Len(t, Follow(t.Context(), []byte(`{"a":[1,2]}`), 2), 1, "in the key")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Empty(t, Follow(ctx, []byte(`{"a":[1,2]}`), 8))
}
