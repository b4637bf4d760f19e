package smoke

import (
	"fmt"
	"slices"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/smoke"
	"mcpdbg/session/target"
	"mcpdbg/ui/widget/termsafe"
)

// A smokeServer is one of the servers that a smoke test starts.
type smokeServer struct {
	name    string
	command []string // after --; nil for a server from a config file

	entry *target.Entry
	how   string // how its client was recognized
	ask   func(target.Input) (string, error)
}

// smokeServers returns the servers to test: the command after --, or those of the
// config file that --server names, or all that can be started.
func smokeServers(env *console.Env, t *flags.Target, f *smokeFlags) ([]smokeServer, error) {
	if t.Config.File != "" {
		if env.HasCommand {
			return nil, exit.WithHint(exit.Usagef("--config and a command cannot be combined: the file has the server's command"),
				"remove the command after --, or --config")
		}
		return configuredServers(env, t.Config, f)
	}
	for _, name := range []string{"server", "input"} {
		if t.Given(name) {
			return nil, exit.Usagef("--%s requires --config", name)
		}
	}
	if len(env.Command) == 0 {
		return nil, exit.Usagef("no command: put the server command after --, or use --config FILE")
	}
	if flags.IsURL(env.Command[0]) {
		return nil, flags.URLError(env.Command[0])
	}
	return []smokeServer{{name: t.ServerName(env.Command), command: env.Command}}, nil
}

func configuredServers(env *console.Env, c flags.Config, f *smokeFlags) ([]smokeServer, error) {
	given, err := flags.ParseInputs(c.Inputs)
	if err != nil {
		return nil, err
	}
	opts, err := flags.TargetOptions()
	if err != nil {
		return nil, err
	}
	if err := console.CheckReadable(c.File); err != nil {
		return nil, exit.WithHint(exit.Usagef("--config: %v", err), "mcpdbg without arguments to list the config files that it finds")
	}
	file, err := target.Read(c.File, opts)
	if err != nil {
		return nil, flags.ConfigError(err)
	}
	names := f.servers
	if len(names) == 0 {
		names = startable(file)
		if len(names) == 0 {
			names = []string{""} // pickServer returns the error
		} else if !f.out.quiet {
			printSkipped(env, file)
		}
	}
	var servers []smokeServer
	var inputs []target.Input
	for _, name := range names {
		e, err := flags.PickServer(file, name, opts.Cwd)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(servers, func(s smokeServer) bool { return s.name == e.Name }) {
			continue
		}
		inputs = append(inputs, e.Inputs...)
		servers = append(servers, smokeServer{name: e.Name, entry: e, how: file.How, ask: flags.ResolveInputs(given)})
	}
	whose := file.Path
	if len(servers) == 1 {
		whose = flags.ServerWord(servers[0].name)
	}
	return servers, flags.CheckInputs(whose, inputs, given)
}

// startable returns the names of all servers that can be started, without
// duplicates.
func startable(file target.File) []string {
	var names []string
	for i := range file.Entries {
		if e := &file.Entries[i]; e.Startable() && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// printSkipped prints which servers are not tested, and why.
func printSkipped(env *console.Env, file target.File) {
	for i := range file.Entries {
		e := &file.Entries[i]
		if why, _ := e.Why(); why != "" {
			fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: %s:%d: server %q is not tested: %s", e.File, e.Line, e.Name, why)))
		}
	}
}

// at returns how to start the server on a host, "" being this machine: the flags
// merged with its config file, and the command.
func (s *smokeServer) at(t flags.Target, host string) (flags.Target, []string, error) {
	t.SSH.Dest = host
	if s.entry == nil {
		return t, s.command, nil
	}
	e := *s.entry
	e.SSH = host
	t, err := t.Use(e, s.how, s.ask)
	if err != nil {
		return t, nil, err
	}
	return t, t.From.Start.Args(), nil
}

// home returns the host on which the server is tested by default.
func (s *smokeServer) home() string {
	if s.entry == nil || s.entry.SSH == "" {
		return smoke.Local
	}
	return s.entry.SSH
}
