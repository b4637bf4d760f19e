package form

import "slices"

// SetSuggestions sets at most a thousand suggestions for the field at a path (a JSON
// Pointer), shown while the cursor is on it. Nil removes them.
func (f *Form) SetSuggestions(path string, suggestions []string) {
	if f.suggestions == nil {
		f.suggestions = map[string][]string{}
	}
	f.suggestions[path] = suggestions[:min(len(suggestions), maxOptions)]
}

// Suggests reports whether there are suggestions for the text under the cursor.
func (f *Form) Suggests() bool {
	fl := f.typing()
	return fl != nil && len(f.suggestions[fl.path()]) > 0
}

// Suggest replaces the text under the cursor by the next or previous suggestion, and
// reports whether there is one.
func (f *Form) Suggest(by int) bool {
	if !f.Suggests() {
		return false
	}
	fl := f.typing()
	all := f.suggestions[fl.path()]
	at := slices.Index(all, fl.text)
	if at < 0 && by < 0 {
		at = 0
	}
	f.give(fl)
	fl.setText(all[((at+by)%len(all)+len(all))%len(all)], nil)
	f.changed()
	return true
}
