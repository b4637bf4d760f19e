package guard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

const (
	rearmTime = 10 * time.Second
	// If guards keep being killed, another one would be killed too.
	maxGuards = 4
	// clockTick is the longest sleep of a guard's clock.
	clockTick  = 3 * time.Second
	sampleTime = time.Second
)

var (
	errSilent  = errors.New("no reply of the new guard within the limit")
	errTooMany = fmt.Errorf("%d guards have ended", maxGuards)
)

// A Charge keeps a guard in charge of one run, from before the run is let go. Its
// methods may be called from any goroutine.
type Charge struct {
	o       ChargeOptions
	run     Run
	settled chan []Proc // the first guard's reply to P

	mu           sync.Mutex
	current      *Guard
	replaced     chan struct{}  // closed, and replaced, when another guard takes over
	hosts        []Proc         // the host's own processes that look like the run's
	settledHosts bool           // hosts is known
	births       map[int]string // by pid, of the processes that the latest T has listed

	unguarded chan struct{} // closed when no guard is left
	retired   chan struct{} // closed when no other guard will come
}

// ChargeOptions connect a Charge to its process. All are required from Watch on.
type ChargeOptions struct {
	// Arm starts another guard for the run, in the same place. ctx limits the start, and
	// not the life of the guard.
	Arm func(ctx context.Context) (*Guard, error)
	// Dismiss ends another guard that has not taken over.
	Dismiss func(Channel)
	// Alive reports whether the leader is not known to have ended.
	Alive func() bool
	// Over reports whether nothing is left to guard, or nothing can be reached.
	Over func() bool
	// Notify is called when a guard was lost or replaced.
	Notify func(executor.Notice)
	// Hosts is called once if processes of the host look like the run's: startup files
	// left them running in the background before the run.
	Hosts func(context.Context, []executor.Descendant)
}

// Take puts g in charge of a run that waits for its GO. The guard must know the run
// before it runs, so that it cannot miss a process; if the run has no stamp, it must have
// scanned for earlier processes too, which Take waits for.
func Take(ctx context.Context, g *Guard, run Run) (*Charge, error) {
	c := &Charge{
		run: run, current: g,
		replaced: make(chan struct{}), unguarded: make(chan struct{}), retired: make(chan struct{}),
	}
	var err error
	c.settled, err = g.Send("P", fmt.Sprintf("%d %d %s new", run.PID, run.Group, run.stamp()))
	if err != nil || run.Stamp != "" {
		return c, err
	}
	select {
	case procs := <-c.settled:
		c.settled <- procs // for Settle
		return c, nil
	case <-g.gone:
		return nil, ErrGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Attach connects the charge to the process that the run has become. It is called before
// all other methods.
func (c *Charge) Attach(o ChargeOptions) { c.o = o }

// Run returns the run.
func (c *Charge) Run() Run { return c.run }

// Settle waits for the processes of the host that the first guard has found.
func (c *Charge) Settle(ctx context.Context) {
	g := c.Guard()
	select {
	case hosts := <-c.settled:
		c.setHosts(ctx, hosts)
	case <-g.gone:
	case <-ctx.Done():
	}
}

// Only the first call has an effect.
func (c *Charge) setHosts(ctx context.Context, hosts []Proc) {
	c.mu.Lock()
	known := c.settledHosts
	if !known {
		c.settledHosts, c.hosts = true, hosts
	}
	c.mu.Unlock()
	if !known && len(hosts) > 0 {
		c.o.Hosts(ctx, Of(hosts, Host))
	}
}

// Guard returns the guard in charge, which may have ended.
func (c *Charge) Guard() *Guard {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// Guarded reports whether there is a guard, or will be one soon.
func (c *Charge) Guarded() bool {
	select {
	case <-c.unguarded:
		return false
	default:
		return true
	}
}

// Unguarded is closed when no guard is left.
func (c *Charge) Unguarded() <-chan struct{} { return c.unguarded }

// CannotTell returns the reasons why the guard may miss processes of the run.
func (c *Charge) CannotTell() []string {
	g := c.Guard()
	var reasons []string
	if blind := g.caps.BlindSpots(c.run.Stamp != ""); blind != "" {
		reasons = append(reasons, blind)
	}
	if g.Doubts() {
		reasons = append(reasons, "leaked processes: cannot tell (processes without a parent ended before they could be examined, as a daemon does that keeps starting itself again)")
	}
	return reasons
}

// Ask asks the guard in charge, and the next one if that guard ends meanwhile.
func (c *Charge) Ask(ctx context.Context, command, args string) ([]Proc, error) {
	for {
		c.mu.Lock()
		g, replaced := c.current, c.replaced
		c.mu.Unlock()
		procs, err := g.Ask(ctx, command, args)
		if err == nil && command == "T" {
			c.listed(procs)
		}
		if !errors.Is(err, ErrGone) {
			return procs, err
		}
		select {
		case <-replaced:
		case <-c.retired:
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// listed records the births of the processes of a tree.
func (c *Charge) listed(procs []Proc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.births = make(map[int]string, len(procs))
	for _, p := range procs {
		c.births[p.PID] = p.born
	}
}

// KillOne kills the process pid if the latest T has listed it; otherwise the error is
// executor.ErrNotInTree. It never hits a later process with that pid. It asks one guard only:
// another one could not tell whether that has killed it.
func (c *Charge) KillOne(ctx context.Context, pid int) (executor.Descendant, error) {
	c.mu.Lock()
	born, known := c.births[pid]
	c.mu.Unlock()
	if !known {
		return executor.Descendant{}, executor.ErrNotInTree
	}
	procs, err := c.Guard().Ask(ctx, "N", fmt.Sprintf("%d %s", pid, born))
	if errors.Is(err, ErrGone) {
		err = fmt.Errorf("whether process %d was killed: cannot tell: %w", pid, err)
	}
	if err != nil {
		return executor.Descendant{}, err
	}
	if len(procs) == 0 {
		return executor.Descendant{}, executor.ErrNotInTree
	}
	return procs[0].Descendant, nil
}

// Sample makes the guard scan for descendants of the process: once seen, a process stays
// a member. It returns at once if the stamp makes that unnecessary.
func (c *Charge) Sample(ctx context.Context) {
	if c.run.Stamp != "" || c.o.Over() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	_, _ = c.Ask(ctx, "W", "") // the next sample makes up for one that fails
}

// Watch replaces a guard that has ended, or reports that no guard is left. It returns
// when there is nothing left to guard.
func (c *Charge) Watch(ctx context.Context) {
	defer close(c.retired)
	for n := 1; ; n++ {
		g := c.Guard()
		select {
		case <-g.gone:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil || c.o.Over() || g.Reason().Kind != "" {
			return // its work is done, or the connection is lost
		}
		how := "has ended"
		select {
		case <-g.ch.Exited():
			if exit := g.ch.Exit(); exit.Kind == executor.ExitSignal {
				how = "was killed (signal " + exit.Signal + ")"
			}
		default:
		}
		next, err := (*Guard)(nil), errTooMany
		if n < maxGuards {
			next, err = c.replace(ctx, g)
		}
		if ctx.Err() != nil || c.o.Over() {
			return
		}
		if err != nil {
			close(c.unguarded)
			c.o.Notify(executor.Notice{
				Code: "guard.lost",
				Text: fmt.Sprintf("the guard on the host %s and cannot be replaced: %v. If the connection is lost now, the server and its child processes keep running there", how, err),
				Hint: "restart the server to get a new guard",
			})
			return
		}
		c.mu.Lock()
		c.current = next
		close(c.replaced)
		c.replaced = make(chan struct{})
		c.mu.Unlock()
		c.o.Notify(executor.Notice{Code: "guard.replaced", Text: "the guard on the host " + how + "; a new one has taken over"})
	}
}

// If there is no room for another channel, that of g, which has ended, has to close
// first.
func (c *Charge) replace(ctx context.Context, g *Guard) (*Guard, error) {
	_ = g.ch.Close()
	next, err := c.rearm(ctx)
	if err == nil || ctx.Err() != nil {
		return next, err
	}
	select {
	case <-g.ch.Ended():
	case <-time.After(clockTick + time.Second): // its clock has stopped
	case <-ctx.Done():
	}
	return c.rearm(ctx)
}

func (c *Charge) rearm(ctx context.Context) (*Guard, error) {
	limited, cancel := context.WithTimeoutCause(ctx, rearmTime, errSilent)
	defer cancel()
	g, err := c.o.Arm(limited)
	if err != nil {
		return nil, err
	}
	hosts, err := g.Ask(limited, "P", c.state())
	if err != nil {
		c.o.Dismiss(g.ch) // it may just be slow
		return nil, err
	}
	c.setHosts(ctx, hosts)
	// Only its channel may have ended: it would end the run after its lease.
	_, _ = g.Ask(limited, "G", strconv.Itoa(c.Guard().caps.PID))
	return g, nil
}

// state returns what a guard that takes over needs to know.
func (c *Charge) state() string {
	pid, group := c.run.PID, c.run.Group
	if !c.o.Alive() {
		pid, group = 0, 0 // the numbers may have been reused
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var args strings.Builder
	fmt.Fprintf(&args, "%d %d %s", pid, group, c.run.stamp())
	if !c.settledHosts {
		return args.String() + " new" // the host's own processes are not known yet
	}
	args.WriteString(" old")
	for _, h := range c.hosts {
		fmt.Fprintf(&args, " %d:%s", h.PID, h.born)
	}
	return args.String()
}
