package cli

import (
	"context"
	"fmt"

	"mcpdbg/internal/smoke"
	"mcpdbg/internal/smoke/hosts"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/ui/termsafe"
)

// smokeHosts are the hosts that --ssh and --hosts name, in their order; none if
// neither was given. What is named twice is told.
func (a *app) smokeHosts(ctx context.Context, f *smokeFlags, sshConfig string) ([]string, error) {
	var lines []hosts.Line
	for _, dest := range f.hosts {
		lines = append(lines, hosts.Line{Text: dest, File: "--ssh"})
	}
	for _, name := range f.lists {
		more, err := a.readHosts(ctx, name)
		if err != nil {
			return nil, withHint(unreadInput("--hosts", err), "it names a file with a host on each line; --ssh HOST names a host")
		}
		lines = append(lines, more...)
	}
	names := hosts.Names{
		Canonical: canonicalHost,
		Known:     (&sshconfig.Resolver{Config: sshConfig}).Aliases,
		Match:     sshconfig.MatchAlias,
	}
	chosen, repeats, err := names.Choose(lines)
	if err != nil {
		return nil, usagef("%v", err)
	}
	a.tellRepeats(repeats)
	return chosen, nil
}

// readHosts reads one list; - is standard input.
func (a *app) readHosts(ctx context.Context, name string) ([]hosts.Line, error) {
	file, err := a.open(ctx, "--hosts", name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if name == "-" {
		name = standardInput
	}
	return hosts.Parse(name, file)
}

// canonicalHost is a host in the one way of writing it.
func canonicalHost(name string) (string, error) {
	if name == smoke.Local {
		return name, nil
	}
	d, err := sshconfig.ParseDestination(name)
	return d.String(), err
}

// toldRepeats is how many hosts that are named twice are told of.
const toldRepeats = 5

func (a *app) tellRepeats(repeats []hosts.Repeat) {
	for i, r := range repeats {
		if i == toldRepeats {
			fmt.Fprintf(a.stderr, "mcpdbg: note: %d more hosts are named again\n", len(repeats)-i)
			return
		}
		text := fmt.Sprintf("mcpdbg: note: %s: %s is named again (first by %s), and tested once", r.Line.Place(), r.Host, r.First.Place())
		fmt.Fprintln(a.stderr, termsafe.String(text))
	}
}
