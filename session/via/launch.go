package via

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

var errSilent = errors.New("no reply of the shell inside within the limit")

// clientOf returns the command of the client that runs a server.
func (e *Executor) clientOf(cmd executor.Command) executor.Command {
	client := executor.Command{
		Argv: slices.Concat(e.opts.Words, []string{"/bin/sh", "-c", guard.ReadLine}), EnvPolicy: cmd.EnvPolicy,
	}
	if e.prefix.engine() {
		client.EnvPolicy = executor.EnvInherit // it is not the server's
	}
	if e.opts.Plain {
		client.Argv, client.NoStdin = slices.Concat(e.opts.Words, cmd.Argv), cmd.NoStdin
	}
	return client
}

// Launch implements executor.Backend.
func (p *process) Launch(ctx context.Context) *executor.StartError {
	begin := time.Now()
	ctx, cancel := executor.WithPausableTimeout(ctx, p.ex.opts.StartTimeout, errSilent)
	defer cancel()
	guards := make(chan armed, 1)
	if !p.ex.opts.Plain && !p.ex.prefix.stays {
		go func() { guards <- p.arm(ctx) }() // concurrently with the server
	} else {
		guards <- armed{}
	}
	failure := p.below.Launch(ctx)
	if failure == nil && p.ex.opts.Plain {
		<-guards
		p.open(p.raw.Output[executor.Stdout], p.raw.Output[executor.Stderr])
		return nil
	}
	if failure == nil {
		failure = p.base.Phase("inside", p.ex.prefix.place, func() *executor.StartError { return p.enter(ctx, guards) })
		if failure != nil {
			failure.Elapsed = time.Since(begin)
			p.open(p.raw.Output[executor.Stdout], p.raw.Output[executor.Stderr])
			p.base.Abandon()
		}
	}
	if failure != nil {
		if a := <-guards; a.guard != nil { // not taken by enter
			guard.Dismiss(a.client)
		}
	}
	return failure
}

// An armed guard, or none.
type armed struct {
	guard  *guard.Guard
	client *client
	err    error
}

// open makes the streams those of the server.
func (p *process) open(stdout, stderr io.Reader) {
	p.output[executor.Stdout].open(stdout)
	p.output[executor.Stderr].open(stderr)
}

// enter runs the script inside, and lets the server go.
func (p *process) enter(ctx context.Context, guards chan armed) *executor.StartError {
	command := guard.Command{Argv: p.base.Cmd.Argv, Dir: p.base.Cmd.Dir, Env: p.base.Cmd.Env, NoStdin: p.base.Cmd.NoStdin}
	script := guard.RunScript(p.mark, command)
	input := guard.Wrapped(p.mark, guard.ShowMark(p.mark), script)
	if p.ex.prefix.stays {
		input = guard.Plain(script)
	}
	stop := context.AfterFunc(ctx, func() { _ = p.raw.Stdin.Close() })
	defer stop()
	out := guard.Await(p.raw.Output[executor.Stdout], guard.RunMarker(p.mark))
	said := guard.Await(p.raw.Output[executor.Stderr], guard.RunMarker(p.mark))
	_, _ = p.raw.Stdin.Write(input) // the answer shows whether it arrived
	var stdout, stderr guard.Reading
	for range 2 {
		select {
		case stdout = <-out:
			out = nil
			if stdout.Err != nil {
				return p.refused(ctx, stdout, said)
			}
		case stderr = <-said:
			said = nil
			if stderr.Err != nil && out == nil {
				return p.refused(ctx, stdout, nil)
			}
		case <-ctx.Done():
			return p.refused(ctx, guard.Reading{Err: context.Cause(ctx)}, said)
		}
	}
	run, err := guard.ParseRun(p.mark, stdout.Line)
	if err != nil {
		return p.fail(executor.StartNoMarker, err, "")
	}
	if failure := p.ready(run); failure != nil {
		return failure
	}
	p.run = run
	if noise := slices.Concat(stdout.Noise, stderr.Noise); len(noise) > 0 {
		p.notices = append(p.notices, executor.Notice{
			Code: "run.noise", Said: tail(noise),
			Text: fmt.Sprintf("%s wrote %d bytes to stdout and %d to stderr before the server", p.ex.prefix.name, len(stdout.Noise), len(stderr.Noise)),
		})
	}
	if !p.ex.prefix.stays {
		p.guarded(ctx, <-guards)
		guards <- armed{}
	}
	if _, err := io.WriteString(p.raw.Stdin, guard.Go(p.mark)); err != nil {
		return p.fail(executor.StartFailed, fmt.Errorf("let the server go: %w", err), "")
	}
	if p.base.Cmd.NoStdin {
		_ = p.raw.Stdin.Close()
	}
	rest := func(r guard.Reading, stream executor.Stream) io.Reader {
		return io.MultiReader(strings.NewReader(string(r.Rest)), p.raw.Output[stream])
	}
	errs := rest(stderr, executor.Stderr)
	if !p.ex.prefix.stays {
		errs = &statusReader{r: errs, marker: []byte(guard.ExitMarker(p.mark)), report: p.report}
	}
	p.open(rest(stdout, executor.Stdout), errs)
	return nil
}

func (p *process) report(code int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = &code
}

// ready returns an error unless the run can become the server.
func (p *process) ready(run guard.Run) *executor.StartError {
	name := p.base.Cmd.Argv[0]
	switch run.Status {
	case guard.Ready:
		return nil
	case guard.NoDir:
		return p.fail(executor.StartNoDir, fmt.Errorf("working directory %s does not exist there, or cannot be entered", p.base.Cmd.Dir), "choose another one with --cwd")
	case guard.NotExecutable:
		return p.fail(executor.StartNoExec, fmt.Errorf("%s exists there but cannot be executed", name), "check that it is a file with the x permission")
	}
	if strings.Contains(name, "/") {
		return p.fail(executor.StartNotFound, fmt.Errorf("%s: not found there", name), "check its path there")
	}
	return p.fail(executor.StartNotFound, fmt.Errorf("%s is not on the PATH there (%s)", name, tail([]byte(run.Path))), "use its full path")
}

// guarded puts a guard in charge if it sees the run.
func (p *process) guarded(ctx context.Context, a armed) {
	err := a.err
	if err == nil {
		var seen bool
		if seen, err = a.guard.Marked(ctx, p.run.PID); err == nil && !seen {
			err = errors.New("it does not see the server: a second execution leads to another place")
		}
	}
	var c *guard.Charge
	if err == nil {
		c, err = guard.Take(ctx, a.guard, p.run)
	}
	if err != nil {
		if a.client != nil {
			guard.Dismiss(a.client)
		}
		p.unseen = fmt.Sprintf("processes inside (%s): cannot tell: no guard: %v", p.ex.prefix.place, err)
		p.notices = append(p.notices, executor.Notice{Code: "guard.none", Text: p.unseen})
		return
	}
	living, cancel := context.WithCancel(context.Background())
	p.charge, p.stop = c, cancel
	c.Attach(guard.ChargeOptions{
		Arm: func(ctx context.Context) (*guard.Guard, error) {
			a := p.arm(ctx)
			return a.guard, a.err
		},
		Alive: p.base.Alive, Over: p.base.Swept, Notify: p.notify,
		Hosts: func(context.Context, []executor.Descendant) {}, // nothing runs before the shell
	})
	p.base.Go(func() { c.Settle(living) })
	if p.run.Stamp == "" {
		p.base.Go(func() { executor.Sample(living, 0, func() { c.Sample(living) }) })
	}
	p.base.Go(func() { c.Watch(living) })
	p.base.Go(func() { p.beat(living) })
}

// arm starts a guard through the same prefix.
func (p *process) arm(ctx context.Context) armed {
	cmd := p.ex.clientOf(executor.Command{EnvPolicy: p.base.Cmd.EnvPolicy})
	c, err := startClient(ctx, p.ex.opts.Below, cmd)
	if err != nil {
		return armed{err: err}
	}
	found := guard.Await(c, guard.ArmedMarker(p.mark))
	_, err = c.Write(guard.Input(guard.Script(p.mark, p.ex.opts.Lease, p.base.Cmd.Leave)))
	var r guard.Reading
	if err == nil {
		select {
		case r = <-found:
			if err = r.Err; err != nil && c.stderr() != "" {
				err = fmt.Errorf("%w (%s)", err, tail([]byte(c.stderr())))
			}
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	var g *guard.Guard
	if err == nil {
		g, err = guard.Armed(c, r)
	}
	if err != nil {
		guard.Dismiss(c)
		return armed{err: err}
	}
	return armed{guard: g, client: c}
}

// refused returns why the shell inside did not answer.
func (p *process) refused(ctx context.Context, out guard.Reading, said <-chan guard.Reading) *executor.StartError {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSilent) {
		return executor.StartCancelledBy(ctx, "inside")
	}
	text := out.Noise
	if said != nil {
		select {
		case r := <-said:
			text = append(slices.Clip(text), r.Noise...)
		case <-time.After(time.Second): // its stream is held open
		}
	}
	e := p.fail(executor.StartNoMarker, fmt.Errorf("the shell inside did not answer: %w", out.Err), "")
	e.Said, e.SaidBy = tail(text), executor.SpeakerVia
	return e
}

func (p *process) fail(code executor.StartCode, err error, hint string) *executor.StartError {
	return &executor.StartError{Code: code, Phase: "inside", Err: fmt.Errorf("%s: %w", p.ex.prefix.place, err), Hint: hint}
}

func tail(text []byte) string {
	s := strings.TrimSpace(string(text))
	return strings.ToValidUTF8(s[max(0, len(s)-saidLimit):], "\uFFFD")
}
