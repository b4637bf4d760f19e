package sshauth

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"mcpdbg/session/executor"
)

const (
	// agentTimeout is for connecting and listing keys.
	agentTimeout = 2 * time.Second
	// agentSign is longer: the user may have to confirm, or to touch a token.
	agentSign = time.Minute
)

var (
	errAgentSilent = errors.New("it did not reply in time")
	errAgentGone   = errors.New("it closed the connection")
)

type agentLink struct {
	ctx    context.Context
	conn   *agentConn
	client agent.ExtendedAgent
	free   func() bool // releases what ends the connection with ctx
}

// An agentConn keeps the first error: the client turns it into text, which names the
// socket.
type agentConn struct {
	net.Conn
	err error
}

func (c *agentConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.keep(err)
}

func (c *agentConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.keep(err)
}

func (c *agentConn) keep(err error) error {
	if c.err == nil {
		c.err = err
	}
	return err
}

// The errors do not name the socket.
func dialAgent(ctx context.Context, socket string) (*agentLink, error) {
	dialer := net.Dialer{Timeout: agentTimeout}
	raw, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, agentError(err)
	}
	conn := &agentConn{Conn: raw}
	return &agentLink{
		ctx:  ctx,
		conn: conn,
		// Because the client has no Close, it needs no goroutine to read.
		client: agent.NewClient(struct{ io.ReadWriter }{conn}),
		free:   context.AfterFunc(ctx, func() { _ = raw.Close() }),
	}, nil
}

// A connection that has failed is not used again: the next reply may belong to an earlier
// request.
func (l *agentLink) limit(d time.Duration) error {
	if l.conn.err != nil {
		return agentError(l.conn.err)
	}
	return agentError(l.conn.SetDeadline(time.Now().Add(d)))
}

// failed returns the connection's error, or the agent's.
func (l *agentLink) failed(err error) error {
	if l.conn.err != nil {
		return agentError(l.conn.err)
	}
	return errors.New(plain(strings.TrimPrefix(err.Error(), "agent: ")))
}

// agentError is a failure of the agent without the address of its socket.
func agentError(err error) error {
	var opErr *net.OpError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errAgentSilent
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return errAgentGone
	case errors.As(err, &opErr):
		err = opErr.Err
	}
	var callErr *os.SyscallError
	if errors.As(err, &callErr) {
		err = callErr.Err
	}
	return err
}

func (l *agentLink) list() ([]ssh.Signer, error) {
	if err := l.limit(agentTimeout); err != nil {
		return nil, err
	}
	signers, err := l.client.Signers()
	if err != nil {
		return nil, l.failed(err)
	}
	return signers, nil
}

// The clocks are stopped, because the agent may ask for confirmation.
func (l *agentLink) sign(signer ssh.AlgorithmSigner, data []byte, algorithm string) (*ssh.Signature, error) {
	defer executor.Pause(l.ctx)()
	if err := l.limit(agentSign); err != nil {
		return nil, err
	}
	// The agent uses its own randomness.
	signature, err := signer.SignWithAlgorithm(nil, data, algorithm)
	if err != nil {
		return nil, l.failed(err)
	}
	return signature, nil
}

// close may be called without an agent, and twice.
func (l *agentLink) close() {
	if l != nil && l.free() {
		// No written data can be lost.
		_ = l.conn.Close()
	}
}

type agentSigner struct {
	auth    *Authenticator
	link    *agentLink
	signer  ssh.AlgorithmSigner
	public  ssh.PublicKey // parsed, so that a certificate is recognised
	comment string
}

func newAgentSigner(a *Authenticator, l *agentLink, signer ssh.AlgorithmSigner) *agentSigner {
	s := &agentSigner{auth: a, link: l, signer: signer, public: signer.PublicKey()}
	if key, ok := s.public.(*agent.Key); ok {
		s.comment = key.Comment
		// If we do not know the type of key, agent and server may.
		if parsed, err := ssh.ParsePublicKey(key.Blob); err == nil {
			s.public = parsed
		}
	}
	return s
}

// PublicKey returns the public half, or the certificate.
func (s *agentSigner) PublicKey() ssh.PublicKey { return s.public }

// Sign signs with the default algorithm of the key.
func (s *agentSigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm lets the agent sign.
func (s *agentSigner) SignWithAlgorithm(_ io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signature, err := s.link.sign(s.signer, data, algorithm)
	if err != nil {
		return nil, s.auth.skip(agentName(s), err)
	}
	return signature, nil
}
