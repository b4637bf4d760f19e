package sshexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/link"
)

// saidLimit is how much output of the other side an error or notice holds.
const saidLimit = 4 << 10

var errSilent = errors.New("no reply from the remote shell within the limit")

type launchCommand struct {
	argv    []string
	dir     string
	path    string // empty keeps that of the host
	env     []executor.EnvVar
	noStdin bool
}

// A launcher starts one process on one connection. When it fails, and keep is not set,
// close the connection: the shells it has started then end.
type launcher struct {
	conn  *link.Conn
	mark  string
	cmd   launchCommand
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
	guard   *guard // the first one; nil without. process.guard is the one in charge
	rtt     time.Duration
	pid     int
	group   int       // that it leads; 0 if it leads none
	stamp   string    // "0" if it could not be set
	path    string    // empty: that of the host
	rest    [2][]byte // of each stream, what followed the marker
	notices []executor.Notice
	settled chan []guardProc // the guard's reply to P
	apart   *link.Conn       // of the guard, if it has its own connection
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
	if l.cmd.path, err = l.paths.get(ctx, l); err != nil {
		return nil, err
	}
	return l.release(ctx, l.openRun(ctx), g)
}

// A script runs on the channel.
type opening struct {
	ch       *channel
	out, err <-chan reading
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
		err = ch.ask(ctx, "exec", execRequest{bootstrap})
		l.rtt = time.Since(begin)
	} else {
		err = ch.execBlind(bootstrap)
	}
	if err == nil {
		// Writing a long script can block if the other side does not read.
		// Otherwise, the output shows whether it arrived.
		stop := context.AfterFunc(ctx, func() { l.giveUp(ch) })
		lines := encode(leadScript)
		for _, script := range scripts {
			lines = append(lines, encode(script)...)
		}
		_, _ = ch.Write(lines)
		stop()
	} else if !errors.Is(err, errRefused) && ctx.Err() == nil {
		err = nil // the command has ended already: its output shows why
	}
	return opening{ch: ch, out: await(ch, marker), err: await(ch.Stderr(), marker), failure: err}
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
	scripts := []string{runScript(l.mark, l.cmd)}
	if l.single {
		scripts = []string{showMark(l.mark), scripts[0]}
	}
	return l.openScript(ctx, "RUN-"+l.mark, false, scripts...)
}

func (l *launcher) marker(ctx context.Context, o opening) (reading, *executor.StartError) {
	if o.failure != nil {
		return reading{}, l.openFailed(ctx, o.failure)
	}
	select {
	case r := <-o.out:
		if r.err != nil {
			return r, l.noMarker(ctx, o, r)
		}
		return r, nil
	case <-ctx.Done():
		return reading{}, l.timedOut(ctx, o)
	}
}

func (l *launcher) release(ctx context.Context, o opening, g *guard) (*launched, *executor.StartError) {
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
	run, failure := l.ready(ctx, o, r.line)
	if failure != nil {
		return nil, failure
	}
	var errs reading
	select {
	case errs = <-o.err:
	case <-ctx.Done():
		return nil, l.timedOut(ctx, o)
	}
	run.run, run.path, run.rest = o.ch, l.cmd.path, [2][]byte{r.rest, errs.rest}
	run.notices = noiseNotices(r.noise, errs.noise, l.mark)
	return run, nil
}

func (l *launcher) letGo(ctx context.Context, o opening, run *launched, g *guard) *executor.StartError {
	run.guard, run.rtt = g, l.rtt
	run.notices = slices.Concat(run.notices, modeNotices(g.caps, run.stamp != noStamp, l.lease, run.group), l.endLost(ctx, g))
	// The guard knows the run before it runs, so it cannot miss a process. Both
	// lines are one round trip after the marker.
	var err error
	run.settled, err = g.send("P", fmt.Sprintf("%d %d %s new", run.pid, run.group, run.stamp))
	if err == nil && run.stamp == noStamp {
		// The guard must have scanned for earlier processes.
		err = run.awaitSettled(ctx)
	}
	if err == nil {
		_, err = io.WriteString(o.ch, "GO-"+l.mark+"\n")
	}
	if err != nil {
		return l.gone(ctx, err)
	}
	return nil
}

// ready parses what the run reports: pid, group, status, stamp, PATH.
func (l *launcher) ready(ctx context.Context, o opening, line string) (*launched, *executor.StartError) {
	f := strings.SplitN(line, " ", 5)
	if len(f) < 5 {
		return nil, l.fail(executor.StartNoMarker, fmt.Errorf("unexpected reply of the start script: %q", cut(line)), "")
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 1 {
		return nil, l.fail(executor.StartNoMarker, fmt.Errorf("unexpected reply of the start script: %q", cut(line)), "")
	}
	if f[2] != runOK {
		_ = o.ch.CloseWrite() // it waits until its report has arrived
	}
	switch f[2] {
	case runOK:
	case runNoDir:
		return nil, l.fail(executor.StartNoDir, fmt.Errorf("working directory %s does not exist on the host, or cannot be entered", l.cmd.dir),
			"choose another one with --cwd; without --cwd the server starts in the login directory")
	case runNoExec:
		return nil, l.fail(executor.StartNoExec, fmt.Errorf("%s exists but cannot be executed", l.cmd.argv[0]),
			"check that it is a file with the x permission")
	default:
		return nil, l.notFound(ctx, f[4])
	}
	run := &launched{pid: pid, stamp: noStamp}
	if group, _ := strconv.Atoi(f[1]); group == pid { // 0: unknown
		run.group = group
	}
	if f[3] == stampOf(l.mark) {
		run.stamp = f[3]
	}
	return run, nil
}

// notFound returns where the program was searched, and whether a login or interactive
// shell would have found it.
func (l *launcher) notFound(ctx context.Context, path string) *executor.StartError {
	name := l.cmd.argv[0]
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
	try.cmd.path = path
	o := try.openRun(ctx)
	r, failure := try.marker(ctx, o)
	if failure != nil {
		return false
	}
	_ = o.ch.CloseWrite() // it does not get its GO
	f := strings.SplitN(r.line, " ", 5)
	return len(f) == 5 && f[2] == runOK
}
