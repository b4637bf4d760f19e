//go:build linux

package sshexec

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpdbg/sshexec/sshtest"
)

// lookAgain is the interval at which the list of processes is read; known
// processes are checked more often.
const lookAgain = 20 * time.Millisecond

// carrying returns the processes that were started with a variable, given as
// NAME=value.
func carrying(variable string) []int {
	var pids []int
	for pid, environ := range sshtest.ProcFiles("environ") {
		if bytes.Contains(slices.Concat([]byte{0}, environ), []byte("\x00"+variable+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// variable returns NAME=value of a running process, or "".
func variable(pid int, name string) string {
	environ, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.HasPrefix(entry, []byte(name+"=")) {
			return string(entry)
		}
	}
	return ""
}

// startedBy returns the live processes that a server has started, except
// itself.
func startedBy(s *sshtest.Server) []int {
	return slices.DeleteFunc(carrying("SSHTEST="+filepath.Base(s.Dir)), func(pid int) bool {
		exe, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
		return filepath.Base(exe) == "dropbear"
	})
}

// untilNone waits until list is empty, and stays so for the duration calm. It
// returns the processes that are left in the end, and the time until none was.
func untilNone(calm time.Duration, list func() []int) ([]int, time.Duration) {
	begin := time.Now()
	empty := begin
	for {
		left := list()
		switch now := time.Now(); {
		case len(left) > 0 && now.Sub(begin) > bound:
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
		if !slices.ContainsFunc(pids, alive) {
			return
		}
		time.Sleep(lookAgain / 2)
	}
}

// ofUser returns the processes of a user.
func ofUser(uid uint32) []int {
	var pids []int
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := dir.Readdirnames(-1)
	for _, entry := range entries {
		var stat syscall.Stat_t
		pid, err := strconv.Atoi(entry)
		if err == nil && syscall.Stat("/proc/"+entry, &stat) == nil && stat.Uid == uid {
			pids = append(pids, pid)
		}
	}
	return pids
}

// cmdline returns the command line of a process, or "" if it has ended. One read
// takes it whole: os.ReadFile reads until the end of the file, and a process that
// starts another program in between has the rest of the new command line at the
// end of its old one.
func cmdline(pid int) string {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	defer file.Close()
	line := make([]byte, 1<<16)
	n, _ := file.Read(line)
	return string(line[:n])
}

// describe describes processes, for a message.
func describe(pids []int) string {
	var text strings.Builder
	for _, pid := range pids {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		text.WriteString(strings.ReplaceAll(cut(cmdline(pid)), "\x00", " ") + "\n\t" + cut(string(stat))[:min(len(stat), 60)] + "\n")
	}
	return text.String()
}

// ordinaryProgram copies the helper to a place where every user can run it.
func ordinaryProgram(t testing.TB) string {
	t.Helper()
	sshtest.NeedRoot(t)
	return sshtest.CopyBinary(t)
}
