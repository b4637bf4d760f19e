package probe

import (
	"fmt"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
)

const maxTargets = 10_000

// A Plan has the targets of a run.
type Plan struct {
	Targets []verify.Target

	servers map[int]bool
	server  []int // of each target
	remote  bool  // some targets are on other hosts
}

// Add adds a target that starts the server with this index.
func (p *Plan) Add(t verify.Target, server int) error {
	if len(p.Targets) == maxTargets {
		return fmt.Errorf("too many targets: at most %d are supported", maxTargets)
	}
	if p.servers == nil {
		p.servers = map[int]bool{}
	}
	t.ID = t.Server + "@" + t.Host
	p.Targets, p.server, p.servers[server] = append(p.Targets, t), append(p.server, server), true
	p.remote = p.remote || t.Host != verify.Local
	return nil
}

// Keep keeps only these targets.
func (p *Plan) Keep(keep func(id string) bool) {
	all, server := p.Targets, p.server
	p.Targets, p.server, p.servers, p.remote = nil, nil, nil, false
	for i := range all {
		if keep(all[i].ID) {
			_ = p.Add(all[i], server[i]) // they were not too many before
		}
	}
}

// Server returns the server that a target starts.
func (p *Plan) Server(target int) int { return p.server[target] }

// Remote reports whether some targets are on other hosts.
func (p *Plan) Remote() bool { return p.remote }

// Samples returns one local and one remote target of each server, if any: hosts differ
// only in their address.
func (p *Plan) Samples() []int {
	type kind struct {
		server int
		here   bool
	}
	seen := map[kind]bool{}
	var samples []int
	for i, target := range p.Targets {
		if k := (kind{p.server[i], target.Host == verify.Local}); !seen[k] {
			seen[k] = true
			samples = append(samples, i)
		}
	}
	return samples
}

// String describes the number of targets.
func (p *Plan) String() string {
	hosts := map[string]bool{}
	for _, t := range p.Targets {
		hosts[t.Host] = true
	}
	all := wording.Plural(len(p.Targets), "target")
	if len(p.Targets) != len(hosts)*len(p.servers) || len(p.Targets) == 1 {
		return all
	}
	return fmt.Sprintf("%s x %s: %s", wording.Plural(len(hosts), "host"), wording.Plural(len(p.servers), "server"), all)
}

// Label names a target in its recording's name.
func (p *Plan) Label(target int) string {
	if t := p.Targets[target]; t.Host != verify.Local {
		return t.Server + "-" + t.Host
	}
	return p.Targets[target].Server
}
