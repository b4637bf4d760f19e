package smoke

import (
	"context"
	"fmt"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/ui/widget/termsafe"
)

// smokeHosts returns the hosts of --ssh and --hosts, in order, and reports duplicates.
func smokeHosts(ctx context.Context, env *console.Env, f *fleetFlags, sshConfig string) ([]string, error) {
	var lines []hostLine
	for _, dest := range f.hosts {
		lines = append(lines, hostLine{Text: dest, File: "--ssh"})
	}
	for _, name := range f.lists {
		more, err := readHosts(ctx, env, name)
		if err != nil {
			return nil, console.WithHint(console.UnreadInput("--hosts", err), "a file with one host per line, or --ssh HOST for a single host")
		}
		lines = append(lines, more...)
	}
	names := hostNames{
		Canonical: canonicalHost,
		Known:     (&sshconfig.Resolver{Config: sshConfig}).Aliases,
		Match:     sshconfig.MatchAlias,
	}
	chosen, repeats, err := names.Choose(lines)
	if err != nil {
		return nil, console.Usagef("%v", err)
	}
	printRepeats(env, repeats)
	return chosen, nil
}

// readHosts reads one list; - is standard input.
func readHosts(ctx context.Context, env *console.Env, name string) ([]hostLine, error) {
	file, err := env.Open(ctx, "--hosts", name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if name == "-" {
		name = console.StandardInput
	}
	return parseHosts(name, file)
}

// canonicalHost returns the canonical form of a host.
func canonicalHost(name string) (string, error) {
	if name == verify.Local {
		return name, nil
	}
	d, err := sshconfig.ParseDestination(name)
	return d.String(), err
}

const shownRepeats = 5

func printRepeats(env *console.Env, repeats []hostRepeat) {
	for i, r := range repeats {
		if i == shownRepeats {
			fmt.Fprintf(env.Stderr, "mcpdbg: note: %d more hosts are listed again\n", len(repeats)-i)
			return
		}
		text := fmt.Sprintf("mcpdbg: note: %s: %s is listed again (first in %s), and tested once", r.Line.Position(), r.Host, r.First.Position())
		fmt.Fprintln(env.Stderr, termsafe.String(text))
	}
}
