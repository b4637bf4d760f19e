package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

// A Dialer connects to hosts. Its methods may be called from any goroutine.
// Close it in the end.
type Dialer struct {
	options  Options
	resolver *sshconfig.Resolver
	ctx      context.Context // until Close
	cancel   context.CancelCauseFunc
	tasks    taskGroup // attempts to connect
	records  records
	hosts    gates // by host: connections
	servers  gates // by host and port: handshakes
	jitter   *jitter

	mu       sync.Mutex
	bastions map[string]*bastion
	refused  map[string]*executor.StartError // jump hosts, as in bastions; see Options.RememberRefusals
	conns    map[*Conn]func()                // open connections, with a function to call at their end

	// Replaced by tests.
	dialTCP func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error)
	wait    func(ctx context.Context, d time.Duration) error
}

// NewDialer returns a Dialer.
func NewDialer(o Options) *Dialer {
	d := &Dialer{
		options:  o,
		resolver: &sshconfig.Resolver{Config: o.Config, Binary: o.SSH, Home: o.Home},
		bastions: map[string]*bastion{},
		refused:  map[string]*executor.StartError{},
		conns:    map[*Conn]func(){},
		hosts:    gates{limit: o.Limits.PerHost},
		servers:  gates{limit: o.Limits.perServer()},
		jitter:   newJitter(o.Seed),
		dialTCP: func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
			return d.DialContext(ctx, network, address)
		},
		wait: wait,
	}
	d.ctx, d.cancel = context.WithCancelCause(context.Background())
	return d
}

// Close ends every dial and every connection of the Dialer, and returns when
// they have ended. It is safe to call it twice.
func (d *Dialer) Close() error {
	d.cancel(executor.ErrClosed)
	d.tasks.wait()
	d.mu.Lock()
	var conns []*Conn
	for c := range d.conns {
		conns = append(conns, c)
	}
	d.mu.Unlock()
	var closing sync.WaitGroup
	for _, c := range conns {
		closing.Go(func() { _ = c.Close() })
	}
	closing.Wait()
	return nil
}

// Dial connects to dest through its jump hosts, verifies each host and logs in
// to it. The error is an *executor.StartError; cancelling ctx ends the dial
// with the code StartCancelled, and has no effect on a connection that was
// returned.
func (d *Dialer) Dial(ctx context.Context, dest sshconfig.Destination, r Reporter) (*Conn, error) {
	route, err := d.resolve(ctx, dest, r)
	if err != nil {
		return nil, err
	}
	leave, err := d.awaitHost(ctx, route, r)
	if err != nil {
		return nil, err
	}
	c, err := d.connect(ctx, route, r)
	if err != nil {
		leave()
		return nil, err
	}
	d.whenOver(c, leave)
	return c, nil
}

// DialSecond makes a second native connection to a host that is already
// connected, and shares its slot of Limits. The login prompt shows the reason.
func (d *Dialer) DialSecond(ctx context.Context, dest sshconfig.Destination, why string) (*Conn, error) {
	route, err := d.resolve(ctx, dest, Reporter{})
	if err != nil {
		return nil, err
	}
	route.why = why
	c, err := d.connectNative(ctx, route, Reporter{})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (d *Dialer) resolve(ctx context.Context, dest sshconfig.Destination, r Reporter) (*route, *executor.StartError) {
	phase := executor.Phase{Name: phaseResolve, Detail: dest.String(), Begin: time.Now()}
	r.begin(phase)
	w, err := d.findRoute(ctx, dest)
	phase.End = time.Now()
	if err != nil {
		failure := classify(err, place{
			hop: dest.String(), phase: phaseResolve, begin: phase.Begin, ctx: ctx, client: d.resolver.Version(),
		})
		phase.Err = failure
		r.end(phase)
		return nil, failure
	}
	phase.Detail = w.String()
	r.end(phase)
	return w, nil
}

// Close ends the connection.
func (d *Dialer) keep(c *Conn) {
	d.mu.Lock()
	d.conns[c] = func() {}
	d.mu.Unlock()
	go func() {
		<-c.Done()
		d.mu.Lock()
		over := d.conns[c]
		delete(d.conns, c)
		d.mu.Unlock()
		over()
	}()
}

// whenOver calls over when a registered connection has ended.
func (d *Dialer) whenOver(c *Conn, over func()) {
	d.mu.Lock()
	_, kept := d.conns[c]
	if kept {
		d.conns[c] = over
	}
	d.mu.Unlock()
	if !kept {
		over()
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A longer route is a loop in the configuration.
const maxHops = 16

var errLoop = errors.New("ProxyJump forms a loop")

// A route is the list of hosts from here to the destination. Only the first may have a
// ProxyCommand.
type route struct {
	dest  sshconfig.Destination
	hosts []*sshconfig.Host
	// as typed: they determine every setting, so two routes share a hop if their names
	// are the same up to it
	names []string
	why   string // reason for a second connection to the last host
}

// As with ssh, the first jump host may itself have jump hosts; those of the others are
// ignored, because they are reached through the previous one.
func (d *Dialer) findRoute(ctx context.Context, dest sshconfig.Destination) (*route, error) {
	w := &route{dest: dest}
	identities := d.options.Identities
	for next := dest; ; {
		h, err := d.resolver.Resolve(ctx, next, identities...)
		if err != nil {
			return nil, err
		}
		jumps := h.ProxyJump
		w.prepend(next, h)
		for i := len(jumps) - 1; i > 0; i-- {
			h, err := d.resolver.Resolve(ctx, jumps[i])
			if err != nil {
				return nil, fmt.Errorf("jump host %s: %w", jumps[i], err)
			}
			w.prepend(jumps[i], h)
		}
		if len(w.hosts) > maxHops || len(jumps) > 0 && slices.Contains(w.names, jumps[0].String()) {
			return nil, &sshconfig.ConfigError{Err: fmt.Errorf("%w: %s", errLoop, strings.Join(w.names, " -> "))}
		}
		if len(jumps) == 0 {
			return w, nil
		}
		next, identities = jumps[0], nil
	}
}

func (w *route) prepend(d sshconfig.Destination, h *sshconfig.Host) {
	w.hosts = slices.Insert(w.hosts, 0, h)
	w.names = slices.Insert(w.names, 0, d.String())
}

func (w *route) last() *sshconfig.Host { return w.hosts[len(w.hosts)-1] }

func (w *route) hops(n int) []string {
	names := make([]string, n)
	for i, h := range w.hosts[:n] {
		names[i] = hopName(h)
	}
	return names
}

// String describes the route for people.
func (w *route) String() string {
	text := w.names[len(w.names)-1] + " -> " + hopName(w.last())
	if n := len(w.hosts) - 1; n > 0 {
		text += " through " + strings.Join(w.hops(n), ", ")
	}
	if w.last().Source != "" {
		text += " (" + w.last().Source + ")"
	}
	return text
}
