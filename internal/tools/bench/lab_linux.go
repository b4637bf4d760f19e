package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/sshexec/sshtest"
)

// A lab makes programs, files and hosts when they are first needed.
type lab struct {
	ctx     context.Context
	root    string // of the module
	dir     string // for temporary files
	mcpdbg  string
	raw     string
	size    int64 // of the large recording
	install bool  // fetch missing peers
	short   bool  // the short form
	keep    bool  // the temporary files

	made map[string]made
	tb   *standIn
	host *sshtest.Server
}

type made struct {
	path string
	err  error
}

type missing struct {
	what string // such as "ripgrep is not installed"
	hint string // how to install it
}

func (m *missing) Error() string { return m.what + "; " + m.hint }

// program is the mcpdbg to measure; "" builds the current tree.
func newLab(ctx context.Context, program, temp string) (*lab, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(temp, "mcpdbg-bench-")
	if err != nil {
		return nil, err
	}
	l := &lab{ctx: ctx, root: root, dir: dir, made: map[string]made{}, tb: &standIn{ctx: ctx}}
	l.raw = l.file("raw")
	if err := l.build(l.raw, root, "./internal/tools/bench/raw"); err != nil {
		return nil, errors.Join(err, l.close())
	}
	if program == "" {
		l.mcpdbg = l.file("mcpdbg")
		err = l.build(l.mcpdbg, root, ".")
	} else if l.mcpdbg, err = filepath.Abs(program); err == nil {
		_, err = exec.LookPath(l.mcpdbg)
	}
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// close ends the hosts and removes all files.
func (l *lab) close() error {
	l.tb.end()
	if l.keep {
		fmt.Fprintln(os.Stderr, "kept", l.dir)
		return nil
	}
	return os.RemoveAll(l.dir)
}

func (l *lab) file(name string) string { return filepath.Join(l.dir, name) }

// The file is made once.
func (l *lab) make(name string, how func(path string) error) (string, error) {
	if done, found := l.made[name]; found {
		return done.path, done.err
	}
	path := l.file(name)
	err := how(path)
	l.made[name] = made{path, err}
	return path, err
}

func (l *lab) build(to, dir, pkg string) error {
	cmd := l.command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return runQuietly(cmd)
}

// The command is killed, with its process group, when the program is interrupted or ends.
func (l *lab) command(argv ...string) *exec.Cmd { return command(l.ctx, argv...) }

func command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// The output is shown after a failure.
func runQuietly(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, wording.Tail(strings.TrimSpace(string(out)), 2000))
	}
	return nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if data, readErr := os.ReadFile(filepath.Join(dir, "go.mod")); readErr == nil && strings.HasPrefix(string(data), "module mcpdbg\n") {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("go.mod not found: run this in a checkout of mcpdbg")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
