package wording

import (
	"sort"
	"strings"
)

const (
	// maximum edit distance
	near = 2
	// longest is in bytes: comparing longer words is slow and useless.
	longest = 100
)

// Nearest returns the first known word nearest to word, ignoring case, or "".
func Nearest(word string, known []string) string {
	best, least := "", near+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// Near returns the known words that word misspells or begins, ignoring case, the nearest
// first. More than half of the letters of a misspelling must agree.
func Near(word string, known []string) []string {
	type match struct {
		word string
		off  int
	}
	var found []match
	lower := strings.ToLower(word)
	for _, k := range known {
		other := strings.ToLower(k)
		off := distance(lower, other)
		begins := len(word) > 1 && strings.HasPrefix(other, lower)
		if begins || off <= near && 2*off < max(len(word), len(k)) {
			found = append(found, match{k, off})
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		return a.off-b.off < 0
	})
	var words []string
	for _, m := range found {
		words = append(words, m.word)
	}
	return words
}

// Letters to change, add, remove or swap with their neighbour.
func distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return longest
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// DidYouMean returns a hint with the nearest of names, or "".
func DidYouMean(flag, name string, names []string) string {
	return IfAny(flag, Nearest(name, names))
}
