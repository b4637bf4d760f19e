package flags

import (
	"fmt"
	"slices"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/target"
	"mcpdbg/ui/widget/termsafe"
)

// A Server is one of several that a command starts.
type Server struct {
	Name string

	command []string // after --; nil for a config file
	entry   *target.Entry
	how     string // how its client was recognized
	ask     func(target.Input) (string, error)
}

// Servers returns the command after --, or these servers of the config file, without
// names all that can be started. The others are printed unless quiet.
func Servers(env *console.Env, t *Target, names []string, quiet bool) ([]Server, error) {
	if t.Config.File != "" {
		if env.HasCommand {
			return nil, console.WithHint(console.Usagef("--config and a command cannot be combined: the file has the server's command"),
				"remove the command after --, or --config")
		}
		return configuredServers(env, t.Config, names, quiet)
	}
	for _, name := range []string{"server", "input"} {
		if t.Given(name) {
			return nil, console.Usagef("--%s requires --config", name)
		}
	}
	if len(env.Command) == 0 {
		return nil, console.Usagef("no command: put the server command after --, or use --config FILE")
	}
	if target.IsURL(env.Command[0]) {
		return nil, URLError(env.Command[0])
	}
	return []Server{{Name: t.ServerName(env.Command), command: env.Command}}, nil
}

func configuredServers(env *console.Env, c Config, names []string, quiet bool) ([]Server, error) {
	given, err := parseInputs(c.Inputs)
	if err != nil {
		return nil, err
	}
	opts, err := TargetOptions()
	if err != nil {
		return nil, err
	}
	if err := console.CheckReadable(c.File); err != nil {
		return nil, console.WithHint(console.Usagef("--config: %v", err), "mcpdbg without arguments to list the config files that it finds")
	}
	file, err := target.Read(c.File, opts)
	if err != nil {
		return nil, configError(err)
	}
	if len(names) == 0 {
		names = startable(file)
		if len(names) == 0 {
			names = []string{""} // pickServer returns the error
		} else if !quiet {
			printSkipped(env, file)
		}
	}
	var servers []Server
	var inputs []target.Input
	for _, name := range names {
		e, err := pickServer(file, name, opts.Cwd)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(servers, func(s Server) bool { return s.Name == e.Name }) {
			continue
		}
		inputs = append(inputs, e.Inputs...)
		servers = append(servers, Server{Name: e.Name, entry: e, how: file.How, ask: resolveInputs(given)})
	}
	whose := file.Path
	if len(servers) == 1 {
		whose = ServerWord(servers[0].Name)
	}
	return servers, checkInputs(whose, inputs, given)
}

// Without duplicates.
func startable(file target.File) []string {
	var names []string
	for i := range file.Entries {
		if e := &file.Entries[i]; e.Startable() && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// Not tested, and why.
func printSkipped(env *console.Env, file target.File) {
	for i := range file.Entries {
		e := &file.Entries[i]
		if why, try := e.Why(); why != "" {
			if try != "" {
				why += " (try: " + try + ")"
			}
			fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: %s:%d: server %q is not tested: %s", e.File, e.Line, e.Name, why)))
		}
	}
}

// At returns the flags, merged with the config file, and the command on a host, "" being
// this machine.
func (s *Server) At(t Target, host string) (Target, []string, error) {
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

// CommandServer returns a server that is not in a config file.
func CommandServer(name string, argv []string) Server { return Server{Name: name, command: argv} }

// Command returns the command that is not from a config file.
func (s *Server) Command() []string { return s.command }

// Home returns the host in its config file; "" is this machine.
func (s *Server) Home() string {
	if s.entry == nil {
		return ""
	}
	return s.entry.SSH
}
