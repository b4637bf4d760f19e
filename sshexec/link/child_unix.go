//go:build unix

package link

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// shell returns the command for ssh_config's ProxyCommand: the user's shell
// runs it and is replaced by it.
func shell(command string) *exec.Cmd {
	sh := os.Getenv("SHELL")
	if sh == "" {
		sh = "/bin/sh"
	}
	return exec.Command(sh, "-c", "exec "+command)
}

// killGroup kills the group that a child leads.
func killGroup(p *os.Process) {
	_ = unix.Kill(-p.Pid, unix.SIGKILL) // it may have ended already
}
