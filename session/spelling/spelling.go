// Package spelling finds the word that somebody meant, for errors that say "did
// you mean".
package spelling

import "strings"

const (
	// near is how many letters a misspelled word may be off.
	near = 2
	// longest is the length in bytes from which on a word is near nothing: to
	// compare long ones takes long, and nobody misspells them.
	longest = 100
)

// Nearest is the known word that another one is a misspelling of, in any case;
// "" if none is near. Of several the first that is nearest counts.
func Nearest(word string, known []string) string {
	best, least := "", near+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is how many letters have to be changed, added or left out to make b
// of a (Levenshtein).
func distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return longest
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
