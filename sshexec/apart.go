package sshexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
	"mcpdbg/sshexec/link"
)

const (
	// Opening a session is tried freeTries times while the previous one is ending.
	freeTries = 20
	freeWait  = 100 * time.Millisecond
	clearTime = 2 * time.Second
)

const (
	oneSession = "the server allows one session per connection (MaxSessions 1)"
	whySecond  = oneSession + ", so the guard needs a second connection, which has to log in again."
	plainHint  = "--ssh-launch plain needs only one session: it starts the server without a guard"
)

var errElsewhere = errors.New(oneSession + ", and a second connection leads to a machine where the process cannot be found: no guard can be armed there")

// If the server allows only one session per connection, the guard gets its own
// connection.
func (l *launcher) guarded(ctx context.Context) (*launched, *executor.StartError) {
	run, failure := l.together(ctx)
	if failure == nil || failure.Code != executor.ChanLimit {
		return run, failure
	}
	if l.redial != nil && l.clear(ctx) {
		if run, failure = l.apart(ctx); failure == nil {
			return run, nil
		}
	}
	if failure.Code == executor.ChanLimit || strings.HasPrefix(string(failure.Code), "auth.") {
		failure.Hint = strings.TrimSuffix(plainHint+"\n"+failure.Hint, "\n")
	}
	return nil, failure
}

// clear ends what runs on the connection, so that its session is free. It reports whether
// anything was running.
func (l *launcher) clear(ctx context.Context) bool {
	l.mu.Lock()
	opened := l.opened
	l.opened = nil
	l.mu.Unlock()
	limit := time.NewTimer(clearTime)
	defer limit.Stop()
	for _, ch := range opened {
		guard.Dismiss(ch)
	}
	for _, ch := range opened {
		select {
		case <-ch.ended:
		case <-limit.C:
			return true
		case <-ctx.Done():
			return true
		}
	}
	return len(opened) > 0
}

// In single mode the previous session may take a moment to end.
func (l *launcher) openSession(ctx context.Context) (*channel, error) {
	for try := 0; ; try++ {
		ch, err := open(ctx, l.conn)
		var refused *executor.StartError
		if err == nil || !l.single || try == freeTries || !errors.As(err, &refused) || refused.Code != executor.ChanLimit {
			return ch, err
		}
		select {
		case <-time.After(freeWait):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// The guard on the second connection takes charge of the run only if it finds the pid
// with the mark: a load balancer may have routed the second connection to another
// machine.
func (l *launcher) apart(ctx context.Context) (*launched, *executor.StartError) {
	l.single = true
	if l.from == PathLogin || l.from == PathInteractive {
		path, failure := l.paths.get(ctx, l)
		if failure != nil {
			return nil, failure
		}
		l.cmd.Path = path
		l.clear(ctx)
	}
	o := l.openRun(ctx)
	run, failure := l.prepared(ctx, o)
	if failure != nil {
		return nil, failure
	}
	second, err := l.redial(ctx, whySecond)
	if err != nil {
		return nil, asStartError(ctx, err)
	}
	guarding := &launcher{conn: second, mark: l.mark, set: l.set, limit: l.limit, lease: l.lease, leave: l.leave}
	g, failure := guarding.armFor(ctx, run.info.PID)
	if failure == nil {
		run.apart = second
		run.notices = append(run.notices, executor.Notice{Code: "mode.second-connection", Text: oneSession + ": a second connection carries the guard"})
		l.rtt = guarding.rtt
		failure = l.letGo(ctx, o, run, g)
	}
	if failure != nil {
		_ = second.Close()
		return nil, failure
	}
	return run, nil
}

func (l *launcher) armFor(ctx context.Context, pid int) (*guard.Guard, *executor.StartError) {
	g, failure := l.arm(ctx, <-l.openGuard(ctx))
	if failure != nil {
		return nil, failure
	}
	found, err := g.Marked(ctx, pid)
	switch {
	case err != nil:
		return nil, l.gone(ctx, err)
	case !found:
		g.Close()
		return nil, l.fail(executor.ChanLimit, errElsewhere, "")
	}
	return g, nil
}

// watchApart ends the run when the guard's connection is lost, because the guard then
// kills the process.
func (p *process) watchApart(ctx context.Context, apart *link.Conn) {
	select {
	case <-apart.Done():
	case <-ctx.Done():
		return
	}
	if ctx.Err() != nil {
		return // closed locally
	}
	lost := *apart.Cause()
	lost.Err = fmt.Errorf("the second connection, which carries the guard: %w", lost.Err)
	p.conn.Abort(&lost)
}

func (p *process) guardConn() *link.Conn {
	if p.running.apart != nil {
		return p.running.apart
	}
	return p.conn
}
