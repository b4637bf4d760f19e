package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Kind describes one kind of misbehaviour.
type Kind struct {
	// Name selects the kind. With a parameter, write NAME:PARAM.
	Name string
	// Description is one line: the fault and when it shows.
	Description string
	// Lint is the rule that finds it (see session/diagnosis/rule), or "".
	Lint string
	// Param is the parameter's form and default, or "".
	Param string
	// HasNowForm: in NAME-now the fault shows at once, and the process neither reads nor
	// responds.
	HasNowForm bool
}

type misbehaviour struct {
	Kind
	run runFunc
}

type runFunc func(ctx context.Context, c *culprit) (exit int, err error)

// culprit is a misbehaving process: its streams and parameters.
type culprit struct {
	in, out, errw *os.File
	opts          Options
	param         string // or the default of the kind
	now           bool
}

// Kinds returns all kinds of misbehaviour, by name.
func Kinds() []Kind {
	var all []Kind
	for _, m := range misbehaviours() {
		all = append(all, m.Kind)
	}
	return all
}

func misbehaviours() []misbehaviour {
	all := slices.Concat(textKinds(), handshakeKinds(), callKinds(), bulkKinds(), processKinds())
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return strings.Compare(a.Name, b.Name) < 0
	})
	return all
}

// Misbehave runs a server with the fault in spec: NAME, NAME:PARAM, or NAME-now[:PARAM].
// It returns the exit code, unless the kind dies by a signal. An unknown or unsupported
// kind or an invalid parameter is exit code 2 and a line on errw. The process must be
// dedicated to it: a kind may close files, ignore signals for good and start children.
func Misbehave(ctx context.Context, spec string, in, out, errw *os.File, opts Options) int {
	code, err := misbehave(ctx, spec, &culprit{in: in, out: out, errw: errw, opts: opts})
	if err != nil {
		_, _ = fmt.Fprintf(errw, "demo-server: --misbehave %s: %v\n", spec, err)
		return 2
	}
	return code
}

func misbehave(ctx context.Context, spec string, c *culprit) (int, error) {
	name, param, hasParam := strings.Cut(spec, ":")
	for _, m := range slices.Concat(misbehaviours(), childKinds()) {
		c.now = m.HasNowForm && name == m.Name+"-now"
		if name != m.Name && !c.now {
			continue
		}
		if hasParam && m.Param == "" {
			return 0, fmt.Errorf("kind %s takes no parameter", name)
		}
		if c.param = param; param == "" {
			_, c.param, _ = strings.Cut(m.Param, "=")
		}
		return m.run(ctx, c)
	}
	var names []string
	for _, m := range misbehaviours() {
		names = append(names, m.Name)
	}
	return 0, fmt.Errorf("unknown kind; use one of %s", strings.Join(names, ", "))
}

func (c *culprit) serve(ctx context.Context, f faults) (int, error) {
	s := newServer(c.out, c.errw, c.opts)
	s.faults = f
	return s.run(ctx, c.in), nil
}

// withNumber is for a parameter of 0 or more.
func withNumber(run func(ctx context.Context, c *culprit, n int) (int, error)) runFunc {
	return func(ctx context.Context, c *culprit) (int, error) {
		n, err := strconv.Atoi(c.param)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("invalid parameter %q: use a number of 0 or more", c.param)
		}
		return run(ctx, c, n)
	}
}

// withTime is for a parameter in this unit of time.
func withTime(unit time.Duration, run func(ctx context.Context, c *culprit, d time.Duration) (int, error)) runFunc {
	return withNumber(func(ctx context.Context, c *culprit, n int) (int, error) {
		return run(ctx, c, time.Duration(n)*unit)
	})
}

// withCountAndSize is for COUNTxSIZE with an optional size.
func withCountAndSize(run func(ctx context.Context, c *culprit, count, size int) (int, error)) runFunc {
	return func(ctx context.Context, c *culprit) (int, error) {
		first, second, both := strings.Cut(c.param, "x")
		size := usualLine
		count, err := strconv.Atoi(first)
		if err == nil && both {
			size, err = strconv.Atoi(second)
		}
		if err != nil || count < 0 || size < minFloodLine {
			return 0, fmt.Errorf("invalid parameter %q: use COUNTxSIZE with a size of %d or more", c.param, minFloodLine)
		}
		return run(ctx, c, count, size)
	}
}

// linger waits, regardless of stdin.
func linger(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// child returns the command for one of childKinds, with the null device as streams.
func (c *culprit) child(ctx context.Context, spec string) (*exec.Cmd, error) {
	self := c.opts.Self
	if self == nil {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this executable: %w", err)
		}
		self = []string{exe, "demo-server", "--misbehave"}
	}
	// The child is to outlive its parent, so no context may end it.
	return exec.CommandContext(context.WithoutCancel(ctx), self[0], append(slices.Clone(self[1:]), spec)...), nil
}

func (c *culprit) reportPID(pid int) { _, _ = fmt.Fprintf(c.errw, "pid %d\n", pid) }
