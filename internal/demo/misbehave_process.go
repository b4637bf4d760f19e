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

// processKinds do not go when they should, or leave something behind.
func processKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "ignores-eof-term", Lint: "PRC05", Param: "SECONDS=600",
			Description: "ignores the end of stdin and SIGTERM, and so does a child of its group (tells both pids on stderr)"}, ignoresEOFAndTerm},
		{Kind{Name: "daemon", Param: "SECONDS=600",
			Description: "leaves a daemon in a session of its own (tells its pid on stderr)"}, daemon},
		{Kind{Name: "holds-stdout", Lint: "PRC06", Param: "MILLISECONDS=60000", Now: true,
			Description: "exits with 0, but a child keeps stdout open, and writes to it (tells its pid on stderr)"}, holdsStdout},
		{Kind{Name: "late-output", Lint: "PRC06", Param: "MILLISECONDS=200", Now: true,
			Description: "like holds-stdout, for a moment only"}, lateOutput},
	}
}

// childKinds are the further processes of processKinds.
func childKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "stubborn-child", Param: "SECONDS"}, stubbornChild},
		{Kind{Name: "daemon-parent", Param: "SECONDS"}, daemonParent},
		{Kind{Name: "daemon-child", Param: "SECONDS"}, daemonChild},
		{Kind{Name: "holding-child", Param: "MILLISECONDS"}, holdingChild},
	}
}

// ignoresEOFAndTerm has both processes ignore signals before it tells of them.
func ignoresEOFAndTerm(ctx context.Context, c *culprit) (int, error) {
	life, err := c.lifespan()
	if err != nil {
		return 0, err
	}
	if err := ignoreSignals(); err != nil {
		return 0, err
	}
	pid, err := c.firstWord(ctx, fmt.Sprintf("stubborn-child:%d", life/time.Second))
	if err != nil {
		return 0, err
	}
	c.tellPid(os.Getpid())
	c.tellPid(pid)
	end := time.Now().Add(life)
	code, err := c.serve(ctx, faults{})
	linger(ctx, time.Until(end))
	return code, err
}

func stubbornChild(ctx context.Context, c *culprit) (int, error) {
	life, err := c.lifespan()
	if err != nil {
		return 0, err
	}
	if err := ignoreSignals(); err != nil {
		return 0, err
	}
	_, _ = fmt.Fprintln(c.out, os.Getpid())
	linger(ctx, life)
	return 0, nil
}

// daemon forks twice, as daemons do: the process in between leads the new
// session and exits, so that the daemon is nobody's child and cannot be found
// through its parents.
func daemon(ctx context.Context, c *culprit) (int, error) {
	life, err := c.lifespan()
	if err != nil {
		return 0, err
	}
	pid, err := c.firstWord(ctx, fmt.Sprintf("daemon-parent:%d", life/time.Second))
	if err != nil {
		return 0, err
	}
	c.tellPid(pid)
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

func daemonChild(ctx context.Context, c *culprit) (int, error) {
	life, err := c.lifespan()
	if err != nil {
		return 0, err
	}
	linger(ctx, life)
	return 0, nil
}

// firstWord starts a child, which writes a pid to its stdout when it is ready,
// and gives that pid. The child shares stderr, so that it holds it open.
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
	go func() { _ = cmd.Wait() }() // it may end long before us, and is to leave no zombie
	if err != nil {
		return 0, fmt.Errorf("%s did not start: %w", spec, err)
	}
	return strconv.Atoi(strings.TrimSpace(word))
}

func holdsStdout(ctx context.Context, c *culprit) (int, error) {
	return c.leaveHolder(ctx, time.Minute)
}

func lateOutput(ctx context.Context, c *culprit) (int, error) {
	return c.leaveHolder(ctx, 200*time.Millisecond)
}

// leaveHolder starts a child that inherits stdout and stderr, and then serves,
// or exits at once. The child knows by the end of its stdin that we are gone.
func (c *culprit) leaveHolder(ctx context.Context, byDefault time.Duration) (int, error) {
	ms, err := c.number(int(byDefault / time.Millisecond))
	if err != nil {
		return 0, err
	}
	cmd, err := c.child(ctx, fmt.Sprintf("holding-child:%d", ms))
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
	c.tellPid(cmd.Process.Pid)
	if c.now {
		return 0, nil
	}
	code, err := c.serve(ctx, faults{})
	// The leash is not closed by hand, which would let the child speak before
	// we exit: the end of the process closes it. Until then it is in use.
	runtime.KeepAlive(leash)
	return code, err
}

// holdingChild writes a line when its parent has gone, holds stdout for a
// while, and writes another.
func holdingChild(ctx context.Context, c *culprit) (int, error) {
	ms, err := c.number(0)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, c.in)
	s := newServer(c.out, c.errw, c.opts)
	note := func(text string) {
		s.notify("notifications/message", object{"level": "warning", "data": text})
	}
	note("late output: the server has exited")
	linger(ctx, time.Duration(ms)*time.Millisecond)
	note("late output: the child exits too")
	return 0, nil
}
