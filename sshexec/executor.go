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
	"mcpdbg/session/executor/guard"
	"mcpdbg/sshexec/link"
)

// An Executor starts processes on one host. Each has its own connection;
// connections to jump hosts are shared. Close it when done.
type Executor struct {
	opts   Options
	dialer *link.Dialer
	table  *executor.Table
	paths  pathCache

	mu   sync.Mutex
	lost []lostRun // the next start looks for them
}

var _ executor.Foundation = (*Executor)(nil)

// New returns an executor for the host opts.Destination. It resolves and
// connects nothing before the first Start. The error is about the options.
func New(opts Options) (*Executor, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	opts.Journal.OneWindow = true
	e := &Executor{opts: opts, dialer: opts.Dialer, table: executor.NewTable(executor.TableOptions{
		IDs: opts.IDs, Retention: opts.Retention, Placement: opts.Destination.Host, Journal: opts.Journal,
		Validate: func(cmd executor.Command) error { return validate(cmd, opts.PathFrom) },
	})}
	if e.dialer == nil {
		e.dialer = NewDialer(opts)
	}
	return e, nil
}

// NewDialer returns a dialer with the connection settings of opts. Close it
// when every executor that uses it is closed.
func NewDialer(opts Options) *link.Dialer {
	return link.NewDialer(link.Options{
		Config: opts.Config, Transport: string(opts.Transport), Prompter: opts.Prompter,
		Identities: opts.Identities, AcceptNew: opts.AcceptNew, NoAcceptNew: opts.NoAcceptNew,
		ConnectTimeout: opts.ConnectTimeout, AuthTimeout: opts.AuthTimeout,
		Limits: opts.Limits, Seed: opts.Seed, RememberRefusals: opts.RememberRefusals,
	})
}

// fill sets defaults, and rejects unknown values.
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
	return nil
}

// The default is the first of known.
func choose[T ~string](value *T, what string, known ...T) error {
	if *value == "" {
		*value = known[0]
	}
	if !slices.Contains(known, *value) {
		return fmt.Errorf("%s %q: must be one of %v", what, *value, known)
	}
	return nil
}

// Start implements executor.Executor. It is never retried once the command may
// have been sent.
func (e *Executor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	return e.StartOn(ctx, cmd, func(_ *executor.Base, own executor.Backend) executor.Backend { return own })
}

// StartOn implements executor.Foundation.
func (e *Executor) StartOn(ctx context.Context, cmd executor.Command, over func(*executor.Base, executor.Backend) executor.Backend) (executor.Process, error) {
	return e.table.Start(ctx, cmd, func(b *executor.Base) executor.Backend { return over(b, newProcess(e, b)) })
}

// Process implements executor.Executor.
func (e *Executor) Process(id string) executor.Process { return e.table.Process(id) }

// Close implements executor.Executor. It waits for the goroutines of every
// process, and so for the handlers they are in: no Handler may call it.
func (e *Executor) Close() error {
	err := e.table.Close()
	if e.opts.Dialer == nil {
		err = errors.Join(err, e.dialer.Close())
	}
	return err
}

// Launch implements executor.Backend: it connects and launches. When it fails,
// nothing of the process is left, or the rest ends with the connection.
func (p *process) Launch(ctx context.Context) *executor.StartError {
	conn, err := p.ex.dialer.Dial(ctx, p.ex.opts.Destination, link.Reporter{Begin: p.base.Cmd.OnBegin, End: p.base.Cmd.OnPhase})
	if err != nil {
		return asStartError(ctx, err)
	}
	set, passed := configuredEnv(conn)
	var run *launched
	failure := p.base.Phase("start", path.Base(p.base.Exec.Argv[0]), func() (err *executor.StartError) {
		if ctx.Err() != nil { // while a callback took its time
			return executor.StartCancelledBy(ctx, "start")
		}
		run, err = p.launch(ctx, conn, set)
		return err
	})
	if failure != nil {
		_ = conn.Close()
		return failure
	}
	p.attach(conn, run, p.report(run, passed))
	return nil
}

func (p *process) launch(ctx context.Context, conn *link.Conn, set map[string]string) (*launched, *executor.StartError) {
	ctx, cancel := executor.WithPausableTimeout(ctx, p.ex.opts.StartTimeout, errSilent)
	defer cancel()
	l := &launcher{
		conn: conn, mark: p.base.Mark, set: set, limit: p.ex.opts.StartTimeout, lease: p.ex.opts.Lease, from: p.ex.opts.PathFrom, paths: &p.ex.paths,
		leave: p.base.Cmd.Leave, lost: p.ex.lostRuns(),
		cmd: guard.Command{Argv: p.base.Exec.Argv, Dir: p.base.Exec.Dir, Env: p.base.Exec.Env, NoStdin: p.base.Exec.NoStdin},
	}
	if conn.Info().Transport == link.Native {
		l.redial = func(ctx context.Context, why string) (*link.Conn, error) {
			return p.ex.dialer.DialSecond(ctx, p.ex.opts.Destination, why)
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

func (e *Executor) addLost(run lostRun) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost = append(e.lost, run)
	e.lost = e.lost[max(0, len(e.lost)-maxLost):]
}

func (e *Executor) lostRuns() []lostRun {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	e.lost = slices.DeleteFunc(e.lost, func(run lostRun) bool { return !run.until.IsZero() && now.After(run.until.Add(lostSlack)) })
	return slices.Clone(e.lost)
}

func (e *Executor) dropLost(runs []lostRun) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost = slices.DeleteFunc(e.lost, func(run lostRun) bool {
		return slices.ContainsFunc(runs, func(known lostRun) bool { return known.mark == run.mark })
	})
}

// If ctx is done, the start was cancelled.
func asStartError(ctx context.Context, err error) *executor.StartError {
	var known *executor.StartError
	if !errors.As(err, &known) {
		return &executor.StartError{Code: executor.StartFailed, Phase: "connect", Err: err}
	}
	if known.Code == executor.StartCancelled || executor.Terminated(ctx) {
		e := executor.StartCancelledBy(ctx, known.Phase)
		e.Hop = known.Hop
		return e
	}
	return known
}

// configuredEnv returns SetEnv, and the local variables that match SendEnv. The local
// PATH and HOME are useless there.
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

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// Whether the server accepted the variables of the ssh configuration is unknown.
func (p *process) report(run *launched, passed []string) executor.EnvReport {
	r := executor.EnvReport{Policy: executor.EnvNone, Passed: passed}
	if run.charge != nil {
		r.Added = append(r.Added, executor.MarkName)
	}
	if run.path != "" {
		r.Added = append(r.Added, "PATH")
	}
	for _, v := range p.base.Exec.Env {
		if !slices.Contains(r.Named, v.Name) {
			r.Named = append(r.Named, v.Name)
		}
	}
	slices.Sort(r.Named)
	return r
}
