//go:build unix

package exectest

import "syscall"

func spawnAttr(kind string) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: kind == "group", Setsid: kind == "session"}
}
