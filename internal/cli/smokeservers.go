package cli

import (
	"fmt"
	"slices"

	"mcpdbg/internal/smoke"
	"mcpdbg/session/target"
	"mcpdbg/ui/termsafe"
)

// A smokeServer is one of the servers that a smoke test starts.
type smokeServer struct {
	name    string
	command []string // as it stands behind --; nil for one of a config file

	entry *target.Entry
	how   string // its client is known
	ask   func(target.Input) (string, error)
}

// smokeServers are the servers to be tested: the command behind --, or those of
// the config file that are named, or all of it that can be started.
func (a *app) smokeServers(t *targetFlags, f *smokeFlags) ([]smokeServer, error) {
	if t.config.file != "" {
		if a.hasCommand {
			return nil, withHint(usagef("--config and a command can't be mixed: the file has the server's command"),
				"take out what stands behind --, or --config")
		}
		return a.configuredServers(t.config, f)
	}
	for _, name := range []string{"server", "input"} {
		if t.given(name) {
			return nil, usagef("--%s means nothing without --config FILE", name)
		}
	}
	if len(a.command) == 0 {
		return nil, usagef("no command: name the server's command after --, or its config file with --config")
	}
	if isURL(a.command[0]) {
		return nil, urlError(a.command[0])
	}
	return []smokeServer{{name: t.serverName(a.command), command: a.command}}, nil
}

func (a *app) configuredServers(c configFlags, f *smokeFlags) ([]smokeServer, error) {
	given, err := parseInputs(c.inputs)
	if err != nil {
		return nil, err
	}
	opts, err := targetOptions()
	if err != nil {
		return nil, err
	}
	if err := mayRead(c.file); err != nil {
		return nil, withHint(usagef("--config: %v", err), "mcpdbg without arguments lists the config files that it finds")
	}
	file, err := target.Read(c.file, opts)
	if err != nil {
		return nil, configError(err)
	}
	names := f.servers
	if len(names) == 0 {
		names = startable(file)
		if len(names) == 0 {
			names = []string{""} // pickServer says what is wrong
		} else if !f.out.quiet {
			a.tellLeftOut(file)
		}
	}
	var servers []smokeServer
	var inputs []target.Input
	for _, name := range names {
		e, err := pickServer(file, name, opts.Cwd)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(servers, func(s smokeServer) bool { return s.name == e.Name }) {
			continue
		}
		inputs = append(inputs, e.Inputs...)
		servers = append(servers, smokeServer{name: e.Name, entry: e, how: file.How, ask: answerInputs(given)})
	}
	whose := file.Path
	if len(servers) == 1 {
		whose = serverWord(servers[0].name)
	}
	return servers, checkInputs(whose, inputs, given)
}

// startable are the names of all servers that can be started, each once.
func startable(file target.File) []string {
	var names []string
	for i := range file.Entries {
		if e := &file.Entries[i]; e.Startable() && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// tellLeftOut says which servers are not tested, and why.
func (a *app) tellLeftOut(file target.File) {
	for i := range file.Entries {
		e := &file.Entries[i]
		if why, _ := e.Why(); why != "" {
			fmt.Fprintln(a.stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: %s:%d: server %q is not tested: %s", e.File, e.Line, e.Name, why)))
		}
	}
}

// at is how the server is started on a host, "" being this machine: the flags
// with what its config file says, and the command.
func (s *smokeServer) at(t targetFlags, host string) (targetFlags, []string, error) {
	t.ssh.dest = host
	if s.entry == nil {
		return t, s.command, nil
	}
	e := *s.entry
	e.SSH = host
	t, err := t.use(e, s.how, s.ask)
	if err != nil {
		return t, nil, err
	}
	return t, t.from.start.Args(), nil
}

// home is the host on which the server is tested if none is named.
func (s *smokeServer) home() string {
	if s.entry == nil || s.entry.SSH == "" {
		return smoke.Local
	}
	return s.entry.SSH
}
