package sshexec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

const (
	rearmTime = 10 * time.Second
	// If guards keep being killed, another one would be killed too.
	maxGuards = 4
	// endLostTime is how long a start waits for an earlier run to be killed: on a busy
	// host the guard needs several seconds to find it.
	endLostTime = 15 * time.Second
	// clockTick is the longest sleep of a guard's clock.
	clockTick = 3 * time.Second
	// lostSlack is how long a guard may take to end a run after its lease.
	lostSlack = 5 * time.Second
	maxLost   = 16
)

// If the server executes nothing, its reply is where it shows.
func (l *launcher) openGuard(ctx context.Context) <-chan opening {
	done := make(chan opening, 1)
	seconds := int((l.lease + time.Second - 1) / time.Second)
	go func() {
		done <- l.openScript(ctx, "ARMED-"+l.mark, true, guardScript(l.mark, seconds, l.leave))
	}()
	return done
}

func (l *launcher) arm(ctx context.Context, o opening) (*guard, *executor.StartError) {
	r, failure := l.marker(ctx, o)
	if failure != nil {
		return nil, failure
	}
	g, err := armed(o.ch, r)
	if err != nil {
		return nil, l.fail(executor.StartNoMarker, err, "")
	}
	return g, nil
}

func armed(ch *channel, r reading) (*guard, error) {
	caps, err := parseArmed(r.line)
	if err != nil {
		return nil, err
	}
	return newGuard(ch, r.rest, caps), nil
}

// Unlike arm, rearm never closes the connection, which the process still uses.
func (p *process) rearm(ctx context.Context) (*guard, error) {
	limited, cancel := context.WithTimeoutCause(ctx, rearmTime, errSilent)
	defer cancel()
	o := <-p.launcher().openGuard(limited)
	if o.failure != nil {
		if o.ch != nil {
			o.ch.dismiss()
		}
		return nil, o.failure
	}
	var g *guard
	var err error
	select {
	case r := <-o.out:
		if err = r.err; err == nil {
			g, err = armed(o.ch, r)
		}
	case <-limited.Done():
		err = context.Cause(limited)
	}
	if err == nil {
		var hosts []guardProc
		if hosts, err = g.ask(limited, "P", p.state()); err == nil {
			p.setHosts(ctx, hosts)
		}
	}
	if err != nil {
		o.ch.dismiss() // it may just be slow
		return nil, err
	}
	return g, nil
}

// state returns what a guard that takes over needs to know.
func (p *process) state() string {
	pid, group := p.running.pid, p.running.group
	if !p.base.Alive() {
		pid, group = 0, 0 // the numbers may have been reused
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var args strings.Builder
	fmt.Fprintf(&args, "%d %d %s", pid, group, p.running.stamp)
	if !p.settledHosts {
		return args.String() + " new" // the host's own processes are not known yet
	}
	args.WriteString(" old")
	for _, h := range p.hosts {
		fmt.Fprintf(&args, " %d:%s", h.PID, h.born)
	}
	return args.String()
}

// If the server has no room for another channel, the channel of g, which has ended, has
// to close first.
func (p *process) replace(ctx context.Context, g *guard) (*guard, error) {
	_ = g.ch.Close()
	next, err := p.rearm(ctx)
	if err == nil || ctx.Err() != nil {
		return next, err
	}
	select {
	case <-g.ch.ended:
	case <-time.After(clockTick + time.Second): // its clock has stopped
	case <-ctx.Done():
	}
	return p.rearm(ctx)
}

// watchGuard replaces a guard that has ended, or reports that no guard is left. It
// returns when there is nothing left to guard.
func (p *process) watchGuard(ctx context.Context) {
	defer close(p.retired)
	for n := 1; ; n++ {
		g := p.guard()
		select {
		case <-g.gone:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil || p.base.Swept() || p.conn.Cause() != nil || g.reason().kind != "" {
			return // its work is done, or the connection is lost
		}
		how := "has ended"
		if g.ch.hasExited() && g.ch.exit.Kind == executor.ExitSignal {
			how = "was killed (signal " + g.ch.exit.Signal + ")"
		}
		next, err := (*guard)(nil), errTooMany
		if n < maxGuards {
			next, err = p.replace(ctx, g)
		}
		if ctx.Err() != nil || p.conn.Cause() != nil {
			return
		}
		if err != nil {
			close(p.unguarded)
			p.notify(executor.Notice{
				Code: "guard.lost",
				Text: fmt.Sprintf("the guard on the host %s and cannot be replaced: %v. If the connection is lost now, the server and its child processes keep running there", how, err),
				Hint: "restart the server to get a new guard",
			})
			return
		}
		p.setGuard(next)
		p.notify(executor.Notice{Code: "guard.replaced", Text: "the guard on the host " + how + "; a new one has taken over"})
	}
}

var errTooMany = fmt.Errorf("%d guards have ended", maxGuards)

// guard returns the guard in charge, or nil.
func (p *process) guard() *guard {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inCharge
}

// isGuarded reports whether there is a guard, or will be one soon.
func (p *process) isGuarded() bool {
	select {
	case <-p.unguarded:
		return false
	default:
		return p.guard() != nil
	}
}

func (p *process) setGuard(g *guard) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inCharge = g
	close(p.replaced)
	p.replaced = make(chan struct{})
}

// askGuard asks the guard in charge, and the next one if that guard ends meanwhile.
func (p *process) askGuard(ctx context.Context, command, args string) ([]guardProc, error) {
	for {
		p.mu.Lock()
		g, replaced := p.inCharge, p.replaced
		p.mu.Unlock()
		procs, err := g.ask(ctx, command, args)
		if !errors.Is(err, errGuardGone) {
			return procs, err
		}
		select {
		case <-replaced:
		case <-p.retired:
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (run *launched) awaitSettled(ctx context.Context) error {
	select {
	case procs := <-run.settled:
		run.settled <- procs // for recordHosts
		return nil
	case <-run.guard.gone:
		return errGuardGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// recordHosts records the guard's reply to P: processes that startup files left running
// in the background belong to the host.
func (p *process) recordHosts(ctx context.Context) {
	select {
	case hosts := <-p.running.settled:
		p.setHosts(ctx, hosts)
	case <-p.running.guard.gone:
	case <-ctx.Done():
	}
}

// Only the first call has an effect.
func (p *process) setHosts(ctx context.Context, hosts []guardProc) {
	p.mu.Lock()
	known := p.settledHosts
	if !known {
		p.settledHosts, p.hosts = true, hosts
	}
	p.mu.Unlock()
	if !known && len(hosts) > 0 {
		p.base.ShareStreams()
		p.notify(leftoverNotice(hosts))
		if !p.base.Alive() { // watch may have looked before
			p.base.Go(func() { p.base.CutShared(ctx) })
		}
	}
}

const sampleTime = time.Second

// sample makes the guard scan for descendants of the process: once seen, a process stays
// a member. It returns at once if the stamp makes that unnecessary.
func (p *process) sample(ctx context.Context) {
	if p.running.guard == nil || p.running.stamp != noStamp {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	_, _ = p.ask(ctx, "W", "") // the next sample makes up for one that fails
}

func (p *process) launcher() *launcher {
	o := &p.ex.opts
	return &launcher{conn: p.guardConn(), mark: p.base.Mark, limit: o.StartTimeout, lease: o.Lease, leave: p.base.Cmd.Leave, keep: true}
}

func (p *process) notify(n executor.Notice) {
	p.mu.Lock()
	p.notices = append(slices.Clone(p.notices), n)
	p.mu.Unlock()
	p.base.Journal.Emit(executor.Event{Kind: executor.Noticed, Notice: &n})
}

type lostRun struct {
	id    string
	mark  string
	stamp string
	until time.Time // deadline by which its guard has killed it; zero if no guard has a clock
	lease time.Duration
}

func (r lostRun) mayLive() string {
	if r.until.IsZero() {
		return "may still be running: it has no guard with a clock"
	}
	return fmt.Sprintf("may run until %s (lease %s)", r.until.Format(time.TimeOnly), seconds(r.lease))
}

// Guards of earlier runs whose connection was lost may not have noticed yet.
func (l *launcher) endLost(ctx context.Context, g *guard) []executor.Notice {
	ctx, cancel := context.WithTimeout(ctx, endLostTime)
	defer cancel()
	var notices []executor.Notice
	for _, run := range l.lost {
		found, err := g.ask(ctx, "O", run.mark+" "+run.stamp)
		n := executor.Notice{Code: "lost.ended", Text: fmt.Sprintf("%s, whose connection was lost, was still running on the host (%s) and was killed", run.id, wording.PluralOf(len(found), "process", "processes"))}
		switch {
		case err != nil:
			n = executor.Notice{Code: "lost.unknown", Text: fmt.Sprintf("%s, whose connection was lost, %s: the new guard could not look for it: %v", run.id, run.mayLive(), err)}
		case len(found) == 0 && !g.caps.finds(run.stamp != noStamp):
			n = executor.Notice{Code: "lost.unknown", Text: fmt.Sprintf("%s, whose connection was lost, %s: the guard cannot search for it on this host", run.id, run.mayLive())}
		case len(found) == 0:
			n = executor.Notice{Code: "lost.unknown", Text: fmt.Sprintf("%s, whose connection was lost, was not found on this host: it has ended, or it runs on another machine with this name and %s", run.id, run.mayLive())}
		}
		notices = append(notices, n)
	}
	return notices
}

func seconds(d time.Duration) string {
	d = d.Round(time.Second)
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
}
