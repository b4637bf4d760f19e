//go:build unix

package sshtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endTree kills a process and all its descendants. It stops the root first, so
// that it starts nothing while we look for the others; the caller reaps it.
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

// endMarked kills the processes whose environment says that a server started
// them, wherever they have gone since. It sees those of other users as root only.
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
	for pid := range processes() {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
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

// processes are the parents of all processes that live, by pid. Without a /proc
// there are none.
func processes() map[int]int {
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		text, _ := os.ReadFile(file)
		// The second field is the name in brackets, and may hold anything.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, err2 := strconv.Atoi(fields[1])
		if err == nil && err2 == nil {
			parents[pid] = parent
		}
	}
	return parents
}
