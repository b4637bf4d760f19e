package localexec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"

	"mcpdbg/session/executor"
)

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

type stat struct{}

func (stat) IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// lookup finds the file for program with the PATH and PATHEXT of the process: a name with
// a separator is a path relative to dir.
func lookup(program, dir string, env []string) (string, *executor.StartError) {
	path := getenv(env, "PATH")
	if path == "" {
		path = os.Getenv("PATH")
	}
	if file, found := (windowsSearch{stat{}, path, getenv(env, "PATHEXT"), dir}).find(program); found {
		return filepath.Clean(file), nil
	}
	return "", startError(executor.StartNotFound, "resolve", fmt.Errorf("program %q not found", program),
		fmt.Sprintf("it is not in any directory of PATH=%s; give its full path, or set PATH with --env", path))
}

func classify(s spec, errno syscall.Errno) *executor.StartError {
	err := fmt.Errorf("run %s: %w", s.path, errno)
	switch errno {
	case windows.ERROR_BAD_EXE_FORMAT, windows.ERROR_ACCESS_DENIED:
		return startError(executor.StartNoExec, "spawn", err, "is it a program for this machine?")
	case windows.ERROR_FILENAME_EXCED_RANGE:
		return startError(executor.StartInvalid, "spawn", err, "the command line is too long for this system")
	}
	return nil
}
