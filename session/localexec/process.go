package localexec

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// A process is one entry of the table, from its reservation on.
type process struct {
	ex   *Executor
	id   string
	cmd  executor.Command
	mark string // in the environment of the process and all its descendants

	settled chan struct{} // closed when the start has succeeded or failed
	exited  chan struct{} // closed when the leader was reaped
	ending  chan struct{} // one slot: held by the Terminate that is at work

	finish   sync.Once     // closes finished
	finished chan struct{} // closed when Terminate has done what it can

	mu        sync.Mutex
	cancelled bool // terminated while starting
	child     *child
	started   time.Time
	env       executor.EnvReport
	reaped    bool
	exitedAt  time.Time
	groupGone bool // the group was empty when the leader was reaped: its number may be anybody's
	swept     bool // nothing of the process is left

	known      map[procID]membership // processes of the tree that were seen
	sparedNow  []proc                // in the latest look
	hidden     bool                  // a descendant is left that no look shows
	containers bool                  // a client of a container engine was seen

	// Set before settled is closed, and constant from then on.
	journal *executor.Journal
	stdin   *executor.Stdin // nil without
	pumps   []*pump
}

func newProcess(e *Executor, id string, cmd executor.Command) *process {
	cmd.Argv = slices.Clone(cmd.Argv)
	cmd.Env = slices.Clone(cmd.Env)
	cmd.Leave = slices.Clone(cmd.Leave)
	return &process{
		ex:      e,
		id:      id,
		cmd:     cmd,
		mark:    newMark(),
		settled: make(chan struct{}),
		exited:  make(chan struct{}),
		ending:  make(chan struct{}, 1),

		finished:   make(chan struct{}),
		known:      make(map[procID]membership),
		containers: executor.ContainerClient(cmd.Argv[0]),
	}
}

func newMark() string {
	var b [16]byte
	// Read never fails: it would have ended the program.
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// ID implements executor.Process.
func (p *process) ID() string { return p.id }

// running reports whether the start has succeeded.
func (p *process) running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.child != nil
}

// Info implements executor.Process.
func (p *process) Info() executor.Info {
	info := executor.Info{
		ID:        p.id,
		State:     executor.StateStarting,
		Placement: "local",
		Argv:      slices.Clone(p.cmd.Argv),
		Dir:       p.cmd.Dir,
		NextSeq:   1,
	}
	p.mu.Lock()
	child := p.child
	info.Env, info.Started = p.env, p.started
	p.mu.Unlock()
	if child == nil {
		return info
	}
	info.PID = child.pid
	p.journal.Fill(&info)
	if p.stdin != nil {
		p.stdin.Fill(&info)
	}
	return info
}

// Subscribe implements executor.Process.
func (p *process) Subscribe(o executor.SubscribeOptions) (*executor.Subscription, error) {
	if !p.running() {
		return nil, executor.ErrStarting
	}
	return p.journal.Subscribe(o)
}

// Read implements executor.Process.
func (p *process) Read(ctx context.Context, after uint64, max int, wait time.Duration) (executor.ReadResult, error) {
	if !p.running() {
		return executor.ReadResult{}, executor.ErrStarting
	}
	return p.journal.Read(ctx, after, max, wait)
}

// Write implements executor.Process.
func (p *process) Write(ctx context.Context, writeID string, data []byte) (executor.WriteResult, error) {
	switch {
	case !p.running():
		return executor.WriteResult{Status: executor.Starting}, nil
	case p.stdin == nil:
		return executor.WriteResult{Status: executor.StdinClosed}, nil
	default:
		return p.stdin.Write(ctx, writeID, data)
	}
}

// CloseStdin implements executor.Process.
func (p *process) CloseStdin() executor.WriteStatus {
	switch {
	case !p.running():
		return executor.Starting
	case p.stdin == nil:
		return executor.StdinClosed
	default:
		return p.stdin.Close()
	}
}

// Tree implements executor.Process.
func (p *process) Tree(context.Context) ([]executor.Descendant, error) {
	if !p.running() {
		return nil, nil
	}
	found, spared, err := p.look()
	return descendants(append(found, spared...)), err
}

// attach makes the spawned child the process's own and starts its goroutines.
func (p *process) attach(c *child, env executor.EnvReport) {
	o := p.ex.opts.Journal
	o.OnClosing, o.Pinned = p.closing, p.cmd.Pinned
	p.journal = executor.NewJournal(o)
	if c.stdin != nil {
		p.stdin = executor.NewStdin(c.stdin, newTryWriter(c.stdin), p.journal.Emit)
	}
	p.pumps = []*pump{
		newPump(p.journal, executor.Stdout, c.stdout),
		newPump(p.journal, executor.Stderr, c.stderr),
	}
	leader, known := identify(c.pid)
	p.mu.Lock()
	p.child, p.env, p.started = c, env, time.Now()
	if known {
		p.known[leader] = memberFound
	}
	p.mu.Unlock()
	for _, pump := range p.pumps {
		p.ex.running.Go(pump.run)
	}
	p.ex.running.Go(p.wait)
	if !c.complete() {
		p.ex.running.Go(p.sample)
	}
}

// closing runs when both streams have ended and the exit is known.
func (p *process) closing() {
	if p.stdin != nil {
		p.stdin.Abort()
	}
}

// wait reaps the leader, and tells of its exit behind what it had written.
func (p *process) wait() {
	exit := p.child.wait()
	groupGone := p.child.groupGone()
	p.mu.Lock()
	p.reaped, p.groupGone, p.exitedAt = true, groupGone, time.Now()
	p.mu.Unlock()
	if groupGone {
		p.ex.guard.forgetGroup(p.mark)
	}
	if exit.By == executor.EndedByWatchdog {
		p.killOrphans()
	}
	close(p.exited)
	flush(p.pumps)
	p.journal.Exited(exit)
	<-p.journal.Done()
	p.ex.table.Retire(p, p.expire)
}

// expire ends what outlived a leader that nobody terminated: from now on it
// can be reached by nobody.
func (p *process) expire() {
	// What cannot be killed stays with the watchdog, until this program ends.
	_, _ = p.end(context.Background())
}
