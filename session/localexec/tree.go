package localexec

import (
	"os"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// A proc is one process of the machine at the time of a scan.
type proc struct {
	procID
	ppid, group, session int
	zombie               bool
	rss                  int64
	cpu                  time.Duration // user and system
	command              string        // as the scan tells it; describe knows more
	marks                string        // the value of MCPDBG_MARK, where it can be read
}

// A procID is one process for good: numbers are used again, but not with the
// same start time, where that is known.
type procID struct {
	pid   int
	start uint64 // clock ticks since boot
}

// A family says which processes of the machine belong to one of ours.
type family struct {
	leader int    // 0 when its number may be anybody's
	mark   string // in the environment of all that inherited it
	// known are members found before. One that is about to end has lost its
	// environment and its parent already, but still runs.
	known map[procID]bool
}

// members returns those of the family, the leader first if it lives. Our own
// process is never one, nor is a process that is dead and only waits to be
// reaped.
func (f family) members(all []proc) []proc {
	own := os.Getpid()
	belongs := make(map[int]bool)
	for _, p := range all {
		inGroup := f.leader != 0 && (p.pid == f.leader || p.group == f.leader || p.session == f.leader)
		marked := f.mark != "" && strings.Contains(p.marks, f.mark)
		if p.pid != own && !p.zombie && (inGroup || marked || f.known[p.procID]) {
			belongs[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			parent := belongs[p.ppid] || f.leader != 0 && p.ppid == f.leader
			if parent && !belongs[p.pid] && p.pid != own && !p.zombie {
				belongs[p.pid], grown = true, true
			}
		}
	}
	var found []proc
	for _, p := range all {
		switch {
		case belongs[p.pid] && p.pid == f.leader:
			found = append([]proc{p}, found...)
		case belongs[p.pid]:
			found = append(found, p)
		}
	}
	return found
}

// family is who belongs to p now.
func (p *process) family() family {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := family{leader: p.child.process.Pid, mark: p.mark}
	if p.reaped && (p.groupGone || p.child.groupGone()) {
		p.groupGone = true
		f.leader = 0
	}
	return f
}

// members lists who is in scope.
func (p *process) members(scope executor.Scope) ([]executor.Descendant, error) {
	if p.isSwept() {
		return nil, nil
	}
	f := p.family()
	found, err := p.child.members(f, &p.ex.scans)
	if err != nil {
		return nil, err
	}
	var list []executor.Descendant
	for _, m := range found {
		if scope == executor.ScopeTree || m.pid == f.leader || scope == executor.ScopeGroup && m.group == f.leader {
			list = append(list, m.descendant())
		}
	}
	return list, nil
}

// scans lets those who want a list of processes at the same time share one,
// which is never older than the question: ending two hundred sessions at once
// must not read /proc hundreds of times. The zero value is ready.
type scans struct {
	turn sync.Mutex // held by the scan at work

	mu   sync.Mutex
	next *sharedScan // has not begun
}

type sharedScan struct {
	once  sync.Once
	procs []proc
	err   error
}

// all lists the processes of the machine. The list is shared: do not change it.
func (s *scans) all() ([]proc, error) {
	s.mu.Lock()
	if s.next == nil {
		s.next = new(sharedScan)
	}
	mine := s.next
	s.mu.Unlock()
	mine.once.Do(func() {
		s.turn.Lock()
		defer s.turn.Unlock()
		s.mu.Lock()
		s.next = nil
		s.mu.Unlock()
		mine.procs, mine.err = scan()
	})
	return mine.procs, mine.err
}

func (m proc) descendant() executor.Descendant {
	return executor.Descendant{PID: m.pid, PPID: m.ppid, Command: describe(m), RSS: m.rss, Started: m.started(), CPU: m.cpu}
}
