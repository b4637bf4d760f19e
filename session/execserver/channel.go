package execserver

import (
	"context"
	"io"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// A channel is a process that runs a guard.
type channel struct {
	r      *remote
	in     *stdin
	out    *io.PipeReader
	outEnd *io.PipeWriter
	exited chan struct{}
	ended  chan struct{}
	exit   executor.Exit // set before exited is closed
}

var _ guard.Channel = (*channel)(nil)

// newChannel takes over a remote, and starts to follow it.
func newChannel(r *remote) *channel {
	c := &channel{r: r, in: newStdin(r), exited: make(chan struct{}), ended: make(chan struct{})}
	c.out, c.outEnd = io.Pipe()
	r.s.running.Go(c.follow)
	return c
}

func (c *channel) follow() {
	defer close(c.ended)
	defer c.outEnd.Close()
	var batch []step
	for {
		batch = c.r.steps(batch)
		for _, e := range batch {
			switch e.kind {
			case executor.Output:
				if e.stream == executor.Stdout {
					_, _ = c.outEnd.Write(e.data) // its reader may have left
				}
			case executor.Exited:
				c.exit = e.exit
				close(c.exited)
			case executor.Closed, executor.Failed:
				_ = c.in.Close() // never fails
				return
			}
		}
	}
}

// Read implements guard.Channel.
func (c *channel) Read(b []byte) (int, error) { return c.out.Read(b) }

// Write implements guard.Channel.
func (c *channel) Write(b []byte) (int, error) { return c.in.Write(b) }

// CloseWrite implements guard.Channel. Codex cannot end standard input: a guard ends by Q.
func (c *channel) CloseWrite() error { return nil }

// Close implements guard.Channel.
func (c *channel) Close() error {
	_ = c.out.Close() // never fails
	c.r.abandon()
	return nil
}

// Exited implements guard.Channel.
func (c *channel) Exited() <-chan struct{} { return c.exited }

// Ended implements guard.Channel.
func (c *channel) Ended() <-chan struct{} { return c.ended }

// Exit implements guard.Channel.
func (c *channel) Exit() executor.Exit { return c.exit }

// shell starts a shell that reads its first line from standard input.
func (p *process) shell(ctx context.Context, r *remote) error {
	return r.start(ctx, wire.StartParams{
		ProcessID: r.id, Argv: []string{"/bin/sh", "-c", guard.ReadLine}, CWD: p.s.env.Home,
		Env: map[string]string{}, EnvPolicy: envPolicy(p.base.Cmd.EnvPolicy, "linux"), PipeStdin: true,
	}, nil)
}

// arm starts a guard. Its shell waits for it in the group that the exec server kills when it
// ends, and the guard in a session of its own.
func (p *process) arm(ctx context.Context) (*guard.Guard, error) {
	r, err := p.s.register(p.ex.name(p.base.ID + ".guard"))
	if err != nil {
		return nil, err
	}
	if err := p.shell(ctx, r); err != nil {
		p.s.forget(r)
		return nil, err
	}
	c := newChannel(r)
	found := guard.Await(c, guard.ArmedMarker(p.base.Mark))
	_, err = c.Write(guard.Wrapped(p.base.Mark, guard.Script(p.base.Mark, guard.Orders{
		Lease: p.ex.lease(), Leave: p.base.Cmd.Leave, Timeout: p.ex.opts.StartTimeout + requestTime,
	})))
	var reading guard.Reading
	if err == nil {
		select {
		case reading = <-found:
			err = reading.Err
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	var g *guard.Guard
	if err == nil {
		g, err = guard.Armed(c, reading)
	}
	if err != nil {
		_ = c.Close() // it guards nothing yet
		return nil, err
	}
	return g, nil
}
