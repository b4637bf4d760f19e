package form

import (
	"errors"
	"slices"
	"strings"

	"mcpdbg/session/jsonschema"
)

// A problemSet groups the problems of the current value by the field that shows them.
type problemSet struct {
	revision uint64
	all      []Problem
	err      error // the value cannot be checked
	of       map[*field][]Problem
	below    map[*field]int // number of problems inside a field
}

// Validate checks any value against the schema of the form, for a view of it as JSON.
// Text that is not valid JSON is one problem. The error is why the value cannot be
// checked. Repeated calls with the same text are free.
func (f *Form) Validate(raw []byte) ([]Problem, error) {
	if !f.validated.made || f.validated.text != string(raw) {
		f.validated = validation{made: true, text: string(raw)}
		if f.validated.problems, f.validated.err = f.check(raw); len(raw) <= maxChecked {
			if _, err := parse(raw); err != nil {
				f.validated.problems, f.validated.err = []Problem{{Text: "not valid JSON: " + err.Error()}}, nil
			}
		}
	}
	return slices.Clone(f.validated.problems), f.validated.err
}

type validation struct {
	made     bool
	text     string
	problems []Problem
	err      error
}

// Problems returns the problems of the value with their paths. The error is why the value
// cannot be checked; texts that are not valid JSON or numbers are problems even then.
func (f *Form) Problems() ([]Problem, error) {
	found := f.found()
	return found.all, found.err
}

// FirstError moves to the first field with a problem and reports whether there is one.
func (f *Form) FirstError() bool {
	found := f.found()
	if len(found.all) == 0 {
		return false
	}
	if fl := found.first(f.root); fl != nil {
		f.Select(fl.path())
	}
	return true
}

// first returns the first field with a problem in the order of the rows, folded ones
// included.
func (s *problemSet) first(fl *field) *field {
	if len(s.of[fl]) > 0 && fl.parent != nil {
		return fl
	}
	for _, child := range fl.children {
		if first := s.first(child); first != nil {
			return first
		}
	}
	return nil
}

func (f *Form) found() *problemSet {
	found := &f.checked
	if found.revision == f.revision {
		return found
	}
	*found = problemSet{revision: f.revision, of: map[*field][]Problem{}, below: map[*field]int{}}
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
	problems, err := f.check(raw)
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
		}
	}
	return found
}

// problem returns the first problem of a field: what would be right, and what there is
// instead, "" if that is clear.
func (f *Form) problem(fl *field) (want, have string) {
	all := f.found().of[fl]
	if len(all) == 0 {
		return "", ""
	}
	text := all[0].Text
	for _, verb := range []string{"is ", "has "} {
		rest, said := strings.CutPrefix(text, verb)
		if have, want, two := strings.Cut(rest, ", "); said && two && !strings.HasPrefix(have, "not ") {
			return want, have
		}
	}
	return strings.TrimPrefix(text, "is "), ""
}

// A Problem describes what is wrong with a value.
type Problem = jsonschema.Problem

// check returns the problems of a value, or an error if it cannot be checked.
func (f *Form) check(raw []byte) ([]Problem, error) {
	schema, err := f.compiled()
	if err != nil {
		return nil, err
	}
	return schema.Check(raw, maxChecked)
}
