package smoke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/hosts"
	"mcpdbg/internal/wording"
	"mcpdbg/sshexec/link"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/ui/widget/termsafe"
)

// A selection has the flags that select from the targets.
type selection struct {
	limit       string
	shard       string
	connections string
	dryRun      bool
}

func (s *selection) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&s.limit, "limit", "", "only these targets: a `pattern` of groups, hosts and SERVER@HOST, such as 'eu:!canary', or @FILE: names, or what failed in a report")
	set.StringVar(&s.shard, "shard", "", "only part `I/N` of the targets, or auto (or auto/N) for the variables of the CI engine")
	set.StringVar(&s.connections, "connections", "", "at most as many connections as in this `list`, by default host=4,logins=8,jump=64")
	set.BoolVar(&s.dryRun, "dry-run", false, "print the targets and their variables, and connect to nothing")
	flags.CompleteNothing(cmd, "limit", "shard", "connections")
}

// errNothing reports that there is nothing to run, which is not a failure.
var errNothing = errors.New("nothing to run")

// limits returns the limits of --connections.
func (s *selection) limits() (link.Limits, error) {
	l := link.FanOut()
	if s.connections == "" {
		return l, nil
	}
	for pair := range strings.SplitSeq(s.connections, ",") {
		name, text, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 {
			return l, console.Usagef("--connections %q: %q must be host, logins or jump, = and a number from 1 to 1000", s.connections, pair)
		}
		switch name {
		case "host":
			l.PerHost = n
		case "logins":
			l.PerServer = n
		case "jump":
			l.PerBastion = n
		default:
			return l, console.Usagef("--connections %q: unknown limit %q: must be host, logins or jump", s.connections, name)
		}
	}
	return l, nil
}

// readInventory returns the hosts of --ssh and --hosts, in order, and prints its notes.
func readInventory(ctx context.Context, env *console.Env, f *fleetFlags, sshConfig string) (*hosts.Inventory, error) {
	r := hosts.NewReader(hosts.Names{
		Canonical: canonicalHost,
		Known:     (&sshconfig.Resolver{Config: sshConfig}).Aliases,
		Match:     sshconfig.MatchAlias,
	})
	for _, dest := range f.hosts {
		if err := r.Add("--ssh", dest); err != nil {
			return nil, console.Usagef("%v", err)
		}
	}
	for _, name := range f.lists {
		if err := readHosts(ctx, env, r, name); err != nil {
			return nil, console.WithHint(console.UnreadInput("--hosts", err), "a file with one host per line, or --ssh HOST for a single host")
		}
	}
	inv, err := r.Inventory()
	if err != nil {
		return nil, console.Usagef("%v", err)
	}
	if !f.quiet {
		for _, note := range inv.Notes {
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: note: "+note))
		}
	}
	return inv, nil
}

// readHosts reads one file; - is standard input.
func readHosts(ctx context.Context, env *console.Env, r *hosts.Reader, name string) error {
	file, err := env.Open(ctx, "--hosts", name)
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, hosts.MaxFile+1))
	if err != nil {
		return err
	}
	if name == "-" {
		return r.Read(console.StandardInput, data, false)
	}
	info, err := os.Stat(name)
	shared := runtime.GOOS != "windows" && err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0
	return r.Read(name, data, shared)
}

// canonicalHost returns the canonical form of a host.
func canonicalHost(name string) (string, error) {
	if name == verify.Local {
		return name, nil
	}
	d, err := sshconfig.ParseDestination(name)
	return d.String(), err
}

// targets puts every server on every host, host by host; without hosts each on that of its
// config file, or local. A host with a command of its own has only that server.
func (fl *fleet) targets(inv *hosts.Inventory, source string) error {
	for i := range fl.servers {
		if len(inv.Hosts) > 0 {
			break
		}
		home := &hosts.Host{Name: cmp.Or(fl.servers[i].Home(), verify.Local)}
		if err := fl.plan.Add(verify.Target{Host: home.Name, Server: fl.servers[i].Name, Source: source}, i); err != nil {
			return console.Usagef("%v", err)
		}
		fl.members = append(fl.members, hosts.Member{ID: fl.plan.Targets[i].ID, Host: home})
	}
	for _, h := range inv.Hosts {
		p, err := placeOf(inv, h)
		if err != nil {
			return console.Usagef("%v", err)
		}
		if p != nil {
			fl.places[h.Name] = p
		}
		servers, err := fl.serversOn(h, p)
		if err != nil {
			return console.Usagef("%v", err)
		}
		for _, i := range servers {
			t := verify.Target{Host: h.Name, Server: fl.servers[i].Name, Source: source, Groups: h.Groups(), Skip: p.value(hosts.VarSkip)}
			if strings.Contains(h.At, ":") {
				t.At = h.At
			}
			if err := fl.plan.Add(t, i); err != nil {
				return console.Usagef("%v", err)
			}
			fl.members = append(fl.members, hosts.Member{ID: t.Server + "@" + t.Host, Host: h})
		}
	}
	return nil
}

// serversOn returns the indexes of the servers on a host.
func (fl *fleet) serversOn(h *hosts.Host, p *place) ([]int, error) {
	name := p.value(hosts.VarServer)
	if len(p.command()) > 0 {
		return []int{fl.own(cmp.Or(name, fl.name), p.command())}, nil
	}
	var indexes []int
	var known []string
	for i := range fl.servers[:fl.given] {
		known = append(known, fl.servers[i].Name)
		if name == "" || name == fl.servers[i].Name {
			indexes = append(indexes, i)
		}
	}
	switch {
	case fl.given == 0:
		return nil, fmt.Errorf("%s: %s has no mcp_command: set it, put the server command after --, or use --config FILE", h.At, h.Name)
	case indexes == nil && fl.flags.Config.File == "" && fl.given == 1:
		return []int{fl.own(name, fl.servers[0].Command())}, nil
	case indexes == nil:
		return nil, fmt.Errorf("%s: %s %s: not among the servers: %s", p.vars[hosts.VarServer].At, hosts.VarServer, name, wording.ListNear(name, known))
	}
	return indexes, nil
}

// own returns the index of a server of the hosts file, which several hosts may have.
func (fl *fleet) own(name string, argv []string) int {
	for i := fl.given; i < len(fl.servers); i++ {
		s := &fl.servers[i]
		if slices.Equal(s.Command(), argv) && (name == "" || name == s.Name) {
			return i
		}
	}
	fl.servers = append(fl.servers, flags.CommandServer(cmp.Or(name, fl.flags.ServerName(argv)), argv))
	return len(fl.servers) - 1
}

// apply keeps the targets of --limit and --shard.
func (s *selection) apply(ctx context.Context, env *console.Env, fl *fleet) error {
	left := fl.members
	if s.limit != "" {
		l, err := hosts.ParseLimit(s.limit, func(file string) ([]byte, error) { return env.ReadFile(ctx, "--limit", file) })
		if errors.Is(err, hosts.ErrNoFailures) {
			fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: --limit %v", err)))
			return errNothing
		}
		if err == nil {
			left, err = l.Select(left)
		}
		if err != nil {
			return console.UnreadInput("--limit", err)
		}
	}
	var shard *verify.Shard
	if s.shard != "" {
		one, from, err := hosts.ParseShard(s.shard, os.Getenv)
		if err != nil {
			return console.Usagef("--shard %v", err)
		}
		shard = &one
		if from != "" {
			fmt.Fprintf(env.Stderr, "mcpdbg: shard %d of %d (from %s)\n", one.Index, one.Of, from)
		}
	}
	fl.planned = hosts.PlanOf(left, shard)
	fl.planned.Limited = s.limit != ""
	if shard != nil {
		left = hosts.Part(left, *shard)
	}
	if len(left) < len(fl.members) {
		ids := make(map[string]bool, len(left))
		for _, m := range left {
			ids[m.ID] = true
		}
		fl.plan.Keep(func(id string) bool { return ids[id] })
	}
	return nil
}

// printPlan prints the targets and their variables.
func (fl *fleet) printPlan(env *console.Env) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, plan %s\n", fl.plan.String(), fl.planned.Hash)
	for i := range fl.plan.Targets {
		t := &fl.plan.Targets[i]
		line := wording.Join("  ", t.ID, t.At, wording.IfAny("groups: ", strings.Join(t.Groups, ", ")), wording.IfAny("skipped: ", t.Skip))
		b.WriteString(termsafe.String(line) + "\n")
		if p := fl.places[t.Host]; p != nil {
			for _, line := range hosts.Shown(p.vars) {
				b.WriteString("    " + termsafe.String(line) + "\n")
			}
		}
	}
	_, err := io.WriteString(env.Stdout, b.String())
	return err
}

// checked returns the targets whose flags must be checked: those with variables, and
// samples of the others.
func (fl *fleet) checked() []int {
	samples := fl.plan.Samples()
	for i := range fl.plan.Targets {
		if fl.places[fl.plan.Targets[i].Host] != nil {
			samples = append(samples, i)
		}
	}
	return samples
}
