package localexec

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// Arguments that make the test binary run something other than tests.
const (
	watchdogArg   = "watchdog-of-localexec"
	driverArg     = "driver-of-localexec"
	bareDriverArg = "bare-driver-of-localexec"
	leaveVariable = "TEST_OF_LOCALEXEC_LEAVE" // the programs that a driver spares
)

// waitLimit is how long a test waits for anything before it gives up, however busy
// the machine is.
const waitLimit = 5 * time.Minute

func TestMain(m *testing.M) {
	if exectest.HelperMain() {
		return
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case watchdogArg:
			syscall.Exit(Watchdog(os.Stdin)) // os.Exit takes a second under the race detector
		case driverArg, bareDriverArg:
			drive(os.Args[1] == bareDriverArg, os.Args[2:])
		}
	}
	if err := os.Setenv(exectest.SecretName, exectest.SecretValue); err != nil { // for the suites
		panic(err)
	}
	os.Exit(m.Run())
}

// watchdogCommand is the counterpart of mcpdbg's hidden subcommand.
func watchdogCommand() []string { return []string{os.Args[0], watchdogArg} }

// drive is a program that runs the helper's steps under an executor with a
// watchdog and copies the helper's output to its own standard output. A bare
// one has only the shared watchdog.
func drive(bare bool, steps []string) {
	e := New(Options{Watchdog: watchdogCommand()})
	if bare {
		e.program = ""
	}
	p, err := e.Start(context.Background(), executor.Command{
		Argv:  append([]string{os.Args[0]}, exectest.HelperArgs(steps...)...),
		Leave: []string{os.Getenv(leaveVariable)},
	})
	if err != nil {
		fmt.Println("cannot start:", err)
		os.Exit(1)
	}
	_, err = p.Subscribe(executor.SubscribeOptions{Handler: func(ev executor.Event) {
		if ev.Kind == executor.Output {
			_, _ = os.Stdout.Write(ev.Data) // the test that reads it notices
		}
	}})
	if err != nil {
		fmt.Println("cannot subscribe:", err)
		os.Exit(1)
	}
	if e.sharedWatchdog.cmd != nil {
		fmt.Println("watchdog", e.sharedWatchdog.cmd.Process.Pid)
	} else {
		fmt.Println("watchdog", parentOf(p.Info().PID))
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test closes it
	if err := e.Close(); err != nil {
		fmt.Println("cannot close:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// parentOf returns the parent of a process, 0 if it is gone.
func parentOf(pid int) int {
	all, err := scan()
	if err != nil {
		return 0
	}
	for _, p := range all {
		if p.pid == pid {
			return p.ppid
		}
	}
	return 0
}
