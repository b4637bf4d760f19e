package localexec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// Limits of what is read of one process; longer is cut.
const (
	maxStat    = 4 << 10
	maxEnviron = 4 << 20
	maxCommand = 4 << 10
)

// scan lists the processes of the machine from /proc.
func scan() ([]proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	self, ok := readStat(os.Getpid())
	if !ok {
		return nil, errors.New("list processes: /proc does not show this process")
	}
	all := make([]proc, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, ok := readStat(pid)
		if !ok {
			continue // it has ended meanwhile
		}
		if p.start >= self.start { // nothing older is of ours
			p.marks = marksOf(pid)
		}
		all = append(all, p)
	}
	return all, nil
}

func readStat(pid int) (proc, bool) {
	stat, err := readSome(pid, "stat", maxStat)
	if err != nil {
		return proc{}, false
	}
	return parseStat(pid, string(stat))
}

// identify returns the identity of the process that has the number pid now.
func identify(pid int) (procID, bool) {
	p, ok := readStat(pid)
	return p.procID, ok
}

// tick is the unit of times in /proc: USER_HZ is 100 on every Linux system.
const tick = 10 * time.Millisecond

// parseStat reads the text of /proc/PID/stat.
func parseStat(pid int, text string) (proc, bool) {
	s, ok := watchdog.ParseStat(text)
	if !ok {
		return proc{}, false
	}
	return proc{
		procID: procID{pid: pid, start: s.Start}, ppid: s.PPID, group: s.Group, session: s.Session, zombie: s.Dead(),
		rss: int64(s.Pages) * int64(os.Getpagesize()), cpu: time.Duration(s.Ticks) * tick, command: "[" + s.Comm + "]",
	}, true
}

// started is when m was: its start time counts from the boot, as CLOCK_BOOTTIME
// does.
func (m proc) started() time.Time {
	var up unix.Timespec
	if m.start == 0 || unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(m.start)*tick - time.Duration(up.Nano()))
}

// marksOf is the value of MCPDBG_MARK that pid was started with.
func marksOf(pid int) string {
	env, err := readSome(pid, "environ", maxEnviron)
	if err != nil {
		return "" // another user's, or it has ended
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(markName+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// name is what the kernel calls the program of m.
func (m proc) name() string { return strings.TrimSuffix(strings.TrimPrefix(m.command, "["), "]") }

// argv0 is the first argument of m.
func argv0(m proc) string {
	line, err := readSome(m.pid, "cmdline", maxCommand)
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(line, []byte{0})
	return string(first)
}

// signalProc sends the signal of step to a process, and to no other that has got
// its number since.
func signalProc(id procID, step executor.Step) error {
	return watchdog.Kill(id.pid, id.start, signalOf(step))
}

// describe is the command line of m, or its name when it has none.
func describe(m proc) string {
	line, err := readSome(m.pid, "cmdline", maxCommand)
	if err != nil || len(line) == 0 {
		return m.command
	}
	return string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte(" ")))
}

func readSome(pid int, file string, limit int64) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/" + file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
