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

func ignoreSignals() error {
	signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	return nil
}

func newSession() error {
	if _, err := unix.Setsid(); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	return nil
}

func deathBy(name string) (func(), error) {
	switch name {
	case "panic":
		return func() { panic("a tool has crashed, as it was asked to") }, nil
	case "kill":
		return func() { _ = unix.Kill(os.Getpid(), unix.SIGKILL) }, nil
	case "segv":
		return func() { DieBy("SEGV") }, nil
	case "abort":
		return func() { DieBy("ABRT") }, nil
	}
	return nil, fmt.Errorf("invalid parameter %q: use segv, abort, kill or panic", name)
}

// DieBy ends the process by a signal, named without SIG, even one that the Go runtime
// would turn into a stack trace and exit code 2: a shell replaces the process and keeps
// its pid. No core file is written.
func DieBy(name string) {
	err := unix.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -" + name + " $$"}, os.Environ())
	// Without a shell, SIGABRT is the closest that the runtime can do.
	debug.SetTraceback("crash")
	panic(errors.Join(errors.New("no shell found to exit by a signal"), err))
}
