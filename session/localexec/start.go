package localexec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"mcpdbg/session/executor"
)

// maxMarks is how many marks a process carries: its own and those of the surrounding
// debuggers.
const maxMarks = 8

// Launch implements executor.Backend.
func (p *process) Launch(ctx context.Context) *executor.StartError {
	var spec spec
	var report executor.EnvReport
	if err := p.base.Phase("resolve", p.base.Exec.Argv[0], func() (err *executor.StartError) {
		spec, report, err = p.resolve()
		p.program = spec.path
		return err
	}); err != nil {
		return err
	}
	p.thread = p.ex.takeThread()
	pipes, failed := newPipes(spec.noStdin, p.thread)
	if failed != nil {
		p.ex.giveThread(p.thread)
		return spawnError(spec, failed)
	}
	c := &child{pipes: pipes}
	// A missing watchdog is reported but does not prevent the start.
	_ = p.base.Phase("watchdog", "", func() *executor.StartError { return p.watch(ctx, c) })
	if err := p.base.Phase("spawn", spec.path, func() *executor.StartError { return spawn(ctx, c, spec) }); err != nil {
		p.ex.sharedWatchdog.del(p.base.Mark)
		p.ex.giveThread(p.thread)
		return err
	}
	p.ex.sharedWatchdog.setGroup(p.base.Mark, c.pid)
	p.attach(c, report)
	return nil
}

// watch makes a watchdog the parent of c. If that fails, it registers the mark with the
// shared watchdog, before any process carries it.
func (p *process) watch(ctx context.Context, c *child) *executor.StartError {
	err := c.watch(ctx, p.ex.program)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // spawn fails too
		return executor.StartCancelledBy(ctx, "watchdog")
	}
	hint := "a daemon that hides may be leaked"
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil // as on most systems
	}
	if listed := p.ex.sharedWatchdog.add(p.base.Mark, 0); listed != nil {
		err, hint = errors.Join(err, listed), "if this program is killed, the process keeps running"
	}
	if err == nil {
		return nil
	}
	return startError(executor.StartFailed, "watchdog", err, hint)
}

func spawn(ctx context.Context, c *child, s spec) *executor.StartError {
	if ctx.Err() != nil {
		c.discard()
		return executor.StartCancelledBy(ctx, "spawn")
	}
	err := c.run(ctx, s)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return executor.StartCancelledBy(ctx, "spawn")
	}
	return spawnError(s, err)
}

type spec struct {
	path    string // the file to execute
	argv    []string
	dir     string
	env     []string
	noStdin bool
	leave   []string // for the watchdog
}

func (p *process) resolve() (spec, executor.EnvReport, *executor.StartError) {
	cmd := &p.base.Exec
	env, report := executor.BuildEnv(cmd.EnvPolicy, p.ex.environ, cmd.Env)
	if err := checkDir(cmd.Dir); err != nil {
		return spec{}, report, err
	}
	path, err := lookup(cmd.Argv[0], cmd.Dir, env)
	if err != nil {
		return spec{}, report, err
	}
	env, report.Added = addMark(env, p.ex.environ, p.base.Mark), []string{executor.MarkName}
	return spec{path: path, argv: cmd.Argv, dir: cmd.Dir, env: env, noStdin: cmd.NoStdin, leave: cmd.Leave}, report, nil
}

func addMark(env, base []string, mark string) []string {
	marks := []string{mark}
	if outer := getenv(base, executor.MarkName); outer != "" {
		marks = append(strings.Split(outer, ","), mark)
	}
	marks = marks[max(0, len(marks)-maxMarks):]
	kept := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if !strings.HasPrefix(entry, executor.MarkName+"=") {
			kept = append(kept, entry)
		}
	}
	return append(kept, executor.MarkName+"="+strings.Join(marks, ","))
}

func getenv(env []string, name string) string {
	for _, entry := range env {
		if n, value, ok := strings.Cut(entry, "="); ok && sameName(n, name) {
			return value
		}
	}
	return ""
}

func checkDir(dir string) *executor.StartError {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return startError(executor.StartNoDir, "resolve", fmt.Errorf("working directory %s does not exist", dir),
			"create it, or use --cwd with another directory")
	case err != nil:
		return startError(executor.StartNoDir, "resolve", fmt.Errorf("working directory: %w", err),
			"use --cwd with a directory that you can access")
	case !info.IsDir():
		return startError(executor.StartNoDir, "resolve", fmt.Errorf("working directory %s is not a directory", dir),
			"use --cwd with its directory")
	}
	return nil
}

func spawnError(s spec, err error) *executor.StartError {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return startError(executor.StartFailed, "spawn", err, "")
	}
	if e := classify(s, errno); e != nil {
		return e
	}
	return startError(executor.StartFailed, "spawn", fmt.Errorf("run %s: %w", s.path, errno), "")
}
