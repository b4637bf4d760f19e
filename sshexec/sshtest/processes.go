//go:build unix

package sshtest

import (
	"bytes"
	"os"
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
	for pid, environ := range ProcFiles("environ") {
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

// ProcFiles are the files of that name in /proc of all processes, by pid: stat,
// or environ or cmdline, which a process that is dead has not. It is what tests do
// most while they wait: filepath.Glob would look into each folder for the name.
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

// processes are the parents of all processes that live, by pid. Without a /proc
// there are none.
func processes() map[int]int {
	parents := map[int]int{}
	for pid, text := range ProcFiles("stat") {
		// The second field is the name in brackets, and may hold anything.
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
