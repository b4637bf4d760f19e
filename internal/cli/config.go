package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/session/spelling"
	"mcpdbg/session/target"
	"mcpdbg/ui/termsafe"
)

// configFlags name a server of a client's config file instead of a command.
type configFlags struct {
	file   string
	server string
	inputs []string
}

func (c *configFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.file, "config", "", "take the server from this config `file` of an MCP client, instead of a COMMAND")
	f.StringVar(&c.server, "server", "", "the `name` of the server in the config file, if it has several")
	c.registerInputs(cmd)
}

// registerInputs adds what goes with the server or servers of a file.
func (c *configFlags) registerInputs(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&c.inputs, "input", nil, "give an input of the config file: `NAME=VALUE`; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("server", completeServers) // the flag is there
}

// completeServers completes --server from the file of --config.
func completeServers(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	path, err := cmd.Flags().GetString("config")
	if err != nil || path == "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	file, err := target.Read(path, target.Here())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for i := range file.Entries {
		if e := &file.Entries[i]; e.Startable() && termsafe.String(e.Name) == e.Name { // it goes to the terminal as it is
			names = append(names, cobra.CompletionWithDesc(e.Name, termsafe.String(e.String())))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// A configured server is one of a config file, ready to be started.
type configured struct {
	entry target.Entry
	how   string // its client is known
	start target.Start
}

// choose decides what the flags want to be started: the command behind --, or a
// server of a config file, whose settings then are among the flags.
func (a *app) choose(t targetFlags) (targetFlags, []string, error) {
	if t.config.file == "" {
		for _, name := range []string{"server", "input"} {
			if t.given(name) {
				return t, nil, usagef("--%s means nothing without --config FILE", name)
			}
		}
		if len(a.command) > 0 && isURL(a.command[0]) {
			return t, nil, urlError(a.command[0])
		}
		return t, a.command, nil
	}
	if a.hasCommand {
		return t, nil, withHint(usagef("--config and a command can't be mixed: the file has the server's command"),
			"take out what stands behind --, or --config")
	}
	given, err := parseInputs(t.config.inputs)
	if err != nil {
		return t, nil, err
	}
	opts, err := targetOptions()
	if err != nil {
		return t, nil, err
	}
	file, err := target.Read(t.config.file, opts)
	if err != nil {
		return t, nil, configError(err)
	}
	e, err := pickServer(file, t.config.server, opts.Cwd)
	if err != nil {
		return t, nil, err
	}
	if err := checkInputs(serverWord(e.Name), e.Inputs, given); err != nil {
		return t, nil, err
	}
	t, err = t.use(*e, file.How, answerInputs(given))
	if err != nil {
		return t, nil, err
	}
	return t, t.from.start.Args(), nil
}

// answerInputs takes the values of inputs that were given, or their defaults.
func answerInputs(given map[string]string) func(target.Input) (string, error) {
	return func(in target.Input) (string, error) {
		if value, ok := given[in.ID]; ok {
			return value, nil
		}
		return inputDefault(in)
	}
}

// inputDefault is what an input is if nobody gives it a value.
func inputDefault(in target.Input) (string, error) {
	if in.Default.IsZero() {
		return "", target.ErrNoInput
	}
	return in.Default.Reveal(), nil
}

// use takes over what a config file says of a server. Flags that were given
// win.
func (t targetFlags) use(e target.Entry, how string, ask func(target.Input) (string, error)) (targetFlags, error) {
	if t.ssh.remote() {
		e.SSH = t.ssh.dest
	}
	if t.given("cwd") {
		e.Cwd = target.Text{}
	}
	start, err := e.Resolve(ask)
	if err != nil {
		return t, configError(err)
	}
	t.from = &configured{e, how, start}
	t.ssh.dest = start.SSH
	if start.StartupTimeout > 0 && !t.given("startup-timeout") {
		t.startupTimeout = start.StartupTimeout
	}
	if start.Timeout > 0 && !t.given("timeout") {
		t.timeout = start.Timeout
	}
	if !t.given("cwd") {
		t.cwd = start.Dir
	}
	return t, nil
}

// problems are what is odd about the server in its file, and about the files
// that it was read from.
func (c *configured) problems() []target.Problem {
	return slices.Concat(c.entry.Problems, c.start.Problems)
}

// origin says where the server comes from.
func (c *configured) origin() string {
	return fmt.Sprintf("server %q of %s:%d, read as a file of %s (%s)", c.entry.Name, c.entry.File, c.entry.Line, c.entry.Client, c.how)
}

// configError is an error about a config file, with what to try.
func configError(err error) error {
	var missing *target.MissingError
	if errors.As(err, &missing) {
		var hint []string
		for _, in := range missing.Inputs {
			hint = append(hint, "--input "+in.ID+"=..."+describeInput(in))
		}
		return withHint(usagef("%v", err), strings.Join(hint, "\n"))
	}
	var p *target.Problem
	if errors.As(err, &p) {
		return withHint(usagef("%v", err), p.Try)
	}
	return usagef("%v", err)
}

// describeInput says what an input is, behind its name.
func describeInput(in target.Input) string {
	var parts []string
	if in.Description != "" {
		parts = append(parts, in.Description)
	}
	if in.Kind == target.InputPick {
		var values []string
		for _, o := range in.Options {
			values = append(values, o.Value)
		}
		parts = append(parts, "one of "+strings.Join(values, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ": ") + ")"
}

// parseInputs reads the values of --input.
func parseInputs(pairs []string) (map[string]string, error) {
	given := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usagef("--input %s: must be NAME=VALUE", name) // the rest may be a secret
		}
		given[name] = value
	}
	return given, nil
}

// serverWord is a server as errors name it.
func serverWord(name string) string { return fmt.Sprintf("the server %q", name) }

// checkInputs refuses values for inputs that are none of those of whose.
func checkInputs(whose string, inputs []target.Input, given map[string]string) error {
	var ids []string
	for _, in := range inputs {
		ids = append(ids, in.ID)
	}
	for name := range given {
		if slices.Contains(ids, name) {
			continue
		}
		if len(ids) == 0 {
			return usagef("--input %s: %s has no inputs", name, whose)
		}
		return withHint(usagef("--input %s: %s has no such input: it has %s", name, whose, someNames(ids)), didYouMean("--input ", name, ids))
	}
	return nil
}

// pickServer finds the server of that name, or without one the only one that can
// be started.
func pickServer(file target.File, name, cwd string) (*target.Entry, error) {
	var found []*target.Entry
	var names []string
	for i := range file.Entries {
		e := &file.Entries[i]
		if name == e.Name || name == "" && e.Startable() {
			found = append(found, e)
		}
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	switch {
	case len(names) == 0:
		return nil, usagef("%s has no servers", file.Path)
	case len(found) == 0 && name != "":
		return nil, withHint(usagef("%s has no server %q: it has %s", file.Path, name, someNames(names)), didYouMean("--server ", name, names))
	case len(found) == 0 && len(file.Entries) == 1:
		return &file.Entries[0], nil // Resolve says why it can't be started
	case len(found) == 0:
		return nil, withHint(usagef("none of the servers of %s can be started: %s", file.Path, someNames(names)), "--server NAME says why")
	case name == "" && len(found) > 1:
		return nil, withHint(usagef("%s has several servers: %s", file.Path, someNames(names)), "--server NAME names one")
	}
	return nearest(file, found, cwd)
}

// nearest is the one of several servers of a name that a client would take here:
// that of the project, before the person's own.
func nearest(file target.File, found []*target.Entry, cwd string) (*target.Entry, error) {
	if len(found) == 1 {
		return found[0], nil
	}
	var best *target.Entry
	var projects []string
	for _, e := range found {
		switch {
		case e.Scope == target.ScopeUser:
			if best == nil {
				best = e
			}
		case contains(e.Project, cwd) && (best == nil || best.Scope == target.ScopeUser || len(e.Project) >= len(best.Project)):
			best = e
		}
		projects = append(projects, e.Project)
	}
	if best == nil {
		return nil, withHint(usagef("%s has the server %q for several projects: %s", file.Path, found[0].Name, someNames(projects)), "call mcpdbg in the folder of one of them")
	}
	return best, nil
}

// contains tells whether a folder is dir or above it.
func contains(folder, dir string) bool {
	rel, err := filepath.Rel(folder, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// maxNames is how many names an error lists.
const maxNames = 20

func someNames(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

// didYouMean names the nearest of some names, if one is near.
func didYouMean(flag, name string, names []string) string {
	best := spelling.Nearest(name, names)
	if best == "" {
		return ""
	}
	return flag + best
}
