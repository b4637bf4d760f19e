package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// forever is longer than any run.
const forever = 1000 * time.Hour

func (r *runner) send(ctx context.Context, i int) error {
	it := &r.p.items[i]
	e, err := r.p.entry(i, 0)
	if err != nil {
		return fmt.Errorf("replay: entry %d: %w", it.N, err)
	}
	switch it.Kind {
	case Request:
		r.request(ctx, i, r.fill(it, e.Msg.Params.Of(e.Payload)))
		return nil
	case Notification:
		line := e.Payload
		if params := e.Msg.Params.Of(line); params != nil {
			line = put(line, "params", r.fill(it, params))
		}
		n, err := r.s.Send(ctx, line)
		return r.recordWrite(ctx, i, n, err)
	default:
		return r.raw(ctx, i, e)
	}
}

func (r *runner) request(ctx context.Context, i int, params []byte) {
	it := &r.p.items[i]
	done, sent := make(chan struct{}), make(chan struct{})
	r.mu.Lock()
	r.settled[i] = done
	r.mu.Unlock()
	opts := session.CallOptions{Quiet: true, Timeout: forever, Bare: it.bare && r.era == mcp.Modern}
	if it.Answered {
		opts.Timeout = r.p.opts.limit(it.Took)
	}
	if it.progress {
		opts.Progress = func(json.RawMessage) {} // the log has it
	}
	first := sync.OnceFunc(func() { close(sent) })
	opts.OnSent = func(n uint64) {
		r.recordSent(i, n)
		first()
	}
	opts.OnPoll = func(n uint64) { r.recordPoll(i, n) }
	r.calls.Go(func() {
		defer close(done)
		resp, err := r.s.Request(ctx, it.Method, params, opts)
		r.answered(ctx, i, resp, err)
	})
	select {
	case <-sent:
	case <-done:
	}
}

func (r *runner) recordSent(i int, n uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.res.Outcomes[i].Live = append(r.res.Outcomes[i].Live, n)
	r.progress(Event{Step: StepSent, Item: i, Live: n, Method: r.p.items[i].Method})
}

func (r *runner) answered(ctx context.Context, i int, resp session.Response, err error) {
	it := &r.p.items[i]
	o := Outcome{Status: Answered, Response: resp.N}
	switch {
	case err == nil:
		r.learn(i, resp)
	case errors.Is(err, session.ErrTimeout):
		o.Status = Missing
	case ctx.Err() != nil:
		o.Status = Unanswered
	default:
		o.Status, o.Why = Lost, err.Error()
		_ = r.ended(ctx, err)
	}
	if err != nil && !it.Answered && o.Status != Lost {
		o.Status = Unanswered
	}
	r.settle(i, o)
}

// learn takes the values that later items need.
func (r *runner) learn(i int, resp session.Response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.p.items[i].Method == mcp.MethodToolsList {
		eachHint(resp.Result, func(tool string, readOnly bool) { r.hints[tool] = readOnly })
	}
	for _, k := range r.p.given[i] {
		s, ok := r.p.variables[k].value(resp)
		r.values[k] = value{s, ok}
	}
}

// raw sends bytes unchanged. If they contain a request with a recorded response, it waits
// for the response.
func (r *runner) raw(ctx context.Context, i int, e session.Entry) error {
	it := &r.p.items[i]
	n, err := r.s.SendBytes(ctx, append(e.Payload, e.EOL.String()...))
	if err != nil || !it.Answered {
		return r.recordWrite(ctx, i, n, err)
	}
	done := make(chan struct{})
	r.mu.Lock()
	r.settled[i] = done
	r.mu.Unlock()
	r.recordSent(i, n)
	r.calls.Go(func() {
		defer close(done)
		r.settle(i, r.awaitRawResponse(ctx, n, r.p.opts.limit(it.Took)))
	})
	return nil
}

// awaitRawResponse waits for the response to entry n of the live log.
func (r *runner) awaitRawResponse(ctx context.Context, n uint64, wait time.Duration) Outcome {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		changed := r.log.Changed()
		row := r.row(n)
		response, _ := row.Partner()
		switch row.State {
		case session.ReqAnswered, session.ReqFailed:
			return Outcome{Status: Answered, Response: uint64(response + 1)}
		case session.ReqLost:
			if why, ok := session.Unread(r.log, response); ok {
				return Outcome{Status: Lost, Why: why.Error()}
			}
			return Outcome{Status: Lost, Why: session.ErrEnded.Error()}
		}
		select {
		case <-changed:
		case <-timer.C:
			return Outcome{Status: Missing}
		case <-ctx.Done():
			return Outcome{Status: Unanswered}
		}
	}
}

// Entry numbers of the live log have no gaps.
func (r *runner) row(n uint64) session.Row {
	row, _ := session.RowAt(r.log, int(n)-1)
	return row
}

// recordWrite records the result of a write without a response.
func (r *runner) recordWrite(ctx context.Context, i int, n uint64, err error) error {
	if err != nil {
		if err := r.ended(ctx, err); err != nil {
			return err
		}
		r.settle(i, Outcome{Status: Lost, Why: err.Error()})
		return nil
	}
	r.recordSent(i, n)
	r.settle(i, Outcome{Status: Sent})
	return nil
}

// missingValue returns why an item can't be sent: the value of a variable is missing.
func (r *runner) missingValue(it *Item) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range it.uses {
		v := &r.p.variables[u.variable]
		source := r.res.Outcomes[v.item]
		switch {
		case source.Live == nil:
			return fmt.Sprintf("its %s comes from the response to entry %d, which was not sent",
				last(u.path), r.p.items[v.item].N)
		case !r.values[u.variable].ok && !v.listed():
			return fmt.Sprintf("its %s comes from the response to entry %d, which has no %s now",
				last(u.path), r.p.items[v.item].N, v.Pointer)
		}
	}
	return ""
}

func last(path []string) string { return path[len(path)-1] }

// fill replaces variables, ids and tokens in params, and what the session adds itself.
func (r *runner) fill(it *Item, params []byte) []byte {
	if len(params) == 0 || !readable(params) {
		return params
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range it.uses {
		if v := r.values[u.variable]; v.ok {
			if filled, ok := match.ReplaceString(params, match.PointerTo(u.path...), v.text); ok {
				params = filled
			}
		}
	}
	if it.reports > 0 && r.serverRequests[it.reports-1].live != nil {
		params = put(params, "progressToken", r.serverRequests[it.reports-1].live)
	}
	if it.cancels > 0 {
		if id := r.liveID(it.cancels - 1); id != nil {
			params = put(params, "requestId", id)
		}
	}
	if it.bare && r.era == mcp.Modern {
		return params
	}
	return r.withoutMeta(params)
}

// liveID returns the id of an item's last round.
func (r *runner) liveID(i int) []byte {
	live := r.res.Outcomes[i].Live
	if len(live) == 0 {
		return nil
	}
	e, err := r.log.Entry(r.row(live[len(live)-1]), 0)
	if err != nil {
		return nil
	}
	return e.Msg.ID.Of(e.Payload)
}

// withoutMeta removes from _meta what the session adds itself, and what servers of the
// legacy era do not expect. It keeps a revision that the client used in this request
// only.
func (r *runner) withoutMeta(params []byte) []byte {
	meta := match.Member(params, "_meta")
	if len(meta) == 0 || meta[0] != '{' {
		return params
	}
	usual := string(match.Member(meta, mcp.MetaProtocolVersion)) == strconv.Quote(r.p.client.Protocol)
	rest := without(meta, func(name string) bool {
		switch name {
		case "progressToken", mcp.MetaClientInfo:
			return true
		case mcp.MetaProtocolVersion:
			return usual || r.era != mcp.Modern
		case mcp.MetaClientCapabilities:
			return r.era != mcp.Modern
		}
		return false
	})
	if len(rest) > len("{}") {
		return put(params, "_meta", rest)
	}
	return without(params, func(name string) bool { return name == "_meta" })
}

const maxDepth = 200

// readable reports whether a value is JSON that the functions below can read.
func readable(value []byte) bool {
	m := framing.Scan(value)
	return m.Valid() && m.Depth <= maxDepth
}

// put replaces an existing member of a readable object; all other bytes stay.
func put(object []byte, name string, value []byte) []byte {
	for key, old := range framing.Members(object) {
		if text, _ := match.Text(key.Of(object)); text == name {
			return slices.Concat(object[:old.Start], value, object[old.End:])
		}
	}
	return object
}

// without drops members of a readable object; the bytes of the others stay, in order.
func without(object []byte, drop func(name string) bool) []byte {
	if !bytes.HasPrefix(bytes.TrimSpace(object), []byte("{")) {
		return object
	}
	out := []byte{'{'}
	for key, value := range framing.Members(object) {
		if name, _ := match.Text(key.Of(object)); drop(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, object[key.Start:value.End]...)
	}
	return append(out, '}')
}
