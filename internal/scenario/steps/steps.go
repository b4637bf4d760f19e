// Package steps makes a scenario from a recorded session.
//
// [Of] takes the actions of the client, without what a session does by itself: the
// handshake, pings, and further rounds of a request that required input. A request
// becomes a step that waits for its response; concurrent requests become consecutive
// steps. If the response needed something else that the client did meanwhile, such as
// answering a server request or cancelling, the call becomes a background call, with
// an await step where its response came.
//
// A text that the server sent and the client sent back, such as a cursor or the id of
// something new, becomes a capture and a variable. [Options.Expect] sets what each
// step expects: by default as much as should still hold in a later run.
//
// The scenario contains messages as they were sent, including secrets. Values that were
// redacted in the recording become variables without a value.
package steps

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// An Expectation is how much a scenario expects of each response.
type Expectation string

// The expectations.
const (
	OK    Expectation = "ok"    // the same outcome: a result, one with isError, or an error with its code
	Shape Expectation = "shape" // also names of tools and prompts, and the types of structured content
	Exact Expectation = "exact" // also the whole result, except for values that differ in each run
)

// Expectations returns all expectations, from the least to the most strict.
func Expectations() []Expectation { return []Expectation{OK, Shape, Exact} }

// Options configures Of.
type Options struct {
	Expect Expectation // "" is Shape
	// Process selects a process of the recording, from 1. 0 means all processes with
	// requests, with a restart before each but the first.
	Process int
	// Include reports whether the action of the client in a row is used; nil uses all.
	Include func(number int, row session.Row) bool
}

// ErrNothing reports a session without steps.
var ErrNothing = errors.New("the client sent nothing but the handshake")

// ErrTooMany reports a session with too many steps for a scenario.
var ErrTooMany = fmt.Errorf("too many steps: a scenario can have at most %d", scenario.MaxSteps)

// FromSession makes a scenario from the current content of src, which it reads up to four
// times. Memory is proportional to what the client sent. The error is ErrNothing,
// ErrTooMany, that of ctx, or one of reading.
func FromSession(ctx context.Context, src session.Source, o Options) (*scenario.Scenario, error) {
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
	s.Description = fmt.Sprintf("Made from a recording of %s.", h.Start.UTC().Format("2006-01-02 15:04"))
	if len(r.answers) > 0 {
		s.Answers = r.answers
	}
	for _, step := range r.steps {
		r.values.prune(step)
		s.Steps = append(s.Steps, *step)
	}
	r.actAsClient(s)
	return s, nil
}

// actAsClient sets what the recorded client requested and declared, unless a session with
// the scenario declares the same.
func (r *reader) actAsClient(s *scenario.Scenario) {
	s.Era = r.client.Era
	if p := r.client.Protocol; len(p) < 40 && !strings.ContainsFunc(p, func(c rune) bool { return c <= ' ' || c > '~' }) {
		s.Protocol = p
	}
	same := editor{text: func(_ []string, text string) string { return text }}
	declared, ok := same.edit(nil, r.client.Capabilities)
	if !ok || !bytes.HasPrefix(declared, []byte("{")) {
		return
	}
	var cfg session.Config
	s.Configure(&cfg, nil)
	given, _ := match.AppendCanonical(nil, declared)
	derived, _ := match.AppendCanonical(nil, cfg.Derived(s.Era))
	if s.Era == mcp.Modern || !bytes.Equal(given, derived) { // modern: extensions are not derived
		s.Capabilities = declared
	}
}

func title(h session.Header) string {
	const most = 80
	words := strings.FieldsFunc(strings.Join(h.Argv, " "), func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) || r == unicode.ReplacementChar })
	name := []rune(strings.Join(words, " "))
	if len(name) > most {
		name = append(name[:most-3], []rune("...")...)
	}
	return cmp.Or(strings.TrimSpace(string(name)), "a session")
}
