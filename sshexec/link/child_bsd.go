//go:build unix && !linux

package link

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// It would wait for a child without reaping it, which is not supported.
func awaitExit(int) bool { return false }
