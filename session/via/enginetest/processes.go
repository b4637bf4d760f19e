//go:build linux

package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"mcpdbg/session/exectest"
)

// descendants returns the live descendants of a process.
func descendants(of int) []int {
	parents := map[int]int{}
	for pid, stat := range exectest.ProcFiles("stat") {
		f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if f[0] == "Z" || f[0] == "X" {
			continue
		}
		parents[pid], _ = strconv.Atoi(f[1])
	}
	var found []int
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == of {
				found = append(found, pid)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// inside runs f in a thread that is where the process with that pid is: processes that f
// starts belong to its pid namespace, and see its files. The thread ends with f.
func inside(pid int, f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: no other goroutine may run there
		err := enter(pid)
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

func enter(pid int) error {
	dir := "/proc/" + strconv.Itoa(pid)
	var fds [3]int
	for i, name := range []string{"root", "ns/mnt", "ns/pid"} {
		fd, err := unix.Open(filepath.Join(dir, name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("enter the container: %w", err)
		}
		defer func() { _ = unix.Close(fd) }()
		fds[i] = fd
	}
	steps := []func() error{
		func() error { return unix.Unshare(unix.CLONE_FS) },
		func() error { return unix.Setns(fds[1], unix.CLONE_NEWNS) },
		func() error { return unix.Setns(fds[2], unix.CLONE_NEWPID) },
		func() error { return unix.Fchdir(fds[0]) },
		func() error { return unix.Chroot(".") },
		func() error { return unix.Chdir("/") },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("enter the container, step %d: %w", i, err)
		}
	}
	return nil
}

// causeOf returns the system's reason of an error.
func causeOf(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}

// lookUp returns the path of a program, or the error of runc.
func lookUp(name, path string) (string, error) {
	if strings.Contains(name, "/") {
		if err := executable(name); err != nil {
			return "", fmt.Errorf("exec: %q: %w", name, err)
		}
		return name, nil
	}
	var denied error
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		err := executable(file)
		if err == nil {
			return file, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	if denied != nil {
		return "", fmt.Errorf("exec: %q: %w", name, denied)
	}
	return "", fmt.Errorf("exec: %q: executable file not found in $PATH", name)
}

func executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	case info.Mode()&0o111 == 0:
		return syscall.EACCES
	}
	return nil
}

// userOf returns the ids of a user, which may be names of the container's own files.
func userOf(user string) (uid, gid int, home string, err error) {
	name, group, _ := strings.Cut(user, ":")
	if name == "" {
		return 0, 0, "/root", nil
	}
	home = "/"
	uid, numberErr := strconv.Atoi(name)
	entry := entryOf("/etc/passwd", name)
	switch {
	case len(entry) >= 6:
		uid, _ = strconv.Atoi(entry[2])
		gid, _ = strconv.Atoi(entry[3])
		home = entry[5]
	case numberErr != nil:
		return 0, 0, "", fmt.Errorf("unable to find user %s: no matching entries in passwd file", name)
	}
	if group == "" {
		return uid, gid, home, nil
	}
	if gid, err = strconv.Atoi(group); err != nil {
		entry = entryOf("/etc/group", group)
		if len(entry) < 3 {
			return 0, 0, "", fmt.Errorf("unable to find group %s: no matching entries in group file", group)
		}
		gid, err = strconv.Atoi(entry[2])
	}
	return uid, gid, home, err
}

// entryOf returns the line of a name, or a number, in a file of users or groups.
func entryOf(file, name string) []string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) > 2 && (f[0] == name || f[2] == name) {
			return f
		}
	}
	return nil
}

// openTerminal returns both ends of a terminal.
func openTerminal() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n := 0
	err = control(ours, func(fd int) error {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	})
	if err == nil {
		theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		_ = ours.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// control runs f with the descriptor of a file, which stays usable with deadlines.
func control(f *os.File, run func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = run(int(fd)) }); err != nil {
		return err
	}
	return inner
}
