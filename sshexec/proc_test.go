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

const (
	// bound is the end of every wait: longer means that it will not happen.
	bound = 30 * time.Second
	// lookAgain is how often the list of processes is looked at, and those that are
	// known more often.
	lookAgain = 20 * time.Millisecond
)

// carrying lists the processes that were started with a variable, given as
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

// variable is NAME=value of a process that runs, or empty.
func variable(pid int, name string) string {
	environ, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.HasPrefix(entry, []byte(name+"=")) {
			return string(entry)
		}
	}
	return ""
}

// startedBy lists what a server has started and still runs, but for itself.
func startedBy(s *sshtest.Server) []int {
	return slices.DeleteFunc(carrying("SSHTEST="+filepath.Base(s.Dir)), func(pid int) bool {
		exe, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
		return filepath.Base(exe) == "dropbear"
	})
}

// untilNobody waits until list is empty, and stays so for as long as calm. It
// returns who is left in the end, and after which time nobody was.
func untilNobody(calm time.Duration, list func() []int) ([]int, time.Duration) {
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
		time.Sleep(lookAgain) // nobody is told when a process ends that is not their child
	}
}

// awaitEnd waits until nobody of pids lives, but not for long: others may come.
// To look at a few costs little, and the list of all processes much.
func awaitEnd(pids []int) {
	for range 20 {
		if !slices.ContainsFunc(pids, alive) {
			return
		}
		time.Sleep(lookAgain / 2)
	}
}

// ofUser lists the processes of a user.
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

// describe says what processes are, for a message.
func describe(pids []int) string {
	var text strings.Builder
	for _, pid := range pids {
		cmdline, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		text.WriteString(strings.ReplaceAll(cut(string(cmdline)), "\x00", " ") + "\n\t" + cut(string(stat))[:min(len(stat), 60)] + "\n")
	}
	return text.String()
}

// ordinaryProgram is the helper where every user can run it.
func ordinaryProgram(t testing.TB) string {
	t.Helper()
	sshtest.NeedRoot(t)
	return sshtest.CopyBinary(t)
}
