package localexec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"mcpdbg/session/executor"
)

// markName is the variable that marks a process and its descendants.
const markName = "MCPDBG_MARK"

// maxMarks is how many marks a process carries: its own and those of the
// debuggers around it, so that each finds all that belongs to it.
const maxMarks = 8

// errCancelled is the cause of a start that was terminated.
var errCancelled = errors.New("start was cancelled")

// start resolves and spawns. When it fails, nothing of the process is left.
func (p *process) start(ctx context.Context) *executor.StartError {
	defer close(p.settled)
	var spec spec
	var report executor.EnvReport
	if err := p.phase("resolve", p.cmd.Argv[0], func() (err *executor.StartError) {
		spec, report, err = p.resolve()
		return err
	}); err != nil {
		return err
	}
	pipes, failed := newPipes(spec.noStdin)
	if failed != nil {
		return spawnError(spec, failed)
	}
	c := &child{pipes: pipes}
	// A missing watchdog is told, and no reason not to start.
	_ = p.phase("watchdog", "", func() *executor.StartError { return p.watch(ctx, c) })
	if err := p.phase("spawn", spec.path, func() *executor.StartError { return p.spawn(ctx, c, spec) }); err != nil {
		p.ex.guard.del(p.mark)
		return err
	}
	p.ex.guard.setGroup(p.mark, c.pid)
	p.attach(c, report)
	if err := p.stillWanted(ctx); err != nil {
		// The process runs, and must not: its end is the same as any other.
		_, endErr := p.end(context.Background())
		return startError(executor.StartCancelled, "spawn", errors.Join(err, endErr), "")
	}
	return nil
}

// phase runs one step of the start and tells of it.
func (p *process) phase(name, detail string, step func() *executor.StartError) *executor.StartError {
	ph := executor.Phase{Name: name, Detail: detail, Begin: time.Now()}
	err := step()
	ph.End = time.Now()
	if err != nil {
		ph.Err = err
	}
	if p.cmd.OnPhase != nil {
		p.cmd.OnPhase(ph)
	}
	return err
}

// watch makes a watchdog the parent of c. Where that cannot be, it puts the mark
// on the list of the one watchdog over all, before anything carries it.
func (p *process) watch(ctx context.Context, c *child) *executor.StartError {
	err := c.watch(ctx, p.ex.program)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // spawn refuses
		return startError(executor.StartCancelled, "watchdog", fmt.Errorf("%w: %w", errCancelled, ctx.Err()), "")
	}
	hint := "a daemon that hides may stay"
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil // as on most systems
	}
	if listed := p.ex.guard.add(p.mark, 0); listed != nil {
		err, hint = errors.Join(err, listed), "if this program is killed, the process stays"
	}
	if err == nil {
		return nil
	}
	return startError(executor.StartFailed, "watchdog", err, hint)
}

func (p *process) spawn(ctx context.Context, c *child, s spec) *executor.StartError {
	if err := p.stillWanted(ctx); err != nil {
		c.discard()
		return startError(executor.StartCancelled, "spawn", err, "")
	}
	err := c.run(ctx, s)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return startError(executor.StartCancelled, "spawn", fmt.Errorf("%w: %w", errCancelled, ctx.Err()), "")
	}
	return spawnError(s, err)
}

func (p *process) stillWanted(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancelled {
		return errCancelled
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", errCancelled, err)
	}
	return nil
}

// A spec is a command that was resolved.
type spec struct {
	path    string // the file to execute
	argv    []string
	dir     string
	env     []string
	noStdin bool
	leave   []string // for the watchdog
}

func (p *process) resolve() (spec, executor.EnvReport, *executor.StartError) {
	env, report := executor.BuildEnv(p.cmd.EnvPolicy, p.ex.opts.Environ, p.cmd.Env)
	if err := checkDir(p.cmd.Dir); err != nil {
		return spec{}, report, err
	}
	path, err := lookup(p.cmd.Argv[0], p.cmd.Dir, env)
	if err != nil {
		return spec{}, report, err
	}
	env, report.Added = addMark(env, p.ex.opts.Environ, p.mark), []string{markName}
	return spec{path: path, argv: p.cmd.Argv, dir: p.cmd.Dir, env: env, noStdin: p.cmd.NoStdin, leave: p.cmd.Leave}, report, nil
}

// addMark puts mark behind those that this program itself carries.
func addMark(env, base []string, mark string) []string {
	marks := []string{mark}
	if outer := getenv(base, markName); outer != "" {
		marks = append(strings.Split(outer, ","), mark)
	}
	marks = marks[max(0, len(marks)-maxMarks):]
	kept := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if !strings.HasPrefix(entry, markName+"=") {
			kept = append(kept, entry)
		}
	}
	return append(kept, markName+"="+strings.Join(marks, ","))
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
			"create it, or give another one with --cwd")
	case err != nil:
		return startError(executor.StartNoDir, "resolve", fmt.Errorf("working directory: %w", err),
			"give a directory that you may enter with --cwd")
	case !info.IsDir():
		return startError(executor.StartNoDir, "resolve", fmt.Errorf("working directory %s is not a directory", dir),
			"give its directory with --cwd")
	}
	return nil
}

// spawnError says what kept the system from running what lookup had found.
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
