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
	"sync/atomic"
	"time"

	"mcpdbg/session/executor"
)

const (
	guardLine  = 64 << 10
	guardProcs = 10_000
)

var errGuardGone = errors.New("the guard on the host has ended")

// A guard is the local end of the guard's channel; guard.sh is the other one. It replies
// in the order of the commands.
type guard struct {
	ch   *channel
	caps capabilities
	gone chan struct{} // the guard has ended and all it wrote is read
	fled atomic.Bool   // processes that may have belonged to the run ended too soon to tell

	order sync.Mutex // of the commands; held while one is written

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan []guardProc
	why     reason
	renewed time.Time // when the last heartbeat that was answered was sent
}

const (
	isMember = 'M'
	isLeft   = 'L' // a member that could not be killed
	isSpared = 'Y' // a member that Command.Leave names
	isHosts  = 'H' // the host's own: it was running before the server
)

type guardProc struct {
	executor.Descendant
	kind byte
	born string // distinguishes it from others with its pid; "0" if unknown
}

// A reason is why a guard kills on its own.
type reason struct {
	kind  string // "lease" or "closed"; empty: none was read
	after int    // seconds without contact, which is the lease
	alive bool   // the leader was alive
}

// The arguments of Z are the kind, seconds, and 1 if the leader is alive.
func parseReason(text string) (reason, bool) {
	f := strings.Fields(text)
	if len(f) != 3 || f[0] != reasonLease && f[0] != reasonClosed {
		return reason{}, false
	}
	after, err := strconv.Atoi(f[1])
	return reason{kind: f[0], after: after, alive: f[2] == "1"}, err == nil && after >= 0
}

const (
	reasonLease  = "lease"  // no contact for the lease
	reasonClosed = "closed" // the guard's channel was closed
)

type capabilities struct {
	pid         int // of the guard
	proc, marks bool
	lease       int  // seconds; 0 means no clock
	sees        bool // it can list processes
}

// finds reports whether the guard can find a process it has never seen: by its stamp if
// it has one, otherwise by its mark.
func (c capabilities) finds(stamped bool) bool { return c.proc && (stamped || c.marks) }

// The arguments of ARMED-mark are pid, /proc, marks, lease, sight.
func parseArmed(line string) (capabilities, error) {
	f := strings.Fields(line)
	if len(f) != 5 {
		return capabilities{}, fmt.Errorf("unexpected reply of the guard: %q", cut(line))
	}
	pid, err := strconv.Atoi(f[0])
	lease, err2 := strconv.Atoi(f[3])
	if err != nil || err2 != nil || pid <= 1 || lease < 0 {
		return capabilities{}, fmt.Errorf("unexpected reply of the guard: %q", cut(line))
	}
	return capabilities{pid: pid, proc: f[1] == "1", marks: f[2] == "1", lease: lease, sees: f[4] == "1"}, nil
}

// rest is what followed the guard's first line.
func newGuard(ch *channel, rest []byte, caps capabilities) *guard {
	g := &guard{ch: ch, caps: caps, gone: make(chan struct{}), waiting: make(map[uint64]chan []guardProc), renewed: time.Now()}
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
			// Its clock holds the channel open for a moment. The guard's output
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
		case "U":
			g.fled.Store(text == "1")
		case "Z": // can come at any time: the clock writes it
			if why, ok := parseReason(text); ok {
				g.mu.Lock()
				g.why = why
				g.mu.Unlock()
			}
		case "E":
			n, _ := strconv.ParseUint(text, 10, 64) // 0 matches no command
			g.answer(n, procs)
			procs = nil
		}
	}
}

// mayHaveExpired reports whether the guard may have had no contact for its lease.
func (g *guard) mayHaveExpired(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	idle := max(now.Sub(g.renewed), now.Round(0).Sub(g.renewed.Round(0))) // the monotonic clock may stop while the machine sleeps
	return g.caps.lease > 0 && idle >= time.Duration(g.caps.lease)*time.Second
}

func (g *guard) reason() reason {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
}

// A line that is too long is truncated.
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
	ppid, _ := strconv.Atoi(f[1]) // 0 if unknown
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

func (g *guard) ask(ctx context.Context, command, args string) ([]guardProc, error) {
	sent := time.Now()
	answer, err := g.send(command, args)
	if err != nil {
		return nil, err
	}
	select {
	case procs := <-answer:
		if command == "B" {
			g.mu.Lock()
			g.renewed = sent
			g.mu.Unlock()
		}
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

// The reply arrives on the returned channel. send blocks only while the connection
// accepts no data.
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

// close tells the guard that its work is done. If the command does not arrive, the end of
// the channel has the same result, with more work for the guard.
func (g *guard) close() {
	if !g.order.TryLock() {
		return // another goroutine is stuck in a write
	}
	defer g.order.Unlock()
	_, _ = io.WriteString(g.ch, "Q\n")
	_ = g.ch.CloseWrite()
}

func ofKind(procs []guardProc, kinds ...byte) []executor.Descendant {
	var list []executor.Descendant
	for _, p := range procs {
		if slices.Contains(kinds, p.kind) {
			list = append(list, p.Descendant)
		}
	}
	return list
}
