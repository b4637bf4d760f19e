package localexec

import (
	"os"

	"mcpdbg/session/executor"
)

// A proc is one process of the machine at the time of a scan.
type proc struct {
	pid, ppid, group, session int
	zombie                    bool
	rss                       int64
	command                   string // as the scan tells it; describe knows more
}

// A family says which processes of the machine belong to one of ours.
type family struct {
	leader int    // 0 when its number may be anybody's
	mark   string // in the environment of all that inherited it
}

// members returns those of the family, the leader first if it lives. marked
// answers whether a process carries the mark. Our own process is never one,
// nor is a process that is dead and only waits to be reaped.
func (f family) members(all []proc, marked func(pid int) bool) []proc {
	own := os.Getpid()
	belongs := make(map[int]bool)
	for _, p := range all {
		inGroup := f.leader != 0 && (p.pid == f.leader || p.group == f.leader || p.session == f.leader)
		if p.pid != own && !p.zombie && (inGroup || marked(p.pid)) {
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
	f := p.family()
	found, err := p.child.members(f)
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

func (m proc) descendant() executor.Descendant {
	return executor.Descendant{PID: m.pid, PPID: m.ppid, Command: describe(m), RSS: m.rss}
}
