package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"mcpdbg/session/executor"
)

// The keepalive of shared connections: after five seconds in which nothing came,
// two requests, five seconds for each reply. What is dead is noticed within 15
// seconds.
const (
	keepaliveQuiet  = 5 * time.Second
	keepaliveReply  = 5 * time.Second
	keepaliveMisses = 2
)

// kernelKeepalive is the same from the kernel, for connections that nobody else
// watches; it sees a dead host, but not a dead server.
var kernelKeepalive = net.KeepAliveConfig{Enable: true, Idle: keepaliveQuiet, Interval: keepaliveReply, Count: keepaliveMisses}

// ErrNoPing is the answer of a connection on which nothing may be asked: another
// program holds it.
var ErrNoPing = errors.New("this connection has no keepalive of its own")

// KeepAlive has the connection watched as those to jump hosts are: it is given up
// when the server does not answer any more.
func (c *Conn) KeepAlive() { c.crew.run(c.keepAlive) }

// Ping asks the server for a reply, and says how long it took. SSH has one such
// request under way at a time: when ctx ends first, the next Ping begins once this
// one is answered.
func (c *Conn) Ping(ctx context.Context) (time.Duration, error) {
	if c.borrowed {
		return 0, ErrNoPing
	}
	begin := time.Now()
	select {
	case c.pinging <- struct{}{}:
	case <-c.wire.gone:
		return 0, c.Cause()
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	answered := make(chan error, 1)
	started := c.crew.run(func() {
		// Whether it knows the request or not, an answer is an answer.
		_, _, err := c.ssh.SendRequest("keepalive@openssh.com", true, nil)
		<-c.pinging
		answered <- err
	})
	if !started {
		return 0, errConnOver
	}
	select {
	case err := <-answered:
		return time.Since(begin), err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// keepAlive watches the connection until it has ended, and ends it when nothing
// answers any more.
func (c *Conn) keepAlive() {
	timer := time.NewTimer(keepaliveQuiet)
	defer timer.Stop()
	for misses := 0; ; {
		select {
		case <-c.wire.gone:
			return
		case <-timer.C:
		}
		if quiet := time.Since(c.Heard()); quiet < keepaliveQuiet {
			misses = 0
			timer.Reset(keepaliveQuiet - quiet)
			continue
		}
		if c.answers() {
			misses = 0
			timer.Reset(keepaliveQuiet)
			continue
		}
		if misses++; misses == keepaliveMisses {
			c.Abort(&executor.LostError{
				Code:  executor.LostKeepalive,
				Hop:   c.hop,
				After: time.Since(c.wire.opened),
				Err:   fmt.Errorf("%w for %v", errKeepalive, time.Since(c.Heard()).Round(time.Second)),
				Hint:  "check the network, VPN or Wi-Fi",
			})
			return
		}
		timer.Reset(0)
	}
}

// answers pings once. Anything that comes counts as an answer.
func (c *Conn) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), keepaliveReply)
	defer cancel()
	asked := time.Now()
	_, err := c.Ping(ctx)
	return err == nil || c.Heard().After(asked)
}
