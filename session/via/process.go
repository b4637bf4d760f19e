package via

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

const (
	// endTime is how long Kill waits for the guard to kill.
	endTime = 8 * time.Second
	// clientTime is how long the client may then take to end by itself: it reports the
	// exit status, and delivers the last output.
	clientTime = 2 * time.Second
	beatEvery  = 5 * time.Second
	beatReply  = 10 * time.Second
)

// A process is a server that runs beyond a client, which is the process of the executor
// below.
type process struct {
	ex     *Executor
	prefix prefix
	argv   []string // of the server
	plain  bool     // no script of ours runs inside
	why    string   // of plain: a clause for CannotTell, or ""
	mark   string   // inside
	base   *executor.Base
	below  executor.Backend // of the client

	raw    executor.Streams // of the client; set before the gates open
	output [2]*gate

	// Set before Launch returns, and constant from then on.
	stop context.CancelFunc

	said        tailOf        // of standard error, if plain
	wrote       headOf        // of standard output, if plain
	settled     chan struct{} // closed when the exit status was reported, or cannot come any more
	settledOnce sync.Once

	charge atomic.Pointer[guard.Charge] // nil without a guard
	left   func() bool                  // set with charge; see empty

	mu      sync.Mutex
	notices []executor.Notice
	pid     int    // of the server, inside; 0 if it was executed as it is
	status  *int   // the reported exit status
	killed  bool   // SIGKILL was sent
	unseen  string // why processes inside are unknown
}

func newProcess(e *Executor, p prefix, argv []string, plain bool) *process {
	return &process{ex: e, prefix: p, argv: argv, plain: plain, mark: executor.NewMark(), output: [2]*gate{newGate(), newGate()}, settled: make(chan struct{})}
}

// clientFor returns the command of the client that runs the server.
func (p *process) clientFor(cmd executor.Command) (executor.Command, *executor.StartError) {
	if p.plain {
		return p.prefix.plain(p.argv, cmd, p.mark)
	}
	return p.prefix.shell(guard.TimedLine(p.scriptTimeout()), cmd), nil
}

// over makes p the backend of b, which launches client.
func (p *process) over(b *executor.Base, below executor.Backend, client executor.Command) {
	p.base, p.below = b, below
	b.Exec = client
	b.Layer = &executor.Layer{Streams: p.layer, Exit: p.exit, Empty: p.empty}
}

// layer implements executor.Layer.
func (p *process) layer(s executor.Streams) executor.Streams {
	p.raw = s
	s.Output = [2]io.Reader{p.output[executor.Stdout], p.output[executor.Stderr]}
	if p.base.Cmd.NoStdin {
		s.Stdin, s.Try = nil, nil
	}
	return s
}

// exit implements executor.Layer.
func (p *process) exit(client executor.Exit) executor.Exit {
	if p.prefix.stays || p.plain && !p.prefix.engine {
		return client
	}
	if !p.plain { // standard error may be read slowly
		select {
		case <-p.settled:
		case <-time.After(clientTime):
		}
	}
	p.mu.Lock()
	status, killed := p.status, p.killed
	p.mu.Unlock()
	end := executor.Exit{By: client.By, Why: client.Why}
	const sigkill = 128 + 9
	switch {
	case status == nil:
		end.Why = wording.Join("; ", client.Why, fmt.Sprintf("%s %s; how the server ended: cannot tell", p.prefix.name, client.How()))
		if end.Start = p.unstarted(client); end.Start != nil {
			end.Why += fmt.Sprintf(" (%v; %s)", end.Start.Err, end.Start.Hint)
		}
	case *status == sigkill && killed:
		end.Kind, end.Signal = executor.ExitSignal, "KILL"
	default:
		end.Kind, end.Code = executor.ExitCode, *status
	}
	if p.charge.Load() != nil {
		switch why := p.charge.Load().Guard().Reason(); {
		case !why.Alive:
		case why.Kind == guard.ReasonClosed:
			end.By, end.Why = executor.EndedByGuard, "its channel was closed"
		default:
			end.By, end.Why = executor.EndedByLease, fmt.Sprintf("no contact for %v (lease %[1]v)", why.After)
		}
	}
	return end
}

// unstarted returns why a client has not started the server, if it has printed that and ended
// with a status of its own.
func (p *process) unstarted(client executor.Exit) *executor.StartError {
	said, wrote := p.said.String(), p.wrote.String()
	if strings.HasPrefix(wrote, "OCI runtime exec failed: ") { // as docker exec prints it
		said, wrote = wrote, ""
	}
	code, text, hint := Cause(p.prefix.name, said, 0)
	if !p.plain || wrote != "" || code == "" || client.Kind != executor.ExitCode || !p.prefix.client.ownStatus(client.Code) {
		return nil // a server that has begun writes to stdout
	}
	failure := p.prefix.fail("inside", code, errors.New(text), hint)
	failure.Said, failure.SaidBy = tail([]byte(said)), executor.SpeakerVia
	return failure
}

// unreported ends the wait for the exit status.
func (p *process) unreported() { p.settledOnce.Do(func() { close(p.settled) }) }

// empty implements executor.Layer.
func (p *process) empty() bool {
	if p.charge.Load() == nil {
		return p.prefix.stays
	}
	return !p.left() || !p.anyLeft()
}

// anyLeft tells the guard that the leader has ended: its numbers may soon be reused. It
// reports whether another process may be left: if there is none, no other can come.
func (p *process) anyLeft() bool {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	procs, err := p.charge.Load().Ask(ctx, "X", "")
	return err != nil || len(procs) > 0 || p.charge.Load().Guard().Doubts()
}

// deserted reports whether the server is known to have ended and left no other process. ctx
// limits the wait for the guard.
func (p *process) deserted(ctx context.Context) bool {
	if p.base.Alive() {
		return false
	}
	if p.base.Swept() {
		return true
	}
	left := make(chan bool, 1)
	p.base.Go(func() { left <- p.left() })
	select {
	case some := <-left:
		return !some
	case <-ctx.Done():
		return false
	}
}

// Describe implements executor.Backend.
func (p *process) Describe(info *executor.Info) {
	p.below.Describe(info)
	p.mu.Lock()
	info.Notices = append(slices.Clone(info.Notices), p.notices...)
	pid := p.pid
	p.mu.Unlock()
	info.Via = p.prefix.place
	if p.prefix.engine || !p.plain && !p.prefix.stays {
		info.Env = executor.EnvReport{Policy: executor.EnvNone}
		if !p.plain {
			info.Env.Added = []string{executor.MarkName}
		}
	}
	for _, v := range p.base.Cmd.Env {
		if !slices.Contains(info.Env.Named, v.Name) {
			info.Env.Named = append(info.Env.Named, v.Name)
		}
	}
	slices.Sort(info.Env.Named)
	if pid != 0 && !p.prefix.stays {
		info.PID, info.Program = pid, ""
	}
}

// Latency implements executor.Backend.
func (p *process) Latency() time.Duration { return p.below.Latency() }

// Tree implements executor.Backend.
func (p *process) Tree(ctx context.Context) (found, spared []executor.Descendant, err error) {
	if p.charge.Load() == nil {
		found, spared, err = p.below.Tree(ctx)
		p.withoutScript(found, spared)
		return found, spared, err
	}
	if p.deserted(ctx) {
		return nil, nil, nil
	}
	procs, err := p.ask(ctx, "T", "")
	return guard.Of(procs, guard.Member), guard.Of(procs, guard.Spared), err
}

// withoutScript shows the server's command in the place of the script that a wrapper got.
func (p *process) withoutScript(lists ...[]executor.Descendant) {
	if p.plain {
		return
	}
	script, _, _ := strings.Cut(guard.TimedLine(p.scriptTimeout()), "\n") // how a list joins lines differs
	for _, list := range lists {
		for i := range list {
			if wrapper, _, found := strings.Cut(list[i].Command, "/bin/sh -c "+script); found && wrapper != "" {
				list[i].Command = wrapper + wording.CommandLine(p.argv)
			}
		}
	}
}

// KillOne implements executor.TreeKiller.
func (p *process) KillOne(ctx context.Context, pid int) (executor.Descendant, error) {
	c := p.charge.Load()
	if c == nil {
		killer, ok := p.below.(executor.TreeKiller)
		if !ok {
			return executor.Descendant{}, fmt.Errorf("kill one process of a tree: %w", errors.ErrUnsupported)
		}
		killed := make([]executor.Descendant, 1)
		var err error
		killed[0], err = killer.KillOne(ctx, pid)
		p.withoutScript(killed)
		return killed[0], err
	}
	if p.base.Swept() {
		return executor.Descendant{}, executor.ErrNotInTree
	}
	p.mu.Lock()
	leader := pid == p.pid
	p.mu.Unlock()
	if leader {
		p.setKilled()
	}
	return c.KillOne(ctx, pid)
}

// ask returns no processes once nothing is left of the process.
func (p *process) ask(ctx context.Context, command, args string) ([]guard.Proc, error) {
	if p.base.Swept() {
		return nil, nil
	}
	procs, err := p.charge.Load().Ask(ctx, command, args)
	if err != nil && p.base.Swept() {
		return nil, nil // it ended while it was asked
	}
	return procs, err
}

// Stop implements executor.Backend.
func (p *process) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	if p.charge.Load() == nil || step == executor.StepCloseStdin {
		if p.charge.Load() != nil {
			p.charge.Load().Sample(ctx)
		}
		report, err := p.below.Stop(ctx, step, scope)
		p.withoutScript(report.Signalled, report.Survivors, report.Spared)
		report.CannotTell = p.CannotTell()
		return report, err
	}
	report := executor.StopReport{Running: p.base.Alive(), CannotTell: p.CannotTell()}
	if step == executor.StepKill {
		p.setKilled()
	}
	target := map[executor.Scope]string{
		executor.ScopeLeader: "leader", executor.ScopeGroup: "group", executor.ScopeTree: "tree",
	}[scope]
	procs, err := p.ask(ctx, "S", step.String()+" "+target)
	report.Signalled, report.Spared = guard.Of(procs, guard.Member), guard.Of(procs, guard.Spared)
	if err != nil {
		return report, fmt.Errorf("send %s: %w", step, err)
	}
	return report, nil
}

// CannotTell implements executor.Backend.
func (p *process) CannotTell() []string {
	if p.charge.Load() == nil {
		reasons := p.below.CannotTell()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.unseen != "" {
			reasons = append(slices.Clone(reasons), p.unseen)
		}
		return reasons
	}
	reasons := p.charge.Load().CannotTell()
	if !p.charge.Load().Guarded() {
		reasons = append(reasons, "the guard inside has ended: the server's child processes are unknown")
	}
	return reasons
}

// Kill implements executor.Backend.
func (p *process) Kill(ctx context.Context, alone bool, report *executor.StopReport) error {
	if p.charge.Load() == nil {
		err := p.below.Kill(ctx, alone, report)
		p.withoutScript(report.Signalled, report.Survivors, report.Spared)
		if p.prefix.runs() { // the client is gone: it starts no other
			p.endContainers(context.WithoutCancel(ctx)) // each question has its limit
		}
		return err
	}
	p.setKilled()
	limit, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	var procs []guard.Proc
	var err error
	if !alone || !p.deserted(limit) {
		procs, err = p.charge.Load().Ask(limit, "K", "")
	}
	report.Signalled, report.Survivors, report.Spared = guard.Of(procs, guard.Member), guard.Of(procs, guard.Left), guard.Of(procs, guard.Spared)
	var client executor.StopReport // not the server's
	if err != nil && !errors.Is(err, guard.ErrGone) {
		// Without its client the guard inside ends the server, at the latest after its lease.
		last, done := context.WithTimeout(context.WithoutCancel(ctx), clientTime)
		defer done()
		return errors.Join(err, p.below.Kill(last, false, &client))
	}
	silent := time.NewTimer(clientTime)
	defer silent.Stop()
	select {
	case <-p.base.Exited():
	case <-silent.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return p.below.Kill(ctx, alone, &client)
}

// setKilled records that a status of SIGKILL is our doing.
func (p *process) setKilled() {
	alive := p.base.Alive()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = p.killed || alive
}

// Release implements executor.Backend.
func (p *process) Release(none bool) {
	if p.charge.Load() != nil {
		if g := p.charge.Load().Guard(); none {
			p.ex.leaving.Go(func() { g.Leave(clientTime) })
		}
		p.stop()
	}
	p.below.Release(none)
}

// note adds a notice of the start.
func (p *process) note(n executor.Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notices = append(slices.Clone(p.notices), n)
}

func (p *process) notify(n executor.Notice) {
	p.note(n)
	p.base.Journal.Emit(executor.Event{Kind: executor.Noticed, Notice: &n})
}

// beat renews the lease of the guard.
func (p *process) beat(ctx context.Context) {
	every := beatEvery
	if lease := p.ex.opts.Lease; lease > 0 {
		every = min(every, lease/3)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		limited, cancel := context.WithTimeout(ctx, beatReply)
		_, _ = p.charge.Load().Ask(limited, "B", "") // Watch replaces a guard that has ended
		cancel()
	}
}
