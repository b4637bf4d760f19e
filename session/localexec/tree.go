package localexec

import (
	"os"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

type proc struct {
	procID
	ppid, group, session int
	zombie               bool
	rss                  int64
	cpu                  time.Duration // user and system
	command              string        // from the scan; describe knows more
	marks                string        // the value of MCPDBG_MARK, if readable
}

// A procID identifies a process permanently: numbers are reused, but not with
// the same start time, if that is known.
type procID struct {
	pid   int
	start uint64 // clock ticks since boot
}

// A family has the processes of the machine that belong to one of ours.
type family struct {
	leader int    // 0 if its number may be reused
	parent int    // the watchdog, whose descendants all belong; 0 without
	mark   string // in the inherited environment of descendants
	// known are members found before, which may have lost all other evidence since.
	known map[procID]bool
}

// members returns the members of the family, the leader first if it is alive.
// Our own process and zombies are never members.
func (f family) members(all []proc) []proc {
	own := os.Getpid()
	belongs := make(map[int]bool)
	parents := make(map[int]bool) // not members, but their children are
	if f.leader != 0 {
		parents[f.leader] = true
	}
	for _, p := range all {
		if p.pid == f.parent && p.ppid == own { // otherwise the number was reused
			parents[p.pid] = true
		}
		inGroup := f.leader != 0 && (p.pid == f.leader || p.group == f.leader || p.session == f.leader)
		marked := f.mark != "" && strings.Contains(p.marks, f.mark)
		if p.pid != own && !p.zombie && (inGroup || marked || f.known[p.procID]) {
			belongs[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if (belongs[p.ppid] || parents[p.ppid]) && !belongs[p.pid] && p.pid != own && !p.zombie {
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

// scans lets concurrent callers share a list of processes that is never older
// than their call: ending two hundred sessions at once must not read /proc
// hundreds of times. The zero value is ready.
type scans struct {
	turn sync.Mutex // held by the running scan

	mu   sync.Mutex
	next *sharedScan // not begun yet
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

func descendants(list []proc) []executor.Descendant {
	var all []executor.Descendant
	for _, m := range list {
		all = append(all, m.descendant())
	}
	return all
}

func (m proc) descendant() executor.Descendant {
	return executor.Descendant{PID: m.pid, PPID: m.ppid, Command: describe(m), RSS: m.rss, Started: m.started(), CPU: m.cpu}
}
