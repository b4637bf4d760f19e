//go:build soak && linux

package soak

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// A host is a real sshd on this machine, behind a proxy.
type host struct {
	proxy *sshtest.Proxy
	exec  *sshexec.Executor
}

// newHost returns a way of its own to a server.
func newHost(t testing.TB, s *sshtest.Server) (*host, error) {
	proxy := sshtest.NewProxy(t, s.Addr)
	far := s.Through(t, proxy)
	exec, err := sshexec.New(sshexec.Options{Destination: sshconfig.Destination{Host: far.Alias}, Config: far.Config, Retention: retention})
	return &host{proxy, exec}, err
}

// onHosts are the faults of servers on hosts.
func onHosts() []fault {
	return append(anywhere(), fault{"connection cut", cutConnection}, fault{"sshd killed", killDaemon}, fault{"sshd stopped", stopDaemon})
}

// cutConnection resets the connection.
func cutConnection(w *worker) error {
	return w.lose(func() error {
		w.host.proxy.Cut()
		return nil
	})
}

// killDaemon kills the sshd of the session.
func killDaemon(w *worker) error {
	daemon, err := w.daemon()
	if err != nil {
		return err
	}
	return w.lose(func() error { return unix.Kill(daemon, unix.SIGKILL) })
}

// stopDaemon stops the sshd of the session for less than the connection may be silent.
func stopDaemon(w *worker) error {
	daemon, err := w.daemon()
	if err != nil {
		return err
	}
	if err := pause(daemon, w.between(100*time.Millisecond, 3*time.Second)); err != nil {
		return err
	}
	if err := w.ping(); err != nil {
		return err
	}
	return w.is(session.Ready)
}

// daemon returns the sshd that is the parent of the server.
func (w *worker) daemon() (int, error) {
	parent, err := parentOf(w.pid())
	if err != nil {
		return 0, err
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
	if err == nil && !bytes.HasPrefix(name, []byte("sshd")) {
		err = fmt.Errorf("the parent of the server is %q", name)
	}
	return parent, err
}

// lose breaks the connection, and checks what the session says and that the host
// ends the server.
func (w *worker) lose(breakIt func() error) error {
	pending, err := w.pending()
	if err != nil {
		return err
	}
	if err := breakIt(); err != nil {
		return err
	}
	var lost *executor.LostError
	if err := <-pending; !errors.As(err, &lost) {
		return fmt.Errorf("the pending call got %w", orNone(err))
	}
	<-w.Done()
	if !eventually(func() bool { return w.is(session.Failed) == nil }) {
		return w.is(session.Failed)
	}
	if failure := w.Status().Process.Failure; !errors.As(failure, &lost) {
		return fmt.Errorf("the process failed by %w", orNone(failure))
	}
	e, err := w.last(session.KindFailed)
	if err != nil {
		return err
	}
	var body session.FailedBody
	if err := e.DecodeBody(&body); err != nil || body.Code != string(lost.Code) {
		return fmt.Errorf("code %q in the log, not %q: %w", body.Code, lost.Code, orNone(err))
	}
	if err := allGone(w.mark); err != nil {
		return err
	}
	return w.restart()
}
