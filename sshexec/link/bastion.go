package link

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// An attempt is a connection to a hop in the making, or what came of it. Many
// may wait for it; it ends when the last of them goes away.
type attempt struct {
	trace  *trace
	cancel context.CancelCauseFunc
	done   chan struct{}        // closed when one of these is set
	conn   *Conn                // logged in
	err    *executor.StartError // why not
}

// attempt runs connect on a goroutine of its own.
func (d *Dialer) attempt(hop string, connect func(context.Context, *trace) (*Conn, *executor.StartError)) *attempt {
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
	if !d.crew.run(run) {
		a.err = classify(executor.ErrClosed, place{hop: hop, phase: phaseConnect, begin: time.Now(), ctx: d.ctx})
		a.trace.close()
		close(a.done)
	}
	return a
}

// follow tells of the attempt and waits for it. When ctx ends first, the attempt
// may go on for others.
func (a *attempt) follow(ctx context.Context, hop string, r Reporter) (*Conn, *executor.StartError) {
	begin := time.Now()
	if err := a.trace.tell(ctx, r); err != nil {
		return nil, classify(err, place{hop: hop, phase: phaseConnect, begin: begin, ctx: ctx})
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

// share returns the connection to a jump host, or the attempt to make one, and
// counts one user more. It says whether somebody else had it before.
func (d *Dialer) share(way *way, n int, via *bastion) (b *bastion, warm bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := strings.Join(way.names[:n], ",")
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
		b.attempt = d.attempt(hopName(way.hosts[n-1]), func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
			c, err := d.connectHop(ctx, way, n, via, t)
			if err != nil {
				d.forgetFailed(b, name, err)
				return nil, err
			}
			c.crew.run(c.keepAlive)
			c.crew.run(func() {
				<-c.wire.gone
				d.forget(b)
			})
			return c, nil
		})
		return b, false
	}
}

// forgetFailed makes the next dial begin anew, unless the failure is one to be
// remembered. Who waits for b has it now.
func (d *Dialer) forgetFailed(b *bastion, name string, err *executor.StartError) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.options.RememberRefusals && isRefusal(err.Code) {
		d.refused[name] = err
	}
	if d.bastions[b.key] == b {
		delete(d.bastions, b.key)
	}
}

// forget makes the next dial begin anew.
func (d *Dialer) forget(b *bastion) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bastions[b.key] == b {
		delete(d.bastions, b.key)
	}
}

// use counts one user more, who has somebody that uses it already.
func (d *Dialer) use(b *bastion) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.users++
}

// leave counts one user less. The last one closes the connection, or ends the
// attempt, and waits for that.
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

// connectHop connects to the n-th host of a way, through the one before it, which
// is kept as long as the connection lasts.
func (d *Dialer) connectHop(ctx context.Context, way *way, n int, via *bastion, t *trace) (*Conn, *executor.StartError) {
	host := way.hosts[n-1]
	h := &hop{dialer: d, host: host, name: hopName(host), jump: n < len(way.hosts), trace: t, release: func() {}}
	if !h.jump {
		h.why = way.why
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
	c.info.Hops = way.hops(n)
	if via != nil {
		c.notices = append(via.conn.Notices(), c.notices...)
	}
	return c, nil
}

// connectNative goes from hop to hop. The jump hosts are shared.
func (d *Dialer) connectNative(ctx context.Context, way *way, r Reporter) (*Conn, *executor.StartError) {
	var via *bastion
	for n := 1; n < len(way.hosts); n++ {
		b, warm := d.share(way, n, via)
		defer d.leave(b)
		hop := hopName(way.hosts[n-1])
		if warm {
			if c := b.ready(); c != nil {
				now := time.Now()
				p := executor.Phase{Name: phaseConnect, Detail: hop + " (shared connection)", Begin: now}
				r.begin(p)
				p.End = now
				r.end(p)
				via = b
				continue
			}
		}
		if _, err := b.follow(ctx, hop, r); err != nil {
			return nil, err
		}
		via = b
	}
	return d.connectAlone(ctx, hopName(way.last()), r, func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
		return d.connectHop(ctx, way, len(way.hosts), via, t)
	})
}

// ready returns the connection if it is there.
func (b *bastion) ready() *Conn {
	select {
	case <-b.done:
		return b.conn
	default:
		return nil
	}
}

// lost tells whether there is a connection that has ended.
func (b *bastion) lost() bool {
	c := b.ready()
	return c != nil && c.Cause() != nil
}

// connectAlone makes a connection that is not shared.
func (d *Dialer) connectAlone(ctx context.Context, hop string, r Reporter, connect func(context.Context, *trace) (*Conn, *executor.StartError)) (*Conn, *executor.StartError) {
	a := d.attempt(hop, connect)
	stop := context.AfterFunc(ctx, func() { a.cancel(ended(ctx)) })
	// What ends a is told by a: it has the phases.
	c, err := a.follow(context.WithoutCancel(ctx), hop, r)
	if err == nil && !stop() {
		_ = c.Close()
		return nil, classify(ended(ctx), place{hop: hop, phase: phaseLogin, begin: time.Now(), ctx: ctx})
	}
	return c, err
}
