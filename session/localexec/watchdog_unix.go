//go:build unix

package localexec

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// commFile holds the process name that ps and killall use on Linux: killing all processes
// of the program's name must not kill the watchdog.
const (
	commFile = "/proc/self/comm"
	commName = watchdog.Name
)

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// protect protects the watchdog from signals that end the program it watches.
func protect() {
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	// Only for the name; the file exists only on Linux.
	_ = os.WriteFile(commFile, []byte(commName), 0)
}

// killRegistered kills all processes that belong to one of the groups (by mark) and
// returns the exit code: 1 if any process is left.
func killRegistered(groups map[string]int) int {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	var shared scans
	var all sync.WaitGroup
	var failed atomic.Bool
	for mark, group := range groups {
		all.Go(func() {
			left := 0
			known := make(map[procID]bool)
			find := func() ([]proc, error) {
				return family{leader: group, mark: mark, known: known}.find(&shared)
			}
			err := killRounds(ctx, looksUnwatched, false, find, func(round []proc) {
				left = len(round)
				for _, m := range round {
					known[m.procID] = true
				}
				// A process that cannot be killed is found again and counted in
				// the end.
				_ = signalEach(executor.StepKill, round)
			})
			if err != nil || left > 0 {
				failed.Store(true)
			}
		})
	}
	all.Wait()
	if failed.Load() {
		return 1
	}
	return 0
}
