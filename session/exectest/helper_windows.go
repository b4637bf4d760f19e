package exectest

import (
	"errors"
	"os"
	"syscall"
)

func spawnAttr(kind string) *syscall.SysProcAttr {
	if kind == "child" {
		return nil
	}
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func makeFIFO(string) error { return errors.ErrUnsupported }

func writeDirectly(f *os.File, b []byte) error {
	_, err := f.Write(b)
	return err
}

func overwriteEnvironment([]string) error { return errors.ErrUnsupported }

func becomeUser(int) error { return errors.ErrUnsupported }
