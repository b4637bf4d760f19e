package execserver

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// saidLimit is how much output before the server a notice holds.
const saidLimit = 4 << 10

// Launch implements executor.Backend.
func (p *process) Launch(ctx context.Context) *executor.StartError {
	ctx, cancel := context.WithTimeoutCause(ctx, p.ex.opts.StartTimeout, errSilent)
	defer cancel()
	failure := p.base.Phase("connect", p.ex.opts.Placement, func() *executor.StartError {
		err := p.s.connected(ctx)
		if err == nil {
			p.remote, err = p.s.register(p.ex.name(p.base.ID))
		}
		if err != nil {
			return p.fail(ctx, "connect", err)
		}
		p.stdin = newStdin(p.remote)
		p.stdin.begin, p.stdin.living = p.base.Go, p.living
		return nil
	})
	if failure != nil {
		return failure
	}
	failure = p.base.Phase("start", path.Base(p.base.Exec.Argv[0]), func() *executor.StartError {
		switch {
		case ctx.Err() != nil: // while a callback took its time
			return p.fail(ctx, "start", context.Cause(ctx))
		case p.s.ours():
			return p.launchThere(ctx)
		case p.s.env.OS == windows:
			return p.launchBare(ctx)
		}
		return p.launchGuarded(ctx)
	})
	if failure != nil {
		p.remote.fail(failure)
		return failure
	}
	p.attach()
	return nil
}

// launchThere starts a process at a server that does all itself.
func (p *process) launchThere(ctx context.Context) *executor.StartError {
	cmd := &p.base.Exec
	params := wire.StartParams{
		ProcessID: p.remote.id, Argv: cmd.Argv, CWD: p.dir(), Env: make(map[string]string, len(cmd.Env)),
		PipeStdin: !cmd.NoStdin, Policy: cmd.EnvPolicy.String(), Leave: cmd.Leave,
	}
	for _, v := range cmd.Env {
		params.Env[v.Name] = v.Value
	}
	var r wire.StartResult
	if err := p.remote.start(ctx, params, &r); err != nil {
		if p.s.failure() == nil {
			p.remote.abandon() // the start may still succeed
		}
		return p.fail(ctx, "start", err)
	}
	p.pid, p.program, p.blind = r.PID, r.Program, r.CannotTell
	p.env = executor.EnvReport{Policy: cmd.EnvPolicy}
	if r.Env != nil {
		p.env.Named, p.env.Passed, p.env.Omitted, p.env.Added = r.Env.Named, r.Env.Passed, r.Env.Omitted, r.Env.Added
	}
	return nil
}

// launchBare starts a process on a host that has no shell for a guard.
func (p *process) launchBare(ctx context.Context) *executor.StartError {
	cmd := &p.base.Exec
	params := wire.StartParams{
		ProcessID: p.remote.id, Argv: cmd.Argv, CWD: p.dir(), Env: make(map[string]string, len(cmd.Env)),
		PipeStdin: !cmd.NoStdin, EnvPolicy: envPolicy(cmd.EnvPolicy, windows),
	}
	for _, v := range cmd.Env {
		params.Env[v.Name] = v.Value
	}
	if err := p.remote.start(ctx, params, nil); err != nil {
		if p.s.failure() == nil {
			p.remote.abandon() // the start may still succeed
		}
		return p.fail(ctx, "start", err)
	}
	p.env = p.reportEnv()
	p.blind = []string{"the exec server runs on Windows, where no guard can run: the server's pid and its child processes are unknown, and stdin cannot be closed"}
	return nil
}

// launchGuarded starts a process through the run script, with a guard.
func (p *process) launchGuarded(ctx context.Context) *executor.StartError {
	type armed struct {
		g   *guard.Guard
		err error
	}
	guards := make(chan armed, 1)
	go func() {
		g, err := p.arm(ctx)
		guards <- armed{g, err}
	}()
	run, failure := p.prepare(ctx)
	a := <-guards // it ends with ctx at the latest
	if failure == nil && a.err != nil {
		failure = p.fail(ctx, "guard", fmt.Errorf("start the guard: %w", a.err))
	}
	if failure == nil {
		failure = p.letGo(ctx, a.g, run)
	}
	if failure != nil {
		if a.g != nil {
			p.s.running.Go(func() { a.g.Leave(leaveTime) })
		}
		p.remote.abandon()
	}
	return failure
}

// prepare runs the run script up to its report.
func (p *process) prepare(ctx context.Context) (guard.Run, *executor.StartError) {
	cmd := &p.base.Exec
	if err := p.shell(ctx, p.remote); err != nil {
		return guard.Run{}, p.fail(ctx, "start", err)
	}
	stop := context.AfterFunc(ctx, func() { p.remote.fail(context.Cause(ctx)) })
	defer stop()
	script := guard.RunScript(p.base.Mark, guard.Command{
		Argv: cmd.Argv, Dir: cmd.Dir, Env: cmd.Env, NoStdin: cmd.NoStdin, Timeout: p.ex.opts.StartTimeout + requestTime,
	})
	first, rest := guard.Pumped(p.base.Mark, script)
	if cmd.NoStdin {
		first, rest = nil, guard.Input(script)
	}
	if _, err := p.stdin.Write(append(first, rest...)); err != nil {
		return guard.Run{}, p.fail(ctx, "start", err)
	}
	p.skipped = uint64(len(first))
	out, errs, err := p.markers()
	if err != nil {
		return guard.Run{}, p.fail(ctx, "start", err)
	}
	p.pump, p.hasPump = guard.FindPump(p.base.Mark, &out)
	if noise := slices.Concat(out.Noise, errs.Noise); len(strings.TrimSpace(string(noise))) > 0 {
		p.notices = append(p.notices, executor.Notice{
			Code: "run.noise", Text: "output came before the server", Said: string(noise[:min(len(noise), saidLimit)]),
		})
	}
	run, err := guard.ParseRun(p.base.Mark, out.Line)
	if err != nil {
		return run, p.fail(ctx, "start", err)
	}
	return run, p.ready(run)
}

// markers reads both streams up to their markers. Later output is queued.
func (p *process) markers() (out, errs guard.Reading, err error) {
	scanners := [2]guard.Scanner{{Marker: guard.RunMarker(p.base.Mark)}, {Marker: guard.RunMarker(p.base.Mark)}}
	var readings [2]guard.Reading
	var complete [2]bool
	for complete != [2]bool{true, true} {
		for _, e := range p.remote.steps(nil) {
			switch {
			case e.kind == executor.Failed:
				return out, errs, e.err
			case e.kind != executor.Output, complete == [2]bool{true, true}:
				p.early = append(p.early, e)
			case complete[e.stream]:
				p.early = append(p.early, e)
			default:
				r, done := scanners[e.stream].Feed(e.data)
				if r.Err != nil {
					return out, errs, r.Err
				}
				if done {
					readings[e.stream], complete[e.stream] = r, true
					p.early = append(p.early, step{kind: executor.Output, stream: e.stream, data: r.Rest})
				}
			}
			if e.kind == executor.Closed && complete != [2]bool{true, true} {
				return out, errs, errors.New("the shell ended before it had read its script")
			}
		}
	}
	return readings[executor.Stdout], readings[executor.Stderr], nil
}

// ready returns an error unless the run can become the server.
func (p *process) ready(run guard.Run) *executor.StartError {
	fail := func(code executor.StartCode, err error, hint string) *executor.StartError {
		return &executor.StartError{Code: code, Hop: p.ex.opts.Placement, Phase: "start", Err: err, Hint: hint}
	}
	name := p.base.Exec.Argv[0]
	switch run.Status {
	case guard.Ready:
		return nil
	case guard.NoDir:
		return fail(executor.StartNoDir, fmt.Errorf("working directory %s does not exist there, or cannot be entered", p.base.Cmd.Dir), "choose another one with --cwd")
	case guard.NotExecutable:
		return fail(executor.StartNoExec, fmt.Errorf("%s exists there but cannot be executed", name), "check that it is a file with the x permission")
	}
	if strings.Contains(name, "/") {
		return fail(executor.StartNotFound, fmt.Errorf("%s: not found there", name), "check its path there")
	}
	return fail(executor.StartNotFound, fmt.Errorf("%s is not on the PATH there (%s)", name, run.Path[:min(len(run.Path), saidLimit)]), "use its full path")
}

// letGo puts the guard in charge, and lets the run become the server.
func (p *process) letGo(ctx context.Context, g *guard.Guard, run guard.Run) *executor.StartError {
	c, err := guard.Take(ctx, g, run)
	if err == nil {
		_, err = p.stdin.Write([]byte(guard.Go(p.base.Mark)))
	}
	if err != nil {
		return p.fail(ctx, "start", err)
	}
	p.pid, p.charge = run.PID, c
	if p.hasPump {
		p.stdin.pumped = func(ctx context.Context, all uint64, end bool) (uint64, bool, error) {
			ctx, cancel := limited(ctx)
			defer cancel()
			passed, known, err := c.Pumped(ctx, p.pump, all-min(all, p.skipped), end)
			return passed + p.skipped, known, err
		}
	}
	p.env = p.reportEnv()
	p.env.Added = []string{executor.MarkName}
	return nil
}

// reportEnv returns what is known of the environment at a server that does not report it.
func (p *process) reportEnv() executor.EnvReport {
	r := executor.EnvReport{Policy: p.base.Cmd.EnvPolicy, Unknown: p.base.Cmd.EnvPolicy != executor.EnvNone}
	for _, v := range p.base.Cmd.Env {
		if !slices.Contains(r.Named, v.Name) {
			r.Named = append(r.Named, v.Name)
		}
	}
	slices.Sort(r.Named)
	return r
}
