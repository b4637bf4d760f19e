package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/tools/pty"
	"mcpdbg/internal/wording"
)

const sideLimit = 5 * time.Minute

type side struct {
	argv   []string
	env    []string // more than the common ones
	before func() error
	codes  []int  // expected exit codes; nil means 0
	want   string // a part of the expected output
	// took: a program of this side, raw, reports the time that counts.
	took bool
	// shows is the text on a terminal of 80x24 that ends the time, and keys end the
	// program; "" means no terminal.
	shows, keys string
	limit       time.Duration // of one run; 0 means sideLimit
}

// run runs a side once.
func (l *lab) run(s side) (Sample, error) {
	limit := s.limit
	if limit == 0 {
		limit = sideLimit
	}
	ctx, cancel := context.WithTimeoutCause(l.ctx, limit, fmt.Errorf("timed out after %v", limit))
	defer cancel()
	if s.before != nil {
		if err := s.before(); err != nil {
			return Sample{}, err
		}
	}
	do := l.runProcess
	if s.shows != "" {
		do = l.runScreen
	}
	sample, err := do(ctx, s)
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(s.argv, " "), err)
	}
	return sample, err
}

// Files of mcpdbg and of others go to the lab's folder.
func (l *lab) environment(s side) []string {
	env := append(os.Environ(), "XDG_STATE_HOME="+l.file("state"), "XDG_CACHE_HOME="+l.cache(), "XDG_CONFIG_HOME="+l.file("config"), "LESSHISTFILE=-")
	return append(env, s.env...)
}

// cache is the folder where mcpdbg stores indexes.
func (l *lab) cache() string { return l.file("cache") }

func (l *lab) runProcess(ctx context.Context, s side) (Sample, error) {
	var sample Sample
	usage, took := l.file("usage"), l.file("took")
	for _, path := range []string{usage, took} {
		if err := os.RemoveAll(path); err != nil {
			return sample, err
		}
	}
	out, err := os.Create(l.file("out"))
	if err != nil {
		return sample, err
	}
	defer out.Close()
	var stderr strings.Builder
	cmd := command(ctx, append([]string{l.raw, "measure", usage}, s.argv...)...)
	cmd.Env = append(l.environment(s), "BENCH_TOOK="+took)
	cmd.Stdout, cmd.Stderr = out, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return sample, context.Cause(ctx)
	case errors.As(err, &exit) && s.expects(exit.ExitCode()):
	case err != nil:
		return sample, fmt.Errorf("%w: %s", err, wording.Tail(strings.TrimSpace(stderr.String()), 500))
	case !s.expects(0):
		return sample, errors.New("it was expected to fail")
	}
	if sample, err = readUsage(usage); err != nil {
		return sample, err
	}
	if s.took {
		if sample.Wall, err = readTook(took); err != nil {
			return sample, err
		}
	}
	return sample, s.checkOutput(out.Name())
}

func (s side) expects(code int) bool {
	if s.codes == nil {
		return code == 0
	}
	return slices.Contains(s.codes, code)
}

func (s side) checkOutput(path string) error {
	if s.want == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(data), s.want) {
		err = fmt.Errorf("the output lacks %q: %q", s.want, wording.Tail(strings.TrimSpace(string(data)), 500))
	}
	return err
}

func readUsage(path string) (Sample, error) {
	var s Sample
	data, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Sscan(string(data), &s.Wall, &s.CPU, &s.Memory)
	}
	return s, err
}

func readTook(path string) (time.Duration, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return time.Duration(n), err
}

func (l *lab) runScreen(ctx context.Context, s side) (Sample, error) {
	var sample Sample
	cmd := exec.Command(s.argv[0], s.argv[1:]...)
	cmd.Env = l.environment(s)
	begin := time.Now()
	t, err := pty.Start(cmd, 80, 24)
	if err != nil {
		return sample, err
	}
	if err := t.Until(ctx, s.shows); err != nil {
		shown := t.Shown()
		t.Kill()
		return sample, fmt.Errorf("%w: %q", err, wording.Tail(strings.TrimSpace(shown), 500))
	}
	sample.Wall = time.Since(begin)
	sample.Memory = peak(t.Pid())
	if err := t.Type(s.keys); err != nil {
		t.Kill()
		return sample, err
	}
	ended := make(chan error, 1)
	go func() { ended <- t.Wait() }()
	select {
	case <-ended: // some exit with another code than 0 at an interrupt
	case <-ctx.Done():
		t.Kill()
		return sample, context.Cause(ctx)
	}
	sample.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return sample, nil
}

// In bytes, of a running process; 0 if it has ended.
func peak(pid int) int64 {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kib int64
	_, _ = fmt.Sscan(rest, &kib)
	return kib << 10
}
