//go:build unix

package localexec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"mcpdbg/session/executor"
)

// maxShebang is that of Linux (BINPRM_BUF_SIZE).
const maxShebang = 256

func sameName(a, b string) bool { return a == b }

// lookup finds the file that exec would run for program: a name with a slash is
// a path relative to dir; any other is searched in the PATH of the process, or
// in ours if it has none.
func lookup(program, dir string, env []string) (string, *executor.StartError) {
	if strings.Contains(program, "/") {
		return program, checkProgram(program, from(dir, program))
	}
	path := getenv(env, "PATH")
	if path == "" {
		path = os.Getenv("PATH")
	}
	var refused *executor.StartError
	for _, d := range filepath.SplitList(path) {
		if d == "" {
			d = "."
		}
		file := d + "/" + program
		switch err := checkProgram(program, from(dir, file)); {
		case err == nil:
			return file, nil
		case err.Code == executor.StartNoExec && refused == nil:
			refused = err
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", startError(executor.StartNotFound, "resolve", fmt.Errorf("program %q not found", program),
		fmt.Sprintf("it is not in any directory of PATH=%s; give its full path, or set PATH with --env", path))
}

func from(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return dir + "/" + path
}

func checkProgram(program, file string) *executor.StartError {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return startError(executor.StartNotFound, "resolve", fmt.Errorf("program %s does not exist", program),
			"check the path; relative paths start at the working directory")
	case err != nil:
		return startError(executor.StartNoExec, "resolve", fmt.Errorf("program %s: %w", program, errors.Unwrap(err)),
			"no permission to read its directory")
	case info.IsDir():
		return startError(executor.StartNoExec, "resolve", fmt.Errorf("%s is a directory", file),
			"specify the program inside it")
	case unix.Faccessat(unix.AT_FDCWD, file, unix.X_OK, unix.AT_EACCESS) != nil:
		return startError(executor.StartNoExec, "resolve", fmt.Errorf("%s is not executable", file),
			notExecutableHint(file))
	}
	return nil
}

func notExecutableHint(file string) string {
	if interpreter := shebang(file); interpreter != "" {
		return fmt.Sprintf("chmod +x %s, or start it as: %s %s", file, interpreter, file)
	}
	return fmt.Sprintf("chmod +x %s, or name the interpreter that runs it", file)
}

// shebang returns the interpreter of a script, or "".
func shebang(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := bufio.NewReaderSize(f, maxShebang).Peek(maxShebang) // short files are fine
	line, _, _ := bytes.Cut(head, []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return ""
	}
	interpreter, _, _ := strings.Cut(strings.Trim(string(rest), " \t"), " ")
	return interpreter
}

// classify returns the reason for an error of exec.
func classify(s spec, errno syscall.Errno) *executor.StartError {
	file := from(s.dir, s.path)
	interpreter := shebang(file)
	noExec := func(hint, format string, args ...any) *executor.StartError {
		return startError(executor.StartNoExec, "spawn", fmt.Errorf(format+": %w", append(args, errno)...), hint)
	}
	switch errno {
	case unix.E2BIG:
		return startError(executor.StartInvalid, "spawn", fmt.Errorf("run %s: %w", s.path, errno),
			"arguments and environment are too large for this system; try --env-policy client")
	case unix.ENOENT:
		switch {
		case strings.HasSuffix(interpreter, "\r"):
			return noExec("its first line ends in a carriage return: save it with Unix line endings",
				"interpreter %q of %s does not exist", interpreter, file)
		case interpreter != "":
			return noExec("correct the first line of the script, or start the interpreter yourself",
				"interpreter %s of %s does not exist", interpreter, file)
		}
		return noExec("its dynamic loader is missing: was it built for another system?", "run %s", file)
	case unix.ENOEXEC:
		return noExec("a script needs a first line such as #!/bin/sh; a program must be built for this machine",
			"run %s", file)
	case unix.EACCES, unix.EPERM:
		if s.dir != "" && unix.Access(s.dir, unix.X_OK) != nil {
			return startError(executor.StartNoDir, "spawn", fmt.Errorf("enter working directory %s: %w", s.dir, errno),
				"use --cwd with a directory that you can access")
		}
		if interpreter != "" {
			return noExec("the interpreter in its first line cannot be executed",
				"run %s by %s", file, interpreter)
		}
		return noExec("its file system may be mounted noexec, or a security policy forbids it", "run %s", file)
	case unix.ENOTDIR, unix.ELOOP, unix.ETXTBSY:
		return noExec("", "run %s", file)
	}
	return nil
}
