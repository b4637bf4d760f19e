//go:build unix && !linux

package localexec

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

const psTime = 5 * time.Second

// scan has neither sessions nor environments, so that a descendant that left group and
// tree is found only if a look has shown it before.
func scan() ([]proc, error) {
	ctx, cancel := context.WithTimeout(context.Background(), psTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,pgid=,rss=,stat=,lstart=,command=")
	cmd.Env = append(os.Environ(), "LC_ALL=C") // for the times
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var all []proc
	for line := range strings.Lines(string(out)) {
		if p, ok := parsePS(line); ok && p.pid != cmd.Process.Pid {
			all = append(all, p)
		}
	}
	return all, nil
}

// below returns false: there is no watchdog here.
func below(int) ([]proc, bool) { return nil, false }

// parsePS reads one line of ps: pid, parent, group, resident KiB, state, start
// time such as "Mon Jan  2 15:04:05 2006", command.
func parsePS(line string) (proc, bool) {
	const start, command = 5, 10
	fields := strings.Fields(line)
	if len(fields) <= command {
		return proc{}, false
	}
	var numbers [4]int
	for i := range numbers {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return proc{}, false
		}
		numbers[i] = n
	}
	began, err := time.ParseInLocation("Mon Jan 2 15:04:05 2006", strings.Join(fields[start:command], " "), time.Local)
	if err != nil || began.Unix() < 0 {
		return proc{}, false
	}
	return proc{
		procID: procID{pid: numbers[0], start: uint64(began.Unix())}, ppid: numbers[1], group: numbers[2], rss: int64(numbers[3]) << 10,
		zombie:  strings.HasPrefix(fields[4], "Z"),
		command: strings.Join(fields[command:], " "),
	}, true
}

func describe(m proc) string { return m.command }

// started is exact to the second.
func (m proc) started() time.Time { return time.Unix(int64(m.start), 0) }

// identify returns false: the first look identifies the process without another
// run of ps.
func identify(int) (procID, bool) { return procID{}, false }

func argv0(m proc) string {
	first, _, _ := strings.Cut(m.command, " ")
	return first
}

func (m proc) name() string { return filepath.Base(argv0(m)) }

// signalProc signals a process. Its number may, though unlikely, have been reused since
// the look.
func signalProc(id procID, step executor.Step) error { return signalOne(id.pid, step) }
