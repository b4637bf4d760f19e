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

// Limits of talking to the watchdog.
const (
	guardWrite = 2 * time.Second // it always reads; longer means that it is stuck
	guardEnd   = 2 * time.Second // how long it may take to end when told so
)

// A guard keeps the watchdog, another process that outlives this program and
// then kills what is registered with it. It is started before the first spawn,
// and again if it was lost.
type guard struct {
	argv []string

	mu     sync.Mutex
	groups map[string]int // by mark; 0 while the group is not known
	in     *os.File       // nil while there is none
	cmd    *exec.Cmd
	closed bool
}

func newGuard(argv []string) *guard { return &guard{argv: argv, groups: make(map[string]int)} }

// add registers a mark before anything runs under it.
func (g *guard) add(mark string, group int) error {
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

// setGroup adds the group to a mark that is registered. It is best effort: the
// mark alone finds all that kept its environment.
func (g *guard) setGroup(mark string, group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.groups[mark]; ok && g.in != nil {
		g.groups[mark] = group
		_ = g.send(addLine(mark, group))
	}
}

// forgetGroup takes back the group, whose number may be anybody's from now on.
func (g *guard) forgetGroup(mark string) { g.setGroup(mark, 0) }

// del takes a mark off the list: nobody is left under it.
func (g *guard) del(mark string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, mark)
	if g.in != nil {
		// Without a watchdog there is nothing to take off.
		_ = g.send("del " + mark + "\n")
	}
}

// Close lets the watchdog go: what is still registered is killed by it.
func (g *guard) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.stop()
}

func (g *guard) send(line string) error {
	if err := g.in.SetWriteDeadline(time.Now().Add(guardWrite)); err != nil {
		return err
	}
	_, err := io.WriteString(g.in, line)
	return err
}

// restart starts a watchdog and registers all that there is.
func (g *guard) restart() error {
	if g.in != nil {
		// A watchdog that is stuck must not find the end of its pipe: it would
		// kill what is running. That it may have ended already is why we are here.
		_ = g.cmd.Process.Kill()
		g.stop()
	}
	if err := g.spawn(); err != nil {
		return fmt.Errorf("start the watchdog: %w", err)
	}
	for mark, group := range g.groups {
		if err := g.send(addLine(mark, group)); err != nil {
			return fmt.Errorf("talk to the watchdog: %w", err)
		}
	}
	return nil
}

func (g *guard) spawn() error {
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

// stop closes the pipe and reaps the watchdog, which ends at once when nothing
// is registered.
func (g *guard) stop() {
	if g.in == nil {
		return
	}
	_ = g.in.Close() // the end of the pipe is the message
	late := time.AfterFunc(guardEnd, func() { _ = g.cmd.Process.Kill() })
	_ = g.cmd.Wait() // how it ended changes nothing
	late.Stop()
	g.in, g.cmd = nil, nil
}

func addLine(mark string, group int) string { return fmt.Sprintf("add %s %d\n", mark, group) }

// Watchdog is the body of the command that Options.Watchdog names. It reads
// registrations from in, lines of "add MARK GROUP" and "del MARK", and when in
// ends, because the program that wrote them has ended however it did, it kills
// every process of a registered group, every one that carries a registered
// mark, and their descendants. It ignores the signals of a terminal and
// returns the exit code.
func Watchdog(in io.Reader) int {
	hide()
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

// register takes one line; what it does not understand it leaves alone.
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
