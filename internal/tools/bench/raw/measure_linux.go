package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// measure runs a command with the streams of this process, and writes to a file:
// nanoseconds from start to end, nanoseconds of CPU time, and bytes of peak memory, of
// the command and the processes that it waited for. It exits with the command's code.
func measure(file string, argv []string) error {
	runtime.LockOSThread() // Pdeathsig is about the thread
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	if cmd.ProcessState == nil {
		return err
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("the system does not report what a process used")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	line := fmt.Sprintf("%d %d %d\n", int64(wall), int64(cpu), usage.Maxrss<<10)
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		if code < 0 {
			return errors.New(cmd.ProcessState.String())
		}
		os.Exit(code)
	}
	return nil
}
