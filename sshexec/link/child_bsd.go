//go:build unix && !linux

package link

import (
	"os/exec"
	"syscall"
)

// ownGroup puts cmd into its own process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// awaitExit is not supported: it would wait for a child without reaping it.
func awaitExit(int) bool { return false }
