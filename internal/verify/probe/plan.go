package probe

import (
	"fmt"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
)

const maxTargets = 10_000

// A Server is a server to test.
type Server struct {
	Name string
	Home string // the host to test it on if no hosts are given
}

// A Plan has the targets of a run.
type Plan struct {
	Targets []verify.Target

	servers int
	server  []int // of each target
	remote  bool  // some targets are on other hosts
}

// NewPlan tests every server on every host, host by host; without hosts each at home.
func NewPlan(servers []Server, hosts []string) (*Plan, error) {
	if n := len(hosts) * len(servers); n > maxTargets {
		return nil, fmt.Errorf("too many targets: %d hosts x %d servers, and at most %d are supported", len(hosts), len(servers), maxTargets)
	}
	p := &Plan{servers: len(servers)}
	for _, host := range hosts {
		for i := range servers {
			p.add(host, i, servers)
		}
	}
	if len(hosts) == 0 {
		for i := range servers {
			p.add(servers[i].Home, i, servers)
		}
	}
	return p, nil
}

func (p *Plan) add(host string, server int, servers []Server) {
	p.Targets = append(p.Targets, verify.Target{Host: host, Server: servers[server].Name})
	p.server = append(p.server, server)
	p.remote = p.remote || host != verify.Local
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
	if len(p.Targets) != len(hosts)*p.servers || len(p.Targets) == 1 {
		return all
	}
	return fmt.Sprintf("%s x %s: %s", wording.Plural(len(hosts), "host"), wording.Plural(p.servers, "server"), all)
}

// Label names a target in its recording's name.
func (p *Plan) Label(target int) string {
	if t := p.Targets[target]; t.Host != verify.Local {
		return t.Server + "-" + t.Host
	}
	return p.Targets[target].Server
}
