package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlign(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"equal", `[1,2]`, `[1,2]`, "0=0 1=1"},
		{"empty", `[]`, `[1]`, "+0"},
		{"several more", `[1,2,3,4]`, `[0,1,2,7,3,8,4,9]`, "+0 0=1 1=2 +3 2=4 +5 3=6 +7"},
		{"several less", `[0,1,2,7,3,8,4,9]`, `[1,2,3,4]`, "-0 1=0 2=1 -3 4=2 -5 6=3 -7"},
		{"more and less, as many", `[1,2,3,4,5]`, `[0,1,2,3,4]`, "+0 0=1 1=2 2=3 3=4 -4"},
		{"all other values", `[1,2,3]`, `[4,5,6]`, "0=0 1=1 2=2"},
		{"one other value", `[1,2,3]`, `[1,9,3]`, "0=0 1=1 2=2"},
		{"times", `[{"i":1,"at":"2026-11-21T10:00:00Z"}]`, `[{"i":0,"at":"2026-11-22T10:00:00Z"},{"i":1,"at":"2026-11-22T10:00:00Z"}]`, "+0 0=1"},
		{"a changed element next to a new one", `[{"id":1},{"id":2,"n":"b"},{"id":3}]`, `[{"id":1},{"id":9,"n":"x"},{"id":2,"n":"c"},{"id":3}]`, "0=0 +1 1=2 2=3"},
		{"a changed element next to a removed one", `[{"id":1},{"id":9,"n":"x"},{"id":2,"n":"b"},{"id":3}]`, `[{"id":1},{"id":2,"n":"c"},{"id":3}]`, "0=0 -1 2=1 3=2"},
		{"nothing in common", `[1,2]`, `[3,4,5]`, "0=0 1=1 +2"},
	} {
		pairs, ok := Align([]byte(c.a), []byte(c.b))
		require.True(t, ok, c.name)
		require.Equal(t, c.want, pairsText(pairs), c.name)
	}
}

func pairsText(pairs []Pair) string {
	var words []string
	for _, p := range pairs {
		switch {
		case p.A < 0:
			words = append(words, fmt.Sprintf("+%d", p.B))
		case p.B < 0:
			words = append(words, fmt.Sprintf("-%d", p.A))
		default:
			words = append(words, fmt.Sprintf("%d=%d", p.A, p.B))
		}
	}
	return strings.Join(words, " ")
}

// TestAlignIsBounded checks that few changes in long arrays are found, and that many are
// not aligned.
func TestAlignIsBounded(t *testing.T) {
	array := func(from, n int) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint(from+i))
		}
		return all
	}
	joined := func(all []string) []byte { return []byte("[" + strings.Join(all, ",") + "]") }
	a := array(0, 20_000)
	b := slices.Insert(slices.Insert(slices.Delete(slices.Clone(a), 15_000, 15_001), 9000, "-1"), 3, "-2")
	pairs, ok := Align(joined(a), joined(b))
	require.True(t, ok)
	var other []Pair
	for _, p := range pairs {
		if p.A < 0 || p.B < 0 {
			other = append(other, p)
		}
	}
	require.Equal(t, []Pair{{-1, 3}, {-1, 9001}, {15_000, -1}}, other)

	pairs, ok = Align(joined(array(0, 500)), joined(array(1000, 501)))
	require.False(t, ok)
	require.False(t, Aligns(joined(array(0, 500)), joined(array(1000, 501))))
	require.Len(t, pairs, 501)
	require.Equal(t, Pair{-1, 500}, pairs[500])
	_, ok = Align(joined(array(0, 500)), joined(array(1000, 500)))
	require.True(t, ok, "by index, which is as good")
}

// FuzzAlign checks that pairs have each element once and in order, and that no other way
// has more equal elements.
func FuzzAlign(f *testing.F) {
	f.Add("abcabba", "cbabac")
	f.Fuzz(func(t *testing.T, a, b string) {
		list := func(text string) (all [][]byte) {
			for i := range min(len(text), 60) {
				all = append(all, []byte{'1' + text[i]%4})
			}
			return all
		}
		left, right := list(a), list(b)
		pairs, ok := align(left, right)
		require.True(t, ok)
		i, j, same := 0, 0, 0
		for _, p := range pairs {
			if p.A >= 0 {
				require.Equal(t, i, p.A)
				i++
			}
			if p.B >= 0 {
				require.Equal(t, j, p.B)
				j++
			}
			if p.A >= 0 && p.B >= 0 && left[p.A][0] == right[p.B][0] {
				same++
			}
		}
		require.Equal(t, []int{len(left), len(right)}, []int{i, j})
		require.Equal(t, longest(left, right), same)
	})
}

func longest(a, b [][]byte) int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i, x := range a {
		for j, y := range b {
			if length[i+1][j+1] = max(length[i][j+1], length[i+1][j]); x[0] == y[0] {
				length[i+1][j+1] = length[i][j] + 1
			}
		}
	}
	return length[len(a)][len(b)]
}
