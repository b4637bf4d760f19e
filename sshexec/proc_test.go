//go:build linux

package sshexec

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"mcpdbg/session/exectest"
	"mcpdbg/sshexec/sshtest"
)

// carrying returns the processes that were started with a variable, given as
// NAME=value.
func carrying(variable string) []int {
	var pids []int
	for pid, environ := range exectest.ProcFiles("environ") {
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

// ordinaryProgram copies the helper to a place where every user can run it.
func ordinaryProgram(t testing.TB) string {
	t.Helper()
	exectest.NeedRoot(t)
	return sshtest.CopyBinary(t)
}
