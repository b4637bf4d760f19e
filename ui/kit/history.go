package kit

import "slices"

// maxHistory is how many texts a History keeps.
const maxHistory = 50

// A History is the texts that a line had, the latest last.
type History struct {
	texts []string
	back  int // how many texts ago the one in the line was typed
}

// Add adds a text that the line was left with.
func (h *History) Add(text string) {
	h.back = 0
	if text != "" {
		h.texts = append(slices.DeleteFunc(h.texts, func(other string) bool { return other == text }), text)
		h.texts = h.texts[max(len(h.texts)-maxHistory, 0):]
	}
}

// Step returns an earlier (-1) or later (1) text; after the latest one the line is empty.
func (h *History) Step(by int) string {
	h.back = Between(0, h.back-by, len(h.texts))
	if h.back == 0 {
		return ""
	}
	return h.texts[len(h.texts)-h.back]
}
