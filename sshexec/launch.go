package sshexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
	"mcpdbg/sshexec/link"
)

// saidLimit is how much output of the other side an error or notice holds.
const saidLimit = 4 << 10

var errSilent = errors.New("no reply from the remote shell within the limit")

// A launcher starts one process on one connection. When it fails, and keep is not set,
// close the connection: the shells it has started then end.
type launcher struct {
	conn  *link.Conn
	mark  string
	cmd   guard.Command
	set   map[string]string // environment requests of the ssh configuration
	limit time.Duration     // for the whole launch; ctx ends at the limit
	lease time.Duration
	leave []string
	from  PathFrom
	paths *pathCache
	lost  []lostRun // earlier runs that may still live there

	// to the same host; nil if that is not possible
	redial func(ctx context.Context, why string) (*link.Conn, error)
	single bool // one session at a time; a run shows its mark before it runs
	keep   bool // the connection carries a running process: a failure closes only the channel

	rtt time.Duration

	mu     sync.Mutex
	opened []*channel
}

type launched struct {
	run     *channel
	charge  *guard.Charge // nil without a guard
	rtt     time.Duration
	info    guard.Run // its zero value without a guard
	path    string    // empty: that of the host
	rest    [2][]byte // of each stream, what followed the marker
	notices []executor.Notice
	apart   *link.Conn // of the guard, if it has its own connection
}

func (l *launcher) together(ctx context.Context) (*launched, *executor.StartError) {
	guardOpen := l.openGuard(ctx)
	if l.from == PathPlain || l.from == PathExplicit {
		run := l.openRun(ctx) // concurrently with the guard, to save round trips
		g, err := l.arm(ctx, <-guardOpen)
		if err != nil {
			return nil, err
		}
		return l.release(ctx, run, g)
	}
	// The guard covers the harvest, too: an interactive shell can hang.
	g, err := l.arm(ctx, <-guardOpen)
	if err != nil {
		return nil, err
	}
	if l.cmd.Path, err = l.paths.get(ctx, l); err != nil {
		return nil, err
	}
	return l.release(ctx, l.openRun(ctx), g)
}

// A script runs on the channel.
type opening struct {
	ch       *channel
	out, err <-chan guard.Reading
	failure  error
}

// openScript runs scripts in a shell that leads a group, on a channel of their own, and
// looks for a marker on both streams. Unless sure is set, it does not wait for the
// server's reply: the script's output is proof enough.
func (l *launcher) openScript(ctx context.Context, marker string, sure bool, scripts ...string) opening {
	ch, err := l.openSession(ctx)
	if err != nil {
		return opening{failure: err}
	}
	l.mu.Lock()
	l.opened = append(l.opened, ch)
	l.mu.Unlock()
	l.sendConfigured(ch)
	if begin := time.Now(); sure {
		err = ch.ask(ctx, "exec", execRequest{guard.Bootstrap})
		l.rtt = time.Since(begin)
	} else {
		err = ch.execBlind(guard.Bootstrap)
	}
	if err == nil {
		// Writing a long script can block if the other side does not read.
		// Otherwise, the output shows whether it arrived.
		stop := context.AfterFunc(ctx, func() { l.giveUp(ch) })
		_, _ = ch.Write(guard.Input(scripts...))
		stop()
	} else if !errors.Is(err, errRefused) && ctx.Err() == nil {
		err = nil // the command has ended already: its output shows why
	}
	return opening{ch: ch, out: guard.Await(ch, marker), err: guard.Await(ch.Stderr(), marker), failure: err}
}

func (l *launcher) giveUp(ch *channel) {
	if l.keep {
		_ = ch.Close()
		return
	}
	_ = l.conn.Close()
}

// Servers refuse most variables of the ssh configuration, so sendConfigured does not wait
// for replies.
func (l *launcher) sendConfigured(ch *channel) {
	for name, value := range l.set {
		_, _ = ch.SendRequest("env", false, ssh.Marshal(envRequest{name, value}))
	}
}

func (l *launcher) openRun(ctx context.Context) opening {
	scripts := []string{guard.RunScript(l.mark, l.cmd)}
	if l.single {
		scripts = []string{guard.ShowMark(l.mark, 0), scripts[0]}
	}
	return l.openScript(ctx, guard.RunMarker(l.mark), false, scripts...)
}

func (l *launcher) marker(ctx context.Context, o opening) (guard.Reading, *executor.StartError) {
	if o.failure != nil {
		return guard.Reading{}, l.openFailed(ctx, o.failure)
	}
	select {
	case r := <-o.out:
		if r.Err != nil {
			return r, l.noMarker(ctx, o, r)
		}
		return r, nil
	case <-ctx.Done():
		return guard.Reading{}, l.timedOut(ctx, o)
	}
}

func (l *launcher) release(ctx context.Context, o opening, g *guard.Guard) (*launched, *executor.StartError) {
	run, failure := l.prepared(ctx, o)
	if failure == nil {
		failure = l.letGo(ctx, o, run, g)
	}
	if failure != nil {
		return nil, failure
	}
	return run, nil
}

func (l *launcher) prepared(ctx context.Context, o opening) (*launched, *executor.StartError) {
	r, failure := l.marker(ctx, o)
	if failure != nil {
		return nil, failure
	}
	run, failure := l.ready(ctx, o, r.Line)
	if failure != nil {
		return nil, failure
	}
	var errs guard.Reading
	select {
	case errs = <-o.err:
	case <-ctx.Done():
		return nil, l.timedOut(ctx, o)
	}
	run.run, run.path, run.rest = o.ch, l.cmd.Path, [2][]byte{r.Rest, errs.Rest}
	run.notices = noiseNotices(r.Noise, errs.Noise, l.mark)
	return run, nil
}

func (l *launcher) letGo(ctx context.Context, o opening, run *launched, g *guard.Guard) *executor.StartError {
	run.rtt = l.rtt
	run.notices = slices.Concat(run.notices, modeNotices(g.Capabilities(), run.info, l.lease), l.endLost(ctx, g))
	// Both lines are one round trip after the marker.
	var err error
	if run.charge, err = guard.Take(ctx, g, run.info); err == nil {
		_, err = io.WriteString(o.ch, guard.Go(l.mark))
	}
	if err != nil {
		return l.gone(ctx, err)
	}
	return nil
}

// ready reads the report of the run.
func (l *launcher) ready(ctx context.Context, o opening, line string) (*launched, *executor.StartError) {
	run, err := guard.ParseRun(l.mark, line)
	if err != nil {
		return nil, l.fail(executor.StartNoMarker, err, "")
	}
	if run.Status != guard.Ready {
		_ = o.ch.CloseWrite() // it waits until its report has arrived
	}
	switch run.Status {
	case guard.Ready:
	case guard.NoDir:
		return nil, l.fail(executor.StartNoDir, fmt.Errorf("working directory %s does not exist on the host, or cannot be entered", l.cmd.Dir),
			"choose another one with --cwd; without --cwd the server starts in the login directory")
	case guard.NotExecutable:
		return nil, l.fail(executor.StartNoExec, fmt.Errorf("%s exists but cannot be executed", l.cmd.Argv[0]),
			"check that it is a file with the x permission")
	default:
		return nil, l.notFound(ctx, run.Path)
	}
	return &launched{info: run}, nil
}

// notFound returns where the program was searched, and whether a login or interactive
// shell would have found it.
func (l *launcher) notFound(ctx context.Context, path string) *executor.StartError {
	name := l.cmd.Argv[0]
	if strings.Contains(name, "/") {
		return l.fail(executor.StartNotFound, fmt.Errorf("%s: not found on the host", name), "check its path on the host")
	}
	e := l.fail(executor.StartNotFound, fmt.Errorf("%s is not on the PATH of the host (%s)", name, cut(path)),
		"use its full path, or set PATH with --env PATH=... and --path-from explicit")
	if l.from != PathPlain {
		return e
	}
	for _, from := range []PathFrom{PathLogin, PathInteractive} {
		if l.foundFrom(ctx, from) {
			e.Hint = fmt.Sprintf("%s is on the PATH of %s shell there: use --path-from %s", name,
				map[PathFrom]string{PathLogin: "a login", PathInteractive: "an interactive"}[from], from)
			break
		}
	}
	return e
}

const foundTime = 3 * time.Second

// Nothing is started.
func (l *launcher) foundFrom(ctx context.Context, from PathFrom) bool {
	ctx, cancel := context.WithTimeout(ctx, foundTime)
	defer cancel()
	try := &launcher{conn: l.conn, mark: l.mark, cmd: l.cmd, set: l.set, limit: l.limit, lease: l.lease, from: from, paths: l.paths}
	path, failure := try.paths.get(ctx, try)
	if failure != nil {
		return false
	}
	try.cmd.Path = path
	o := try.openRun(ctx)
	r, failure := try.marker(ctx, o)
	if failure != nil {
		return false
	}
	_ = o.ch.CloseWrite() // it does not get its GO
	run, err := guard.ParseRun(l.mark, r.Line)
	return err == nil && run.Status == guard.Ready
}
