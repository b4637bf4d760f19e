//go:build unix

package localexec

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"mcpdbg/session/executor"
)

// A child is a leader that was spawned, and our ends of its pipes.
type child struct {
	process        *os.Process
	stdin          *os.File // nil without
	stdout, stderr *os.File
}

// spawn runs s as the leader of a session and group of its own, so that what a
// terminal sends to us does not reach it and its group can be signalled.
func spawn(s spec) (*child, error) {
	c, err := spawnWith(s, &syscall.SysProcAttr{Setsid: true})
	if errors.Is(err, unix.EPERM) { // refused, by a sandbox for example
		c, err = spawnWith(s, &syscall.SysProcAttr{Setpgid: true})
	}
	return c, err
}

func spawnWith(s spec, attr *syscall.SysProcAttr) (*child, error) {
	var pipes pipes
	defer pipes.closeTheirs()
	c := new(child)
	stdin := pipes.stdin(c, s.noStdin)
	stdout := pipes.output(&c.stdout)
	stderr := pipes.output(&c.stderr)
	if pipes.err != nil {
		pipes.closeOurs()
		return nil, pipes.err
	}
	process, err := os.StartProcess(s.path, s.argv, &os.ProcAttr{
		Dir: s.dir, Env: s.env, Files: []*os.File{stdin, stdout, stderr}, Sys: attr,
	})
	if err != nil {
		pipes.closeOurs()
		return nil, err
	}
	c.process = process
	return c, nil
}

// groupGone reports whether nobody that we may signal is left in the group of a
// reaped leader.
func (c *child) groupGone() bool { return unix.Kill(-c.process.Pid, 0) != nil }

// release frees what is kept for the descendants: nothing here.
func (c *child) release() {}

func exitStatus(state *os.ProcessState) executor.Exit {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return executor.Exit{Kind: executor.ExitCode, Code: state.ExitCode()}
	}
	return executor.Exit{
		Kind:   executor.ExitSignal,
		Signal: signalName(status.Signal()),
		Core:   status.CoreDump(),
	}
}

// signalName is the POSIX name without SIG.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); len(name) > len("SIG") {
		return name[len("SIG"):]
	}
	return sig.String()
}
