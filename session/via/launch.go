package via

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// scriptSlack is how long a script waits beyond the time limit of the start.
const scriptSlack = 5 * time.Second

var errSilent = errors.New("no reply of the shell inside within the limit")

// Launch implements executor.Backend.
func (p *process) Launch(ctx context.Context) *executor.StartError {
	if p.plain {
		return p.launchPlain(ctx)
	}
	begin := time.Now()
	ctx, cancel := executor.WithPausableTimeout(ctx, p.ex.opts.StartTimeout, errSilent)
	defer cancel()
	guards := make(chan armed, 1)
	// A prefix that can be executed only once at a time must not fail the start.
	half, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if p.prefix.stays {
		guards <- armed{}
	} else {
		go func() { guards <- p.arm(half, true) }() // concurrently with the server
	}
	failure := p.below.Launch(ctx)
	defer time.AfterFunc(p.ex.opts.StartTimeout/2-executor.Elapsed(ctx), func() { stop(errSilent) }).Stop() // prompts are over
	if failure == nil {
		failure = p.base.Phase("inside", p.prefix.place, func() *executor.StartError { return p.enter(ctx, half, guards) })
		if failure != nil {
			failure.Elapsed = time.Since(begin)
			p.unreported()
			p.open(strings.NewReader(""), strings.NewReader("")) // Await may still read the client's
			p.base.Abandon()
		}
	}
	if failure != nil {
		cancel()                           // of a guard that still waits
		if a := <-guards; a.guard != nil { // not taken by enter
			p.ex.dismiss(a.client)
		}
	}
	return failure
}

// launchPlain executes the server as it is.
func (p *process) launchPlain(ctx context.Context) *executor.StartError {
	if failure := p.below.Launch(ctx); failure != nil {
		return failure
	}
	p.open(io.TeeReader(p.raw.Output[executor.Stdout], &p.wrote), io.TeeReader(p.raw.Output[executor.Stderr], &p.said))
	switch {
	case p.prefix.runs() && p.prefix.labels() && !p.ex.opts.Plain:
		p.note(executor.Notice{Code: "via.added", Text: "added to the command: --label " + runLabel + "=" + p.mark})
	case p.prefix.stays:
	default:
		p.setUnseen("processes inside (" + p.prefix.place + "): cannot tell" + p.why + p.prefix.look())
	}
	return nil
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
func (p *process) enter(ctx, half context.Context, guards chan armed) *executor.StartError {
	command := guard.Command{Argv: p.argv, Dir: p.base.Cmd.Dir, Env: p.base.Cmd.Env, NoStdin: p.base.Cmd.NoStdin, Timeout: p.scriptTimeout()}
	script := guard.RunScript(p.mark, command)
	input := guard.Wrapped(p.mark, guard.ShowMark(p.mark, p.scriptTimeout()), script)
	if p.prefix.stays {
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
				return p.refused(ctx, stdout, stderr, said)
			}
		case stderr = <-said:
			said = nil // without its marker there is no report of the exit status
		case <-ctx.Done():
			return p.refused(ctx, guard.Reading{Err: context.Cause(ctx)}, stderr, said)
		}
	}
	run, err := guard.ParseRun(p.mark, stdout.Line)
	if err != nil {
		return p.prefix.fail("inside", executor.StartNoMarker, err, "")
	}
	if failure := p.ready(run); failure != nil {
		return failure
	}
	p.mu.Lock()
	p.pid = run.PID
	p.mu.Unlock()
	if noise := slices.Concat(stdout.Noise, stderr.Noise); len(noise) > 0 {
		p.note(executor.Notice{
			Code: "run.noise", Said: tail(noise),
			Text: fmt.Sprintf("%s wrote %d bytes to stdout and %d to stderr before the server", p.prefix.name, len(stdout.Noise), len(stderr.Noise)),
		})
	}
	if !p.prefix.stays {
		p.guarded(half, run, <-guards)
		guards <- armed{}
	}
	if _, err := io.WriteString(p.raw.Stdin, guard.Go(p.mark)); err != nil {
		return p.prefix.fail("inside", executor.StartFailed, fmt.Errorf("let the server go: %w", err), "")
	}
	if p.base.Cmd.NoStdin {
		_ = p.raw.Stdin.Close()
	}
	rest := func(r guard.Reading, stream executor.Stream) io.Reader {
		return io.MultiReader(strings.NewReader(string(r.Rest)), p.raw.Output[stream])
	}
	errs := rest(stderr, executor.Stderr)
	if !p.prefix.stays {
		errs = &statusReader{r: errs, marker: []byte(guard.ExitMarker(p.mark)), report: p.report, end: p.unreported}
	}
	p.open(rest(stdout, executor.Stdout), errs)
	return nil
}

func (p *process) report(code int) {
	p.mu.Lock()
	p.status = &code
	p.mu.Unlock()
	p.unreported()
	if p.charge.Load() != nil {
		p.base.Go(func() { p.left() }) // the client may take a while to end
	}
}

// scriptTimeout returns how long a script may wait for the next one, or for GO: the end of its
// input may never reach it if this program is killed.
func (p *process) scriptTimeout() time.Duration {
	if p.prefix.stays {
		return 0 // the executor below ends it
	}
	return p.ex.scriptTimeout()
}

func (e *Executor) scriptTimeout() time.Duration { return e.opts.StartTimeout + scriptSlack }

// ready returns an error unless the run can become the server.
func (p *process) ready(run guard.Run) *executor.StartError {
	name := p.argv[0]
	switch run.Status {
	case guard.Ready:
		return nil
	case guard.NoDir:
		return p.prefix.fail("inside", executor.StartNoDir, fmt.Errorf("working directory %s does not exist there, or cannot be entered", p.base.Cmd.Dir), "choose another one with --cwd")
	case guard.NotExecutable:
		return p.prefix.fail("inside", executor.StartNoExec, fmt.Errorf("%s exists there but cannot be executed", name), "check that it is a file with the x permission")
	}
	if strings.Contains(name, "/") {
		return p.prefix.fail("inside", executor.StartNotFound, fmt.Errorf("%s: not found there", name), "check its path there")
	}
	return p.prefix.fail("inside", executor.StartNotFound, fmt.Errorf("%s is not on the PATH there (%s)", name, tail([]byte(run.Path))), "use its full path")
}

// guarded puts a guard in charge if it sees the run.
func (p *process) guarded(ctx context.Context, run guard.Run, a armed) {
	err := a.err
	if err == nil {
		seen := a.guard.Met(run.PID) // asking takes another round trip
		if !seen {
			seen, err = a.guard.Marked(ctx, run.PID)
		}
		if err == nil && !seen {
			err = errors.New("it does not see the server: a second execution leads to another place")
		}
	}
	var c *guard.Charge
	if err == nil {
		c, err = guard.Take(ctx, a.guard, run)
	}
	if err != nil {
		if a.client != nil {
			p.ex.dismiss(a.client)
		}
		unseen := fmt.Sprintf("processes inside (%s): cannot tell: no guard: %v%s", p.prefix.place, err, p.prefix.look())
		p.setUnseen(unseen)
		p.note(executor.Notice{Code: "guard.none", Text: unseen})
		return
	}
	living, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	c.Attach(guard.ChargeOptions{
		Arm: func(ctx context.Context) (*guard.Guard, error) {
			a := p.arm(ctx, false)
			return a.guard, a.err
		},
		Alive: p.base.Alive, Over: p.base.Swept, Notify: p.notify, Dismiss: p.ex.dismiss,
		Hosts: func(context.Context, []executor.Descendant) {}, // nothing runs before the shell
	})
	p.left = sync.OnceValue(p.anyLeft)
	p.charge.Store(c)
	p.base.Go(func() { c.Settle(living) })
	if run.Stamp == "" {
		p.base.Go(func() { executor.Sample(living, 0, func() { c.Sample(living) }) })
	}
	p.base.Go(func() { c.Watch(living) })
	p.base.Go(func() {
		select {
		case <-p.base.Exited():
			p.left()
		case <-living.Done():
		}
	})
	p.base.Go(func() { p.beat(living) })
}

// arm starts a guard through the same prefix. first is set if the run begins, too.
func (p *process) arm(ctx context.Context, first bool) armed {
	c, err := startClient(ctx, p.ex.opts.Below, p.prefix.shell(guard.TimedLine(p.scriptTimeout()), executor.Command{EnvPolicy: p.base.Cmd.EnvPolicy}))
	if err != nil {
		return armed{err: err}
	}
	found := guard.Await(c, guard.ArmedMarker(p.mark))
	_, err = c.Write(guard.Input(guard.Script(p.mark, guard.Orders{Lease: p.ex.opts.Lease, Leave: p.base.Cmd.Leave, Timeout: p.scriptTimeout(), Meet: first})))
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
		p.ex.dismiss(c)
		return armed{err: err}
	}
	return armed{guard: g, client: c}
}

// refused returns why the shell inside did not answer. errs is standard error, or it is yet
// to come from said.
func (p *process) refused(ctx context.Context, out, errs guard.Reading, said <-chan guard.Reading) *executor.StartError {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSilent) {
		return executor.StartCancelledBy(ctx, "inside")
	}
	if said != nil {
		select {
		case errs = <-said:
		case <-time.After(time.Second): // its stream is held open
		}
	}
	text := slices.Concat(out.Noise, errs.Noise)
	var e *executor.StartError
	if code, known, hint := Cause(p.prefix.name, string(text), 0); code != "" {
		e = p.prefix.fail("inside", code, errors.New(known), hint)
	} else {
		e = p.prefix.fail("inside", executor.StartNoMarker, fmt.Errorf("the shell inside did not answer: %w", out.Err), hintNoShell)
	}
	e.Said, e.SaidBy = tail(text), executor.SpeakerVia
	return e
}

func tail(text []byte) string {
	s := strings.TrimSpace(string(text))
	return strings.ToValidUTF8(s[max(0, len(s)-saidLimit):], "\uFFFD")
}
