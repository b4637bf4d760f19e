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

// Limits of the files read about one process; longer ones are cut.
const (
	maxEnviron = 4 << 20
	maxCommand = 4 << 10
)

func scan() ([]proc, error) {
	stats, err := watchdog.Processes()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	self, ok := identify(os.Getpid())
	if !ok {
		return nil, errors.New("list processes: /proc does not show this process")
	}
	all := make([]proc, 0, len(stats))
	for _, s := range stats {
		p := procOf(s)
		if p.start >= self.start { // older processes are not ours
			p.marks = marksOf(p.pid)
		}
		all = append(all, p)
	}
	return all, nil
}

// below lists a watchdog and its descendants. It fails if the watchdog has ended.
func below(pid int) ([]proc, bool) {
	if pid == 0 {
		return nil, false
	}
	stats, ok := watchdog.Below(pid)
	if !ok {
		return nil, false
	}
	root, ok := watchdog.ReadStat(strconv.Itoa(pid))
	if !ok || root.PPID != os.Getpid() { // its number was reused
		return nil, false
	}
	all := []proc{procOf(root)}
	for _, s := range stats {
		all = append(all, procOf(s))
	}
	return all, true
}

func identify(pid int) (procID, bool) {
	s, ok := watchdog.ReadStat(strconv.Itoa(pid))
	return procOf(s).procID, ok
}

// tick is the unit of times in /proc: USER_HZ is 100 on every Linux system.
const tick = 10 * time.Millisecond

func procOf(s watchdog.Stat) proc {
	return proc{
		procID: procID{pid: s.PID, start: s.Start}, ppid: s.PPID, group: s.Group, session: s.Session, zombie: s.Dead(),
		rss: int64(s.Pages) * int64(os.Getpagesize()), cpu: time.Duration(s.Ticks) * tick, command: "[" + s.Comm + "]",
	}
}

// started adds up from the boot, like CLOCK_BOOTTIME.
func (m proc) started() time.Time {
	var up unix.Timespec
	if m.start == 0 || unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(m.start)*tick - time.Duration(up.Nano()))
}

func marksOf(pid int) string {
	env, err := readSome(pid, "environ", maxEnviron)
	if err != nil {
		return "" // another user's, or it has exited
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(executor.MarkName+"=")); ok {
			return string(value)
		}
	}
	return ""
}

func (m proc) name() string { return strings.TrimSuffix(strings.TrimPrefix(m.command, "["), "]") }

func argv0(m proc) string {
	line, err := readSome(m.pid, "cmdline", maxCommand)
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(line, []byte{0})
	return string(first)
}

// signalProc never signals another process that reuses the number.
func signalProc(id procID, step executor.Step) error {
	return watchdog.Kill(id.pid, id.start, signalOf(step))
}

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
