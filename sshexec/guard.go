package sshexec

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

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
	ch   *channel
	caps capabilities
	gone chan struct{} // closed once the guard has ended and all it wrote is read

	order sync.Mutex // of the questions; held while one is written

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan []guardProc
	why     reason
}

// What a process is in an answer of the guard.
const (
	isMember = 'M'
	isLeft   = 'L' // a member that could not be killed
	isSpared = 'Y' // a member that Command.Leave names
	isHosts  = 'H' // the host's own: it ran before the server did
)

// A guardProc is one process of an answer.
type guardProc struct {
	executor.Descendant
	kind byte
	born string // what tells it from others with its pid; "0" if the guard did not say
}

// A reason is what a guard says before it kills without being asked.
type reason struct {
	kind  string // "lease" or "closed"; empty: none was read
	after int    // seconds without contact, which is the lease
	meets bool   // the leader was alive
}

// parseReason reads what follows Z: the kind, seconds, and 1 for a leader that is
// alive.
func parseReason(text string) (reason, bool) {
	f := strings.Fields(text)
	if len(f) != 3 || f[0] != reasonLease && f[0] != reasonClosed {
		return reason{}, false
	}
	after, err := strconv.Atoi(f[1])
	return reason{kind: f[0], after: after, meets: f[2] == "1"}, err == nil && after >= 0
}

// The reasons.
const (
	reasonLease  = "lease"  // no contact for the lease
	reasonClosed = "closed" // the guard's channel was closed
)

// capabilities are what an armed guard says it can do.
type capabilities struct {
	pid         int // of the guard
	proc, marks bool
	lease       int  // seconds; 0 means that it has no clock
	sees        bool // it can list processes
}

// finds reports whether the guard can find a process that it has never seen, by its
// stamp if it has one, else by its mark.
func (c capabilities) finds(stamped bool) bool { return c.proc && (stamped || c.marks) }

// parseArmed reads what follows ARMED-mark: pid, /proc, marks, lease, sight.
func parseArmed(line string) (capabilities, error) {
	f := strings.Fields(line)
	if len(f) != 5 {
		return capabilities{}, fmt.Errorf("guard says %q", cut(line))
	}
	pid, err := strconv.Atoi(f[0])
	lease, err2 := strconv.Atoi(f[3])
	if err != nil || err2 != nil || pid <= 1 || lease < 0 {
		return capabilities{}, fmt.Errorf("guard says %q", cut(line))
	}
	return capabilities{pid: pid, proc: f[1] == "1", marks: f[2] == "1", lease: lease, sees: f[4] == "1"}, nil
}

// newGuard takes over the channel of a guard that is armed; rest is what came
// behind its first line.
func newGuard(ch *channel, rest []byte, caps capabilities) *guard {
	g := &guard{ch: ch, caps: caps, gone: make(chan struct{}), waiting: make(map[uint64]chan []guardProc)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		g.read(io.MultiReader(bytes.NewReader(rest), ch))
	}()
	go func() {
		defer close(g.gone)
		other := ch.exited
		select {
		case <-read:
		case <-ch.exited:
			// Its clock holds the channel open for a moment. What the guard wrote
			// came before its exit, or is on its way.
			other = read
		}
		select {
		case <-other:
		case <-ch.ended:
		case <-time.After(flushTime):
		}
	}()
	return g
}

// read takes the guard's answers until its channel ends.
func (g *guard) read(r io.Reader) {
	lines := bufio.NewReaderSize(r, guardLine)
	var procs []guardProc
	for {
		line, err := readGuardLine(lines)
		if err != nil {
			return
		}
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "M", "L", "Y", "H":
			if p, ok := parseProc(text); ok && len(procs) < guardProcs {
				p.kind = kind[0]
				procs = append(procs, p)
			}
		case "C":
			if last := len(procs) - 1; last >= 0 {
				procs[last].Command = strings.TrimSpace(text)
			}
		case "Z": // it may stand anywhere: the clock writes it
			if why, ok := parseReason(text); ok {
				g.mu.Lock()
				g.why = why
				g.mu.Unlock()
			}
		case "E":
			n, _ := strconv.ParseUint(text, 10, 64) // 0 answers nobody
			g.answer(n, procs)
			procs = nil
		}
	}
}

// reason is why the guard has begun to kill without being asked.
func (g *guard) reason() reason {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
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

func parseProc(numbers string) (guardProc, bool) {
	f := strings.Fields(numbers)
	if len(f) != 4 {
		return guardProc{}, false
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 1 {
		return guardProc{}, false
	}
	ppid, _ := strconv.Atoi(f[1]) // not known is 0
	rss, _ := strconv.ParseInt(f[2], 10, 64)
	return guardProc{born: f[3], Descendant: executor.Descendant{PID: pid, PPID: ppid, RSS: rss << 10}}, true
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

// ofKind are the processes of an answer that are of one of these kinds.
func ofKind(procs []guardProc, kinds ...byte) []executor.Descendant {
	var list []executor.Descendant
	for _, p := range procs {
		if slices.Contains(kinds, p.kind) {
			list = append(list, p.Descendant)
		}
	}
	return list
}
