package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"mcpdbg/session/executor"
)

// The keepalive of shared connections: after five seconds without input, two requests,
// with five seconds for each reply. A dead connection is noticed within 15 seconds.
const (
	keepaliveQuiet  = 5 * time.Second
	keepaliveReply  = 5 * time.Second
	keepaliveMisses = 2
)

// kernelKeepalive is for connections without a keepalive of their own; it detects a dead
// host, but not a dead server.
var kernelKeepalive = net.KeepAliveConfig{Enable: true, Idle: keepaliveQuiet, Interval: keepaliveReply, Count: keepaliveMisses}

// ErrNoPing is the error of Ping on a connection that another program holds.
var ErrNoPing = errors.New("this connection has no keepalive of its own")

// KeepAlive watches the connection like those to jump hosts: it is given up
// when the server no longer replies.
func (c *Conn) KeepAlive() { c.tasks.run(c.keepAlive) }

// Ping sends the server a request and returns the time until its reply. Only
// one such request is in flight at a time: when ctx ends first, the next Ping
// waits for its reply.
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
	started := c.tasks.run(func() {
		// A refusal is a reply, too.
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

// keepAlive ends the connection when replies no longer come.
func (c *Conn) keepAlive() {
	timer := time.NewTimer(keepaliveQuiet)
	defer timer.Stop()
	for misses := 0; ; {
		select {
		case <-c.wire.gone:
			return
		case <-timer.C:
		}
		if quiet := time.Since(c.LastRead()); quiet < keepaliveQuiet {
			misses = 0
			timer.Reset(keepaliveQuiet - quiet)
			continue
		}
		if c.isAlive() {
			misses = 0
			timer.Reset(keepaliveQuiet)
			continue
		}
		if misses++; misses == keepaliveMisses {
			c.Abort(&executor.LostError{
				Code:  executor.LostKeepalive,
				Hop:   c.hop,
				After: time.Since(c.wire.opened),
				Err:   fmt.Errorf("%w for %v", errKeepalive, time.Since(c.LastRead()).Round(time.Second)),
				Hint:  "check the network, VPN or Wi-Fi",
			})
			return
		}
		timer.Reset(0)
	}
}

// Any input counts as a reply.
func (c *Conn) isAlive() bool {
	ctx, cancel := context.WithTimeout(context.Background(), keepaliveReply)
	defer cancel()
	asked := time.Now()
	_, err := c.Ping(ctx)
	return err == nil || c.LastRead().After(asked)
}
