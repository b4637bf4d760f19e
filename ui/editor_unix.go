//go:build unix

package ui

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// inForeground makes a command that is about to run a process group of its own,
// and that the one which the terminal of its input obeys. The function it
// returns takes the terminal back. Without a terminal it does nothing.
func inForeground(cmd *exec.Cmd) (back func()) {
	tty, ok := cmd.Stdin.(*os.File)
	if !ok || !IsTerminal(tty) {
		return func() {}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: int(tty.Fd())}
	return func() {
		// Who is in the background and takes the terminal is stopped, unless it
		// ignores that.
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPGRP, unix.Getpgrp())
	}
}
