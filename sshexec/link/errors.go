package link

import (
	"errors"
	"io"

	"mcpdbg/sshexec/sshauth"
)

// A configError is a setting of ours that cannot be used.
type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

// A tunnelError is a jump host that did not connect to the next hop.
type tunnelError struct {
	via *Conn
	err error
}

func (e *tunnelError) Error() string { return "through " + e.via.hop + ": " + e.err.Error() }
func (e *tunnelError) Unwrap() error { return e.err }

// A proxyError is a ProxyCommand that failed.
type proxyError struct {
	said string
	err  error
}

func (e *proxyError) Error() string { return "the ProxyCommand failed: " + e.err.Error() }
func (e *proxyError) Unwrap() error { return e.err }

// A programError is an ssh program that failed.
type programError struct {
	said string
	err  error // nil: it ended well, which is no good either
}

func (e *programError) Error() string {
	if e.err == nil {
		return "the ssh program ended without a connection"
	}
	return "the ssh program failed: " + e.err.Error()
}
func (e *programError) Unwrap() error { return e.err }

// A masterError is a ControlMaster that does not answer.
type masterError struct {
	path string
	err  error
}

func (e *masterError) Error() string { return "no answer from the ssh master: " + e.err.Error() }
func (e *masterError) Unwrap() error { return e.err }

// A loginError is a login that failed.
type loginError struct {
	failure *sshauth.Failure // nil: it had not begun
	banner  string
	err     error
}

func (e *loginError) Error() string { return e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// plainEnd says in words what a bare EOF means. What the server said is not in
// them.
func plainEnd(err error) error {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || disconnectText(err) != "":
		return errPeerClosed
	case isReset(err):
		return errReset
	case isOurs(err):
		return errWeClosed
	}
	return err
}
