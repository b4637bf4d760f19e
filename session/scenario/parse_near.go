package scenario

// nearest is the known word that another one is a misspelling of, "" if none is
// near.
func nearest(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, k := range known {
		if len(k) >= 3 && word[:3] == k[:3] {
			return k
		}
	}
	return ""
}

// distance is how many letters have to change to make one word of another
// (Levenshtein). Long words are far from everything.
func distance(a, b string) int {
	const far = 64
	if len(a) > far || len(b) > far {
		return far
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
