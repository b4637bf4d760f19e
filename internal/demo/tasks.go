package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// Tasks are an extension since 2026-07-28, before that a capability.
const (
	tasksExtension  = "io.modelcontextprotocol/tasks"
	metaRelatedTask = "io.modelcontextprotocol/related-task"
)

const (
	// pollInterval is what the server asks for.
	pollInterval = 500 * time.Millisecond
	// maxTasks is how many tasks the server keeps.
	maxTasks = maxCalls
)

// A task is a call that goes on after its first result.
type task struct {
	id     string
	ttl    time.Duration // from created; 0: as long as the server runs
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended

	created   time.Time
	collected chan struct{} // closed by the first tasks/result

	// Guarded by the lock of the server.
	updated time.Time
	status  string
	message string
	result  any
	err     error
	waits   bool // somebody has sent tasks/result
	asks    object
	inputs  chan json.RawMessage // the answer to asks; buffered
}

// runsAsTask reports whether a call becomes a task; the error is that of a call which may
// not. In revision 2025-11-25 the client asks for a task, since 2026-07-28 the server
// decides.
func (t tool) runsAsTask(r *request) (bool, error) {
	switch {
	case r.modern() && t.task != "required":
		return false, nil
	case r.modern() && r.caps.Extensions[tasksExtension] == nil:
		return false, &rpcError{Code: codeMissingCapability, Message: "the client did not declare " + tasksExtension,
			Data: object{"requiredCapabilities": object{"extensions": object{tasksExtension: object{}}}}}
	case r.modern():
		return true, nil
	case r.revision < "2025-11-25":
		return false, nil
	case r.task == nil && t.task == "required":
		return false, errorf(codeMethodNotFound, "the tool %s runs as a task only", t.name)
	case r.task != nil && t.task == "":
		return false, errorf(codeMethodNotFound, "the tool %s cannot run as a task", t.name)
	}
	return r.task != nil, nil
}

func (s *server) startTask(r *request, t tool, args json.RawMessage) (any, error) {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	now := time.Now()
	k := &task{id: hex.EncodeToString(id[:]), created: now, updated: now, status: "working", done: make(chan struct{}), collected: make(chan struct{})}
	if r.task != nil {
		k.ttl = time.Duration(min(r.task.TTL, 1e9)) * time.Millisecond
	}
	var keep struct {
		Keep float64 `json:"keep"`
	}
	if json.Unmarshal(args, &keep) == nil && keep.Keep > 0 {
		k.ttl = time.Duration(min(keep.Keep, 1e6) * float64(time.Second))
	}
	ctx, cancel := context.WithCancel(s.life)
	k.cancel = cancel
	s.mu.Lock()
	if len(s.tasks) >= maxTasks {
		s.mu.Unlock()
		cancel()
		return nil, errorf(codeInternal, "%d tasks are kept already", maxTasks)
	}
	s.tasks[k.id] = k
	shown := k.show(r.modern()) // before it runs
	s.mu.Unlock()
	later := *r
	later.runs = k
	s.calls.Go(func() {
		defer cancel()
		result, err := t.call(ctx, &later, args)
		s.endTask(k, r, result, err)
	})
	if r.modern() {
		shown["resultType"] = "task"
		return shown, nil
	}
	return object{"task": shown}, nil
}

func (s *server) endTask(k *task, r *request, result any, err error) {
	if big, ok := result.(bigText); ok {
		result = textResult(big.text())
	}
	fields, _ := result.(object)
	failed := err != nil || !r.modern() && fields["isError"] == true
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.status != "cancelled" {
		k.status, k.message, k.result, k.err = "completed", "", result, err
		if failed {
			k.status = "failed"
		}
	}
	k.asks, k.updated = nil, time.Now()
	close(k.done)
}

// The lock is held.
func (k *task) show(modern bool) object {
	shown := object{"taskId": k.id, "status": k.status, "createdAt": k.created.UTC().Format(time.RFC3339Nano), "lastUpdatedAt": k.updated.UTC().Format(time.RFC3339Nano)}
	ttl, poll := "ttl", "pollInterval"
	if modern {
		ttl, poll = "ttlMs", "pollIntervalMs"
	}
	shown[ttl], shown[poll] = nil, pollInterval.Milliseconds()
	if k.ttl > 0 {
		shown[ttl] = k.ttl.Milliseconds()
	}
	if k.message != "" {
		shown["statusMessage"] = k.message
	}
	return shown
}

// taskOf forgets a task when its ttl is over.
func (s *server) taskOf(r *request) (*task, error) {
	var params struct {
		ID string `json:"taskId"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.tasks[params.ID]
	if k != nil && k.ttl > 0 && time.Since(k.created) >= k.ttl {
		delete(s.tasks, k.id)
		k.cancel()
		k = nil
	}
	if k == nil {
		return nil, errorf(codeInvalidParams, "no task %q", params.ID)
	}
	return k, nil
}

// In the modern era, getTask also returns the open questions, result or error.
func (s *server) getTask(_ context.Context, r *request) (any, error) {
	k, err := s.taskOf(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := k.show(r.modern())
	if !r.modern() {
		return shown, nil
	}
	switch k.status {
	case "input_required":
		shown["inputRequests"] = k.asks
	case "failed":
		shown["error"] = asError(k.err)
	case "completed":
		shown["result"] = with(k.result, "resultType", "complete")
	}
	return shown, nil
}

// taskResult waits for the task and returns what the call would have returned.
func (s *server) taskResult(ctx context.Context, r *request) (any, error) {
	k, err := s.taskOf(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if !k.waits {
		k.waits = true
		close(k.collected)
	}
	s.mu.Unlock()
	select {
	case <-k.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.status == "cancelled" {
		return nil, errorf(codeInvalidParams, "task %s was cancelled", k.id)
	}
	return with(k.result, "_meta", object{metaRelatedTask: object{"taskId": k.id}}), k.err
}

func with(result any, name string, value any) any {
	fields, ok := result.(object)
	if !ok {
		return result
	}
	fields = maps.Clone(fields)
	fields[name] = value
	return fields
}

func (s *server) updateTask(_ context.Context, r *request) (any, error) {
	k, err := s.taskOf(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer, given := r.inputs[questionKey]; given && k.asks != nil {
		k.inputs <- answer
		k.asks, k.status, k.message, k.updated = nil, "working", "", time.Now()
	}
	return object{}, nil
}

func (s *server) cancelTask(_ context.Context, r *request) (any, error) {
	k, err := s.taskOf(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if over := k.status != "working" && k.status != "input_required"; over && !r.modern() {
		return nil, errorf(codeInvalidParams, "task %s is %s already", k.id, k.status)
	} else if !over {
		k.status, k.message, k.asks, k.updated = "cancelled", "", nil, time.Now()
		k.cancel()
	}
	if r.modern() {
		return object{}, nil
	}
	return k.show(false), nil
}

// says sets the status message of the task, if r runs as one.
func (r *request) says(message string) {
	if r.runs == nil {
		return
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.runs.status == "working" {
		r.runs.message, r.runs.updated = message, time.Now()
	}
}

// askAsTask waits for the answer: a legacy client that has sent tasks/result gets a
// request, a modern one finds it in the task.
func (r *request) askAsTask(ctx context.Context, method string, params object) (answer json.RawMessage, instead any, err error) {
	k, s := r.runs, r.s
	s.mu.Lock()
	if k.status == "working" {
		k.status, k.message, k.updated = "input_required", "a question is open", time.Now()
		k.asks, k.inputs = object{questionKey: object{"method": method, "params": params}}, make(chan json.RawMessage, 1)
	}
	s.mu.Unlock()
	if r.modern() {
		select {
		case answer = <-k.inputs:
			return answer, nil, nil
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	select {
	case <-k.collected:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	params["_meta"] = object{metaRelatedTask: object{"taskId": k.id}}
	m, err := s.ask(ctx, method, params)
	s.mu.Lock()
	if k.status == "input_required" {
		k.status, k.message, k.asks, k.updated = "working", "", nil, time.Now()
	}
	s.mu.Unlock()
	switch {
	case err != nil:
		return nil, nil, err
	case m.Error != nil:
		return nil, failure("the client answered %s with an error: %v", method, m.Error), nil
	}
	return m.Result, nil, nil
}

type jobArgs struct {
	Seconds float64 `json:"seconds"`
	Ask     bool    `json:"ask"`
	End     string  `json:"end"`
	Keep    float64 `json:"keep"`
}

const jobSteps = 4

func callJob(ctx context.Context, r *request, args jobArgs) (any, error) {
	if args.Seconds < 0 || args.Seconds > 3600 || args.Keep < 0 {
		return r.refuse("bad arguments: seconds is 0 to 3600, keep not negative")
	}
	asked := ""
	for i := range jobSteps {
		r.says(fmt.Sprintf("step %d of %d", i+1, jobSteps))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(args.Seconds / jobSteps * float64(time.Second))):
		}
		r.progress(float64(i+1), jobSteps, fmt.Sprintf("step %d of %d", i+1, jobSteps))
		if !args.Ask || i != jobSteps/2-1 || r.runs == nil {
			continue
		}
		if r.caps.Elicitation == nil {
			return r.undeclared("elicitation", object{"elicitation": object{}})
		}
		answer, instead, err := r.askAsTask(ctx, "elicitation/create", object{"mode": "form", "message": "Go on with the job?",
			"requestedSchema": json.RawMessage(`{"type":"object","properties":{"speed":{"type":"string","title":"How fast","enum":["slowly","fast"],"default":"fast"}}}`)})
		if answer == nil {
			return instead, err
		}
		asked = ", told " + string(bytes.TrimSpace(answer))
	}
	switch args.End {
	case "isError":
		return failure("the job has failed, as it was asked to"), nil
	case "error":
		return nil, errorf(codeInternal, "the job has failed, as it was asked to")
	}
	return textResult(fmt.Sprintf("the job took %g seconds%s", args.Seconds, asked)), nil
}
