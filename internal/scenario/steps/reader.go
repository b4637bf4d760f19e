package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

type call struct {
	step *scenario.Step
	id   string // raw, of its last round
	asks *input // input that its result requires, until the next round
	over bool
}

// A serverRequest is a request of the server.
type serverRequest struct {
	method string
	params []byte
	during bool // a call was open
}

// An action is an action of the client other than sending a valid message.
type action struct {
	row  int
	n    uint64
	run  int
	data []byte // the bytes written; nil if it closed stdin
	exit *int   // for a closed stdin: exit code of the server
}

// A reader converts a session to steps.
type reader struct {
	src     session.Source
	opts    Options
	values  *values
	runs    int
	actions []action     // not yet converted
	raw     map[int]bool // rows of writes that are sent as raw bytes
	unsent  map[uint64]bool
	steps   []*scenario.Step
	answers session.Answers
	run     int // process of the last step
	names   scenario.Names

	open  []*call       // pending requests
	byRow map[int]*call // by the row of each of its rounds
	asked map[int]serverRequest
	sent  *scenario.Step // the last step that sent raw bytes, if nothing followed

	client match.Client // at the first step
}

func newReader(src session.Source, o Options) *reader {
	return &reader{
		src: src, opts: o, values: newValues(), raw: map[int]bool{}, unsent: map[uint64]bool{}, answers: session.Answers{},
		byRow: map[int]*call{}, asked: map[int]serverRequest{},
	}
}

// scan finds raw bytes, closed stdin, and writes that did not reach the server.
func (r *reader) scan(ctx context.Context) error {
	closed := -1 // index in actions: closed stdin of the current process
	for number, row := range session.RowsFrom(r.src, 0) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if row.Kind == session.KindStart {
			r.runs++
			closed = -1
		}
		a, err := r.action(number, row, closed)
		if err != nil {
			return err
		}
		if a != nil {
			r.actions = append(r.actions, *a)
			if a.data == nil {
				closed = len(r.actions) - 1
			}
		}
	}
	return nil
}

func (r *reader) action(number int, row session.Row, closed int) (*action, error) {
	switch {
	case row.Kind == session.KindStdin && match.IsRaw(row):
		e, err := r.src.Entry(row, scenario.MaxFile)
		data := append(bytes.Clone(e.Payload), e.EOL.String()...)
		if err != nil || e.Cut || len(data) == 0 {
			return nil, err
		}
		r.raw[number] = true
		return &action{row: number, n: e.N, run: r.runs, data: data}, nil
	case row.Kind != session.KindWrite && row.Kind != session.KindAct && row.Kind != session.KindExited:
		return nil, nil
	}
	e, err := r.src.Entry(row, 0)
	if err != nil {
		return nil, err
	}
	switch row.Kind {
	case session.KindWrite:
		var b session.WriteBody
		if e.DecodeBody(&b) == nil {
			r.unsent[b.Of] = true
		}
	case session.KindExited:
		var b session.ExitedBody
		if closed >= 0 && e.DecodeBody(&b) == nil && b.Code != nil && int64(int32(*b.Code)) == int64(*b.Code) {
			r.actions[closed].exit = b.Code
		}
	case session.KindAct:
		var b session.ActBody
		if e.DecodeBody(&b) == nil && b.Act == "close-stdin" {
			return &action{row: number, n: e.N, run: r.runs}, nil
		}
	}
	return nil, nil
}

// wanted reports whether an action in a row becomes a step.
func (r *reader) wanted(run, number int) bool {
	if r.opts.Process > 0 && run != r.opts.Process {
		return false
	}
	row, ok := session.RowAt(r.src, number)
	return r.opts.Include == nil || ok && r.opts.Include(number, row)
}

// add adds a step, after a restart if it belongs to another process.
func (r *reader) add(run int, step *scenario.Step) (*scenario.Step, error) {
	if r.run != 0 && run != r.run {
		r.steps = append(r.steps, r.named(&scenario.Step{Do: scenario.Restart}))
	}
	r.run = run
	if len(r.steps) >= scenario.MaxSteps {
		return nil, ErrTooMany
	}
	r.steps = append(r.steps, r.named(step))
	return step, nil
}

// acted notes an action that open calls need: they become background calls.
func (r *reader) acted() {
	for _, c := range r.open {
		c.step.Background = true
	}
	r.sent = nil
}

// spoke notes a message that open calls may need if a server request is pending.
func (r *reader) spoke() {
	if len(r.asked) > 0 {
		r.acted()
	}
	r.sent = nil
}

// flush converts the actions up to a row.
func (r *reader) flush(row int) error {
	for len(r.actions) > 0 && r.actions[0].row <= row {
		a := r.actions[0]
		r.actions = r.actions[1:]
		if !r.wanted(a.run, a.row) || r.unsent[a.n] {
			continue
		}
		step := &scenario.Step{Do: scenario.CloseStdin}
		step.Expect.Exit = a.exit
		if a.data == nil {
			r.acted()
		} else {
			r.spoke()
			step = r.bytes(a.data)
		}
		if _, err := r.add(a.run, step); err != nil {
			return err
		}
		if a.data != nil {
			r.sent = step
		}
	}
	return nil
}

// bytes returns a step that sends raw bytes.
func (r *reader) bytes(data []byte) *scenario.Step {
	if utf8.Valid(data) {
		return &scenario.Step{Do: scenario.Send, Text: true, Data: []byte(scenario.Plain(string(data)))}
	}
	return &scenario.Step{Do: scenario.Send, Data: data}
}

func (r *reader) item(it *match.Item) error {
	if err := r.flush(it.At.Row); err != nil {
		return err
	}
	switch {
	case it.Kind == match.ItemStart || it.Kind == match.ItemEnd:
		r.lost()
	case r.raw[it.At.Row] || it.At.First != it.At.Row:
		return nil // already sent as raw bytes
	case it.Kind == match.ItemRequest && it.FromClient:
		return r.request(it)
	case it.Kind == match.ItemNotification && it.FromClient:
		return r.notification(it)
	case it.Kind == match.ItemResponse && it.FromClient:
		return r.answer(it)
	case it.Kind == match.ItemRequest:
		q := serverRequest{method: it.Method, during: len(r.open) > 0}
		if params := it.Msg.RawParams(); r.opts.Expect == Exact && len(params) <= maxExact {
			q.params = bytes.Clone(params)
		}
		r.asked[it.At.Row] = q
	case it.Kind == match.ItemResponse:
		return r.answered(it)
	}
	return nil
}

func (r *reader) request(it *match.Item) error {
	if c, ok := match.ClientOf(it); ok && len(r.steps) == 0 {
		r.client = c
	}
	if it.Handshake || it.Probe || it.Method == mcp.MethodPing || !r.wanted(it.Run, it.At.Row) || r.unsent[it.At.N] {
		return nil
	}
	if c := r.roundOf(it); c != nil {
		return r.round(c, it)
	}
	params, ok := r.values.params(it)
	if !ok {
		return r.verbatim(it)
	}
	c := &call{step: callStep(it.Method, params), id: string(it.Msg.RawID())}
	r.sent = nil
	if _, err := r.add(it.Run, c.step); err != nil {
		return err
	}
	r.open = append(r.open, c)
	r.byRow[it.At.Row] = c
	return nil
}

// verbatim sends as raw bytes a message that a session cannot express.
func (r *reader) verbatim(it *match.Item) error {
	r.spoke()
	r.raw[it.At.Row] = true
	step, err := r.add(it.Run, r.bytes(append(bytes.Clone(it.Msg.Line), '\n')))
	r.sent = step
	return err
}

// callStep returns a step that makes a call.
func callStep(method string, params json.RawMessage) *scenario.Step {
	step := &scenario.Step{Do: scenario.Call, Method: method, Params: params}
	var call map[string]json.RawMessage
	var tool string
	if method != mcp.MethodToolsCall || json.Unmarshal(params, &call) != nil || len(call) != 2 ||
		json.Unmarshal(call["name"], &tool) != nil || tool == "" || strings.Contains(tool, "${") ||
		len(call["arguments"]) == 0 || call["arguments"][0] != '{' {
		return step
	}
	step.Tool = tool
	step.Params = slices.Concat(json.RawMessage(`{"name":`), call["name"], json.RawMessage(`,"arguments":`), call["arguments"], json.RawMessage("}"))
	return step
}

func (r *reader) notification(it *match.Item) error {
	if it.Handshake || it.Method == mcp.MethodProgress || it.Method == mcp.MethodInitialized || !r.wanted(it.Run, it.At.Row) || r.unsent[it.At.N] {
		return nil
	}
	if it.Method == mcp.MethodCancelled {
		return r.cancelled(it)
	}
	params, ok := r.values.params(it)
	if !ok {
		return r.verbatim(it)
	}
	r.spoke()
	_, err := r.add(it.Run, &scenario.Step{Do: scenario.Notify, Method: it.Method, Params: params})
	return err
}

func (r *reader) cancelled(it *match.Item) error {
	id := string(match.Member(it.Msg.RawParams(), "requestId"))
	for _, c := range r.open {
		if c.id == id {
			r.acted()
			r.close(c)
			_, err := r.add(it.Run, &scenario.Step{Do: scenario.Cancel, Of: c.step.Name})
			return err
		}
	}
	return nil // already answered
}

func (r *reader) close(c *call) {
	c.over = true
	r.open = slices.DeleteFunc(r.open, func(o *call) bool { return o == c })
}

func (r *reader) lost() {
	for _, c := range slices.Clone(r.open) {
		c.step.Background, c.step.Comment = true, "It was never answered."
		r.close(c)
	}
	clear(r.asked)
	r.sent = nil
}

func (r *reader) answered(it *match.Item) error {
	if r.sent != nil && (it.State == session.ReqUnmatched || it.HasOf && r.raw[it.Of.Row] && r.isRequest(it.Of.Row)) {
		r.values.expectError(&r.sent.Expect, it)
		r.sent = nil
		return nil
	}
	c := r.byRow[it.Of.Row]
	if !it.HasOf || c == nil || c.over || it.State != session.ReqNone {
		return nil
	}
	if c.asks = inputOf(it.Msg.RawResult()); c.asks != nil {
		return nil
	}
	step := c.step
	if step.Background {
		var err error
		if step, err = r.add(it.Run, &scenario.Step{Do: scenario.Await, Of: c.step.Name}); err != nil {
			return err
		}
	}
	r.close(c)
	r.values.capture(step, it)
	r.values.expect(&step.Expect, it, r.opts.Expect)
	return nil
}

func (r *reader) isRequest(number int) bool {
	row, ok := session.RowAt(r.src, number)
	return ok && row.Msg == framing.Request && row.Flags&session.FlagBatch == 0
}

func (r *reader) finish() {
	if r.flush(math.MaxInt) != nil {
		return // too many steps; the walk has reported it
	}
	r.lost()
}

func (r *reader) named(step *scenario.Step) *scenario.Step {
	step.Name = r.names.Of(step)
	return step
}
