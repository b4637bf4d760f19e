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

// lookup finds the file for program with the PATH and PATHEXT of the process: a
// name with a separator is a path relative to dir.
func lookup(program, dir string, env []string) (string, *executor.StartError) {
	extensions := filepath.SplitList(getenv(env, "PATHEXT"))
	if len(extensions) == 0 {
		extensions = []string{".COM", ".EXE", ".BAT", ".CMD"}
	}
	path := getenv(env, "PATH")
	if path == "" {
		path = os.Getenv("PATH")
	}
	dirs := filepath.SplitList(path)
	if strings.ContainsAny(program, `:\/`) {
		dirs = []string{""}
	}
	for _, d := range dirs {
		file := filepath.Join(d, program)
		if dir != "" && !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		for _, ext := range append([]string{""}, extensions...) {
			if ext == "" && filepath.Ext(file) == "" {
				continue // Windows runs nothing without an extension
			}
			if info, err := os.Stat(file + ext); err == nil && !info.IsDir() {
				return file + ext, nil
			}
		}
	}
	return "", startError(executor.StartNotFound, "resolve", fmt.Errorf("program %q not found", program),
		fmt.Sprintf("it is not in any directory of PATH=%s; give its full path, or set PATH with --env", path))
}

// classify returns the reason for an error of CreateProcess.
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
