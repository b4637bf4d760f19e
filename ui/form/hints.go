package form

import "slices"

// SetSuggestions sets what could be typed into the field at a path (a JSON
// Pointer), shown while the cursor is on it. Nil takes them away; no more
// than a thousand are kept.
func (f *Form) SetSuggestions(path string, suggestions []string) {
	if f.suggestions == nil {
		f.suggestions = map[string][]string{}
	}
	f.suggestions[path] = suggestions[:min(len(suggestions), maxOptions)]
}

// Suggest replaces the text under the cursor by the next suggestion, or the
// one before, and says whether there is any.
func (f *Form) Suggest(by int) bool {
	fl := f.typing()
	if fl == nil {
		return false
	}
	all := f.suggestions[fl.path()]
	if len(all) == 0 {
		return false
	}
	at := slices.Index(all, fl.text)
	if at < 0 && by < 0 {
		at = 0
	}
	f.replace(fl, all[((at+by)%len(all)+len(all))%len(all)])
	return true
}

// replace sets the text of a field as if it had been typed.
func (f *Form) replace(fl *field, text string) {
	if len(text) > maxText {
		return
	}
	f.give(fl)
	fl.setText(text, nil)
	f.changed()
}

// SetHistory sets earlier texts of the field at a path (a JSON Pointer), the
// newest first.
func (f *Form) SetHistory(path string, texts []string) {
	if f.history == nil {
		f.history = map[string][]string{}
	}
	f.history[path] = texts
}

// recall is how far back in its history a field was set, and the text that
// stood there before.
type recall struct {
	field *field
	steps int
	draft string
	was   state
}

// HistoryPrev replaces the text under the cursor by an older one, and says
// whether there is any.
func (f *Form) HistoryPrev() bool { return f.recallBy(1) }

// HistoryNext replaces the text under the cursor by a newer one, at last by
// what was typed before HistoryPrev. It says whether there is any.
func (f *Form) HistoryNext() bool { return f.recallBy(-1) }

func (f *Form) recallBy(by int) bool {
	fl := f.typing()
	if fl == nil {
		return false
	}
	if f.recall.field != fl {
		f.recall = recall{field: fl, draft: fl.text, was: fl.state}
	}
	all := f.history[fl.path()]
	to := f.recall.steps + by
	if to < 0 || to > len(all) {
		return false
	}
	f.recall.steps = to
	if to > 0 {
		f.replace(fl, all[to-1])
		return true
	}
	f.replace(fl, f.recall.draft)
	fl.state = f.recall.was
	f.changed()
	return true
}
