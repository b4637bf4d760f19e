//go:build unix

package exectest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Need returns the path of a program that the test requires. If it is missing
// the test is skipped, or fails when CI=true. The folders of system programs
// are searched too, which an ordinary user's PATH often lacks.
func Need(t testing.TB, program string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/lib/openssh"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	Lack(t, program+" is not installed")
	return ""
}

// NeedRoot is like Need, for root privileges.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		Lack(t, "only root can do this")
	}
}

// Lack skips a test that lacks something, or fails it when CI=true.
func Lack(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// ProcFiles returns the contents of the files with that name in /proc of all
// processes, by pid: stat, environ or cmdline. A dead process has neither of
// the last two. Tests poll it: filepath.Glob would be slower, as it reads each
// folder.
func ProcFiles(name string) map[int][]byte {
	texts := make(map[int][]byte)
	dir, err := os.Open("/proc")
	if err != nil {
		return texts
	}
	defer dir.Close()
	entries, _ := dir.Readdirnames(-1)
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry)
		if err != nil {
			continue
		}
		if text, _ := os.ReadFile("/proc/" + entry + "/" + name); len(text) > 0 {
			texts[pid] = text
		}
	}
	return texts
}

// lookAgain is the interval at which the list of processes is read; known processes are
// checked more often.
const lookAgain = 20 * time.Millisecond

// UntilNone waits until list is empty, and stays so for the duration calm. It
// returns the processes that are left in the end, and the time until none was.
func UntilNone(calm time.Duration, list func() []int) ([]int, time.Duration) {
	begin := time.Now()
	empty := begin
	for {
		left := list()
		switch now := time.Now(); {
		case len(left) > 0 && now.Sub(begin) > waitLimit:
			return left, 0
		case len(left) > 0:
			awaitEnd(left)
			empty = time.Now()
			continue
		case now.Sub(empty) >= calm:
			return nil, empty.Sub(begin)
		}
		time.Sleep(lookAgain) // there is no event for the end of a process that is not a child
	}
}

// awaitEnd waits until pids have ended, but not for long: others may come.
// Checking a few is cheap, and listing all processes is not.
func awaitEnd(pids []int) {
	for range 20 {
		if !slices.ContainsFunc(pids, Alive) {
			return
		}
		time.Sleep(lookAgain / 2)
	}
}

// Cmdline returns the command line of a process, or "" if it has ended. One read
// takes it whole: os.ReadFile reads until the end of the file, and a process that
// starts another program in between has the rest of the new command line at the
// end of its old one.
func Cmdline(pid int) string {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	defer file.Close()
	line := make([]byte, 1<<16)
	n, _ := file.Read(line)
	return string(line[:n])
}

// Describe describes processes, for a message.
func Describe(pids []int) string {
	var text strings.Builder
	for _, pid := range pids {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		text.WriteString(strings.ReplaceAll(first(Cmdline(pid), 500), "\x00", " ") + "\n\t" + first(string(stat), 60) + "\n")
	}
	return text.String()
}

// Alive reports whether a process with that pid runs on this machine, where all
// servers of the tests are.
func Alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	state := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[0]
	return state != "Z" && state != "X"
}

// PIDLines parses the pids that processes have printed.
func PIDLines(text string) []int {
	var pids []int
	for line := range strings.Lines(text) {
		number, ok := strings.CutPrefix(line, "pid ")
		if !ok || !strings.HasSuffix(number, "\n") {
			continue
		}
		if pid, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// InSession returns all live processes of a session.
func InSession(id int) []int {
	var pids []int
	for pid, stat := range ProcFiles("stat") {
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if f[0] != "Z" && f[0] != "X" && f[3] == strconv.Itoa(id) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// KillAfterLimit kills a process after waitLimit, so that a test waiting for its output
// does not wait forever.
func KillAfterLimit(p *os.Process) (stop func() bool) {
	return time.AfterFunc(waitLimit, func() { _ = p.Kill() }).Stop
}

func first(text string, n int) string { return text[:min(len(text), n)] }
