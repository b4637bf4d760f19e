package sshexec

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/link"
)

// A channel is a raw exec channel: a Session of x/crypto hides an exit status that has
// arrived until the channel is closed, which a descendant can delay forever.
type channel struct {
	ssh.Channel
	exited chan struct{}
	ended  chan struct{}
	exit   executor.Exit // valid once exited is closed
	cutOff bool          // valid once ended is closed: the connection ended, not just the channel
}

// open executes nothing on the channel.
func open(ctx context.Context, conn *link.Conn) (*channel, error) {
	ch, reqs, err := conn.OpenSession(ctx)
	if err != nil {
		return nil, err
	}
	c := &channel{
		Channel: ch,
		exited:  make(chan struct{}), ended: make(chan struct{}),
	}
	go c.serve(conn, reqs)
	return c, nil
}

// errRefused is a negative reply of the server.
var errRefused = errors.New("the server refused the request")

// ask returns nil, errRefused, or the reason why no reply came.
func (c *channel) ask(ctx context.Context, request string, payload any) error {
	type answer struct {
		ok  bool
		err error
	}
	done := make(chan answer, 1)
	go func() { // without a reply, this ends with the connection
		ok, err := c.SendRequest(request, true, ssh.Marshal(payload))
		done <- answer{ok, err}
	}()
	select {
	case a := <-done:
		if a.err == nil && !a.ok {
			return errRefused
		}
		return a.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// RFC 4254, sections 6.4, 6.5 and 6.9.
type (
	envRequest    struct{ Name, Value string }
	execRequest   struct{ Command string }
	signalRequest struct{ Name string }
)

// execBlind does not wait for the reply, so that what is written next is sent at once. A
// refusal goes unreported.
func (c *channel) execBlind(command string) error {
	_, err := c.SendRequest("exec", false, ssh.Marshal(execRequest{command}))
	return err
}

// The server's requests report how the command ended.
func (c *channel) serve(conn *link.Conn, reqs <-chan *ssh.Request) {
	defer close(c.ended)
	known := sync.OnceFunc(func() { close(c.exited) })
	for req := range reqs {
		if exit, ok := parseExit(req); ok && !c.hasExited() {
			c.exit = exit
			known()
		}
		if req.WantReply {
			_ = req.Reply(false, nil) // an error means that the channel is gone
		}
	}
	c.cutOff = conn.Cause() != nil
}

// Exited implements guard.Channel.
func (c *channel) Exited() <-chan struct{} { return c.exited }

// Ended implements guard.Channel.
func (c *channel) Ended() <-chan struct{} { return c.ended }

// Exit implements guard.Channel.
func (c *channel) Exit() executor.Exit { return c.exit }

func (c *channel) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// RFC 4254, section 6.10.
func parseExit(req *ssh.Request) (executor.Exit, bool) {
	switch req.Type {
	case "exit-status":
		var status struct{ Code uint32 }
		if ssh.Unmarshal(req.Payload, &status) == nil {
			return executor.Exit{Kind: executor.ExitCode, Code: int(status.Code)}, true
		}
	case "exit-signal":
		var sig struct {
			Name    string
			Core    bool
			Message string
			Lang    string
		}
		if ssh.Unmarshal(req.Payload, &sig) == nil {
			return executor.Exit{Kind: executor.ExitSignal, Signal: sig.Name, Core: sig.Core}, true
		}
	}
	return executor.Exit{}, false
}
