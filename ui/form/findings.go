package form

import (
	"errors"
	"slices"
)

// findings are the problems of the value as it is now, by the field that shows
// them.
type findings struct {
	revision uint64
	made     bool
	all      []Problem
	err      error // nothing can be told
	of       map[*field][]Problem
	below    map[*field]int // problems of what is in a field
	missing  map[*field]int // those among them that are about what is missing
}

// Validate checks any value against the schema of the form, for the view that
// shows it as JSON. Text that is not JSON is one problem. The error says why
// nothing can be told. To ask again about the same text costs nothing.
func (f *Form) Validate(raw []byte) ([]Problem, error) {
	if !f.judged.made || f.judged.text != string(raw) {
		f.judged = judgement{made: true, text: string(raw)}
		f.judged.problems, f.judged.err = f.validate(raw)
	}
	return slices.Clone(f.judged.problems), f.judged.err
}

// A judgement is what is wrong with a text.
type judgement struct {
	made     bool
	text     string
	problems []Problem
	err      error
}

func (f *Form) validate(raw []byte) ([]Problem, error) {
	if len(raw) <= maxChecked {
		if _, err := parse(raw); err != nil {
			return []Problem{{Text: "not JSON: " + err.Error()}}, nil
		}
	}
	return f.check.Check(raw)
}

// Problems returns what is wrong with the value, by its paths. The
// error says why that can't be told; texts that are no JSON or no number are
// told of anyway.
func (f *Form) Problems() ([]Problem, error) {
	found := f.found()
	return found.all, found.err
}

// FirstError moves to the first field with a problem and says whether there is
// one. From now on the form also marks what is missing.
func (f *Form) FirstError() bool {
	f.insist = true
	found := f.found()
	if len(found.all) == 0 {
		return false
	}
	if fl := f.firstIn(f.root, found); fl != nil {
		f.Select(fl.path())
	}
	return true
}

// firstIn returns the first field with a problem, in the order of the rows,
// folded ones included.
func (f *Form) firstIn(fl *field, found *findings) *field {
	if len(found.of[fl]) > 0 && fl != f.root {
		return fl
	}
	for _, child := range fl.children {
		if first := f.firstIn(child, found); first != nil {
			return first
		}
	}
	return nil
}

// found checks the value if it has changed.
func (f *Form) found() *findings {
	found := &f.findings
	if found.made && found.revision == f.revision {
		return found
	}
	*found = findings{revision: f.revision, made: true, of: map[*field][]Problem{}, below: map[*field]int{}, missing: map[*field]int{}}
	if f.root.size() > maxChecked {
		found.err = errors.New("too long to be checked while it is typed")
		return found
	}
	bad := map[string]bool{}
	raw := f.appendJSON(nil, func(fl *field) {
		if len(found.all) < maxProblems {
			err := textError(fl)
			bad[err.Path] = true
			found.all = append(found.all, Problem{Path: err.Path, Text: "is not " + err.Want})
		}
	})
	problems, err := f.check.Check(raw)
	found.err = err
	for _, p := range problems {
		if !bad[p.Path] {
			found.all = append(found.all, p)
		}
	}
	for _, p := range found.all {
		fl, _ := f.nearest(p.Path)
		found.of[fl] = append(found.of[fl], p)
		for up := fl.parent; up != nil; up = up.parent {
			found.below[up]++
			if p.Missing {
				found.missing[up]++
			}
		}
	}
	return found
}

// problem returns what is wrong with a field, for the screen: not that it is
// missing, as long as nobody tried to send it.
func (f *Form) problem(fl *field) string {
	for _, p := range f.found().of[fl] {
		if f.insist || !p.Missing {
			return p.Text
		}
	}
	return ""
}

// below says whether there is a problem to show among what a field holds.
func (f *Form) below(fl *field) bool {
	found := f.found()
	if f.insist {
		return found.below[fl] > 0
	}
	return found.below[fl] > found.missing[fl]
}
