package sshexec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/link"
)

// An Executor starts processes on one host. Each has a connection of its own;
// connections to hosts on the way are shared. Close it when done.
type Executor struct {
	opts   Options
	dialer *link.Dialer
	table  *executor.Table[*process]
	paths  pathCache

	mu   sync.Mutex
	lost []lostRun // that the next start looks for

	ctx     context.Context // over once Close was called
	stop    context.CancelFunc
	running sync.WaitGroup // the goroutines of all processes
}

var _ executor.Executor = (*Executor)(nil)

// New returns an executor on the host of opts.Destination. Nothing is resolved
// or connected before the first Start. The error is about the options.
func New(opts Options) (*Executor, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	e := &Executor{opts: opts, dialer: opts.Dialer, table: executor.NewTable[*process](opts.IDs, opts.Retention)}
	if e.dialer == nil {
		e.dialer = NewDialer(opts)
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e, nil
}

// NewDialer returns a dialer of what opts say about connecting. Close it when
// every executor that uses it is closed.
func NewDialer(opts Options) *link.Dialer {
	return link.NewDialer(link.Options{
		Config: opts.Config, Transport: string(opts.Transport), Prompter: opts.Prompter,
		Identities: opts.Identities, AcceptNew: opts.AcceptNew, NoAcceptNew: opts.NoAcceptNew,
		ConnectTimeout: opts.ConnectTimeout, AuthTimeout: opts.AuthTimeout,
		Limits: opts.Limits, Seed: opts.Seed, RememberRefusals: opts.RememberRefusals,
	})
}

// fill sets what is zero to its default, and refuses what is not known.
func (o *Options) fill() error {
	if o.Destination.Host == "" {
		return errors.New("no destination")
	}
	for _, known := range []error{
		choose(&o.Transport, "transport", TransportAuto, TransportNative, TransportMaster, TransportBinary),
		choose(&o.PathFrom, "path source", PathPlain, PathLogin, PathInteractive, PathExplicit),
		choose(&o.Launch, "launch", LaunchGuarded, LaunchPlain),
	} {
		if known != nil {
			return known
		}
	}
	o.StartTimeout = cmp.Or(o.StartTimeout, DefaultStartTimeout)
	o.Lease = max(0, cmp.Or(o.Lease, DefaultLease))
	if o.IDs == nil {
		o.IDs = new(executor.IDs)
	}
	return nil
}

// choose sets value to the first of known if it is empty, and refuses one that
// is not known.
func choose[T ~string](value *T, what string, known ...T) error {
	if *value == "" {
		*value = known[0]
	}
	if !slices.Contains(known, *value) {
		return fmt.Errorf("%s %q: must be one of %v", what, *value, known)
	}
	return nil
}

// Start implements executor.Executor. It is never tried again once the command
// may have been sent.
func (e *Executor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	begin := time.Now()
	p, err := e.start(ctx, cmd)
	if err != nil {
		if err.Elapsed == 0 {
			err.Elapsed = time.Since(begin)
		}
		return nil, err
	}
	return e.table.Bind(p), nil
}

func (e *Executor) start(ctx context.Context, cmd executor.Command) (*process, *executor.StartError) {
	if err := validate(cmd, e.opts.PathFrom); err != nil {
		return nil, &executor.StartError{Code: executor.StartInvalid, Phase: "resolve", Err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p, err := e.table.Reserve(cmd.ID, func(id string) *process {
		p := newProcess(e, id, cmd)
		p.cancel = cancel
		return p
	})
	switch {
	case errors.Is(err, executor.ErrDuplicate):
		return nil, &executor.StartError{Code: executor.StartDuplicate, Phase: "resolve", Err: err,
			Hint: "end that process first, or start this one under another id"}
	case err != nil:
		return nil, &executor.StartError{Code: executor.StartFailed, Phase: "resolve", Err: err}
	}
	if err := p.start(ctx); err != nil {
		e.table.Remove(p)
		return nil, err
	}
	p.cmd.OnPhase, p.cmd.OnBegin = nil, nil // p is kept for a while: who was told is not
	return p, nil
}

// start connects and launches. When it fails, nothing of the process is left,
// or what is ends with the connection.
func (p *process) start(ctx context.Context) *executor.StartError {
	defer close(p.settled)
	conn, err := p.ex.dialer.Dial(ctx, p.ex.opts.Destination, link.Reporter{
		Begin: func(ph executor.Phase) { tell(p.cmd.OnBegin, ph) },
		End:   func(ph executor.Phase) { tell(p.cmd.OnPhase, ph) },
	})
	if err != nil {
		return asStartError(ctx, err)
	}
	set, passed := configuredEnv(conn)
	var run *launched
	failure := p.phase("start", path.Base(p.cmd.Argv[0]), func() (err *executor.StartError) {
		if ctx.Err() != nil { // while who was told of it took its time
			return startCancelled(ctx, "start")
		}
		run, err = p.launch(ctx, conn, set)
		return err
	})
	if failure != nil {
		_ = conn.Close()
		return failure
	}
	p.attach(conn, run, p.report(run, passed))
	if ctx.Err() != nil {
		// The process runs, and must not: its end is the same as any other.
		_, endErr := p.end(context.Background())
		e := startCancelled(ctx, "start")
		e.Err = errors.Join(e.Err, endErr)
		return e
	}
	return nil
}

// launch starts the command on conn.
func (p *process) launch(ctx context.Context, conn *link.Conn, set map[string]string) (*launched, *executor.StartError) {
	ctx, cancel := executor.WithPatience(ctx, p.ex.opts.StartTimeout, errSilent)
	defer cancel()
	l := &launcher{
		conn: conn, mark: p.mark, set: set, limit: p.ex.opts.StartTimeout, lease: p.ex.opts.Lease, from: p.ex.opts.PathFrom, paths: &p.ex.paths,
		leave: p.cmd.Leave, lost: p.ex.lostRuns(),
		cmd: launchCommand{argv: p.cmd.Argv, dir: p.cmd.Dir, env: p.cmd.Env, noStdin: p.cmd.NoStdin},
	}
	if conn.Info().Transport == link.Native {
		l.redial = func(ctx context.Context, why string) (*link.Conn, error) {
			return p.ex.dialer.DialAgain(ctx, p.ex.opts.Destination, why)
		}
	}
	begin := time.Now()
	start := l.guarded
	if p.ex.opts.Launch == LaunchPlain {
		start = l.plain
	}
	run, err := start(ctx)
	if err != nil {
		err.Elapsed = time.Since(begin)
		return nil, err
	}
	p.ex.dropLost(l.lost)
	return run, nil
}

// addLost has the next start look for a run whose connection is lost.
func (e *Executor) addLost(run lostRun) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost = append(e.lost, run)
	e.lost = e.lost[max(0, len(e.lost)-maxLost):]
}

// lostRuns are those that may still live.
func (e *Executor) lostRuns() []lostRun {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	e.lost = slices.DeleteFunc(e.lost, func(run lostRun) bool { return !run.until.IsZero() && now.After(run.until.Add(lostSlack)) })
	return slices.Clone(e.lost)
}

// dropLost forgets runs that a start has looked for.
func (e *Executor) dropLost(runs []lostRun) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost = slices.DeleteFunc(e.lost, func(run lostRun) bool {
		return slices.ContainsFunc(runs, func(known lostRun) bool { return known.mark == run.mark })
	})
}

// phase runs one step of the start and tells of it.
func (p *process) phase(name, detail string, step func() *executor.StartError) *executor.StartError {
	ph := executor.Phase{Name: name, Detail: detail, Begin: time.Now()}
	tell(p.cmd.OnBegin, ph)
	ph.Begin = time.Now() // who was told may have taken its time
	err := step()
	ph.End = time.Now()
	if err != nil {
		ph.Err = err
	}
	tell(p.cmd.OnPhase, ph)
	return err
}

func tell(who func(executor.Phase), ph executor.Phase) {
	if who != nil {
		who(ph)
	}
}

// asStartError is what the dialer says; an end of ctx is a cancelled start.
func asStartError(ctx context.Context, err error) *executor.StartError {
	var known *executor.StartError
	if !errors.As(err, &known) {
		return &executor.StartError{Code: executor.StartFailed, Phase: "connect", Err: err}
	}
	if known.Code == executor.StartCancelled || errors.Is(context.Cause(ctx), errCancelled) {
		e := startCancelled(ctx, known.Phase)
		e.Hop = known.Hop
		return e
	}
	return known
}

// configuredEnv is what the user's ssh configuration sends along: SetEnv, and
// what SendEnv lets through of the local environment. PATH and HOME of this
// machine mean nothing there.
func configuredEnv(conn *link.Conn) (set map[string]string, passed []string) {
	host := conn.Host()
	set = maps.Clone(host.SetEnv)
	if set == nil {
		set = make(map[string]string)
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" || name == "HOME" || !matchesAny(host.SendEnv, name) {
			continue
		}
		if _, ok := set[name]; !ok {
			set[name] = value
			passed = append(passed, name)
		}
	}
	slices.Sort(passed)
	return set, passed
}

// matchesAny matches a name against the patterns of SendEnv.
func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// report tells which variables travelled; whether the server took those that
// the configuration sends is its own affair.
func (p *process) report(run *launched, passed []string) executor.EnvReport {
	r := executor.EnvReport{Policy: executor.EnvNone, Passed: passed}
	if run.guard != nil {
		r.Added = append(r.Added, markName)
	}
	if run.path != "" {
		r.Added = append(r.Added, "PATH")
	}
	for _, v := range p.cmd.Env {
		if !slices.Contains(r.Named, v.Name) {
			r.Named = append(r.Named, v.Name)
		}
	}
	slices.Sort(r.Named)
	return r
}

// Process implements executor.Executor.
func (e *Executor) Process(id string) executor.Process { return e.table.Handle(id) }

// Close implements executor.Executor. It waits for the goroutines of every
// process, and so for the handlers they are in: no Handler may call it.
func (e *Executor) Close() error {
	var ending sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	for _, p := range e.table.Close() {
		ending.Go(func() {
			if _, err := p.Terminate(context.Background()); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failures = append(failures, err)
			}
			if p.run() != nil {
				p.abandon()
			}
		})
	}
	ending.Wait()
	e.stop()
	e.running.Wait()
	if e.opts.Dialer == nil {
		failures = append(failures, e.dialer.Close())
	}
	return errors.Join(failures...)
}
