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
// any goroutine. Close it in the end, also when it is lost.
type Conn struct {
	ssh      ssh.Conn
	wire     *wire
	host     *sshconfig.Host
	hop      string
	borrowed bool // another program speaks SSH: no global requests
	info     executor.LinkInfo
	notices  []executor.Notice
	release  func() // lets go of what the connection runs through

	pinging chan struct{} // room for the one request that may be under way
	crew    crew          // everything that runs until the connection has ended
	over    chan struct{} // closed when nothing is answered any more
	done    chan struct{}
}

// newConn is a connection to h that is logged in; w is under it.
func newConn(conn ssh.Conn, w *wire, h *hop) *Conn {
	return &Conn{
		ssh: conn, wire: w, host: h.host, hop: h.name, release: h.release,
		pinging: make(chan struct{}, 1),
		over:    make(chan struct{}),
		done:    make(chan struct{}),
	}
}

// serve runs the connection until it has ended. The server's requests are
// refused, and so are channels that it opens: nothing of ours is at its service.
func (c *Conn) serve(channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	c.crew.run(func() { ssh.DiscardRequests(requests) })
	c.crew.run(func() {
		for channel := range channels {
			// An answer that cannot be sent has nobody who waits for it.
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
		c.crew.wait()
		c.release()
	}()
}

// Host is what the ssh configuration says about the host.
func (c *Conn) Host() *sshconfig.Host { return c.host }

// Alias is what was typed for the host.
func (c *Conn) Alias() string { return c.host.Alias }

// Hop names the host: user@host:port.
func (c *Conn) Hop() string { return c.hop }

// Info is the connection at this moment. RTT is for the caller to fill in.
func (c *Conn) Info() executor.LinkInfo {
	info := c.info
	info.Hops = slices.Clone(info.Hops)
	info.Heard = c.Heard()
	info.State = executor.LinkUp
	if cause := c.Cause(); cause != nil {
		info.State, info.Err = executor.LinkLost, cause
	}
	return info
}

// Notices are what is worth knowing about the connection, although it works:
// settings that are not honoured, banners, doubtful lines of known_hosts.
func (c *Conn) Notices() []executor.Notice { return slices.Clone(c.notices) }

// Heard is when the last bytes came in. It costs nothing.
func (c *Conn) Heard() time.Time { return c.wire.Heard() }

// Done is closed when the connection has ended and all that belongs to it.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Cause is the first reason why the connection has ended, or is about to: that
// of Abort, a reset, that the peer closed it, or our Close. It is nil before, and
// never after Done.
func (c *Conn) Cause() *executor.LostError { return c.wire.cause.Load() }

// Abort closes the connection at once, whatever waits in it; cause is its Cause
// if it is the first.
func (c *Conn) Abort(cause *executor.LostError) { c.wire.abort(cause) }

// Close closes the connection and returns when all that belongs to it has ended.
// It is safe to call it twice.
func (c *Conn) Close() error {
	c.wire.abort(&executor.LostError{
		Code: executor.LostClosed, Hop: c.hop, After: time.Since(c.wire.opened), Err: errWeClosed,
	})
	<-c.done
	return nil
}

// OpenSession opens a channel of type session. The caller has to take the
// requests off their channel until it is closed, or the whole connection comes to
// a stop. When the server does not answer before ctx ends, the connection is
// closed, for nothing else ends the wait. The error is an *executor.StartError.
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

// An answer is what came of opening a channel.
type answer struct {
	channel  ssh.Channel
	requests <-chan *ssh.Request
	err      error
}

// askFor opens a channel, however long that takes, until the connection is over.
// Whom x/crypto let begin while it was about to end, it lets wait for ever: that
// goroutine is nobody's.
func (c *Conn) askFor(kind string, payload []byte) answer {
	answers := make(chan answer, 1)
	go func() {
		channel, requests, err := c.ssh.OpenChannel(kind, payload)
		answers <- answer{channel, requests, err}
	}()
	select {
	case a := <-answers:
		return a
	case <-c.over:
		return answer{err: errConnOver}
	}
}

// open opens a channel. When ctx ends first, the channel is closed as soon as
// the server has answered.
func (c *Conn) open(ctx context.Context, kind string, payload []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	var mu sync.Mutex
	abandoned := false
	answers := make(chan answer, 1)
	running := c.crew.run(func() {
		a := c.askFor(kind, payload)
		mu.Lock()
		defer mu.Unlock()
		if !abandoned {
			answers <- a
			return
		}
		if a.err == nil {
			_ = a.channel.Close() // an error says that it is closed
			c.crew.run(func() { ssh.DiscardRequests(a.requests) })
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
