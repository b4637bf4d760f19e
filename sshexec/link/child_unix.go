//go:build unix

package link

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// shell is how ssh_config's ProxyCommand is run: by the user's shell, which the
// command then replaces.
func shell(command string) *exec.Cmd {
	sh := os.Getenv("SHELL")
	if sh == "" {
		sh = "/bin/sh"
	}
	return exec.Command(sh, "-c", "exec "+command)
}

// killGroup kills the group that a child leads.
func killGroup(p *os.Process) {
	_ = unix.Kill(-p.Pid, unix.SIGKILL) // it may have gone by itself
}
