//go:build unix

package exectest

import (
	"os"
	"syscall"
)

func spawnAttr(kind string) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: kind == "group", Setsid: kind == "session" || kind == "clean"}
}

// makeFIFO makes a named pipe that every user may use.
func makeFIFO(path string) error {
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		return err
	}
	return os.Chmod(path, 0o666)
}

// writeDirectly writes without any overhead except for the system call.
func writeDirectly(f *os.File, b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(int(f.Fd()), b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// becomeUser changes all threads of this process.
func becomeUser(id int) error {
	if err := syscall.Setgid(id); err != nil {
		return err
	}
	return syscall.Setuid(id)
}
