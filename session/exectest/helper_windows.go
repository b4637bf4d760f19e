package exectest

import "syscall"

func spawnAttr(kind string) *syscall.SysProcAttr {
	if kind == "child" {
		return nil
	}
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
