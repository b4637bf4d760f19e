package link

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

// A Conn is a connection to a host, logged in. All methods may be called from
// any goroutine. Close it in the end, even when it is lost.
type Conn struct {
	ssh      ssh.Conn
	wire     *wire
	host     *sshconfig.Host
	hop      string
	borrowed bool // another program speaks SSH: no global requests
	info     executor.LinkInfo
	notices  []executor.Notice
	release  func() // releases what the connection runs through

	pinging chan struct{} // room for the one request that may be in flight
	opens   *taskGroup    // channels that are being opened
	tasks   taskGroup     // everything that runs until the connection has ended
	over    chan struct{} // closed when replies no longer come
	done    chan struct{}
}

// The connection is logged in.
func newConn(conn ssh.Conn, w *wire, h *hop) *Conn {
	return &Conn{
		ssh: conn, wire: w, host: h.host, hop: h.name, release: h.release,
		opens:   &taskGroup{},
		pinging: make(chan struct{}, 1),
		over:    make(chan struct{}),
		done:    make(chan struct{}),
	}
}

// Requests of the server are refused, and so are channels that it opens.
func (c *Conn) serve(channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	c.tasks.run(func() { ssh.DiscardRequests(requests) })
	c.tasks.run(func() {
		for channel := range channels {
			// If the reply cannot be sent, the connection has ended.
			_ = channel.Reject(ssh.Prohibited, "not wanted")
		}
	})
	go func() {
		defer close(c.done)
		if err := c.ssh.Wait(); err != nil {
			c.wire.failed(err)
		}
		_ = c.wire.Close()
		close(c.over)
		c.tasks.wait()
		c.release()
	}()
}

// Host returns the ssh configuration of the host.
func (c *Conn) Host() *sshconfig.Host { return c.host }

// Alias returns the host as it was typed.
func (c *Conn) Alias() string { return c.host.Alias }

func (c *Conn) where() string {
	return (&executor.StartError{Hop: c.hop, Alias: c.host.Alias}).Where()
}

// Hop returns the name of the host: user@host:port.
func (c *Conn) Hop() string { return c.hop }

// Info describes the connection at this moment. The caller fills in RTT.
func (c *Conn) Info() executor.LinkInfo {
	info := c.info
	info.Hops = slices.Clone(info.Hops)
	info.Heard = c.LastRead()
	info.State = executor.LinkUp
	if cause := c.Cause(); cause != nil {
		info.State, info.Err = executor.LinkLost, cause
	}
	return info
}

// Notices returns what is worth knowing about a connection that works: settings
// that are not honoured, banners, doubtful lines of known_hosts.
func (c *Conn) Notices() []executor.Notice { return slices.Clone(c.notices) }

// LastRead returns the time of the last input. It is cheap.
func (c *Conn) LastRead() time.Time { return c.wire.Heard() }

// Done is closed when the connection and everything on it has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Cause returns the first reason why the connection has ended, or is about to:
// that of Abort, a reset, a close by the peer, or Close. It may be nil before
// Done is closed, but not after.
func (c *Conn) Cause() *executor.LostError { return c.wire.cause.Load() }

// Abort closes the connection at once, whatever waits in it; cause becomes its
// Cause if it is the first.
func (c *Conn) Abort(cause *executor.LostError) { c.wire.abort(cause) }

// Close closes the connection and returns when everything on it has ended. It
// is safe to call it twice.
func (c *Conn) Close() error {
	c.wire.abort(&executor.LostError{
		Code: executor.LostClosed, Hop: c.hop, After: time.Since(c.wire.opened), Err: errWeClosed,
	})
	<-c.done
	return nil
}

// OpenSession opens a channel of type session. The caller must receive the
// requests from their channel until it is closed, or the whole connection
// stalls. If the server does not reply before ctx ends, the connection is
// closed, as nothing else ends the wait. The error is an *executor.StartError.
func (c *Conn) OpenSession(ctx context.Context) (ssh.Channel, <-chan *ssh.Request, error) {
	begin := time.Now()
	channel, requests, err := c.open(ctx, "session", nil)
	if err != nil {
		if ctx.Err() != nil {
			c.Abort(&executor.LostError{
				Code: executor.LostClosed, Hop: c.hop, After: time.Since(c.wire.opened), Err: errAbandoned,
			})
		}
		return nil, nil, classify(err, place{hop: c.hop, alias: c.wire.alias, phase: phaseOpen, begin: begin, ctx: ctx, lost: c.Cause(), client: c.info.Client})
	}
	return channel, requests, nil
}

var (
	errAbandoned = errors.New("given up while the server did not answer")
	errConnOver  = errors.New("the connection has ended")
)

type openResult struct {
	channel  ssh.Channel
	requests <-chan *ssh.Request
	err      error
}

// openChannel opens a channel, however long that takes, until the connection is over.
// x/crypto can block forever if the request races with the close; that goroutine is
// leaked.
func (c *Conn) openChannel(kind string, payload []byte) openResult {
	answers := make(chan openResult, 1)
	running := c.opens.run(func() {
		channel, requests, err := c.ssh.OpenChannel(kind, payload)
		answers <- openResult{channel, requests, err}
	})
	if !running {
		return openResult{err: errConnOver}
	}
	select {
	case a := <-answers:
		return a
	case <-c.over:
		return openResult{err: errConnOver}
	}
}

// If ctx ends first, the channel is closed as soon as the server has replied.
func (c *Conn) open(ctx context.Context, kind string, payload []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	var mu sync.Mutex
	abandoned := false
	answers := make(chan openResult, 1)
	running := c.tasks.run(func() {
		a := c.openChannel(kind, payload)
		mu.Lock()
		defer mu.Unlock()
		if !abandoned {
			answers <- a
			return
		}
		if a.err == nil {
			_ = a.channel.Close() // an error means that it is closed
			c.tasks.run(func() { ssh.DiscardRequests(a.requests) })
		}
	})
	if !running {
		return nil, nil, errConnOver
	}
	select {
	case a := <-answers:
		return a.channel, a.requests, a.err
	case <-ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	select {
	case a := <-answers: // at the last moment
		return a.channel, a.requests, a.err
	default:
		abandoned = true
		return nil, nil, ended(ctx)
	}
}

type taskGroup struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	over bool
}

// run starts f, unless wait was called.
func (c *taskGroup) run(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.wg.Go(f)
	return true
}

// wait refuses new goroutines, and returns when all others have ended.
func (c *taskGroup) wait() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.wg.Wait()
}
