package scenario

import "mcpdbg/internal/wording"

// nearest returns the known word that word misspells, or that has the same first
// three letters, or "".
func nearest(word string, known []string) string {
	best := wording.Nearest(word, known)
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
