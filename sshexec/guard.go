package sshexec

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
)

const (
	// guardLine is the longest line that a guard may write.
	guardLine = 64 << 10
	// guardProcs is how many processes one answer may list.
	guardProcs = 10_000
)

// errGuardGone is what asking a guard fails with once its channel has ended.
var errGuardGone = errors.New("the guard on the other side has ended")

// A guard is our end of the guard's channel: guard.sh is the other one. It
// answers in the order of the questions.
type guard struct {
	ch   ssh.Channel
	gone chan struct{}

	order sync.Mutex // of the questions; held while one is written

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan []guardProc
}

// A guardProc is one process of an answer; left says that it could not be
// killed.
type guardProc struct {
	executor.Descendant
	left bool
}

// An armed guard has said this of itself.
type armed struct {
	proc, marks bool
	lease       int // seconds; 0 means that it has no clock
}

// parseArmed reads what follows ARMED-mark: pid, /proc, marks, lease.
func parseArmed(line string) (armed, error) {
	f := strings.Fields(line)
	if len(f) != 4 {
		return armed{}, fmt.Errorf("guard says %q", cut(line))
	}
	lease, err := strconv.Atoi(f[3])
	if err != nil || lease < 0 {
		return armed{}, fmt.Errorf("guard says %q", cut(line))
	}
	return armed{proc: f[1] == "1", marks: f[2] == "1", lease: lease}, nil
}

// newGuard takes over the channel of a guard that is armed; rest is what came
// behind its first line.
func newGuard(ch ssh.Channel, rest []byte) *guard {
	g := &guard{ch: ch, gone: make(chan struct{}), waiting: make(map[uint64]chan []guardProc)}
	go g.read(io.MultiReader(bytes.NewReader(rest), ch))
	return g
}

// read takes the guard's answers until its channel ends.
func (g *guard) read(r io.Reader) {
	defer close(g.gone)
	lines := bufio.NewReaderSize(r, guardLine)
	var procs []guardProc
	for {
		line, err := readGuardLine(lines)
		if err != nil {
			return
		}
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "M", "L":
			command, err := readGuardLine(lines)
			if err != nil {
				return
			}
			if p, ok := parseProc(text, command); ok && len(procs) < guardProcs {
				p.left = kind == "L"
				procs = append(procs, p)
			}
		case "E":
			n, _ := strconv.ParseUint(text, 10, 64) // 0 answers nobody
			g.answer(n, procs)
			procs = nil
		}
	}
}

// readGuardLine reads a line without its end; of one that is too long, the
// beginning.
func readGuardLine(r *bufio.Reader) (string, error) {
	line, more, err := r.ReadLine()
	text := string(line)
	for more && err == nil {
		_, more, err = r.ReadLine()
	}
	return text, err
}

func parseProc(numbers, command string) (guardProc, bool) {
	f := strings.Fields(numbers)
	if len(f) != 3 {
		return guardProc{}, false
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 1 {
		return guardProc{}, false
	}
	ppid, _ := strconv.Atoi(f[1]) // not known is 0
	rss, _ := strconv.ParseInt(f[2], 10, 64)
	return guardProc{Descendant: executor.Descendant{
		PID: pid, PPID: ppid, RSS: rss << 10, Command: strings.TrimSpace(command),
	}}, true
}

func (g *guard) answer(n uint64, procs []guardProc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.waiting[n]; ok {
		delete(g.waiting, n)
		c <- procs
	}
}

// ask sends a command and waits for its answer.
func (g *guard) ask(ctx context.Context, command, args string) ([]guardProc, error) {
	answer, err := g.send(command, args)
	if err != nil {
		return nil, err
	}
	select {
	case procs := <-answer:
		return procs, nil
	case <-g.gone:
		select {
		case procs := <-answer: // it came just before
			return procs, nil
		default:
			return nil, errGuardGone
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// send sends a command; the answer comes on the channel that it returns. It
// blocks only while the connection takes nothing.
func (g *guard) send(command, args string) (chan []guardProc, error) {
	g.order.Lock()
	defer g.order.Unlock()
	answer := make(chan []guardProc, 1)
	g.mu.Lock()
	g.last++
	n := g.last
	g.waiting[n] = answer
	g.mu.Unlock()
	if _, err := fmt.Fprintf(g.ch, "%s %d %s\n", command, n, args); err != nil {
		return nil, fmt.Errorf("%w: %w", errGuardGone, err)
	}
	return answer, nil
}

// close tells the guard that nothing is left to do for it. If this does not
// arrive the end of the channel does, and means more work for it but the same.
func (g *guard) close() {
	if !g.order.TryLock() {
		return // somebody is stuck in a write
	}
	defer g.order.Unlock()
	_, _ = io.WriteString(g.ch, "Q\n")
	_ = g.ch.CloseWrite()
}

// descendants are the processes of an answer.
func descendants(procs []guardProc) []executor.Descendant {
	var list []executor.Descendant
	for _, p := range procs {
		if !p.left {
			list = append(list, p.Descendant)
		}
	}
	return list
}

// leftOver are those of an answer that could not be killed.
func leftOver(procs []guardProc) []executor.Descendant {
	var list []executor.Descendant
	for _, p := range procs {
		if p.left {
			list = append(list, p.Descendant)
		}
	}
	return list
}
