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

// Limits of talking to the agent.
const (
	// agentPatience is how long it may take to answer and to list its keys.
	agentPatience = 2 * time.Second
	// agentSign is how long it may take to sign: somebody may have to confirm, or
	// to touch a token.
	agentSign = time.Minute
)

var (
	errAgentSilent = errors.New("it did not answer in time")
	errAgentGone   = errors.New("it closed the connection")
)

// An agentLink is a connection to the user's agent.
type agentLink struct {
	ctx    context.Context
	conn   *agentConn
	client agent.ExtendedAgent
	free   func() bool // takes back what ends the connection with ctx
}

// An agentConn keeps the first error: the client turns it into text, and that
// names the socket.
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

// dialAgent connects to the agent, whose socket no error names.
func dialAgent(ctx context.Context, socket string) (*agentLink, error) {
	dialer := net.Dialer{Timeout: agentPatience}
	raw, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, agentError(err)
	}
	conn := &agentConn{Conn: raw}
	return &agentLink{
		ctx:  ctx,
		conn: conn,
		// Without its Close the client needs no goroutine to read.
		client: agent.NewClient(struct{ io.ReadWriter }{conn}),
		free:   context.AfterFunc(ctx, func() { _ = raw.Close() }),
	}, nil
}

// limit sets how long the next request may take. A connection that has failed
// once is not used again: what comes next may be the answer to something else.
func (l *agentLink) limit(d time.Duration) error {
	if l.conn.err != nil {
		return agentError(l.conn.err)
	}
	return agentError(l.conn.SetDeadline(time.Now().Add(d)))
}

// failed is why a request failed: the connection's error, or what the agent
// answered.
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

// list returns a signer for each key that the agent holds.
func (l *agentLink) list() ([]ssh.Signer, error) {
	if err := l.limit(agentPatience); err != nil {
		return nil, err
	}
	signers, err := l.client.Signers()
	if err != nil {
		return nil, l.failed(err)
	}
	return signers, nil
}

// sign lets the agent sign. The clocks stand still meanwhile, because it may ask
// somebody first.
func (l *agentLink) sign(signer ssh.AlgorithmSigner, data []byte, algorithm string) (*ssh.Signature, error) {
	defer executor.Pause(l.ctx)()
	if err := l.limit(agentSign); err != nil {
		return nil, err
	}
	// The agent has randomness of its own.
	signature, err := signer.SignWithAlgorithm(nil, data, algorithm)
	if err != nil {
		return nil, l.failed(err)
	}
	return signature, nil
}

// close may be called without an agent, and twice.
func (l *agentLink) close() {
	if l != nil && l.free() {
		// Nothing was written that could be lost.
		_ = l.conn.Close()
	}
}

// An agentSigner signs with a key that the agent holds.
type agentSigner struct {
	auth    *Authenticator
	link    *agentLink
	signer  ssh.AlgorithmSigner
	public  ssh.PublicKey // parsed, so that a certificate is seen as one
	comment string
}

func newAgentSigner(a *Authenticator, l *agentLink, signer ssh.AlgorithmSigner) *agentSigner {
	s := &agentSigner{auth: a, link: l, signer: signer, public: signer.PublicKey()}
	if key, ok := s.public.(*agent.Key); ok {
		s.comment = key.Comment
		// A kind that we do not know may be one that agent and server know.
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
