package form

import (
	"bytes"
	"errors"
	"slices"

	"mcpdbg/session/jsonschema"
)

// A problemSet groups the problems of the current value by the field that shows them.
type problemSet struct {
	revision uint64
	made     bool
	all      []Problem
	err      error // the value cannot be checked
	of       map[*field][]Problem
	below    map[*field]int // number of problems inside a field
	missing  map[*field]int // of those, about a missing member
}

// Validate checks any value against the schema of the form, for a view of it as JSON.
// Text that is not valid JSON is one problem. The error is why the value cannot be
// checked. Repeated calls with the same text are free.
func (f *Form) Validate(raw []byte) ([]Problem, error) {
	if !f.validated.made || f.validated.text != string(raw) {
		f.validated = validation{made: true, text: string(raw)}
		f.validated.problems, f.validated.err = f.check.checkText(raw)
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
// From now on the form marks missing members.
func (f *Form) FirstError() bool {
	f.showMissing = true
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

// problem omits a missing member before the first attempt to send.
func (f *Form) problem(fl *field) string {
	for _, p := range f.found().of[fl] {
		if f.showMissing || !p.Missing {
			return p.Text
		}
	}
	return ""
}

func (f *Form) below(fl *field) bool {
	found := f.found()
	if f.showMissing {
		return found.below[fl] > 0
	}
	return found.below[fl] > found.missing[fl]
}

// A Problem describes what is wrong with a value.
type Problem = jsonschema.Problem

type checker struct {
	raw    []byte
	schema *jsonschema.Schema
	tried  bool
	err    error
}

// newChecker returns a checker for a schema, compiled on first use. A non-nil err is why
// the schema cannot be used.
func newChecker(raw []byte, err error) *checker {
	return &checker{raw: bytes.Clone(raw), err: err, tried: err != nil}
}

// Err returns why values cannot be checked, or nil.
func (c *checker) Err() error {
	if !c.tried {
		c.tried = true
		c.schema, c.err = jsonschema.Compile(c.raw, jsonschema.Options{Formats: true})
	}
	return c.err
}

// Unchecked returns the patterns of the schema that cannot be matched; everything else is
// checked.
func (c *checker) Unchecked() []string {
	if c.Err() != nil {
		return nil
	}
	return c.schema.Unchecked()
}

// Check returns the problems of a value, or an error if the value cannot be
// checked.
func (c *checker) Check(raw []byte) ([]Problem, error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	return c.schema.Check(raw, maxChecked)
}

// checkText checks any text. Text that is not valid JSON is one problem.
func (c *checker) checkText(raw []byte) ([]Problem, error) {
	if len(raw) <= maxChecked {
		if _, err := parse(raw); err != nil {
			return []Problem{{Text: "not valid JSON: " + err.Error()}}, nil
		}
	}
	return c.Check(raw)
}
