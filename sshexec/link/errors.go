package link

import (
	"errors"
	"io"

	"mcpdbg/sshexec/sshauth"
)

type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

// A jump host failed to connect to the next hop.
type tunnelError struct {
	via *Conn
	err error
}

func (e *tunnelError) Error() string { return "through " + e.via.hop + ": " + e.err.Error() }
func (e *tunnelError) Unwrap() error { return e.err }

type proxyError struct {
	said string
	err  error
}

func (e *proxyError) Error() string { return "the ProxyCommand failed: " + e.err.Error() }
func (e *proxyError) Unwrap() error { return e.err }

type programError struct {
	said string
	err  error // nil: it ended with status 0, which is a failure too
}

func (e *programError) Error() string {
	if e.err == nil {
		return "the ssh program ended without a connection"
	}
	return "the ssh program failed: " + e.err.Error()
}
func (e *programError) Unwrap() error { return e.err }

type masterError struct {
	path string
	err  error
}

func (e *masterError) Error() string { return "no reply from the ssh master: " + e.err.Error() }
func (e *masterError) Unwrap() error { return e.err }

type loginError struct {
	failure *sshauth.Failure // nil: it had not begun
	banner  string
	err     error
}

func (e *loginError) Error() string { return e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// plainEnd replaces a bare EOF by words. It does not include the server's message.
func plainEnd(err error) error {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || disconnectText(err) != "":
		return errPeerClosed
	case isReset(err):
		return errReset
	case isClosedHere(err):
		return errWeClosed
	}
	return err
}
