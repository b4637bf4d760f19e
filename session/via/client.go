package via

import (
	"context"
	"errors"
	"io"
	"sync"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// saidLimit is how much output of a client an error holds.
const saidLimit = 4 << 10

var errClientGone = errors.New("its client has ended")

// A client is a process of the prefix whose streams are a channel to a script inside.
type client struct {
	process executor.Process
	sub     *executor.Subscription
	exited  chan struct{}
	ended   chan struct{}
	out     *io.PipeReader
	outEnd  *io.PipeWriter
	cancel  context.CancelFunc // ends the reading of the streams

	mu   sync.Mutex
	exit executor.Exit
	said []byte // the end of standard error
}

// startClient executes a prefix with a shell on e. ctx limits the start only.
func startClient(ctx context.Context, e executor.Executor, cmd executor.Command) (*client, error) {
	cmd.Pinned = true
	p, err := e.Start(ctx, cmd)
	if err != nil {
		return nil, err
	}
	sub, err := p.Subscribe(executor.SubscribeOptions{Pin: true})
	if err != nil {
		_, _ = p.Terminate(context.WithoutCancel(ctx))
		return nil, err
	}
	reading, cancel := context.WithCancel(context.Background())
	c := &client{process: p, sub: sub, exited: make(chan struct{}), ended: make(chan struct{}), cancel: cancel}
	c.out, c.outEnd = io.Pipe()
	go c.follow(reading)
	return c, nil
}

// follow delivers the streams until both have ended.
func (c *client) follow(ctx context.Context) {
	defer close(c.ended)
	defer c.sub.Close()
	defer c.outEnd.Close()
	for {
		ev, err := c.sub.Next(ctx)
		if err != nil {
			return
		}
		switch ev.Kind {
		case executor.Output:
			if ev.Stream == executor.Stderr {
				c.note(ev.Data)
			} else if _, err := c.outEnd.Write(ev.Data); err != nil {
				return
			}
		case executor.Exited:
			c.mu.Lock()
			c.exit = ev.Exit
			c.mu.Unlock()
			close(c.exited)
		}
	}
}

func (c *client) note(text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, text...)
	c.said = c.said[max(0, len(c.said)-saidLimit):]
}

// stderr returns the end of standard error.
func (c *client) stderr() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.said)
}

// Read implements guard.Channel.
func (c *client) Read(b []byte) (int, error) { return c.out.Read(b) }

// Write implements guard.Channel. The bytes were accepted, and may not be written yet.
func (c *client) Write(b []byte) (int, error) {
	r, err := c.process.Write(context.Background(), "", b)
	if err == nil && r.Status != executor.Accepted {
		err = errClientGone
	}
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

// CloseWrite implements guard.Channel.
func (c *client) CloseWrite() error {
	c.process.CloseStdin()
	return nil
}

// Close implements guard.Channel. It ends the client, and waits for that.
func (c *client) Close() error {
	_ = c.out.Close() // never fails
	c.cancel()
	<-c.ended
	_, err := c.process.Terminate(context.Background())
	return err
}

// Exited implements guard.Channel.
func (c *client) Exited() <-chan struct{} { return c.exited }

// Ended implements guard.Channel.
func (c *client) Ended() <-chan struct{} { return c.ended }

// Exit implements guard.Channel.
func (c *client) Exit() executor.Exit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exit
}

var _ guard.Channel = (*client)(nil)
