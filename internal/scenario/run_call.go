package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// lateAnswer is how long Await waits for the response to a cancelled call.
const lateAnswer = 500 * time.Millisecond

func (r *runner) call(ctx context.Context, step *Step) outcome {
	body, err := r.vars.json(step.Params)
	if err != nil {
		return outcome{err: err}
	}
	var sent uint64
	resp, err := r.sess.Request(ctx, step.Method, body, session.CallOptions{
		Timeout:  noTimeout,
		Progress: r.progress(step, body),
		OnSent: func(n uint64) {
			if sent == 0 {
				sent = n
			}
		},
	})
	return r.answered(sent, resp, err)
}

// progress asks for progress reports of a tool call, which are read from the log. Other
// requests ask in _meta of their params.
func (r *runner) progress(step *Step, params []byte) func(json.RawMessage) {
	r.progresses = r.progresses || step.Tool != "" || bytes.Contains(params, []byte(`"progressToken"`))
	if step.Tool == "" {
		return nil
	}
	return func(json.RawMessage) {}
}

func (r *runner) answered(sent uint64, resp session.Response, err error) outcome {
	out := outcome{n: sent, err: err}
	if err != nil {
		return out
	}
	out.kind, out.value, out.rpc = anAnswer, resp.Result, resp.Error
	out.took = r.time(resp.N) - r.time(sent)
	return out
}

// A background call continues while other steps run.
type background struct {
	step  *Step
	start int           // runner.starts when it began
	sent  chan struct{} // closed when the request is written
	done  chan struct{} // closed when out is set
	out   outcome
	// set if a step has cancelled it; only for the goroutine of Run
	cancelled bool

	mu    sync.Mutex
	first uint64 // entry of the request
	last  uint64 // entry of its last round
}

func (b *background) written(n uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last = n; b.first == 0 {
		b.first = n
		close(b.sent)
	}
}

func (b *background) entries() (first, last uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.first, b.last
}

// settling is how long it may take until a logged response reaches its caller.
const settling = 100 * time.Millisecond

// isAnswered counts a response that is in the log, unless it only requests more input.
func (r *runner) isAnswered(b *background) bool {
	_, last := b.entries()
	row, _ := session.RowAt(r.log, int(last)-1)
	if row.State != session.ReqAnswered && row.State != session.ReqFailed {
		return isClosed(b.done)
	}
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-b.done:
		return true
	case <-timer.C:
		return false
	}
}

// beginCall waits for the response in a goroutine. Only the step's own timeout limits
// that; Await has its own.
func (r *runner) beginCall(ctx context.Context, step *Step) outcome {
	body, err := r.vars.json(step.Params)
	if err != nil {
		return outcome{err: err}
	}
	b := &background{step: step, start: r.starts, sent: make(chan struct{}), done: make(chan struct{})}
	calling, cancel := r.background, context.CancelFunc(func() {})
	if step.Timeout > 0 {
		calling, cancel = within(calling, step.Timeout)
	}
	progress := r.progress(step, body)
	r.group.Go(func() {
		defer close(b.done)
		defer cancel()
		resp, err := r.sess.Request(calling, step.Method, body, session.CallOptions{Timeout: noTimeout, Progress: progress, OnSent: b.written, Quiet: true})
		first, _ := b.entries()
		b.out = r.answered(first, resp, err)
	})
	select {
	case <-b.sent:
	case <-b.done: // it could not be sent
	case <-ctx.Done():
		return outcome{err: context.Cause(ctx)}
	}
	first, _ := b.entries()
	if first == 0 {
		return outcome{err: b.out.err}
	}
	r.calls[step.Name] = b
	return outcome{n: first}
}

// await waits for a background call. A cancelled call may or may not be answered, so
// Await passes without a response unless it expects one, and accepts one within
// lateAnswer.
func (r *runner) await(ctx context.Context, step *Step) outcome {
	b := r.calls[step.Of]
	if b.cancelled && !step.wantsAnswer() {
		timer := time.NewTimer(lateAnswer)
		defer timer.Stop()
		select {
		case <-b.done:
		case <-timer.C:
		case <-ctx.Done():
		}
		first, _ := b.entries()
		return outcome{n: first, err: r.interrupted(ctx)}
	}
	select {
	case <-b.done:
		return r.outcomeOf(b)
	case <-ctx.Done():
		first, _ := b.entries()
		return outcome{n: first, err: context.Cause(ctx)}
	}
}

// outcomeOf returns the outcome of a finished call, whose server may have been restarted
// since.
func (r *runner) outcomeOf(b *background) outcome {
	if b.out.err == nil || b.start == r.starts {
		return b.out
	}
	return outcome{n: b.out.n, problem: &Problem{Check: "ended", Text: "ended: the server was restarted before it answered " + b.step.Name}}
}

// interrupted is nil as long as only the step's time is over.
func (r *runner) interrupted(ctx context.Context) error {
	if r.background.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (r *runner) cancelCall(ctx context.Context, step *Step) outcome {
	b := r.calls[step.Of]
	if r.isAnswered(b) {
		if b.out.err != nil {
			return r.outcomeOf(b)
		}
		text := fmt.Sprintf("%s was answered before it could be cancelled, after %s", step.Of, wording.Time(b.out.took))
		return outcome{n: b.out.n, problem: &Problem{Check: "cancel", Text: text}}
	}
	_, last := b.entries()
	id, err := r.rawID(last)
	if err != nil {
		return outcome{err: err}
	}
	body, err := json.Marshal(map[string]any{"requestId": id, "reason": "cancelled by the step " + step.Name})
	if err != nil {
		return outcome{err: err}
	}
	from := r.log.Len()
	if err := r.sess.Notify(ctx, mcp.MethodCancelled, body); err != nil {
		return outcome{err: err}
	}
	b.cancelled = true
	return outcome{n: r.sentSince(from, mcp.MethodCancelled)}
}

func (r *runner) giveUp() {
	for _, b := range r.calls {
		if b.cancelled || r.isAnswered(b) {
			continue
		}
		_, last := b.entries()
		if id, err := r.rawID(last); err == nil {
			_ = r.sess.Cancel(string(id), "the scenario is over") // fails if the server is gone
		}
	}
}

// wantsAnswer reports whether something is expected of the response or captured from it.
func (s *Step) wantsAnswer() bool {
	e := &s.Expect
	return len(s.Capture) > 0 || e.Result != nil || e.IsError != nil || e.Schema != nil || len(e.JQ) > 0 || e.Error != nil || e.Within > 0
}

func (r *runner) rawID(n uint64) (json.RawMessage, error) {
	e, err := r.entry(int(n) - 1)
	if err != nil {
		return nil, err
	}
	id := e.Msg.ID.Of(e.Payload)
	if len(id) == 0 {
		return nil, errors.New("the request has no id")
	}
	return json.RawMessage(id), nil
}
