package serve

import (
	"fmt"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

func statusOf(s executor.WriteStatus) string {
	switch s {
	case executor.Accepted:
		return wire.Accepted
	case executor.StdinClosed:
		return wire.StdinClosed
	case executor.Starting:
		return wire.Starting
	}
	return wire.UnknownProcess
}

// stepOf returns the step and the scope of a request.
func stepOf(method, signal string, p wire.StopParams) (executor.Step, executor.Scope, *wire.Error) {
	steps := map[string]executor.Step{
		wire.Interrupt: executor.StepInterrupt, wire.Terminate: executor.StepTerm, wire.Kill: executor.StepKill,
	}
	name := signal
	switch method {
	case wire.MethodSignal:
	case wire.MethodStop:
		name = p.Step
		clear(steps)
		for step := executor.StepCloseStdin; step <= executor.StepKill; step++ {
			steps[step.String()] = step
		}
	default:
		return 0, 0, nil
	}
	scopes := map[string]executor.Scope{
		"": executor.ScopeGroup, "group": executor.ScopeGroup, "leader": executor.ScopeLeader, "tree": executor.ScopeTree,
	}
	step, known := steps[name]
	scope, scoped := scopes[p.Scope]
	if !known || !scoped {
		return 0, 0, &wire.Error{Code: wire.ErrParams, Message: fmt.Sprintf("unknown step %.40q or scope %.40q", name, p.Scope)}
	}
	return step, scope, nil
}

// signalBase is added to the number of a signal to give an exit code, as Codex does.
const signalBase = wire.CodexSignalBase

// exitOf returns the exit as Codex has it, and as it was.
func exitOf(e executor.Exit) (code *int, exit *wire.Exit) {
	exit = &wire.Exit{Kind: "unknown", Signal: e.Signal, Core: e.Core, Why: e.Why}
	if e.By != executor.EndedUnknown {
		exit.By = e.By.String()
	}
	n := -1
	switch e.Kind {
	case executor.ExitCode:
		exit.Kind, exit.Code, n = "code", e.Code, e.Code
	case executor.ExitSignal:
		exit.Kind, n = "signal", signalBase+signalNumber(e.Signal)
	case executor.ExitUnknown:
	}
	return &n, exit
}

func readResultOf(r executor.ReadResult) wire.ReadResult {
	result := wire.ReadResult{Chunks: make([]wire.Chunk, len(r.Chunks)), NextSeq: r.NextSeq, Closed: r.Closed, Cut: r.Cut, ExitSeq: r.ExitSeq}
	for i, c := range r.Chunks {
		result.Chunks[i] = wire.Chunk{Seq: c.Seq, Stream: c.Stream.String(), Chunk: c.Data}
	}
	if r.Exit != nil {
		result.Exited = true
		result.ExitCode, result.Exit = exitOf(*r.Exit)
	}
	if r.Failure != nil {
		text := r.Failure.Error()
		result.Failure = &text
	}
	return result
}

func reportOf(r executor.StopReport) *wire.StopReport {
	return &wire.StopReport{
		Running: r.Running, Signalled: descendantsOf(r.Signalled), Survivors: descendantsOf(r.Survivors),
		Spared: descendantsOf(r.Spared), CannotTell: r.CannotTell,
	}
}

func descendantsOf(found []executor.Descendant) []wire.Descendant {
	list := make([]wire.Descendant, len(found))
	for i, d := range found {
		list[i] = descendantOf(d)
	}
	return list
}

func descendantOf(d executor.Descendant) wire.Descendant {
	return wire.Descendant{PID: d.PID, PPID: d.PPID, Command: d.Command, RSS: d.RSS, Started: d.Started, CPUNS: int64(d.CPU)}
}
