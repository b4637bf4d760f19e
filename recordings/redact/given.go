package redact

import "slices"

// givenRule returns the rule under which a value given to the recorder is counted.
func givenRule(name string) string { return "given " + name }

// givenIn finds values given to the recorder: the whole text, or a part of it with no
// letter, digit or _ on either side.
func (f *finder) givenIn(text []byte, place string) (edits []edit) {
	for from := 0; from+f.lengths[0] <= len(text); from++ {
		if from > 0 && inWord(text[from-1]) {
			continue
		}
		for _, n := range slices.Backward(f.lengths) {
			to := from + n
			if to > len(text) || to < len(text) && inWord(text[to]) {
				continue
			}
			if name := f.given.Find(text[from:to]); name != "" {
				edits = append(edits, edit{from: from, to: to, text: f.mark(text[from:to], markLetters), rule: givenRule(name), place: place})
				from = to - 1
				break
			}
		}
	}
	return edits
}

// inWord reports whether a byte is part of a letter, a digit, or _.
func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}
