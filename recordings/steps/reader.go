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
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/scenario"
)

// A call is a request of the client that has become a step.
type call struct {
	step *scenario.Step
	id   string // raw, of its last round
	asks *input // what its result asks for, until it comes again with that
	over bool
}

// A question is a request of the server.
type question struct {
	method string
	params []byte
	during bool // a call was open
}

// An action is something that the client did beside sending good messages.
type action struct {
	row  int
	n    uint64
	run  int
	data []byte // what was written; nil: it closed stdin
	exit *int   // of a closed stdin: how the server ended then
}

// A reader makes the steps of a session.
type reader struct {
	src     session.Source
	opts    Options
	values  *values
	runs    int
	actions []action     // that are no steps yet
	raw     map[int]bool // rows of writes that are steps as they are
	unsent  map[uint64]bool
	steps   []*scenario.Step
	answers session.Answers
	run     int // that the last step is of
	names   scenario.Names

	open  []*call       // requests without an answer so far
	byRow map[int]*call // by the row of each of its rounds
	asked map[int]question
	sent  *scenario.Step // the bytes that were sent last, if nothing came after them
}

func newReader(src session.Source, o Options) *reader {
	return &reader{
		src: src, opts: o, values: newValues(), raw: map[int]bool{}, unsent: map[uint64]bool{}, answers: session.Answers{},
		byRow: map[int]*call{}, asked: map[int]question{},
	}
}

// scan finds what is no message: bytes, a closed stdin, writes that did not
// reach the server.
func (r *reader) scan(ctx context.Context) error {
	closed := -1 // of actions: stdin of the process that runs
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

// action is what a row says the client did; nil if it did nothing. What was
// closed learns of the end of the server.
func (r *reader) action(number int, row session.Row, closed int) (*action, error) {
	switch {
	case row.Kind == session.KindStdin && isRaw(row):
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

// isRaw tells whether a write is not exactly one message.
func isRaw(row session.Row) bool {
	const odd = session.FlagBatch | session.FlagPart | session.FlagProblem
	return row.Flags&odd != 0 || row.Msg == framing.NotJSON || row.Msg == framing.Other
}

// wanted tells whether what the client did in a row is to be a step.
func (r *reader) wanted(run, number int) bool {
	if r.opts.Process > 0 && run != r.opts.Process {
		return false
	}
	var row [1]session.Row
	return r.opts.Include == nil || r.src.Rows(number, row[:]) == 1 && r.opts.Include(number, row[0])
}

// add adds a step, with the restart that makes its process.
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

// acted notes that the client did something that open calls needed: their
// answers are awaited later.
func (r *reader) acted() {
	for _, c := range r.open {
		c.step.Background = true
	}
	r.sent = nil
}

// spoke notes that the client said something that open calls may have needed, if
// the server had a question.
func (r *reader) spoke() {
	if len(r.asked) > 0 {
		r.acted()
	}
	r.sent = nil
}

// flush makes steps of the actions up to a row.
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

// bytes is a step that sends bytes.
func (r *reader) bytes(data []byte) *scenario.Step {
	if utf8.Valid(data) {
		return &scenario.Step{Do: scenario.Send, Text: true, Data: []byte(scenario.Plain(string(data)))}
	}
	return &scenario.Step{Do: scenario.Send, Data: data}
}

// item takes one step of the session.
func (r *reader) item(it *match.Item) error {
	if err := r.flush(it.At.Row); err != nil {
		return err
	}
	switch {
	case it.Kind == match.ItemStart || it.Kind == match.ItemEnd:
		r.lost()
	case r.raw[it.At.Row] || it.At.First != it.At.Row:
		return nil // it is in what is sent as it was
	case it.Kind == match.ItemRequest && it.FromClient:
		return r.request(it)
	case it.Kind == match.ItemNotification && it.FromClient:
		return r.notification(it)
	case it.Kind == match.ItemAnswer && it.FromClient:
		return r.answer(it)
	case it.Kind == match.ItemRequest:
		r.question(it)
	case it.Kind == match.ItemAnswer:
		return r.answered(it)
	}
	return nil
}

// request takes a request of the client.
func (r *reader) request(it *match.Item) error {
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

// verbatim sends a message as it was: one that a session can't say in its words.
func (r *reader) verbatim(it *match.Item) error {
	r.spoke()
	r.raw[it.At.Row] = true
	step, err := r.add(it.Run, r.bytes(append(bytes.Clone(it.Msg.Line), '\n')))
	r.sent = step
	return err
}

// callStep is a step that makes a call.
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

// notification takes a notification of the client.
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

// cancelled takes the end of a call that the client did not want any more.
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
	return nil // its answer was there already
}

func (r *reader) close(c *call) {
	c.over = true
	r.open = slices.DeleteFunc(r.open, func(o *call) bool { return o == c })
}

// lost takes the end of a process: nothing is answered any more.
func (r *reader) lost() {
	for _, c := range slices.Clone(r.open) {
		c.step.Background, c.step.Comment = true, "It was never answered."
		r.close(c)
	}
	clear(r.asked)
	r.sent = nil
}

// answered takes an answer of the server.
func (r *reader) answered(it *match.Item) error {
	if r.sent != nil && (it.State == session.ReqOrphan || it.HasOf && r.raw[it.Of.Row] && r.isRequest(it.Of.Row)) {
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

// isRequest tells whether a row is one request and nothing else.
func (r *reader) isRequest(number int) bool {
	var row [1]session.Row
	return r.src.Rows(number, row[:]) == 1 && row[0].Msg == framing.Request && row[0].Flags&session.FlagBatch == 0
}

// finish takes what is left at the end.
func (r *reader) finish() {
	if r.flush(math.MaxInt) != nil {
		return // there are too many steps, as the walk said
	}
	r.lost()
}

// named gives a step the name that it has in the file.
func (r *reader) named(step *scenario.Step) *scenario.Step {
	step.Name = r.names.Of(step)
	return step
}
