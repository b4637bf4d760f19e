//go:build unix

package link

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// The user's shell runs ssh_config's ProxyCommand and is replaced by it.
func shell(command string) *exec.Cmd {
	sh := os.Getenv("SHELL")
	if sh == "" {
		sh = "/bin/sh"
	}
	return exec.Command(sh, "-c", "exec "+command)
}

func killGroup(p *os.Process) {
	_ = unix.Kill(-p.Pid, unix.SIGKILL) // it may have ended already
}
