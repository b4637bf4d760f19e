package localexec

import (
	"context"
	"io"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

type process struct {
	ex   *Executor
	base *executor.Base

	// Set before the process is attached, and constant from then on.
	child        *child
	pipes        [2]outputReader
	program      string // the resolved file
	thread       bool   // one of those that may wait for output
	stopSampling context.CancelFunc

	mu        sync.Mutex
	reaped    bool
	groupGone bool                  // the group was empty when the leader was reaped: its number may be reused
	known     map[procID]membership // processes of the tree that were seen
	sparedNow []proc                // in the latest look
	hidden    bool                  // a descendant is left that no look has shown
}

func newProcess(e *Executor, b *executor.Base) *process {
	return &process{ex: e, base: b, known: make(map[procID]membership)}
}

// Describe implements executor.Backend.
func (p *process) Describe(info *executor.Info) { info.PID, info.Program = p.child.pid, p.program }

// Latency implements executor.Backend.
func (p *process) Latency() time.Duration { return 0 }

// Tree implements executor.Backend.
func (p *process) Tree(context.Context) (found, spared []executor.Descendant, err error) {
	members, left, err := p.look()
	return descendants(members), descendants(left), err
}

func (p *process) attach(c *child, env executor.EnvReport) {
	s := executor.Streams{}
	if c.stdin != nil {
		s.Stdin, s.Try = c.stdin, newTryWriter(c.stdin)
	}
	p.pipes = [2]outputReader{c.stdout, c.stderr}
	s.Output = [2]io.Reader{p.pipes[0], p.pipes[1]}
	if leader, known := identify(c.pid); known {
		p.known[leader] = memberFound
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.child, p.stopSampling = c, cancel
	p.base.Attach(s, env)
	if !c.complete() {
		p.base.Go(func() {
			executor.Sample(ctx, sampleEvery, func() { _, _, _ = p.look() }) // the next look may succeed
		})
	}
	p.base.Go(p.wait)
}

// wait reaps the leader and reports its exit after the output that it had
// written.
func (p *process) wait() {
	exit := p.child.wait()
	groupGone := p.child.groupGone()
	p.mu.Lock()
	p.reaped, p.groupGone = true, groupGone
	p.mu.Unlock()
	if groupGone {
		p.ex.sharedWatchdog.forgetGroup(p.base.Mark)
	}
	if exit.By == executor.EndedByWatchdog {
		p.killOrphans()
	}
	p.base.LeaderExited()
	flush(p.pipes[:]...)
	p.base.ReportExit(exit)
	<-p.base.Journal.Done()
	for _, pipe := range p.pipes {
		pipe.stop() // unreachable processes may hold it open
	}
	p.ex.giveThread(p.thread)
	p.base.Retire()
}
