//go:build unix

package sshtest

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// An Ending is how a Fake reports that a process has ended.
type Ending int

// The endings.
const (
	EndProperly      Ending = iota // its exit, then EOF and close after its output
	EndWithoutClose                // its exit and EOF
	EndWithoutStatus               // EOF and close
	EndSilently                    // EOF
)

type fakeSession struct {
	*fake
	conn *fakeConn
	ch   ssh.Channel
	env  []string

	started bool // a command was run; used by one goroutine

	mu   sync.Mutex
	pid  int // while the process lives
	sent int // bytes of output
}

// serve returns when the channel has closed and the process, if there is one, has ended.
func (s *fakeSession) serve(requests <-chan *ssh.Request) {
	var process sync.WaitGroup
	for r := range requests {
		s.log.Printf("request %s %q", r.Type, r.Payload)
		var text struct {
			Text string
			Rest []byte `ssh:"rest"`
		}
		ok := ssh.Unmarshal(r.Payload, &text) == nil
		switch r.Type {
		case "env":
			ok = ok && s.setenv(text.Text, text.Rest)
		case "exec":
			if s.IgnoreExec {
				continue
			}
			ok = ok && !s.RefuseExec && s.exec(text.Text, r, &process)
			if ok {
				continue // exec has replied
			}
		case "signal":
			s.signal(text.Text, ok, r)
			continue
		default:
			if strings.HasPrefix(r.Type, "keepalive@") && s.IgnoreKeepalives {
				continue
			}
			ok = false
		}
		if r.WantReply {
			_ = r.Reply(ok, nil)
		}
	}
	process.Wait()
}

func (s *fakeSession) setenv(name string, rest []byte) bool {
	var value struct{ Text string }
	accepted := slices.ContainsFunc(s.AcceptEnv, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
	if !accepted || ssh.Unmarshal(rest, &value) != nil {
		return false
	}
	s.env = append(s.env, name+"="+value.Text)
	return true
}

// signal signals the whole group of the process, as sshd does, and replies before it
// reports the end of the process.
func (s *fakeSession) signal(name string, ok bool, r *ssh.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := unix.SignalNum("SIG" + name)
	ok = ok && s.pid != 0 && number != 0 && syscall.Kill(-s.pid, number) == nil
	if r.WantReply {
		_ = r.Reply(ok, nil)
	}
}

// exec replies to the request, if the one process of the session starts.
func (s *fakeSession) exec(command string, r *ssh.Request, process *sync.WaitGroup) bool {
	if s.started {
		return false
	}
	s.started = true
	cmd := s.command(command)
	// The pipes are not exec.Cmd's, because descendants may use them after the
	// process has ended.
	stdin, in, err1 := os.Pipe()
	out, stdout, err2 := os.Pipe()
	errs, stderr, err3 := os.Pipe()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	err := errors.Join(err1, err2, err3)
	if err == nil {
		s.mu.Lock()
		if err = cmd.Start(); err == nil {
			s.pid = cmd.Process.Pid
		}
		s.mu.Unlock()
	}
	closeAll(stdin, stdout, stderr)
	if err != nil {
		closeAll(in, out, errs)
		return false
	}
	if r.WantReply {
		_ = r.Reply(true, nil)
	}
	process.Go(func() { s.feed(in) })
	process.Go(func() { s.finish(cmd, out, errs) })
	return true
}

func (s *fakeSession) command(command string) *exec.Cmd {
	home, _ := os.UserHomeDir()
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		home = "/" // as in sshd
	}
	cmd := exec.CommandContext(s.ctx, "/bin/sh", "-c", command)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir = home
	cmd.Env = append(s.env,
		"HOME="+home, "USER="+s.server.User, "LOGNAME="+s.server.User, "SHELL=/bin/sh",
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/games",
		"SSH_CONNECTION="+strings.ReplaceAll(s.conn.RemoteAddr().String()+" "+s.conn.LocalAddr().String(), ":", " "),
		"SSHTEST="+s.server.mark)
	return cmd
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// feed drops what the process does not read.
func (s *fakeSession) feed(in *os.File) {
	defer context.AfterFunc(s.ctx, func() { _ = in.Close() })()
	_, _ = io.Copy(in, s.ch)
	_ = in.Close()
	_, _ = io.Copy(io.Discard, s.ch)
}

// The exit is sent when it is known, even while a descendant still writes.
func (s *fakeSession) finish(cmd *exec.Cmd, out, errs *os.File) {
	var output sync.WaitGroup
	output.Go(func() { s.send(s.ch, out) })
	output.Go(func() { s.send(s.ch.Stderr(), errs) })
	_ = cmd.Wait() // ProcessState has the result
	s.mu.Lock()
	s.pid = 0
	s.mu.Unlock()
	if s.Ending == EndProperly || s.Ending == EndWithoutClose {
		s.tellExit(cmd.ProcessState.Sys().(syscall.WaitStatus))
	}
	output.Wait()
	_ = s.ch.CloseWrite()
	if s.Ending == EndProperly || s.Ending == EndWithoutStatus {
		_ = s.ch.Close()
	}
}

func (s *fakeSession) tellExit(status syscall.WaitStatus) {
	if !status.Signaled() {
		_, _ = s.ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(status.ExitStatus())}))
		return
	}
	_, _ = s.ch.SendRequest("exit-signal", false, ssh.Marshal(struct {
		Signal      string
		Core        bool
		Error, Lang string
	}{strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG"), status.CoreDump(), "", ""}))
}

// send closes the pipe when the client has disconnected.
func (s *fakeSession) send(w io.Writer, from *os.File) {
	defer from.Close()
	defer context.AfterFunc(s.ctx, func() { _ = from.Close() })()
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		if n > 0 && !s.sendChunk(w, chunk[:n]) || err != nil {
			return
		}
	}
}

func (s *fakeSession) sendChunk(w io.Writer, chunk []byte) bool {
	if s.Throttle != nil {
		s.Throttle()
	}
	s.mu.Lock()
	begin := s.sent
	s.sent += len(chunk)
	s.mu.Unlock()
	cut := s.CutAfter > 0 && begin+len(chunk) >= s.CutAfter
	if cut {
		chunk = chunk[:max(s.CutAfter-begin, 0)]
	}
	_, err := w.Write(chunk)
	if cut {
		s.log.Printf("cut")
		s.conn.cut(s.Reset)
	}
	return err == nil && !cut
}
