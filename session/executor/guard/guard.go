package guard

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
	maxLine  = 64 << 10
	maxProcs = 10_000
	// flushTime is how long the rest of a guard's output may take after its exit.
	flushTime = 100 * time.Millisecond
)

// ErrGone is the error of a command to a guard that has ended.
var ErrGone = errors.New("the guard has ended")

// A Channel carries a script: Read reads its standard output, Write writes its standard
// input.
type Channel interface {
	io.ReadWriteCloser
	// CloseWrite ends standard input.
	CloseWrite() error
	// Exited is closed when Exit is valid; it never is if the channel ends first.
	Exited() <-chan struct{}
	// Ended is closed when nothing more will come.
	Ended() <-chan struct{}
	// Exit returns how the script ended.
	Exit() executor.Exit
}

// Dismiss ends a script that guards nothing yet, or is no longer needed. Without the
// command a guard would take the end of its input for a lost connection, and end the run.
func Dismiss(ch Channel) {
	Quit(ch)
	_ = ch.Close()
}

// Quit sends the command that ends a guard, and ends its input.
func Quit(ch Channel) {
	_, _ = io.WriteString(ch, "Q\n") // a run that waits for its GO ignores it
	_ = ch.CloseWrite()
}

// A Guard is the local end of the channel of one guard; guard.sh is the other one. It
// replies in the order of the commands. All methods may be called from any goroutine.
type Guard struct {
	ch   Channel
	caps Capabilities
	gone chan struct{} // the guard has ended and all it wrote is read
	fled atomic.Bool   // processes that may have belonged to the run ended too soon to tell

	order sync.Mutex // of the commands; held while one is written

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan []Proc
	why     Reason
	renewed time.Time // when the last heartbeat that was answered was sent
}

// A Kind is what a process is to the run.
type Kind byte

// The kinds, as the guard writes them.
const (
	Member Kind = 'M'
	Left   Kind = 'L' // a member that could not be killed
	Spared Kind = 'Y' // a member that Command.Leave names
	Host   Kind = 'H' // the host's own: it was running before the server
)

// A Proc is a process that a guard has listed.
type Proc struct {
	executor.Descendant
	kind Kind
	born string // distinguishes it from others with its pid; "0" if unknown
}

// Of returns the processes of the given kinds.
func Of(procs []Proc, kinds ...Kind) []executor.Descendant {
	var list []executor.Descendant
	for _, p := range procs {
		if slices.Contains(kinds, p.kind) {
			list = append(list, p.Descendant)
		}
	}
	return list
}

// A Reason is why a guard kills on its own. The zero value means that none was read.
type Reason struct {
	Kind  string        // reasonLease or ReasonClosed
	After time.Duration // without contact, which is the lease
	Alive bool          // the leader was alive
}

// The kinds of reasons.
const (
	reasonLease  = "lease"  // no contact for the lease
	ReasonClosed = "closed" // the guard's channel was closed
)

// The arguments of Z are the kind, seconds, and 1 if the leader is alive.
func parseReason(text string) (Reason, bool) {
	f := strings.Fields(text)
	if len(f) != 3 || f[0] != reasonLease && f[0] != ReasonClosed {
		return Reason{}, false
	}
	after, err := strconv.Atoi(f[1])
	return Reason{Kind: f[0], After: time.Duration(after) * time.Second, Alive: f[2] == "1"}, err == nil && after >= 0
}

// Capabilities are what a guard can do in its place.
type Capabilities struct {
	PID         int // of the guard
	proc, marks bool
	Lease       time.Duration // 0 means no clock
	sees        bool          // it can list processes
	met         []int         // pids of processes with the mark, when it began
}

// Finds reports whether the guard can find a process it has never seen: by its stamp if
// it has one, otherwise by its mark.
func (c Capabilities) Finds(stamped bool) bool { return c.proc && (stamped || c.marks) }

// BlindSpots describes the processes that the guard may miss, or returns "". stamped
// reports whether the processes of the run carry the stamp.
func (c Capabilities) BlindSpots(stamped bool) string {
	switch {
	case !c.sees:
		return "cannot see processes here (no /proc, and ps does not list them): child processes outside the server's process group are neither found nor ended"
	case stamped:
		return ""
	case !c.marks:
		return "processes are found here by group and parent only: a daemon that has left both between two scans is neither found nor ended"
	default:
		return "processes are found here by environment, group and parent: a daemon that has left all three between two scans is neither found nor ended"
	}
}

// The arguments of ARMED-mark are pid, /proc, marks, lease, sight, and pids.
func parseArmed(line string) (Capabilities, error) {
	f := strings.Fields(line)
	if len(f) < 5 {
		return Capabilities{}, fmt.Errorf("unexpected reply of the guard: %q", cut(line))
	}
	pid, err := strconv.Atoi(f[0])
	lease, err2 := strconv.Atoi(f[3])
	if err != nil || err2 != nil || pid <= 1 || lease < 0 {
		return Capabilities{}, fmt.Errorf("unexpected reply of the guard: %q", cut(line))
	}
	c := Capabilities{PID: pid, proc: f[1] == "1", marks: f[2] == "1", Lease: time.Duration(lease) * time.Second, sees: f[4] == "1"}
	for _, text := range f[5:] {
		met, err := strconv.Atoi(text)
		if err != nil {
			return Capabilities{}, fmt.Errorf("unexpected reply of the guard: %q", cut(line))
		}
		c.met = append(c.met, met)
	}
	return c, nil
}

func cut(text string) string {
	const limit = 500
	if len(text) > limit {
		text = text[:limit] + "..."
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Armed returns the guard whose script runs on ch, which wrote r: its first line, after
// the marker ArmedMarker.
func Armed(ch Channel, r Reading) (*Guard, error) {
	caps, err := parseArmed(r.Line)
	if err != nil {
		return nil, err
	}
	return newGuard(ch, r.Rest, caps), nil
}

// rest is what followed the guard's first line.
func newGuard(ch Channel, rest []byte, caps Capabilities) *Guard {
	g := &Guard{ch: ch, caps: caps, gone: make(chan struct{}), waiting: make(map[uint64]chan []Proc), renewed: time.Now()}
	read := make(chan struct{})
	go func() {
		defer close(read)
		g.read(io.MultiReader(bytes.NewReader(rest), ch))
	}()
	go func() {
		defer close(g.gone)
		other := ch.Exited()
		select {
		case <-read:
		case <-ch.Exited():
			// Its clock holds the channel open for a moment. The guard's output
			// came before its exit, or is on its way.
			other = read
		}
		select {
		case <-other:
		case <-ch.Ended():
		case <-time.After(flushTime):
		}
	}()
	return g
}

func (g *Guard) read(r io.Reader) {
	lines := bufio.NewReaderSize(r, maxLine)
	var procs []Proc
	for {
		line, err := readGuardLine(lines)
		if err != nil {
			return
		}
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "M", "L", "Y", "H":
			if p, ok := parseProc(text); ok && len(procs) < maxProcs {
				p.kind = Kind(kind[0])
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

// Capabilities returns what the guard can do.
func (g *Guard) Capabilities() Capabilities { return g.caps }

// Gone is closed when the guard has ended and all that it wrote was read.
func (g *Guard) Gone() <-chan struct{} { return g.gone }

// Doubts reports whether the guard cannot tell if a process that it has not seen is left.
func (g *Guard) Doubts() bool { return g.fled.Load() }

// MayHaveExpired reports whether the guard may have had no contact for its lease.
func (g *Guard) MayHaveExpired(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	idle := max(now.Sub(g.renewed), now.Round(0).Sub(g.renewed.Round(0))) // the monotonic clock may stop while the machine sleeps
	return g.caps.Lease > 0 && idle >= g.caps.Lease
}

// Reason returns the reason that the guard has given for killing on its own.
func (g *Guard) Reason() Reason {
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

func parseProc(numbers string) (Proc, bool) {
	f := strings.Fields(numbers)
	if len(f) != 4 {
		return Proc{}, false
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 1 {
		return Proc{}, false
	}
	ppid, _ := strconv.Atoi(f[1]) // 0 if unknown
	rss, _ := strconv.ParseInt(f[2], 10, 64)
	return Proc{born: f[3], Descendant: executor.Descendant{PID: pid, PPID: ppid, RSS: rss << 10}}, true
}

func (g *Guard) answer(n uint64, procs []Proc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.waiting[n]; ok {
		delete(g.waiting, n)
		c <- procs
	}
}

// Ask sends a command, and waits for the reply. It returns ErrGone if the guard has ended.
func (g *Guard) Ask(ctx context.Context, command, args string) ([]Proc, error) {
	sent := time.Now()
	answer, err := g.Send(command, args)
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
			return nil, ErrGone
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Send sends a command; the reply arrives on the returned channel, which has room for it.
// Send blocks only while the connection accepts no data.
func (g *Guard) Send(command, args string) (chan []Proc, error) {
	g.order.Lock()
	defer g.order.Unlock()
	answer := make(chan []Proc, 1)
	g.mu.Lock()
	g.last++
	n := g.last
	g.waiting[n] = answer
	g.mu.Unlock()
	if _, err := fmt.Fprintf(g.ch, "%s %d %s\n", command, n, args); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGone, err)
	}
	return answer, nil
}

// Close tells the guard that its work is done. If the command does not arrive, the end of
// the channel has the same result, with more work for the guard.
func (g *Guard) Close() {
	if !g.order.TryLock() {
		return // another goroutine is stuck in a write
	}
	defer g.order.Unlock()
	Quit(g.ch)
}

// Leave is like Close, and waits at most limit until the guard has ended before it closes
// the channel.
func (g *Guard) Leave(limit time.Duration) {
	g.Close()
	select {
	case <-g.gone:
	case <-time.After(limit):
	}
	_ = g.ch.Close()
}

// EndLost ends the rest of an earlier run, and returns the processes that it found. stamp is
// that of its Run.
func (g *Guard) EndLost(ctx context.Context, mark, stamp string) ([]Proc, error) {
	return g.Ask(ctx, "O", mark+" "+Run{Stamp: stamp}.stamp())
}

// Met reports whether the process pid had the mark of the run when the guard began. If not,
// Marked may find it.
func (g *Guard) Met(pid int) bool { return slices.Contains(g.caps.met, pid) }

// Marked reports whether the process pid has the mark of the run in its environment. It
// is asked before the guard has a run: another process of that pid may be somewhere else.
func (g *Guard) Marked(ctx context.Context, pid int) (bool, error) {
	procs, err := g.Ask(ctx, "V", strconv.Itoa(pid))
	return slices.ContainsFunc(procs, func(p Proc) bool { return p.PID == pid }), err
}
