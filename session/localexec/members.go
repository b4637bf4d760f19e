package localexec

import (
	"slices"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// The reasons why Terminate may have missed processes.
const (
	unwatched = "cannot see processes that left the process tree before the first look at it"
	lost      = "the watchdog ended early: cannot see processes that had left the process tree"
	hidden    = "the watchdog does not confirm that every process has ended"
)

// maxKnown includes dead members.
const maxKnown = 1024

// sampleEvery is the time between two looks at the tree without a watchdog: see
// executor.Sample.
const sampleEvery = 2 * time.Second

func (p *process) members() ([]proc, error) {
	found, _, err := p.look()
	return found, err
}

func (p *process) inScope(scope executor.Scope) ([]proc, error) {
	found, err := p.members()
	if scope == executor.ScopeTree || err != nil {
		return found, err
	}
	leader := p.family().leader
	return slices.DeleteFunc(found, func(m proc) bool {
		return m.pid != leader && (scope == executor.ScopeLeader || m.group != leader)
	}), nil
}

func (p *process) look() (found, spared []proc, err error) {
	if p.base.Swept() {
		return nil, nil, nil
	}
	all, err := p.child.members(p.family(), &p.ex.scans)
	if err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found, spared = p.splitSpared(all)
	p.remember(found, spared)
	return found, spared, nil
}

func (p *process) family() family {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := family{leader: p.child.pid, parent: p.child.parent(), mark: p.base.Mark, known: make(map[procID]bool)}
	for id := range p.known {
		f.known[id] = true
	}
	if p.reaped && (p.groupGone || p.child.groupGone()) {
		p.groupGone = true
		f.leader = 0
	}
	return f
}

// splitSpared separates the processes that Command.Leave names, and those that they have
// started. The leader is never spared.
func (p *process) splitSpared(all []proc) (found, spared []proc) {
	if len(p.base.Cmd.Leave) == 0 {
		return all, nil
	}
	kept := make(map[int]bool)
	for grown := true; grown; {
		grown = false
		for _, m := range all {
			if kept[m.pid] || m.pid == p.child.pid {
				continue
			}
			if kept[m.ppid] || p.known[m.procID] == memberSpared || watchdog.Spares(p.base.Cmd.Leave, argv0(m), m.name()) {
				kept[m.pid], grown = true, true
			}
		}
	}
	for _, m := range all {
		if kept[m.pid] {
			spared = append(spared, m)
		} else {
			found = append(found, m)
		}
	}
	return found, spared
}

// A membership is the reason why a process is remembered.
type membership uint8

const (
	memberFound membership = iota + 1
	memberSpared
)

// remember requires p.mu.
func (p *process) remember(found, spared []proc) {
	if len(p.known) > maxKnown {
		clear(p.known) // most have ended: the others are in found or spared
	}
	p.sparedNow = spared
	for _, m := range found {
		p.note(m, memberFound)
	}
	for _, m := range spared {
		p.note(m, memberSpared)
	}
}

func (p *process) note(m proc, as membership) {
	if m.start != 0 { // otherwise its number may be reused later
		p.known[m.procID] = as
	}
}

func (p *process) spared() []executor.Descendant {
	p.mu.Lock()
	defer p.mu.Unlock()
	return descendants(p.sparedNow)
}

// CannotTell implements executor.Backend.
func (p *process) CannotTell() []string {
	if p.base.Swept() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var reasons []string
	for _, r := range []struct {
		text  string
		holds bool
	}{
		{unwatched, !p.child.complete()},
		{lost, p.child.lost()},
		{hidden, p.hidden},
	} {
		if r.holds {
			reasons = append(reasons, r.text)
		}
	}
	return reasons
}
