package index

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// pairsOf returns what an index knows of the batches in its rows.
func pairsOf(x *Index, k int) (all []session.ElementPair, batches []session.Batch) {
	for row := range x.Len() {
		x.ElementPairs(k, row, func(p session.ElementPair) bool {
			all = append(all, p)
			return true
		})
		if b, ok := x.Batch(row); ok {
			batches = append(batches, b)
		}
	}
	return all, batches
}

func TestElementPairs(t *testing.T) {
	var x Index
	add(t, &x, out(`[{"id":1,"method":"a"},{"id":2,"method":"b"},{"method":"c"}]`), in(`{"id":2,"result":{}}`), in(`[{"id":1,"error":{}}]`))
	b := session.ElementPair{Request: session.Element{Row: 0, Index: 1}, At: session.Element{Row: 1, Index: -1}, State: session.ReqAnswered}
	a := session.ElementPair{Request: session.Element{Row: 0, Index: 0}, At: session.Element{Row: 2, Index: 0}, State: session.ReqFailed, Failed: true}
	all, batches := pairsOf(&x, math.MaxInt)
	require.Equal(t, []session.ElementPair{b, a, b, a}, all, "those of each row")
	require.Equal(t, []session.Batch{{Elements: 3, Requests: 2}, {Elements: 1, Responses: 1}}, batches)
	all, _ = pairsOf(&x, 2)
	require.Equal(t, []session.ElementPair{b, b}, all, "before the second response")
}

// TestLinesOfAWriteArePairedByMember tests the requests of a write of several lines, one of
// which is a batch.
func TestLinesOfAWriteArePairedByMember(t *testing.T) {
	var x Index
	add(t, &x, out(`{"id":1,"method":"a"}`+"\n"+`[{"id":2,"method":"b"},{"id":3,"method":"c"}]`), in(`{"id":3,"result":{}}`), in(`{"id":1,"result":{}}`), in(`{"id":2,"error":{}}`))
	answers := func(member, row int, state session.ReqState) session.ElementPair {
		return session.ElementPair{Request: session.Element{Row: 0, Index: member}, At: session.Element{Row: row, Index: -1}, State: state, Failed: state == session.ReqFailed}
	}
	var all []session.ElementPair
	require.True(t, x.ElementPairs(math.MaxInt, 0, func(p session.ElementPair) bool {
		all = append(all, p)
		return true
	}))
	require.Equal(t, []session.ElementPair{answers(2, 1, session.ReqAnswered), answers(0, 2, session.ReqAnswered), answers(1, 3, session.ReqFailed)}, all)
	_, ok := x.Batch(0)
	require.False(t, ok, "it is not a batch")
	var methods []string
	for _, row := range allRows(&x)[1:] {
		methods = append(methods, x.Method(row.Method))
	}
	require.Equal(t, []string{"c", "a", "b"}, methods)
}

// TestAllElementsOfALargeBatchArePaired tests a batch with more requests than are listed.
func TestAllElementsOfALargeBatchArePaired(t *testing.T) {
	const requests = session.MaxPaired + 10
	var ask bytes.Buffer
	for i := range requests {
		fmt.Fprintf(&ask, `,{"id":%d,"method":"a"}`, i)
	}
	var x Index
	add(t, &x, out("["+ask.String()[1:]+"]"), in(`{"id":60000,"result":{}}`), in(`{"id":65534,"result":{}}`), in(`{"id":65535,"result":{}}`))
	var members []int
	x.ElementPairs(math.MaxInt, 0, func(p session.ElementPair) bool {
		members = append(members, p.Request.Index)
		return true
	})
	require.Equal(t, []int{60000, 65534}, members, "the last one is beyond the limit")
}

// TestElementPairsAreSaved tests that an index that was restored goes on pairing.
func TestElementPairsAreSaved(t *testing.T) {
	first := []session.Entry{
		out(`[{"id":1,"method":"a"},{"id":2,"method":"b"},{"id":3,"method":"b"}]`), in(`{"id":2,"result":{}}`),
		out(`{"method":"notifications/cancelled","params":{"requestId":3}}`),
	}
	rest := []session.Entry{in(`[{"id":3,"error":{}},{"id":1,"result":{}}]`), out(`[]`)}
	var x, whole Index
	add(t, &x, first...)
	y := restored(t, &x)
	add(t, y, rest...)
	add(t, &whole, slices.Concat(first, rest)...)
	pairs, batches := pairsOf(y, math.MaxInt)
	wantPairs, wantBatches := pairsOf(&whole, math.MaxInt)
	require.Len(t, wantPairs, 8)
	require.Equal(t, wantPairs, pairs)
	require.Equal(t, wantBatches, batches)
}

// TestManyElementPairs tests that the pairs of a log are bounded.
func TestManyElementPairs(t *testing.T) {
	var ask, answer bytes.Buffer
	for range session.MaxElements {
		ask.WriteString(`,{"id":1,"method":"a"}`)
		answer.WriteString(`,{"id":1,"result":{}}`)
	}
	var x Index
	for range maxElementPairs/2/session.MaxElements + 2 {
		add(t, &x, out("["+ask.String()[1:]+"]"), in("["+answer.String()[1:]+"]"))
	}
	require.Len(t, x.elements.pairs, maxElementPairs)
	require.False(t, x.ElementPairs(math.MaxInt, x.Len()-1, func(session.ElementPair) bool { return true }))
	require.Empty(t, x.elements.open)
}

// TestReusedIDsLeaveRoomForBatches tests a log in which the same id is used again and again.
func TestReusedIDsLeaveRoomForBatches(t *testing.T) {
	var x Index
	for range maxElementPairs + 10 {
		e := out(`{"id":1,"method":"a"}`)
		require.NoError(t, x.Add(&e, 0, 1))
	}
	require.Len(t, x.elements.pairs, maxReplaced)
	add(t, &x, out(`[{"id":2,"method":"b"}]`), in(`{"id":2,"result":{}}`))
	y := restored(t, &x)
	require.Equal(t, maxReplaced, y.elements.alone)
	pairs := 0
	require.True(t, y.ElementPairs(math.MaxInt, y.Len()-1, func(session.ElementPair) bool {
		pairs++
		return true
	}))
	require.Equal(t, 1, pairs)
}

// TestGivenUpElementsAreBounded tests requests in batches that are cancelled, and one after
// them.
func TestGivenUpElementsAreBounded(t *testing.T) {
	var x Index
	for i := range maxOpenElements + 10 {
		e := out(fmt.Sprintf(`[{"id":%d,"method":"a"}]`, i))
		require.NoError(t, x.Add(&e, 0, 1))
		e = out(fmt.Sprintf(`{"method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		require.NoError(t, x.Add(&e, 0, 1))
	}
	require.LessOrEqual(t, len(x.elements.open), maxDone+20)
	require.Contains(t, x.elements.open, newPairKey(true, fmt.Append(nil, maxOpenElements+9)))
}

// restored returns a copy of an index that was saved and restored.
func restored(t *testing.T, x *Index) *Index {
	t.Helper()
	var state []byte
	require.NoError(t, x.State(func(piece []byte) error {
		state = append(state, piece...)
		return nil
	}))
	pages := &memoryFile{}
	require.NoError(t, x.Pages(func(page []byte) error {
		pages.b = append(pages.b, page...)
		return nil
	}))
	var y Index
	require.NoError(t, y.Restore(state, pages))
	return &y
}

type memoryFile struct{ b []byte }

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error)  { return copy(p, f.b[off:]), nil }
func (f *memoryFile) WriteAt(p []byte, off int64) (int, error) { return copy(f.b[off:], p), nil }
