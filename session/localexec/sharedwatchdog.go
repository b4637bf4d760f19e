package localexec

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Timeouts of the communication with the watchdog.
const (
	sharedWriteTimeout = 2 * time.Second // for a write; it always reads, so longer means that it is stuck
	sharedExitTimeout  = 2 * time.Second // for its exit after its input is closed
)

// A sharedWatchdog manages a process that outlives this program and then kills the
// processes registered with it. It is started before the first spawn, and restarted if it
// was lost.
type sharedWatchdog struct {
	argv []string

	mu     sync.Mutex
	groups map[string]int // by mark; 0 while the group is unknown
	in     *os.File       // nil without a watchdog
	cmd    *exec.Cmd
	closed bool
}

// add registers a mark before any process runs with it.
func (g *sharedWatchdog) add(mark string, group int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.argv) == 0 || g.closed {
		return nil
	}
	g.groups[mark] = group
	if g.in != nil && g.send(addLine(mark, group)) == nil {
		return nil
	}
	return g.restart()
}

// setGroup is best effort: the mark alone finds all processes that kept their
// environment.
func (g *sharedWatchdog) setGroup(mark string, group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.groups[mark]; ok && g.in != nil {
		g.groups[mark] = group
		_ = g.send(addLine(mark, group))
	}
}

func (g *sharedWatchdog) forgetGroup(mark string) { g.setGroup(mark, 0) }

// del removes a mark when no process with it is left.
func (g *sharedWatchdog) del(mark string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, mark)
	if g.in != nil {
		// Without a watchdog there is nothing to remove.
		_ = g.send("del " + mark + "\n")
	}
}

// Close ends the watchdog, which first kills the processes that are still
// registered.
func (g *sharedWatchdog) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.stop()
}

func (g *sharedWatchdog) send(line string) error {
	if err := g.in.SetWriteDeadline(time.Now().Add(sharedWriteTimeout)); err != nil {
		return err
	}
	_, err := io.WriteString(g.in, line)
	return err
}

func (g *sharedWatchdog) restart() error {
	if g.in != nil {
		// A stuck watchdog must not see the end of its pipe: it would kill
		// running processes. It may have ended already.
		_ = g.cmd.Process.Kill()
		g.stop()
	}
	if err := g.spawn(); err != nil {
		return fmt.Errorf("start the watchdog: %w", err)
	}
	for mark, group := range g.groups {
		if err := g.send(addLine(mark, group)); err != nil {
			return fmt.Errorf("write to the watchdog: %w", err)
		}
	}
	return nil
}

func (g *sharedWatchdog) spawn() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.Command(g.argv[0], g.argv[1:]...)
	cmd.Dir = "/"
	cmd.Stdin = r
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		_ = w.Close() // nothing was written to it
		return err
	}
	g.in, g.cmd = w, cmd
	return nil
}

func (g *sharedWatchdog) stop() {
	if g.in == nil {
		return
	}
	_ = g.in.Close() // the end of the pipe tells it to exit
	late := time.AfterFunc(sharedExitTimeout, func() { _ = g.cmd.Process.Kill() })
	_ = g.cmd.Wait() // its exit status does not matter
	late.Stop()
	g.in, g.cmd = nil, nil
}

func addLine(mark string, group int) string { return fmt.Sprintf("add %s %d\n", mark, group) }

// Watchdog implements the command in Options.Watchdog. It reads registrations
// from in, lines of "add MARK GROUP" and "del MARK". When in ends, because the
// program that wrote them has ended for any reason, it kills every process of a
// registered group, every process with a registered mark, and their
// descendants. It ignores terminal signals and returns the exit code.
func Watchdog(in io.Reader) int {
	protect()
	groups := make(map[string]int)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		register(groups, lines.Text())
	}
	if len(groups) == 0 {
		return 0
	}
	return killRegistered(groups)
}

// register ignores invalid lines.
func register(groups map[string]int, line string) {
	switch f := strings.Fields(line); {
	case len(f) == 3 && f[0] == "add":
		if group, err := strconv.Atoi(f[2]); err == nil && (group == 0 || group > 1) {
			groups[f[1]] = group
		}
	case len(f) == 2 && f[0] == "del":
		delete(groups, f[1])
	}
}
