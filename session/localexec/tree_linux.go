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

// tick is the unit of times in /proc: USER_HZ is 100 on every Linux system.
const tick = 10 * time.Millisecond

// parseStat reads the fields of /proc/PID/stat (proc(5)): 2 the name in
// parentheses, which may hold anything, 3 state, 4 parent, 5 group, 6 session,
// 14 and 15 user and system time, 22 start time, 24 resident pages.
func parseStat(pid int, stat string) (proc, bool) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return proc{}, false
	}
	const first, utime, stime, start, rss = 3, 14, 15, 22, 24 // fields[0] is number 3
	fields := strings.Fields(stat[end+1:])
	if len(fields) <= rss-first {
		return proc{}, false
	}
	p := proc{procID: procID{pid: pid}, command: "[" + stat[open+1:end] + "]"}
	p.zombie = fields[0] == "Z" || fields[0] == "X"
	numbers := []*int{&p.ppid, &p.group, &p.session}
	for i, n := range numbers {
		v, err := strconv.Atoi(fields[1+i])
		if err != nil {
			return proc{}, false
		}
		*n = v
	}
	pages, err := strconv.ParseInt(fields[rss-first], 10, 64)
	if err != nil {
		return proc{}, false
	}
	if p.start, err = strconv.ParseUint(fields[start-first], 10, 64); err != nil {
		return proc{}, false
	}
	for _, field := range []int{utime, stime} {
		ticks, err := strconv.ParseInt(fields[field-first], 10, 64)
		if err != nil {
			return proc{}, false
		}
		p.cpu += time.Duration(ticks) * tick
	}
	p.rss = pages * int64(os.Getpagesize())
	return p, true
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
