package link

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

// An attempt is a pending connection to a hop, or its result. Many dials may wait for it;
// it ends when the last of them leaves.
type attempt struct {
	trace  *trace
	cancel context.CancelCauseFunc
	done   chan struct{}        // one of these is set
	conn   *Conn                // logged in
	err    *executor.StartError // why it failed
}

func (d *Dialer) attempt(host *sshconfig.Host, connect func(context.Context, *trace) (*Conn, *executor.StartError)) *attempt {
	a := &attempt{trace: newTrace(), done: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(d.ctx)
	a.cancel = cancel
	run := func() {
		defer cancel(context.Canceled)
		a.conn, a.err = connect(ctx, a.trace)
		if a.conn != nil {
			d.keep(a.conn)
		}
		a.trace.close()
		close(a.done)
	}
	if !d.tasks.run(run) {
		a.err = classify(executor.ErrClosed, place{hop: hopName(host), alias: host.Alias, phase: phaseConnect, begin: time.Now(), ctx: d.ctx})
		a.trace.close()
		close(a.done)
	}
	return a
}

// follow reports the phases of the attempt. When ctx ends first, the attempt may continue
// for other dials.
func (a *attempt) follow(ctx context.Context, host *sshconfig.Host, r Reporter) (*Conn, *executor.StartError) {
	begin := time.Now()
	if err := a.trace.report(ctx, r); err != nil {
		return nil, classify(err, place{hop: hopName(host), alias: host.Alias, phase: phaseConnect, begin: begin, ctx: ctx})
	}
	<-a.done
	return a.conn, a.err
}

// A bastion is a connection to a jump host that dials share.
type bastion struct {
	*attempt
	key   string
	users int // dials that wait for it, and connections through it; guarded by the Dialer
}

// share returns the connection to a jump host, or the attempt to make one, and adds a
// reference. warm reports whether it existed before.
func (d *Dialer) share(route *route, n int, via *bastion) (b *bastion, warm bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := strings.Join(route.names[:n], ",")
	if err := d.refused[name]; err != nil {
		return &bastion{attempt: failed(err), users: 1}, false
	}
	for i := 0; ; i++ {
		key := fmt.Sprintf("%s#%d", name, i)
		b := d.bastions[key]
		if b != nil && b.lost() {
			b = nil // it is about to be forgotten
		}
		if b != nil && b.users < d.options.Limits.perBastion() {
			b.users++
			return b, true
		}
		if b != nil {
			continue
		}
		b = &bastion{key: key, users: 1}
		d.bastions[key] = b
		b.attempt = d.attempt(route.hosts[n-1], func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
			c, err := d.connectHop(ctx, route, n, via, t)
			if err != nil {
				d.forgetFailed(b, name, err)
				return nil, err
			}
			c.tasks.run(c.keepAlive)
			c.tasks.run(func() {
				<-c.wire.gone
				d.forget(b)
			})
			return c, nil
		})
		return b, false
	}
}

// forgetFailed makes the next dial start over, unless the failure is one to remember.
// Dials that already wait for b share the failure.
func (d *Dialer) forgetFailed(b *bastion, name string, err *executor.StartError) {
	if d.options.RememberRefusals && isRefusal(err.Code) {
		d.mu.Lock()
		d.refused[name] = err
		d.mu.Unlock()
	}
	d.forget(b)
}

func (d *Dialer) forget(b *bastion) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bastions[b.key] == b {
		delete(d.bastions, b.key)
	}
}

// use adds a reference; the caller must hold one.
func (d *Dialer) use(b *bastion) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.users++
}

// leave drops a reference. The last one closes the connection, or ends the attempt, and
// waits for that.
func (d *Dialer) leave(b *bastion) {
	d.mu.Lock()
	b.users--
	last := b.users == 0
	if last && d.bastions[b.key] == b {
		delete(d.bastions, b.key)
	}
	d.mu.Unlock()
	if !last {
		return
	}
	b.cancel(context.Canceled)
	<-b.done
	if b.conn != nil {
		_ = b.conn.Close()
	}
}

// The previous host of the route is kept as long as the connection lasts.
func (d *Dialer) connectHop(ctx context.Context, route *route, n int, via *bastion, t *trace) (*Conn, *executor.StartError) {
	host := route.hosts[n-1]
	h := &hop{dialer: d, host: host, name: hopName(host), jump: n < len(route.hosts), trace: t, release: func() {}}
	if !h.jump {
		h.why = route.why
	}
	if via != nil {
		h.via = via.conn
		d.use(via)
		h.release = func() { d.leave(via) }
	}
	c, err := h.connect(ctx)
	if err != nil {
		h.release()
		return nil, err
	}
	c.info.Hops = route.hops(n)
	if via != nil {
		c.notices = append(via.conn.Notices(), c.notices...)
	}
	return c, nil
}

func (d *Dialer) connectNative(ctx context.Context, route *route, r Reporter) (*Conn, *executor.StartError) {
	var via *bastion
	for n := 1; n < len(route.hosts); n++ {
		b, warm := d.share(route, n, via)
		defer d.leave(b)
		host := route.hosts[n-1]
		if warm {
			if c := b.ready(); c != nil {
				now := time.Now()
				p := executor.Phase{Name: phaseConnect, Detail: hopName(host) + " (shared connection)", Begin: now}
				r.begin(p)
				p.End = now
				r.end(p)
				via = b
				continue
			}
		}
		if _, err := b.follow(ctx, host, r); err != nil {
			return nil, err
		}
		via = b
	}
	return d.connectAlone(ctx, route.last(), r, func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
		return d.connectHop(ctx, route, len(route.hosts), via, t)
	})
}

func (b *bastion) ready() *Conn {
	select {
	case <-b.done:
		return b.conn
	default:
		return nil
	}
}

func (b *bastion) lost() bool {
	c := b.ready()
	return c != nil && c.Cause() != nil
}

func (d *Dialer) connectAlone(ctx context.Context, host *sshconfig.Host, r Reporter, connect func(context.Context, *trace) (*Conn, *executor.StartError)) (*Conn, *executor.StartError) {
	a := d.attempt(host, connect)
	stop := context.AfterFunc(ctx, func() { a.cancel(ended(ctx)) })
	// The end of a is reported by a itself, which knows the phases.
	c, err := a.follow(context.WithoutCancel(ctx), host, r)
	if err == nil && !stop() {
		_ = c.Close()
		return nil, classify(ended(ctx), place{hop: hopName(host), alias: host.Alias, phase: phaseLogin, begin: time.Now(), ctx: ctx})
	}
	return c, err
}

// A refusal will repeat until the user changes something: a host that is not trusted, or
// a login that is denied or needs a prompt.
func isRefusal(code executor.StartCode) bool {
	return slices.Contains([]executor.StartCode{
		executor.HostKeyUnknown, executor.HostKeyChanged, executor.HostKeyRevoked, executor.KexNoCommon,
		executor.AuthDenied, executor.AuthTooMany, executor.AuthPassphrase, executor.AuthPrompt,
	}, code)
}

// failed returns an attempt that is not made, because an earlier one to the same jump
// host was refused.
func failed(refused *executor.StartError) *attempt {
	a := &attempt{trace: newTrace(), cancel: func(error) {}, done: make(chan struct{})}
	again := *refused
	again.Elapsed = 0
	again.Err = &RepeatedError{Err: refused.Err}
	a.err = &again
	a.trace.begin(refused.Phase, refused.Hop).end("", a.err)
	a.trace.close()
	close(a.done)
	return a
}

// A RepeatedError is the failure of a dial through a jump host that refused an
// earlier one: it was not tried again (Options.RememberRefusals).
type RepeatedError struct {
	Err error // of the earlier dial
}

// Error returns the text of the earlier failure.
func (e *RepeatedError) Error() string {
	return fmt.Sprintf("%v (same as before; not tried again)", e.Err)
}

// Unwrap returns the earlier failure.
func (e *RepeatedError) Unwrap() error { return e.Err }
