//go:build unix && !linux

package localexec

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// psTime bounds one run of ps.
const psTime = 5 * time.Second

// scan lists the processes of the machine with ps. Sessions and environments are
// not told, so that a descendant that left group and tree is not found.
func scan() ([]proc, error) {
	ctx, cancel := context.WithTimeout(context.Background(), psTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,pgid=,rss=,stat=,command=")
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

// parsePS reads one line of ps: pid, parent, group, resident KiB, state, command.
func parsePS(line string) (proc, bool) {
	const columns = 6
	fields := strings.Fields(line)
	if len(fields) < columns {
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
	return proc{
		procID: procID{pid: numbers[0]}, ppid: numbers[1], group: numbers[2], rss: int64(numbers[3]) << 10,
		zombie:  strings.HasPrefix(fields[4], "Z"),
		command: strings.Join(fields[5:], " "),
	}, true
}

func describe(m proc) string { return m.command }

// started is not told here.
func (m proc) started() time.Time { return time.Time{} }
