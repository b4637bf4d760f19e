package sshexec

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

const (
	// endLostTime is how long a start waits for an earlier run to be killed: on a busy
	// host the guard needs several seconds to find it.
	endLostTime = 15 * time.Second
	// lostSlack is how long a guard may take to end a run after its lease.
	lostSlack = 5 * time.Second
	maxLost   = 16
)

// If the server executes nothing, its reply is where it shows.
func (l *launcher) openGuard(ctx context.Context) <-chan opening {
	done := make(chan opening, 1)
	go func() {
		done <- l.openScript(ctx, guard.ArmedMarker(l.mark), true, guard.Script(l.mark, guard.Orders{Lease: l.lease, Leave: l.leave}))
	}()
	return done
}

func (l *launcher) arm(ctx context.Context, o opening) (*guard.Guard, *executor.StartError) {
	r, failure := l.marker(ctx, o)
	if failure != nil {
		return nil, failure
	}
	g, err := guard.Armed(o.ch, r)
	if err != nil {
		return nil, l.fail(executor.StartNoMarker, err, "")
	}
	return g, nil
}

// Unlike arm, rearm never closes the connection, which the process still uses.
func (p *process) rearm(ctx context.Context) (*guard.Guard, error) {
	opts := &p.ex.opts
	l := &launcher{conn: p.guardConn(), mark: p.base.Mark, limit: opts.StartTimeout, lease: opts.Lease, leave: p.base.Cmd.Leave, keep: true}
	o := <-l.openGuard(ctx)
	if o.failure != nil {
		if o.ch != nil {
			guard.Dismiss(o.ch)
		}
		return nil, o.failure
	}
	err := error(nil)
	select {
	case r := <-o.out:
		if r.Err == nil {
			return guard.Armed(o.ch, r)
		}
		err = r.Err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	guard.Dismiss(o.ch) // it may just be slow
	return nil, err
}

// charge connects the guard to the process.
func (p *process) charge(ctx context.Context, c *guard.Charge) {
	c.Attach(guard.ChargeOptions{
		Arm: p.rearm, Dismiss: guard.Dismiss, Alive: p.base.Alive, Notify: p.notify,
		Over: func() bool { return p.base.Swept() || p.conn.Cause() != nil },
		Hosts: func(ctx context.Context, hosts []executor.Descendant) {
			p.base.ShareStreams()
			p.notify(leftoverNotice(hosts))
			if !p.base.Alive() { // watch may have looked before
				p.base.Go(func() { p.base.CutShared(ctx) })
			}
		},
	})
	p.base.Go(func() { c.Settle(ctx) })
	if c.Run().Stamp == "" {
		p.base.Go(func() { executor.Sample(ctx, 0, func() { c.Sample(ctx) }) })
	}
	p.base.Go(func() { c.Watch(ctx) })
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
func (l *launcher) endLost(ctx context.Context, g *guard.Guard) []executor.Notice {
	ctx, cancel := context.WithTimeout(ctx, endLostTime)
	defer cancel()
	var notices []executor.Notice
	for _, run := range l.lost {
		found, err := g.EndLost(ctx, run.mark, run.stamp)
		n := executor.Notice{Code: "lost.ended", Text: fmt.Sprintf("%s, whose connection was lost, was still running on the host (%s) and was killed", run.id, wording.PluralOf(len(found), "process", "processes"))}
		switch {
		case err != nil:
			n = executor.Notice{Code: "lost.unknown", Text: fmt.Sprintf("%s, whose connection was lost, %s: the new guard could not look for it: %v", run.id, run.mayLive(), err)}
		case len(found) == 0 && !g.Capabilities().Finds(run.stamp != ""):
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
