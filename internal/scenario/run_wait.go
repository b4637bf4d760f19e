package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A match identifies a matched message, of several in an entry. No other Wait matches it
// again.
type match struct {
	n     uint64
	index int
}

// A pattern has its variables expanded.
type pattern struct {
	Pattern
	line *regexp.Regexp // of Stderr or Stdout
}

func (r *runner) pattern(p Pattern) (pattern, error) {
	out := pattern{Pattern: p}
	var err error
	if out.Params, err = r.vars.json(p.Params); err != nil {
		return out, err
	}
	if text := p.Stderr + p.Stdout; text != "" {
		out.line, err = compileRegexp(text)
	}
	return out, err
}

// wait waits for a match since the previous step began, or, for consecutive Waits, since
// the step before the first.
func (r *runner) wait(ctx context.Context, step *Step) outcome {
	p, err := r.pattern(step.For)
	if err != nil {
		return outcome{err: err}
	}
	begin := r.now()
	r.near = 0
	out := outcome{kind: params}
	number, err := r.until(ctx, r.since, func(number int, row session.Row) bool {
		var ok bool
		out.value, ok = r.matches(p, number, row)
		return ok
	})
	if err != nil {
		return outcome{err: err}
	}
	out.n = uint64(number) + 1
	out.took = max(r.time(out.n)-begin, 0)
	return out
}

// matches reports whether a row matches and was not matched before, and returns the value
// to check.
func (r *runner) matches(p pattern, number int, row session.Row) (value []byte, ok bool) {
	if !r.may(p, row) {
		return nil, false
	}
	e, err := r.read(row)
	if err != nil {
		return nil, false
	}
	if p.line != nil {
		key := match{e.N, 0}
		if r.taken[key] || !p.line.Match(beginning(e.Payload)) {
			return nil, false
		}
		r.taken[key] = true
		return quoteJSON(string(bytes.ToValidUTF8(e.Payload, []byte("\uFFFD")))), true
	}
	for i, body := range r.bodies(p, &e) {
		key := match{e.N, i}
		switch {
		case r.taken[key]:
		case has(p.Params, body):
			r.taken[key] = true
			return body, true
		default:
			r.near++
		}
	}
	return nil, false
}

// beginning returns the part of a line or text that regular expressions see.
func beginning[T string | []byte](text T) T { return text[:min(len(text), maxLooked)] }

// may reports whether a row can match: most need not be read.
func (r *runner) may(p pattern, row session.Row) bool {
	if p.Stderr != "" {
		return row.Kind == session.KindStderr
	}
	if row.Kind != session.KindStdout {
		return false
	}
	method := r.log.Method(row.Method)
	switch {
	case p.Stdout != "":
		return row.IsStray()
	case row.Msg == framing.Batch:
		return true
	case p.Notification != "":
		return row.Msg == framing.Notification && (method == "" || method == p.Notification)
	case row.Msg == framing.Response:
		return r.sess.Status().Server.Era == mcp.Modern // where requests come in results
	}
	return row.Msg == framing.Request && (method == "" || method == p.Request)
}

// bodies returns the params of the named messages in an entry.
func (r *runner) bodies(p pattern, e *session.Entry) [][]byte {
	if e.Msg.Kind == framing.Response {
		return inputRequests(e.Msg.Result.Of(e.Payload), p.Request)
	}
	var all [][]byte
	look := func(payload []byte, m framing.Message) {
		named := p.Notification
		if m.Kind == framing.Request {
			named = p.Request
		}
		if (m.Kind == framing.Request || m.Kind == framing.Notification) && named != "" && string(m.Method.Of(payload)) == named {
			all = append(all, m.Params.Of(payload))
		}
	}
	if e.Msg.Kind != framing.Batch {
		look(e.Payload, e.Msg)
		return all
	}
	for span := range framing.Elements(e.Payload) {
		payload := span.Of(e.Payload)
		look(payload, framing.Scan(payload))
	}
	return all
}

// inputRequests returns the params of a method's requests in a modern result that
// requires input.
func inputRequests(result []byte, method string) [][]byte {
	if !bytes.Contains(result, []byte("input_required")) {
		return nil
	}
	var input struct {
		ResultType    string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
	}
	if json.Unmarshal(result, &input) != nil || input.ResultType != "input_required" {
		return nil
	}
	var all [][]byte
	for _, key := range slices.Sorted(maps.Keys(input.InputRequests)) {
		if request := input.InputRequests[key]; request.Method == method {
			all = append(all, request.Params)
		}
	}
	return all
}

// nil matches anything.
func has(want, body []byte) bool {
	if want == nil {
		return true
	}
	diffs, err := subset(want, body)
	return err == nil && len(diffs) == 0
}

// answer waits for a server request, in either era, answers it, and then checks it.
func (r *runner) answer(ctx context.Context, step *Step) outcome {
	answer, err := r.vars.json(step.Answer)
	if err != nil {
		return outcome{err: err}
	}
	wanted, err := r.vars.json(step.For.Params)
	if err != nil {
		return outcome{err: err}
	}
	begin := r.now()
	done := r.sess.Done()
	for {
		changed, ended := r.log.Changed(), isClosed(done)
		ask, ok := r.ask(step.Method, wanted)
		if ok {
			err = r.sess.AnswerBy(ask.ID, answer, session.ByScenario)
		}
		switch {
		case ok && err == nil:
			r.settle(step)
			return outcome{n: ask.N, kind: params, value: ask.Params, took: max(r.time(ask.N)-begin, 0)}
		case ok && errors.Is(err, session.ErrNotPending):
			continue // the server has cancelled it
		case ok:
			return outcome{n: ask.N, err: err}
		case ended:
			return outcome{err: endOf(r.sess.Status().Process)}
		}
		select {
		case <-changed:
		case <-done:
		case <-ctx.Done():
			return outcome{err: context.Cause(ctx)}
		}
	}
}

// ask returns the oldest pending match.
func (r *runner) ask(method string, wanted []byte) (session.ServerRequest, bool) {
	for _, ask := range r.sess.ServerRequests() {
		if ask.Method == method && has(wanted, ask.Params) {
			return ask, true
		}
	}
	return session.ServerRequest{}, false
}

// settle applies the scenario's answers to a method once no later step answers it.
func (r *runner) settle(last *Step) {
	steps := r.scenario.Steps
	for i := len(steps) - 1; i >= 0 && &steps[i] != last; i-- {
		if steps[i].Do == Answer && steps[i].Method == last.Method {
			return
		}
	}
	canned, err := r.vars.json(r.scenario.Answers[last.Method])
	if err != nil {
		return
	}
	p, ok := finalPolicy(last.Method, canned)
	if !ok || r.sess.SetPolicy(last.Method, p) != nil {
		return
	}
	for ask, ok := r.ask(last.Method, nil); ok; ask, ok = r.ask(last.Method, nil) {
		if err := r.sess.AnswerByPolicy(ask.ID); err != nil && !errors.Is(err, session.ErrNotPending) {
			return
		}
	}
}
