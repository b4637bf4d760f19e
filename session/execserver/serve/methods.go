package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// maxWait is the longest long poll.
const maxWait = 10 * time.Minute

// decode decodes params that must have the members in required.
func decode(params json.RawMessage, into any, required ...string) *wire.Error {
	var members map[string]json.RawMessage
	if len(params) > 0 {
		if err := framing.Unmarshal(params, &members); err != nil {
			return &wire.Error{Code: wire.ErrParams, Message: "params must be an object: " + err.Error()}
		}
	}
	for _, name := range required {
		if _, ok := members[name]; !ok {
			return &wire.Error{Code: wire.ErrParams, Message: fmt.Sprintf("missing field `%s`", name)}
		}
	}
	if len(params) == 0 {
		return nil
	}
	if err := framing.Unmarshal(params, into); err != nil {
		return &wire.Error{Code: wire.ErrParams, Message: err.Error()}
	}
	return nil
}

// task executes a request at once, and returns nil, or returns a function that executes it on
// another goroutine.
func (c *connection) task(id json.RawMessage, method string, params json.RawMessage) (func(), *wire.Error) {
	switch method {
	case wire.MethodStatus:
		c.reply(id, wire.StatusResult{Status: "ready"})
	case wire.MethodInfo:
		c.reply(id, c.server.Environment)
	case wire.MethodWrite:
		var w wire.WriteParams
		if err := decode(params, &w, "processId", "chunk", "writeId"); err != nil {
			return nil, err
		}
		c.write(id, w)
	case wire.MethodCloseStdin:
		var p wire.Process
		if err := decode(params, &p, "processId"); err != nil {
			return nil, err
		}
		c.reply(id, wire.CloseStdinResult{Status: statusOf(c.closeStdin(p.ProcessID))})
	case wire.MethodEnd:
		return func() { c.endSession(id) }, nil
	case wire.MethodStart:
		return c.start(id, params)
	case wire.MethodRead:
		return c.read(id, params)
	default:
		return c.processTask(id, method, params)
	}
	return nil, nil
}

// processTask is task for requests that take a step against a process.
func (c *connection) processTask(id json.RawMessage, method string, params json.RawMessage) (func(), *wire.Error) {
	var p struct {
		wire.StopParams
		Signal string `json:"signal"`
		PID    int    `json:"pid"`
	}
	required := []string{"processId"}
	switch method {
	case wire.MethodTerminate, wire.MethodTree:
	case wire.MethodSignal:
		required = append(required, "signal")
	case wire.MethodStop:
		required = append(required, "step", "scope")
	case wire.MethodKillOne:
		required = append(required, "pid")
	default:
		return nil, &wire.Error{Code: wire.ErrMethod, Message: fmt.Sprintf("exec server does not implement `%.100s`", method)}
	}
	if err := decode(params, &p, required...); err != nil {
		return nil, err
	}
	step, scope, err := stepOf(method, p.Signal, p.StopParams)
	if err != nil {
		return nil, err
	}
	proc := c.session.exec.Process(p.ProcessID)
	switch method {
	case wire.MethodTerminate:
		return func() { c.terminate(id, p.ProcessID, proc) }, nil
	case wire.MethodTree:
		return func() {
			found, err := proc.Tree(context.Background())
			c.answer(id, wire.TreeResult{Processes: descendantsOf(found)}, err)
		}, nil
	case wire.MethodKillOne:
		return func() { c.killOne(id, proc, p.PID) }, nil
	case wire.MethodSignal:
		return func() {
			_, err := proc.Stop(context.Background(), step, executor.ScopeGroup)
			c.answer(id, struct{}{}, err)
		}, nil
	}
	return func() { c.stop(id, proc, step, scope) }, nil
}

// answer replies with a result, or an error.
func (c *connection) answer(id json.RawMessage, result any, err error) {
	if err != nil {
		code := wire.ErrInternal
		if errors.Is(err, executor.ErrNotInTree) {
			code = wire.ErrNotInTree
		}
		c.fail(id, &wire.Error{Code: code, Message: err.Error()})
		return
	}
	c.reply(id, result)
}

func (c *connection) closeStdin(id string) executor.WriteStatus {
	if p := c.session.find(id); p != nil {
		return p.stdin.close()
	}
	return c.session.exec.Process(id).CloseStdin()
}

func (c *connection) terminate(id json.RawMessage, process string, proc executor.Process) {
	if p := c.session.find(process); p != nil {
		p.release()
	}
	report, err := proc.Terminate(context.Background())
	c.answer(id, wire.TerminateResult{Running: report.Running, Report: reportOf(report)}, err)
}

func (c *connection) stop(id json.RawMessage, proc executor.Process, step executor.Step, scope executor.Scope) {
	if p := c.session.find(proc.ID()); p != nil && step == executor.StepCloseStdin && p.stdin.closeLater() {
		c.reply(id, wire.StopReport{Running: proc.Info().Exit == nil})
		return
	}
	report, err := proc.Stop(context.Background(), step, scope)
	c.answer(id, reportOf(report), err)
}

func (c *connection) killOne(id json.RawMessage, proc executor.Process, pid int) {
	killer, ok := proc.(executor.TreeKiller)
	if !ok {
		c.answer(id, nil, errors.ErrUnsupported)
		return
	}
	killed, err := killer.KillOne(context.Background(), pid)
	c.answer(id, descendantOf(killed), err)
}

// endSession replies when all processes have ended; then the connection ends.
func (c *connection) endSession(id json.RawMessage) {
	_ = c.session.exec.Close() // what cannot be killed is left
	c.reply(id, struct{}{})
	c.out.finish()
	c.session.end() // also where sessions are kept
}

func (c *connection) read(id, params json.RawMessage) (func(), *wire.Error) {
	var p wire.ReadParams
	if err := decode(params, &p, "processId"); err != nil {
		return nil, err
	}
	limit, wait := 0, time.Duration(0)
	if p.MaxBytes != nil {
		limit = max(1, *p.MaxBytes)
	}
	if p.WaitMS != nil {
		wait = min(time.Duration(*p.WaitMS)*time.Millisecond, maxWait)
	}
	if wait < 0 || p.MaxBytes != nil && *p.MaxBytes < 0 {
		return nil, &wire.Error{Code: wire.ErrParams, Message: "waitMs and maxBytes must not be negative"}
	}
	return func() {
		r, err := c.session.exec.Process(p.ProcessID).Read(c.ctx, p.AfterSeq, limit, wait)
		switch {
		case errors.Is(err, executor.ErrUnknownProcess):
			c.fail(id, &wire.Error{Code: wire.ErrRequest, Message: "unknown process id " + p.ProcessID})
		case errors.Is(err, executor.ErrStarting):
			c.fail(id, &wire.Error{Code: wire.ErrRequest, Message: fmt.Sprintf("process id %s is starting", p.ProcessID)})
		default:
			c.answer(id, readResultOf(r), err)
			c.follow(p, r)
		}
	}, nil
}

// follow continues after a read with the events of a process of a resumed session.
func (c *connection) follow(p wire.ReadParams, r executor.ReadResult) {
	process := c.session.find(p.ProcessID)
	if process == nil {
		return
	}
	has := p.AfterSeq
	if n := len(r.Chunks); n > 0 {
		has = r.Chunks[n-1].Seq
	}
	c.session.resume(process, c, has)
}
