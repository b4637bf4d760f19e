package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/unixsocket"
)

// A Dialer connects to one exec server.
type Dialer struct {
	Target      Target
	Credentials Credentials
	// Run starts the program of a Command; nil for others.
	Run executor.Executor
}

// Dial connects. Its error is an *executor.StartError.
func (d Dialer) Dial(ctx context.Context) (wire.Conn, error) {
	if err := d.Target.Check(d.Credentials); err != nil {
		return nil, d.fail(executor.StartInvalid, err, "")
	}
	switch d.Target.Kind {
	case Unix:
		return d.dialUnix(ctx)
	case WebSocket:
		return d.dialWeb(ctx)
	}
	return start(ctx, d.Run, d.Target.Argv)
}

func (d Dialer) dialUnix(ctx context.Context) (wire.Conn, error) {
	conn, err := unixsocket.Dial(ctx, d.Target.Path)
	if err != nil {
		return nil, d.classify(ctx, err)
	}
	return wire.NewLines(conn, wire.MaxMessage), nil
}

func (d Dialer) fail(code executor.StartCode, err error, hint string) error {
	return &executor.StartError{Code: code, Hop: d.Target.Host(), Phase: "connect", Err: err, Hint: hint}
}

// classify returns the StartError of a failed connection.
func (d Dialer) classify(ctx context.Context, err error) error {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case executor.Terminated(ctx):
		return executor.StartCancelledBy(ctx, "connect")
	case errors.As(err, &dns):
		return d.fail(executor.ResolveDNS, fmt.Errorf("the name %s has no address", dns.Name), "")
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return d.fail(executor.NetRefused, fmt.Errorf("no exec server listens on %s: %w", d.Target, cause(err)), "start one there")
	case errors.Is(err, syscall.EACCES), errors.Is(err, unixsocket.ErrPeer):
		return d.fail(executor.AuthDenied, fmt.Errorf("%s: %w", d.Target, cause(err)), "")
	case errors.As(err, &timeout) && timeout.Timeout():
		return d.fail(executor.NetTimeout, fmt.Errorf("no answer from %s: %w", d.Target, cause(err)), "")
	}
	return d.fail(executor.NetUnreachable, cause(err), "")
}

// cause returns the innermost error that has a text of its own: those around it repeat the
// URL and the request.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil || !strings.Contains(err.Error(), inner.Error()) {
			return err
		}
		err = inner
	}
}
