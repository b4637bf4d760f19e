package kit

import "slices"

// maxHistory is how many texts a History keeps.
const maxHistory = 50

// A History is the texts that a line had, the latest last.
type History struct {
	texts []string
	back  int    // how many texts ago the one in the line was typed
	draft string // what was typed before going back
}

// Add adds a text that the line was left with.
func (h *History) Add(text string) {
	h.back = 0
	if text != "" {
		h.texts = append(slices.DeleteFunc(h.texts, func(other string) bool { return other == text }), text)
		h.texts = h.texts[max(len(h.texts)-maxHistory, 0):]
	}
}

// Step returns an earlier (-1) or later (1) text than the one in the line; after the latest
// one comes what had been typed.
func (h *History) Step(by int, text string) string {
	if h.back == 0 {
		h.draft = text
	}
	if h.back = Between(0, h.back-by, len(h.texts)); h.back == 0 {
		return h.draft
	}
	return h.texts[len(h.texts)-h.back]
}
