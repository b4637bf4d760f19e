package demo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func processKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "ignores-eof-term", Lint: "PRC05", Param: "SECONDS=600",
			Description: "ignores the end of stdin and SIGTERM, and so does a child of its group (both pids on stderr)"}, withTime(time.Second, ignoresEOFAndTerm)},
		{Kind{Name: "daemon", Param: "SECONDS=600",
			Description: "leaks a daemon in a session of its own (pid on stderr)"}, withTime(time.Second, daemon)},
		{Kind{Name: "holds-stdout", Lint: "PRC06", Param: "MILLISECONDS=60000", HasNowForm: true,
			Description: "exits with 0, but a child keeps stdout open and writes to it (pid on stderr)"}, withTime(time.Millisecond, leaveHolder)},
		{Kind{Name: "late-output", Lint: "PRC06", Param: "MILLISECONDS=200", HasNowForm: true,
			Description: "like holds-stdout, but only for a moment"}, withTime(time.Millisecond, leaveHolder)},
	}
}

func childKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "stubborn-child", Param: "SECONDS"}, withTime(time.Second, stubbornChild)},
		{Kind{Name: "daemon-parent", Param: "SECONDS"}, daemonParent},
		{Kind{Name: "daemon-child", Param: "SECONDS"}, withTime(time.Second, daemonChild)},
		{Kind{Name: "holding-child", Param: "MILLISECONDS"}, withTime(time.Millisecond, holdingChild)},
	}
}

// Both processes ignore signals before the pids are reported.
func ignoresEOFAndTerm(ctx context.Context, c *culprit, life time.Duration) (int, error) {
	if err := ignoreSignals(); err != nil {
		return 0, err
	}
	pid, err := c.firstWord(ctx, fmt.Sprintf("stubborn-child:%d", life/time.Second))
	if err != nil {
		return 0, err
	}
	c.reportPID(os.Getpid())
	c.reportPID(pid)
	end := time.Now().Add(life)
	code, err := c.serve(ctx, faults{})
	linger(ctx, time.Until(end))
	return code, err
}

func stubbornChild(ctx context.Context, c *culprit, life time.Duration) (int, error) {
	if err := ignoreSignals(); err != nil {
		return 0, err
	}
	_, _ = fmt.Fprintln(c.out, os.Getpid())
	linger(ctx, life)
	return 0, nil
}

// daemon forks twice: the process in between leads the new session and exits, so that the
// daemon cannot be found through its parents.
func daemon(ctx context.Context, c *culprit, life time.Duration) (int, error) {
	pid, err := c.firstWord(ctx, fmt.Sprintf("daemon-parent:%d", life/time.Second))
	if err != nil {
		return 0, err
	}
	c.reportPID(pid)
	return c.serve(ctx, faults{})
}

func daemonParent(ctx context.Context, c *culprit) (int, error) {
	if err := newSession(); err != nil {
		return 0, err
	}
	cmd, err := c.child(ctx, "daemon-child:"+c.param)
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start the daemon: %w", err)
	}
	_, _ = fmt.Fprintln(c.out, cmd.Process.Pid)
	return 0, nil
}

func daemonChild(ctx context.Context, c *culprit, life time.Duration) (int, error) {
	linger(ctx, life)
	return 0, nil
}

// firstWord starts a child and returns the pid that it writes when ready. The child keeps
// stderr open.
func (c *culprit) firstWord(ctx context.Context, spec string) (int, error) {
	cmd, err := c.child(ctx, spec)
	if err != nil {
		return 0, err
	}
	cmd.Stderr = c.errw
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, fmt.Errorf("pipe from %s: %w", spec, err)
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start %s: %w", spec, err)
	}
	word, err := bufio.NewReader(out).ReadString('\n')
	go func() { _ = cmd.Wait() }() // it may exit long before us
	if err != nil {
		return 0, fmt.Errorf("%s did not start: %w", spec, err)
	}
	return strconv.Atoi(strings.TrimSpace(word))
}

// leaveHolder starts a child that inherits stdout and stderr, and then serves, or exits
// at once. The child notices our exit by the end of its stdin, and then holds stdout for
// a while.
func leaveHolder(ctx context.Context, c *culprit, held time.Duration) (int, error) {
	cmd, err := c.child(ctx, fmt.Sprintf("holding-child:%d", held/time.Millisecond))
	if err != nil {
		return 0, err
	}
	cmd.Stdout, cmd.Stderr = c.out, c.errw
	leash, err := cmd.StdinPipe()
	if err != nil {
		return 0, fmt.Errorf("pipe to the child: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start the child: %w", err)
	}
	c.reportPID(cmd.Process.Pid)
	if c.now {
		return 0, nil
	}
	code, err := c.serve(ctx, faults{})
	// Only the exit of the process closes the leash: otherwise the child would write
	// before we exit.
	runtime.KeepAlive(leash)
	return code, err
}

// holdingChild writes a line when its parent has exited, and another after holding
// stdout.
func holdingChild(ctx context.Context, c *culprit, held time.Duration) (int, error) {
	_, _ = io.Copy(io.Discard, c.in)
	s := newServer(c.out, c.errw, c.opts)
	note := func(text string) {
		s.notify("notifications/message", object{"level": "warning", "data": text})
	}
	note("late output: the server has exited")
	linger(ctx, held)
	note("late output: the child exits too")
	return 0, nil
}
