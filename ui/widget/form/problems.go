package form

import (
	"errors"
	"slices"

	"mcpdbg/session/jsonschema"
)

// A problemSet holds the problems of the current value, grouped by the field that
// shows them.
type problemSet struct {
	revision uint64
	made     bool
	all      []Problem
	err      error // the value cannot be checked
	of       map[*field][]Problem
	below    map[*field]int // number of problems inside a field
	missing  map[*field]int // number of those that are about a missing member
}

// Validate checks any value against the schema of the form, for the view that
// shows it as JSON. Text that is not valid JSON is one problem. The error is
// the reason why the value cannot be checked. Repeated calls with the same text
// are free.
func (f *Form) Validate(raw []byte) ([]Problem, error) {
	if !f.validated.made || f.validated.text != string(raw) {
		f.validated = validation{made: true, text: string(raw)}
		f.validated.problems, f.validated.err = f.validate(raw)
	}
	return slices.Clone(f.validated.problems), f.validated.err
}

// A validation is the result of validating a text.
type validation struct {
	made     bool
	text     string
	problems []Problem
	err      error
}

func (f *Form) validate(raw []byte) ([]Problem, error) {
	if len(raw) <= maxChecked {
		if _, err := parse(raw); err != nil {
			return []Problem{{Text: "not valid JSON: " + err.Error()}}, nil
		}
	}
	return f.check.Check(raw)
}

// Problems returns the problems of the value with their paths. The error is the
// reason why the value cannot be checked; texts that are not valid JSON or
// numbers are returned as problems even then.
func (f *Form) Problems() ([]Problem, error) {
	found := f.found()
	return found.all, found.err
}

// FirstError moves to the first field with a problem and reports whether there
// is one. From now on the form also marks missing members.
func (f *Form) FirstError() bool {
	f.showMissing = true
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
func (f *Form) firstIn(fl *field, found *problemSet) *field {
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

// found returns the problems of the value, checking it again if it has changed.
func (f *Form) found() *problemSet {
	found := &f.checked
	if found.made && found.revision == f.revision {
		return found
	}
	*found = problemSet{revision: f.revision, made: true, of: map[*field][]Problem{}, below: map[*field]int{}, missing: map[*field]int{}}
	if f.root.size() > maxChecked {
		found.err = errors.New("too long to check while typing")
		return found
	}
	bad := map[string]bool{}
	raw := f.appendJSON(nil, func(fl *field) {
		if len(found.all) < jsonschema.MaxProblems {
			err := textError(fl)
			bad[err.Path] = true
			found.all = append(found.all, Problem{Path: err.Path, Text: "is not " + err.Expected})
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

// problem returns the problem to show for a field. A missing member is not
// shown before the first attempt to send.
func (f *Form) problem(fl *field) string {
	for _, p := range f.found().of[fl] {
		if f.showMissing || !p.Missing {
			return p.Text
		}
	}
	return ""
}

// below reports whether there is a problem to show inside a field.
func (f *Form) below(fl *field) bool {
	found := f.found()
	if f.showMissing {
		return found.below[fl] > 0
	}
	return found.below[fl] > found.missing[fl]
}
