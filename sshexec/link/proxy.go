package link

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

// A proxy is a ProxyCommand as a net.Conn. The command is killed, with its group, when
// the conn is closed.
type proxy struct {
	command   string
	child     *child
	in, out   *os.File // our ends of its standard input and output
	closeOnce sync.Once
	ended     bool // by itself, before Close
}

// All tokens of command are expanded.
func newProxy(command string) (*proxy, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	cmd := shell(command)
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	child, err := startChild(cmd)
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return &proxy{command: command, child: child, in: in, out: out}, nil
}

// Read implements net.Conn. Before it returns the end it lets the command exit,
// whose stderr is then complete.
func (p *proxy) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if errors.Is(err, io.EOF) {
		p.child.settle()
	}
	return n, err
}

// Write implements net.Conn.
func (p *proxy) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close ends every Read and Write at once, and the command.
func (p *proxy) Close() error {
	p.closeOnce.Do(func() {
		_ = p.in.Close()
		_ = p.out.Close()
		p.ended = p.child.hasExited()
		p.child.kill()
	})
	return nil
}

// failure returns how the command ended by itself, or nil if it succeeded or was killed
// by Close. Call it after Close.
func (p *proxy) failure() error {
	if p.ended {
		return p.child.err
	}
	return nil
}

// lost returns nil if the command has not failed: then the other side ended the
// connection.
func (p *proxy) lost(hop string, after time.Duration) *executor.LostError {
	p.child.settle()
	_ = p.Close()
	err := p.failure()
	if err == nil {
		return nil
	}
	return &executor.LostError{
		Code: executor.LostClosed, Hop: hop, After: after, Said: p.child.stderr.String(), SaidBy: executor.SpeakerProxy,
		Err: fmt.Errorf("the ProxyCommand on this machine ended: %w", err),
	}
}

// name is quoted and short enough for an error.
func (p *proxy) name() string { return quoteCommand(p.command) }

// LocalAddr implements net.Conn; there is no address.
func (p *proxy) LocalAddr() net.Addr { return noAddr{} }

// RemoteAddr implements net.Conn; there is no address.
func (p *proxy) RemoteAddr() net.Addr { return noAddr{} }

// SetDeadline implements net.Conn, and fails.
func (p *proxy) SetDeadline(time.Time) error { return errNoDeadline }

// SetReadDeadline implements net.Conn, and fails.
func (p *proxy) SetReadDeadline(time.Time) error { return errNoDeadline }

// SetWriteDeadline implements net.Conn, and fails.
func (p *proxy) SetWriteDeadline(time.Time) error { return errNoDeadline }

func quoteCommand(command string) string {
	return strconv.Quote(wording.ClipValid(command, 200, wording.Dots))
}
