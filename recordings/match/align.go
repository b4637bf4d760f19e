package match

import (
	"bytes"
	"slices"
)

// maxEdits is how many elements two arrays may lack of each other to be aligned.
const maxEdits = 200

// maxScored is how many pairs of elements between two equal ones are scored.
const maxScored = 1 << 12

// A Pair is an element of two arrays, or of one of them: the index in the other is -1.
type Pair struct{ A, B int }

// Align returns the pairs of elements of two canonical arrays, in their order. As many as
// possible are equal, but for redacted text and values of the same Type; between these, the
// elements are paired that have most in common. If the arrays lack too many elements of each
// other, pairs have the same index, and ok is false unless the arrays have the same length.
func Align(a, b []byte) (pairs []Pair, ok bool) {
	return align(elements(a), elements(b))
}

// Aligns reports whether Align pairs the elements of two arrays by what they have in common.
func Aligns(a, b []byte) bool {
	restA, restB := elements(a), elements(b)
	if len(restA) == len(restB) || len(restA)+len(restB) <= maxEdits {
		return true
	}
	_, ok := align(restA, restB)
	return ok
}

func elements(array []byte) (all [][]byte) {
	it := iterate(array)
	for _, value := it.next(); value != nil; _, value = it.next() {
		all = append(all, value)
	}
	return all
}

func align(a, b [][]byte) (pairs []Pair, ok bool) {
	byIndex := func() (pairs []Pair) {
		for i := range max(len(a), len(b)) {
			pairs = append(pairs, Pair{within(i, len(a)), within(i, len(b))})
		}
		return pairs
	}
	same := 0
	if len(a) == len(b) {
		for i := range a {
			if sameElement(a[i], b[i]) {
				same++
			}
		}
		if same >= len(a)-1 { // no other way is better
			return byIndex(), true
		}
	}
	equal, ok := longestCommon(len(a), len(b), func(i, j int) bool { return sameElement(a[i], b[j]) })
	if !ok || len(a) == len(b) && len(equal) <= same {
		return byIndex(), ok || len(a) == len(b)
	}
	i, j := 0, 0
	for _, p := range append(equal, Pair{len(a), len(b)}) {
		for _, between := range likeliest(a[i:p.A], b[j:p.B]) {
			pairs = append(pairs, between.from(i, j))
		}
		if p.A < len(a) || p.B < len(b) {
			pairs = append(pairs, p)
		}
		i, j = p.A+1, p.B+1
	}
	return pairs, true
}

// from returns the pair with indexes that begin at i and j.
func (p Pair) from(i, j int) Pair {
	if p.A >= 0 {
		p.A += i
	}
	if p.B >= 0 {
		p.B += j
	}
	return p
}

func within(i, n int) int {
	if i < n {
		return i
	}
	return -1
}

// longestCommon returns the indexes of a longest common subsequence of two sequences, by the
// algorithm of Myers (An O(ND) difference algorithm, 1986). ok is false beyond maxEdits.
func longestCommon(n, m int, same func(i, j int) bool) (equal []Pair, ok bool) {
	reach := make([]int, 2*maxEdits+3) // on each diagonal, from maxEdits+1 on
	const zero = maxEdits + 1
	var before [][]int // reach, from the diagonal -d-1 to d+1
	for d := range maxEdits + 1 {
		before = append(before, slices.Clone(reach[zero-d-1:zero+d+2]))
		for k := -d; k <= d; k += 2 {
			x := reach[zero+k+1]
			if k == d || k > -d && reach[zero+k-1] >= x {
				x = reach[zero+k-1] + 1
			}
			if d == 0 {
				x = 0
			}
			for x < n && x-k < m && same(x, x-k) {
				x++
			}
			reach[zero+k] = x
			if x >= n && x-k >= m {
				return walkBack(before, n, m), true
			}
		}
	}
	return nil, false
}

// walkBack returns the equal elements on the way to the end, in order.
func walkBack(before [][]int, n, m int) (equal []Pair) {
	x, y := n, m
	for d := len(before) - 1; d >= 0; d-- {
		reach := func(k int) int { return before[d][k+d+1] }
		k := x - y
		last := k - 1
		if k == -d || k != d && reach(k-1) < reach(k+1) {
			last = k + 1
		}
		fromX := reach(last)
		fromY := fromX - last
		if d == 0 {
			fromX, fromY = 0, 0
		}
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			equal = append(equal, Pair{x, y})
		}
		x, y = fromX, fromY
	}
	slices.Reverse(equal)
	return equal
}

// likeliest pairs elements none of which are equal: as many as possible, in order, with the
// most in common.
func likeliest(a, b [][]byte) (pairs []Pair) {
	few, many, swapped := a, b, false
	if len(a) > len(b) {
		few, many, swapped = b, a, true
	}
	chosen := make([]int, len(few)) // the index in many
	for i := range chosen {
		chosen[i] = i
	}
	if len(few) > 0 && len(few) < len(many) && len(few)*len(many) <= maxScored {
		chosen = bestOrder(few, many)
	}
	next := 0
	add := func(f, m int) {
		if swapped {
			f, m = m, f
		}
		pairs = append(pairs, Pair{f, m})
	}
	for i, at := range chosen {
		for ; next < at; next++ {
			add(-1, next)
		}
		add(i, at)
		next = at + 1
	}
	for ; next < len(many); next++ {
		add(-1, next)
	}
	return pairs
}

// bestOrder chooses an element of many for each of few, in order, with the largest sum of
// scores; of equal ones the first.
func bestOrder(few, many [][]byte) []int {
	spare := len(many) - len(few)
	best := make([][]int, len(few)+1) // the largest sum from an element on, by how many of many were passed over
	best[len(few)] = make([]int, spare+1)
	for i := len(few) - 1; i >= 0; i-- {
		best[i] = make([]int, spare+1)
		for s := spare; s >= 0; s-- {
			best[i][s] = common(few[i], many[i+s]) + best[i+1][s]
			if s < spare {
				best[i][s] = max(best[i][s], best[i][s+1])
			}
		}
	}
	chosen := make([]int, len(few))
	s := 0
	for i := range few {
		for s < spare && best[i][s] == best[i][s+1] && common(few[i], many[i+s])+best[i+1][s] < best[i][s] {
			s++
		}
		chosen[i] = i + s
	}
	return chosen
}

// common returns how much two values have in common: their kind, and equal members.
func common(a, b []byte) int {
	if a[0] != b[0] {
		return 0
	}
	score := 1
	if a[0] == '{' {
		for name, value := range Each(a) {
			if bytes.Equal(value, child(b, name)) {
				score += 2
			}
		}
	}
	return score
}
