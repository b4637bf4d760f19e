package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/scenario"
)

// An Expectation says how much is expected of each answer.
type Expectation string

// The expectations.
const (
	OK    Expectation = "ok"    // a result, one with isError, or an error with its code, as it was
	Shape Expectation = "shape" // also names of tools and prompts, and the types of what is structured
	Exact Expectation = "exact" // also the whole result, but for what is another one in each run
)

// Expectations are all of them, in the order of how much they expect.
func Expectations() []Expectation { return []Expectation{OK, Shape, Exact} }

// Options say what the scenario has.
type Options struct {
	Expect Expectation // "" is Shape
	// Process is the process of the recording that the scenario is of, from 1. 0 is
	// all that were asked something, with a restart before each but the first.
	Process int
	// Include decides on the rows of what the client did; nil takes all.
	Include func(number int, row session.Row) bool
}

// ErrNothing says that there is nothing that a scenario could do.
var ErrNothing = errors.New("the client did nothing but shake hands")

// ErrTooMany says that a scenario can't have so many steps.
var ErrTooMany = fmt.Errorf("a scenario has at most %d steps", scenario.MaxSteps)

// Of makes a scenario of a session, as far as src goes now, which it reads up to
// four times. Memory is proportional to what the client sent. The error is
// ErrNothing, ErrTooMany, ctx's, or about what can't be read.
func Of(ctx context.Context, src session.Source, o Options) (*scenario.Scenario, error) {
	o.Expect = cmp.Or(o.Expect, Shape)
	r := newReader(src, o)
	if err := r.scan(ctx); err != nil {
		return nil, err
	}
	if o.Process > r.runs {
		return nil, fmt.Errorf("the recording has no process %d, it has %d", o.Process, r.runs)
	}
	if err := r.values.find(ctx, src); err != nil {
		return nil, err
	}
	if err := match.Walk(ctx, src, r.item); err != nil {
		return nil, err
	}
	r.finish()
	if len(r.steps) == 0 {
		return nil, ErrNothing
	}
	h := src.Header()
	s := &scenario.Scenario{Name: title(h), Vars: r.values.redacted, Steps: make([]scenario.Step, 0, len(r.steps))}
	s.Description = fmt.Sprintf("Made of a recording of %s.", h.Start.UTC().Format("2006-01-02 15:04"))
	if len(r.answers) > 0 {
		s.Answers = r.answers
	}
	for _, step := range r.steps {
		r.values.prune(step)
		s.Steps = append(s.Steps, *step)
	}
	return s, nil
}

// title is a name for the scenario of a recording.
func title(h session.Header) string {
	const most = 80
	words := strings.FieldsFunc(strings.Join(h.Argv, " "), func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) || r == unicode.ReplacementChar })
	name := []rune(strings.Join(words, " "))
	if len(name) > most {
		name = append(name[:most-3], []rune("...")...)
	}
	return cmp.Or(strings.TrimSpace(string(name)), "a session")
}
