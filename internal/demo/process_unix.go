//go:build unix

package demo

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// ignoreSignals makes the process ignore every polite request to end.
func ignoreSignals() error {
	signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	return nil
}

// newSession makes the process leader of a session and a group of its own.
func newSession() error {
	if _, err := unix.Setsid(); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	return nil
}

// deathBy gives the function that ends the process in the named way.
func deathBy(name string) (func(), error) {
	switch name {
	case "panic":
		return func() { panic("a tool has crashed, as it was asked to") }, nil
	case "kill":
		return func() { _ = unix.Kill(os.Getpid(), unix.SIGKILL) }, nil
	case "", "segv":
		return func() { DieBy("SEGV") }, nil
	case "abort":
		return func() { DieBy("ABRT") }, nil
	}
	return nil, fmt.Errorf("parameter %q is not segv, abort, kill or panic", name)
}

// DieBy ends the process by a signal, whose name is given without SIG, also by
// one that the Go runtime would turn into a stack trace and exit code 2. A shell
// takes the process's place: it keeps the pid and has the default action. No
// core file is left behind.
func DieBy(name string) {
	err := unix.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -" + name + " $$"}, os.Environ())
	// Without a shell: the nearest thing that the runtime can do, SIGABRT.
	debug.SetTraceback("crash")
	panic(errors.Join(errors.New("no shell to die in"), err))
}
