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

// Suggest replaces the text under the cursor by the next or previous suggestion, and
// reports whether there is one.
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

func (f *Form) replace(fl *field, text string) {
	if len(text) > maxText {
		return
	}
	f.give(fl)
	fl.setText(text, nil)
	f.changed()
}

// SetHistory sets the earlier texts of the field at a path (a JSON Pointer), newest
// first.
func (f *Form) SetHistory(path string, texts []string) {
	if f.history == nil {
		f.history = map[string][]string{}
	}
	f.history[path] = texts
}

// recall is the position in the history of a field, and the text before it.
type recall struct {
	field *field
	steps int
	draft string
	was   state
}

// HistoryPrev replaces the text under the cursor by an older one, and reports
// whether there is one.
func (f *Form) HistoryPrev() bool { return f.recallBy(1) }

// HistoryNext replaces the text under the cursor by a newer one, finally by the text
// before HistoryPrev, and reports whether there is one.
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
