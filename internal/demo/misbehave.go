package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultLifespan is how long a process lives that ignores every polite way to
// end it, and how long a forgotten child does. Kinds with a SECONDS parameter
// can be given another.
const DefaultLifespan = 10 * time.Minute

// Kind describes one way to misbehave.
type Kind struct {
	// Name selects the kind. With a parameter it is written NAME:PARAM.
	Name string
	// Description says in one line what the fault is and when it shows.
	Description string
	// Lint is the rule that finds the fault (see session/lint), "" for none.
	Lint string
	// Param is the form of the parameter and its default, "" for none.
	Param string
	// Now says that there is a NAME-now form: the fault shows at once, and
	// nothing is read or answered.
	Now bool
}

// misbehaviour is a kind with the server behind it.
type misbehaviour struct {
	Kind
	run func(ctx context.Context, c *culprit) (exit int, err error)
}

// culprit is a misbehaving process: its streams, and how it was asked to be.
type culprit struct {
	in, out, errw *os.File
	opts          Options
	param         string // "" when none was given
	now           bool
}

// Kinds gives all kinds of misbehaviour, by name.
func Kinds() []Kind {
	var all []Kind
	for _, m := range misbehaviours() {
		all = append(all, m.Kind)
	}
	return all
}

func misbehaviours() []misbehaviour {
	all := slices.Concat(textKinds(), handshakeKinds(), callKinds(), bulkKinds(), processKinds())
	slices.SortFunc(all, func(a, b misbehaviour) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Misbehave is a server with the fault that spec names: NAME, NAME:PARAM, or
// NAME-now[:PARAM]. It gives the exit code, if the kind lets it return at all:
// some die by a signal. An unknown kind, a bad parameter, or a kind that this
// operating system cannot have, is exit code 2 and a line on errw.
//
// The process must be the culprit's own: a kind may close the files, ignore
// signals for good and start children.
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
	c.param = param
	for _, m := range slices.Concat(misbehaviours(), childKinds()) {
		c.now = m.Now && name == m.Name+"-now"
		if name != m.Name && !c.now {
			continue
		}
		if hasParam && m.Param == "" {
			return 0, fmt.Errorf("kind %s takes no parameter", name)
		}
		return m.run(ctx, c)
	}
	var names []string
	for _, m := range misbehaviours() {
		names = append(names, m.Name)
	}
	return 0, fmt.Errorf("no such kind; there are %s", strings.Join(names, ", "))
}

// serve is the healthy server with the given faults.
func (c *culprit) serve(ctx context.Context, f faults) (int, error) {
	s := newServer(c.out, c.errw, c.opts)
	s.faults = f
	return s.run(ctx, c.in), nil
}

// number gives the parameter as a number of 0 or more.
func (c *culprit) number(byDefault int) (int, error) {
	if c.param == "" {
		return byDefault, nil
	}
	n, err := strconv.Atoi(c.param)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("parameter %q is no number of 0 or more", c.param)
	}
	return n, nil
}

// countAndSize gives the parameter COUNTxSIZE, of which the size may be left
// out.
func (c *culprit) countAndSize(count, size int) (int, int, error) {
	if c.param == "" {
		return count, size, nil
	}
	first, second, both := strings.Cut(c.param, "x")
	count, err := strconv.Atoi(first)
	if err == nil && both {
		size, err = strconv.Atoi(second)
	}
	if err != nil || count < 0 || size < minFloodLine {
		return 0, 0, fmt.Errorf("parameter %q is not COUNTxSIZE with a size of %d or more", c.param, minFloodLine)
	}
	return count, size, nil
}

// lifespan gives the parameter as a number of seconds to live.
func (c *culprit) lifespan() (time.Duration, error) {
	seconds, err := c.number(int(DefaultLifespan / time.Second))
	return time.Duration(seconds) * time.Second, err
}

// linger waits, whatever stdin does.
func linger(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// child gives the command that runs one of childKinds. Its streams are the
// null device.
func (c *culprit) child(ctx context.Context, spec string) (*exec.Cmd, error) {
	self := c.opts.Self
	if self == nil {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		self = []string{exe, "demo-server", "--misbehave"}
	}
	// A child is there to outlive its parent: no context may end it.
	return exec.CommandContext(context.WithoutCancel(ctx), self[0], append(slices.Clone(self[1:]), spec)...), nil
}

// tellPid tells the reader of stderr, a test above all, of a process to look
// for.
func (c *culprit) tellPid(pid int) { _, _ = fmt.Fprintf(c.errw, "pid %d\n", pid) }
