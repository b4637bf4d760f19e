package filter

import "strings"

// Complete returns completions of the last word of a text, each as the full
// text. Keys are completed up to their colon, values for the keys that have
// few.
func Complete(text string) []string {
	at := strings.LastIndexByte(text, ' ') + 1
	if strings.Count(text[:at], `"`)%2 == 1 {
		return nil // inside quotes
	}
	word := strings.TrimLeft(text[at:], "!")
	before := text[:len(text)-len(word)]
	var found []string
	add := func(candidate string) {
		if strings.HasPrefix(candidate, word) && candidate != word {
			found = append(found, before+candidate)
		}
	}
	for _, k := range keys() {
		name := k.name + ":"
		if !strings.HasPrefix(word, name) {
			add(name)
			continue
		}
		for _, value := range k.values {
			add(name + value)
		}
	}
	add("err")
	return found
}
