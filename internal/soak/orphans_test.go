//go:build soak && linux

package soak

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// waitLimit is how long anything may take that must happen. A wait ends when it
// happens.
const waitLimit = time.Minute

// markName is the variable by which processes of a session or program are found,
// wherever they have gone: its value is a mark.
const markName = "MCPDBG_SOAK"

func newMark() string { return rand.Text() }

func markVar(mark string) executor.EnvVar { return executor.EnvVar{Name: markName, Value: mark} }

// marked returns the pids of the processes that inherited a mark.
func marked(mark string) (pids []int) {
	for pid, env := range exectest.ProcFiles("environ") {
		if pid != os.Getpid() && bytes.Contains(env, []byte(markName+"="+mark+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// allGone waits until no process with a mark is left. Processes that stay are
// killed, so that each of them is one error only.
func allGone(mark string) error {
	if eventually(func() bool { return len(marked(mark)) == 0 }) {
		return nil
	}
	var names []string
	for _, pid := range marked(mark) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may be over
		names = append(names, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	return fmt.Errorf("processes are left: %s", strings.Join(names, "; "))
}

// eventually reports whether ok becomes true in time.
func eventually(ok func() bool) bool {
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// orNone returns an error to report, also if there is none.
func orNone(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// stat returns the fields of a stat file in /proc after the name: the state and
// the parent come first.
func stat(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // a name may hold blanks
	if len(fields) < 2 {
		return nil, fmt.Errorf("%s is not a stat file", path)
	}
	return fields, nil
}

// parentOf returns the parent of a process.
func parentOf(pid int) (int, error) {
	fields, err := stat(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(fields[1])
}

// freeze stops a process, and waits until each of its threads has stopped.
func freeze(pid int) error {
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		return err
	}
	if !eventually(func() bool { return frozen(pid) }) {
		return fmt.Errorf("process %d does not stop", pid)
	}
	return nil
}

func frozen(pid int) bool {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return err == nil && !slices.ContainsFunc(tasks, func(task string) bool {
		fields, err := stat(task)
		return err == nil && fields[0] != "T" // a thread may just have ended
	})
}

// pause stops a process for a while.
func pause(pid int, d time.Duration) error {
	if err := freeze(pid); err != nil {
		return err
	}
	time.Sleep(d)
	return unix.Kill(pid, unix.SIGCONT)
}
