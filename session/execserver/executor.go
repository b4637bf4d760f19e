package execserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// An Executor starts processes through an exec server. Close it when done.
type Executor struct {
	opts    Options
	s       *session
	table   *executor.Table
	notices []executor.Notice // of every start
	endTime time.Duration     // see the constant

	mu   sync.Mutex
	last int // process of the session: an id is never used twice
}

var _ executor.Executor = (*Executor)(nil)

// Open connects to an exec server and begins a session. An error of Options.Dial can be found
// in the error.
func Open(ctx context.Context, o Options) (*Executor, error) {
	o.StartTimeout = cmp.Or(o.StartTimeout, startTimeout)
	s, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("exec server: %w", err)
	}
	e := &Executor{opts: o, s: s, endTime: endTime, table: executor.NewTable(executor.TableOptions{
		IDs: o.IDs, Retention: o.Retention, Placement: o.Placement, Journal: o.Journal,
		Validate: func(cmd executor.Command) error { return validate(cmd, s.env.OS) },
	})}
	if !s.ours() && s.env.Version != wire.CodexVersion {
		e.notices = []executor.Notice{{
			Code: "exec.version",
			Text: fmt.Sprintf("%s: tried with version %s only, whose protocol is experimental", s.server(), wire.CodexVersion),
		}}
	}
	return e, nil
}

// Start implements executor.Executor.
func (e *Executor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	return e.table.Start(ctx, cmd, func(b *executor.Base) executor.Backend { return newProcess(e, b) })
}

// Process implements executor.Executor.
func (e *Executor) Process(id string) executor.Process { return e.table.Process(id) }

// Close implements executor.Executor. It ends the session.
func (e *Executor) Close() error {
	err := e.table.Close()
	e.s.close()
	return err
}

// Failed reports whether the session is lost: nothing can be started any more.
func (e *Executor) Failed() bool { return e.s.failure() != nil }

// name returns another id for a process of the session: the server keeps those that have ended.
func (e *Executor) name(id string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	return fmt.Sprintf("%s.%d", id, e.last)
}

// variableName matches what a shell can set.
var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// driveName begins an absolute path of Windows.
var driveName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:[\\/]`) })

func validate(cmd executor.Command, goos string) error {
	if err := cmd.Validate(); err != nil {
		return err
	}
	for i, arg := range cmd.Argv {
		if !utf8.ValidString(arg) {
			return fmt.Errorf("argument %d is not UTF-8", i)
		}
	}
	switch {
	case strings.HasPrefix(cmd.Argv[0], "-"):
		return fmt.Errorf("program %q begins with a dash: use its path", cmd.Argv[0])
	case cmd.Dir != "" && !path.IsAbs(cmd.Dir) && (goos != windows || !driveName().MatchString(cmd.Dir)):
		return fmt.Errorf("working directory %q is relative: on an exec server it must be absolute", cmd.Dir)
	case !utf8.ValidString(cmd.Dir):
		return errors.New("working directory is not UTF-8")
	}
	for _, v := range cmd.Env {
		if !variableName().MatchString(v.Name) {
			return fmt.Errorf("invalid environment variable name %q: a shell cannot set it", v.Name)
		}
		if !utf8.ValidString(v.Value) {
			return fmt.Errorf("value of environment variable %s is not UTF-8", v.Name)
		}
	}
	return nil
}
