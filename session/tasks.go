package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// The statuses of a task. A server may send others.
const (
	TaskWorking       = "working"
	TaskInputRequired = "input_required"
	TaskCompleted     = "completed"
	TaskFailed        = "failed"
	TaskCancelled     = "cancelled"
)

// The values of execution.taskSupport of a tool, in revision 2025-11-25.
const (
	TaskRequired  = "required"
	TaskOptional  = "optional"
	TaskForbidden = "forbidden"
)

const (
	// pollDefault is the time between two polls if the server does not say; pollLeast and
	// pollMost bound what it says.
	pollDefault = time.Second
	pollLeast   = 50 * time.Millisecond
	pollMost    = time.Minute
	// taskCancelWait is how long a cancelled task may take to end: less than a program
	// that got a signal may take to shut down.
	taskCancelWait = 2 * time.Second
	maxTaskKeys    = 1000
	// bytes
	maxTaskID = 4096
)

// A Task is a call that goes on after its first result, as described by the server. ID,
// Status and Message are untrusted text.
type Task struct {
	ID      string
	Status  string
	Message string        // "" if there is none
	TTL     time.Duration // from its creation until the server may forget it; 0: unlimited or unknown
	Poll    time.Duration // time between two polls
	Polls   int           // tasks/get requests so far
	Call    uint64        // entry of the request that it belongs to
	N       uint64        // entry of the response that described it last
}

// A TaskError is the error for a task that ended without a result, or that is no
// longer followed.
type TaskError struct {
	Task   Task
	Reason string // "" if Err says it
	Err    error  // nil: the task has ended
}

// Error returns why there is no result.
func (e *TaskError) Error() string {
	text := fmt.Sprintf("task %.200s", e.Task.ID)
	switch {
	case e.Reason != "" && e.Err != nil:
		return fmt.Sprintf("%s %s: %v", text, e.Reason, e.Err)
	case e.Err != nil:
		return fmt.Sprintf("%s is still %.40s: %v", text, e.Task.Status, e.Err)
	}
	return text + " " + e.Reason
}

// Unwrap returns the cause, if there is one.
func (e *TaskError) Unwrap() error { return e.Err }

// RunsTasks reports whether the server has declared that calls of tools may be
// tasks.
func (s *Server) RunsTasks() bool {
	var declared struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
		Tasks      struct {
			Requests struct {
				Tools struct {
					Call json.RawMessage `json:"call"`
				} `json:"tools"`
			} `json:"requests"`
		} `json:"tasks"`
	}
	if json.Unmarshal(s.Capabilities, &declared) != nil {
		return false
	}
	if s.Era == mcp.Modern {
		return declared.Extensions[mcp.ExtensionTasks] != nil
	}
	return declared.Tasks.Requests.Tools.Call != nil
}

// TaskSupport returns execution.taskSupport of a tool in a list, or TaskForbidden
// if it is missing or unknown.
func TaskSupport(tool json.RawMessage) string {
	var t struct {
		Execution struct {
			TaskSupport string `json:"taskSupport"`
		} `json:"execution"`
	}
	if json.Unmarshal(tool, &t) == nil && (t.Execution.TaskSupport == TaskRequired || t.Execution.TaskSupport == TaskOptional) {
		return t.Execution.TaskSupport
	}
	return TaskForbidden
}

// AsTask returns params that request a task from a server of the legacy era. A ttl
// of 0 leaves it to the server how long it keeps the task.
func AsTask(params json.RawMessage, ttl time.Duration) (json.RawMessage, error) {
	params, err := compact(params)
	if err != nil {
		return nil, err
	}
	task := json.RawMessage("{}")
	if ttl > 0 {
		task = fmt.Appendf(nil, `{"ttl":%d}`, ttl.Milliseconds())
	}
	return withMembers(params, map[string]json.RawMessage{"task": task})
}

func asksForTask(params json.RawMessage) bool {
	if !bytes.Contains(params, []byte(`"task"`)) {
		return false
	}
	var p struct {
		Task json.RawMessage `json:"task"`
	}
	return json.Unmarshal(params, &p) == nil && bytes.HasPrefix(p.Task, []byte("{"))
}

type taskBody struct {
	ID             string                  `json:"taskId"`
	Status         string                  `json:"status"`
	Message        json.RawMessage         `json:"statusMessage"`
	TTL            json.RawMessage         `json:"ttl"`
	TTLMs          json.RawMessage         `json:"ttlMs"`
	PollInterval   json.RawMessage         `json:"pollInterval"`
	PollIntervalMs json.RawMessage         `json:"pollIntervalMs"`
	InputRequests  map[string]inputRequest `json:"inputRequests"`
	Result         json.RawMessage         `json:"result"`
	Error          json.RawMessage         `json:"error"`
}

var taskMembers = []string{"resultType", "task", "taskId", "status", "statusMessage", "ttl", "ttlMs", "pollInterval", "pollIntervalMs",
	"inputRequests", "result", "error"}

func createdTask(q request, era mcp.Era, result json.RawMessage) (taskBody, bool) {
	if mcp.IsTaskMethod(q.method) || !bytes.Contains(result, []byte("taskId")) {
		return taskBody{}, false
	}
	var created struct {
		ResultType string   `json:"resultType"`
		Task       taskBody `json:"task"`
		taskBody
	}
	if json.Unmarshal(framing.Pick(result, taskMembers...), &created) != nil {
		return taskBody{}, false
	}
	body, ok := created.taskBody, created.ResultType == "task"
	if era != mcp.Modern {
		body, ok = created.Task, asksForTask(q.params)
	}
	return body, ok && body.ID != "" && len(body.ID) <= maxTaskID
}

// update applies what a result says about the task.
func (t *Task) update(b taskBody, n uint64) {
	t.Status, t.Message, t.N = b.Status, "", n
	_ = json.Unmarshal(b.Message, &t.Message) // of another type: none
	if ttl, ok := milliseconds(b.TTL, b.TTLMs); ok {
		t.TTL = ttl
	}
	if poll, ok := milliseconds(b.PollInterval, b.PollIntervalMs); ok {
		t.Poll = min(max(poll, pollLeast), pollMost)
	}
}

// milliseconds reads one of two members; ok is false if neither is a number.
func milliseconds(legacy, modern json.RawMessage) (d time.Duration, ok bool) {
	raw := legacy
	if len(raw) == 0 {
		raw = modern
	}
	var ms float64
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &ms) != nil {
		return 0, false
	}
	const most = float64(math.MaxInt64 / int64(time.Millisecond) / 2)
	return time.Duration(min(max(ms, 0), most)) * time.Millisecond, true
}

type follower struct {
	s        *Session
	r        *run
	q        request // of the call
	token    string  // progress token of the call
	ctx      context.Context
	modern   bool
	task     Task
	created  time.Time
	answered map[string]bool // keys of input requests
	unasked  int             // rounds of input in a row without a person
}

// follow follows the task that a result announces and returns the response that ends it.
// When ctx ends, the task is cancelled, except after a timeout.
func (r *run) follow(ctx context.Context, q request, first Response, b taskBody) (Response, error) {
	f := &follower{s: r.s, r: r, q: q, token: first.id, ctx: ctx, modern: r.s.era() == mcp.Modern, created: time.Now(), answered: map[string]bool{}}
	f.task = Task{ID: b.ID, Poll: pollDefault, Call: q.first}
	r.s.calls.follow(f)
	defer r.s.calls.unfollow(f)
	n := first.N
	for {
		f.saw(b, n)
		resp, done, err := f.act(b)
		if err == nil && !done {
			err = f.pause(ctx)
		}
		if err == nil && !done {
			f.task.Polls++
			resp, err = f.request(ctx, mcp.MethodTasksGet, nil)
		}
		switch {
		case err != nil:
			return Response{}, f.leave(err)
		case done:
			return resp, nil
		case resp.Error != nil:
			return Response{}, f.unknown(resp.Error)
		}
		b, n = taskBody{}, resp.N
		if err := framing.Unmarshal(resp.Result, &b); err != nil {
			return Response{}, &TaskError{Task: f.task, Reason: "cannot be followed", Err: fmt.Errorf("%s: result: %w", mcp.MethodTasksGet, err)}
		}
	}
}

func (f *follower) saw(b taskBody, n uint64) {
	f.task.update(b, n)
	if f.q.opts.OnTask != nil {
		f.q.opts.OnTask(f.task)
	}
}

// act does what a status calls for. done is true if the task has ended, with the
// response.
func (f *follower) act(b taskBody) (resp Response, done bool, err error) {
	if err := f.ctx.Err(); err != nil {
		return Response{}, false, context.Cause(f.ctx)
	}
	switch f.task.Status {
	case TaskCancelled:
		return Response{}, false, &TaskError{Task: f.task, Reason: "was cancelled by the server"}
	case TaskCompleted, TaskFailed:
		return f.result(b)
	case TaskInputRequired:
		if f.modern {
			return Response{}, false, f.provide(b)
		}
		if resp, err = f.request(f.ctx, mcp.MethodTasksResult, nil); err != nil || resp.Error != nil {
			return Response{}, false, err // an error: not yet
		}
		f.saw(taskBody{Status: TaskCompleted}, resp.N)
		return resp, true, nil
	}
	return Response{}, false, nil
}

func (f *follower) result(b taskBody) (resp Response, done bool, err error) {
	if !f.modern {
		resp, err = f.request(f.ctx, mcp.MethodTasksResult, nil)
		return resp, err == nil, err
	}
	resp = Response{N: f.task.N, Result: b.Result}
	switch {
	case f.task.Status == TaskFailed && b.Error != nil:
		resp.Result, resp.Error = nil, parseRPCError(b.Error)
	case f.task.Status == TaskFailed || b.Result == nil:
		return Response{}, false, &TaskError{Task: f.task, Reason: cmp.Or(f.task.Status, "ended") + " without a result"}
	}
	return resp, true, nil
}

// provide answers the input requests of a task that were not answered before.
func (f *follower) provide(b taskBody) error {
	open := map[string]inputRequest{}
	for key, r := range b.InputRequests {
		if !f.answered[key] {
			open[key] = r
		}
	}
	if len(open) == 0 {
		return nil
	}
	if f.unasked == maxInputRounds || len(f.answered)+len(open) > maxTaskKeys {
		return &TaskError{Task: f.task, Reason: "is no longer followed", Err: errors.New("it asks for input again and again")}
	}
	g := f.r.gather(f.ctx, f.task.N, f.task.Call, open)
	answers, err := g.wait(f.ctx)
	switch {
	case err != nil:
		return err
	case g.refused != "":
		return &TaskError{Task: f.task, Reason: "is no longer followed", Err: fmt.Errorf("%s is refused", g.refused)}
	case g.asked:
		f.unasked = 0
	default:
		f.unasked++
	}
	for key := range open {
		f.answered[key] = true
	}
	responses, err := json.Marshal(answers)
	if err != nil {
		return fmt.Errorf("inputResponses: %w", err)
	}
	resp, err := f.request(f.ctx, mcp.MethodTasksUpdate, map[string]json.RawMessage{"inputResponses": responses})
	if err == nil && resp.Error != nil {
		err = &TaskError{Task: f.task, Reason: "did not accept the input", Err: resp.Error}
	}
	return err
}

func (f *follower) request(ctx context.Context, method string, more map[string]json.RawMessage) (Response, error) {
	params, err := withMembers(append(appendString([]byte(`{"taskId":`), f.task.ID), '}'), more)
	if err != nil {
		return Response{}, err
	}
	limit := f.s.cfg.Timeout
	ctx, cancel := executor.WithPausableTimeout(ctx, limit, fmt.Errorf("%s: %w after %v", method, ErrTimeout, limit))
	defer cancel()
	resp, _, err := f.r.request(ctx, request{method: method, params: params, opts: CallOptions{Quiet: true, OnSent: f.q.opts.OnPoll}, task: f})
	return resp, err
}

func (f *follower) pause(ctx context.Context) error {
	timer := time.NewTimer(f.task.Poll)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-f.r.done:
		return f.r.endError()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *follower) unknown(failure *RPCError) error {
	reason := "is unknown to the server"
	if f.task.TTL > 0 && time.Since(f.created) >= f.task.TTL {
		reason = fmt.Sprintf("expired after %v", f.task.TTL)
	}
	return &TaskError{Task: f.task, Reason: reason, Err: failure}
}

// leave returns the error of a task that is no longer followed, which is cancelled if the
// caller gave up.
func (f *follower) leave(err error) error {
	var ended *TaskError
	switch {
	case errors.As(err, &ended):
		if ended.Err != nil {
			f.s.Note(err.Error(), f.byHand())
		}
		return err
	case errors.Is(err, ErrTimeout):
		err = &TaskError{Task: f.task, Err: err}
		f.s.Note(err.Error(), f.byHand())
		return err
	case f.ctx.Err() != nil && !f.r.over():
		f.cancel()
	}
	return err
}

func (f *follower) byHand() string {
	return fmt.Sprintf("send %s or %s with its taskId while the server runs", mcp.MethodTasksGet, mcp.MethodTasksCancel)
}

// cancel cancels the task and waits a moment until it has ended, so that the log says so.
func (f *follower) cancel() {
	ctx, stop := context.WithTimeout(context.WithoutCancel(f.ctx), taskCancelWait)
	defer stop()
	resp, err := f.request(ctx, mcp.MethodTasksCancel, nil)
	for err == nil && resp.Error == nil {
		var b taskBody
		if json.Unmarshal(resp.Result, &b) == nil && b.Status != "" {
			f.saw(b, resp.N)
		}
		if f.task.Status == TaskCancelled || f.task.Status == TaskCompleted || f.task.Status == TaskFailed {
			return
		}
		f.task.Poll = min(f.task.Poll, taskCancelWait/4)
		if err = f.pause(ctx); err == nil {
			f.task.Polls++
			resp, err = f.request(ctx, mcp.MethodTasksGet, nil)
		}
	}
}

func relatedTask(params []byte) string {
	if !bytes.Contains(params, []byte(mcp.MetaRelatedTask)) {
		return ""
	}
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	var related struct {
		ID string `json:"taskId"`
	}
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Meta[mcp.MetaRelatedTask], &related) != nil {
		return ""
	}
	return related.ID
}

func (c *calls) follow(f *follower) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followed == nil {
		c.followed = map[*follower]bool{}
	}
	c.followed[f] = true
}

func (c *calls) unfollow(f *follower) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.followed, f)
}

// follower returns the task of a process for which is returns true, or nil. The
// lock is held.
func (c *calls) follower(is func(*follower) bool) *follower {
	for f := range c.followed {
		if is(f) {
			return f
		}
	}
	return nil
}
