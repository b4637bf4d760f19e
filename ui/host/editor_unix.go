//go:build unix

package host

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// detach gives a command that is about to run no terminal: it survives this program's.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// inForeground puts a command that is about to run into its own process group, the
// foreground group of the terminal of its input. back takes the terminal back. Without a
// terminal it does nothing.
func inForeground(cmd *exec.Cmd) (back func()) {
	in, ok := cmd.Stdin.(*os.File)
	if !ok || !term.IsTerminal(in.Fd()) {
		return func() {}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: int(in.Fd())}
	return func() {
		// A background process that takes the terminal is stopped unless it ignores this.
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCSPGRP, unix.Getpgrp())
	}
}
