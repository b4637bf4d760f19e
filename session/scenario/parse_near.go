package scenario

import "mcpdbg/session/spelling"

// nearest is the known word that another one is a misspelling of, or that begins
// as it does, "" if there is none.
func nearest(word string, known []string) string {
	best := spelling.Nearest(word, known)
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
