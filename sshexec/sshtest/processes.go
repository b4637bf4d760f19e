//go:build unix

package sshtest

import (
	"bytes"
	"mcpdbg/session/exectest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endTree stops the root first, so that it starts nothing while endTree finds the others;
// the caller reaps it.
func endTree(root int) {
	_ = syscall.Kill(root, syscall.SIGSTOP)
	for {
		found := descendants(root)
		if len(found) == 0 {
			break
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = syscall.Kill(root, syscall.SIGKILL)
}

// endMarked finds the processes of other users only as root.
func endMarked(mark string) {
	for {
		found := marked(mark)
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func marked(mark string) (pids []int) {
	want := []byte("\x00SSHTEST=" + mark + "\x00")
	for pid, environ := range exectest.ProcFiles("environ") {
		if bytes.Contains(append([]byte{0}, environ...), want) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func descendants(root int) (pids []int) {
	parents := processes()
	for pid := range parents {
		for p := parents[pid]; p > 0; p = parents[p] {
			if p == root {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}

// processes returns the parents of all live processes, by pid. Without a /proc it is
// empty.
func processes() map[int]int {
	parents := map[int]int{}
	for pid, text := range exectest.ProcFiles("stat") {
		// The second field is the name in brackets, which may contain anything.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			parents[pid] = parent
		}
	}
	return parents
}

// The servers are stopped before the time limit of the tests: the tests that wait for
// them say then which they are.
const lastWords = 20 * time.Second

// bound stops the server shortly before the time limit of the tests and fails the test:
// every read from its connections returns then.
func (s *Server) bound(t testing.TB) {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return // a benchmark
	}
	deadline, ok := limited.Deadline()
	if !ok {
		return
	}
	timer := time.AfterFunc(time.Until(deadline)-lastWords, func() {
		t.Errorf("%s was still in use %v before the time limit: it is stopped", s.Alias, lastWords)
		s.stop()
	})
	t.Cleanup(func() { timer.Stop() })
}
