package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
	"mcpdbg/ui/widget/termsafe"
)

// Config name a server in a client's config file.
type Config struct {
	File   string
	server string
	Inputs []string
}

// Register adds all flags.
func (c *Config) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.File, "config", "", "take the server from this config `file` of an MCP client instead of a COMMAND")
	f.StringVar(&c.server, "server", "", "`name` of the server in the config file, if it has several")
	c.RegisterInputs(cmd)
}

// RegisterInputs adds --input and the completion of --server.
func (c *Config) RegisterInputs(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&c.Inputs, "input", nil, "set an input of the config file: `NAME=VALUE`; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("server", completeServers) // the flag exists
}

// completeServers completes --server from the file of --config.
func completeServers(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	path, err := cmd.Flags().GetString("config")
	if err != nil || path == "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	file, err := target.Read(path, target.CurrentOptions())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for i := range file.Entries {
		if e := &file.Entries[i]; e.Startable() && termsafe.String(e.Name) == e.Name { // completions are printed unescaped
			names = append(names, cobra.CompletionWithDesc(e.Name, termsafe.String(e.String())))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// A Configured server of a config file can be started.
type Configured struct {
	Entry target.Entry
	how   string // how its client was recognized
	Start target.Start
}

// Choose returns the command after --, or that of a server in a config file, whose
// settings are then merged into the flags.
func Choose(env *console.Env, t Target) (Target, []string, error) {
	if t.Config.File == "" {
		for _, name := range []string{"server", "input"} {
			if t.Given(name) {
				return t, nil, console.Usagef("--%s requires --config", name)
			}
		}
		if len(env.Command) > 0 && target.IsURL(env.Command[0]) {
			return t, nil, URLError(env.Command[0])
		}
		return t, env.Command, nil
	}
	if env.HasCommand {
		return t, nil, console.WithHint(console.Usagef("--config and a command cannot be combined: the file has the server's command"),
			"remove the command after --, or --config")
	}
	given, err := parseInputs(t.Config.Inputs)
	if err != nil {
		return t, nil, err
	}
	opts, err := TargetOptions()
	if err != nil {
		return t, nil, err
	}
	file, err := target.Read(t.Config.File, opts)
	if err != nil {
		return t, nil, configError(err)
	}
	e, err := pickServer(file, t.Config.server, opts.Cwd)
	if err != nil {
		return t, nil, err
	}
	if err := checkInputs(ServerWord(e.Name), e.Inputs, given); err != nil {
		return t, nil, err
	}
	t, err = t.Use(*e, file.How, resolveInputs(given))
	if err != nil {
		return t, nil, err
	}
	return t, t.From.Start.Args(), nil
}

func resolveInputs(given map[string]string) func(target.Input) (string, error) {
	return func(in target.Input) (string, error) {
		if value, ok := given[in.ID]; ok {
			return value, nil
		}
		return inputDefault(in)
	}
}

func inputDefault(in target.Input) (string, error) {
	if in.Default.IsZero() {
		return "", target.ErrNoInput
	}
	return in.Default.Reveal(), nil
}

// Use applies a config file's settings for a server. Given flags take precedence.
func (t Target) Use(e target.Entry, how string, ask func(target.Input) (string, error)) (Target, error) {
	if t.SSH.Remote() {
		e.SSH = t.SSH.Dest
	}
	if t.ExecServer.Text != "" {
		e.ExecServer = t.ExecServer.Text
	}
	if t.Given("via") {
		e.Via = make([]target.Text, len(t.Via)) // that there is one decides about folders
	}
	if t.Given("cwd") {
		e.Cwd = target.Text{}
	}
	start, err := e.Resolve(ask)
	if err != nil {
		return t, configError(err)
	}
	t.From = &Configured{e, how, start}
	t.SSH.Dest, t.ExecServer.Text = start.SSH, start.ExecServer
	if !t.Given("via") {
		t.Via = start.Prefix()
	}
	if start.StartupTimeout > 0 && !t.Given("startup-timeout") {
		t.StartupTimeout = start.StartupTimeout
	}
	if start.Timeout > 0 && !t.Given("timeout") {
		t.Timeout = start.Timeout
	}
	if !t.Given("cwd") {
		t.Cwd = start.Dir
	}
	return t, nil
}

// Problems returns those of the server in its config file, and of the files read for it.
func (c *Configured) Problems() []target.Problem {
	return slices.Concat(c.Entry.Problems, c.Start.Problems)
}

// Origin describes where the server comes from.
func (c *Configured) Origin() string {
	return fmt.Sprintf("server %q from %s:%d, read as a config file of %s (%s)", c.Entry.Name, c.Entry.File, c.Entry.Line, c.Entry.Client, c.how)
}

func configError(err error) error {
	if missing, ok := errors.AsType[*target.MissingError](err); ok {
		var hint []string
		for _, in := range missing.Inputs {
			hint = append(hint, "--input "+in.ID+"=..."+DescribeInput(in))
		}
		return console.WithHint(console.Usagef("%v", err), strings.Join(hint, "\n"))
	}
	if p, ok := errors.AsType[*target.Problem](err); ok {
		return console.WithHint(console.Usagef("%v", err), p.Hint)
	}
	return console.Usagef("%v", err)
}

// DescribeInput describes an input, to follow its name.
func DescribeInput(in target.Input) string {
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

func parseInputs(pairs []string) (map[string]string, error) {
	given := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, console.Usagef("--input %s: must be NAME=VALUE", name) // the rest may be a secret
		}
		given[name] = value
	}
	return given, nil
}

// ServerWord names a server in errors.
func ServerWord(name string) string { return fmt.Sprintf("the server %q", name) }

// checkInputs rejects values for inputs that whose lacks.
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
			return console.Usagef("--input %s: %s has no inputs", name, whose)
		}
		return console.WithHint(console.Usagef("--input %s: %s has no such input; it has %s", name, whose, wording.List(ids)), wording.DidYouMean("--input ", name, ids))
	}
	return nil
}

// Without a name, pickServer finds the only server that can be started.
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
		return nil, console.Usagef("%s has no servers", file.Path)
	case len(found) == 0 && name != "":
		return nil, console.WithHint(console.Usagef("%s has no server %q; it has %s", file.Path, name, wording.List(names)), wording.DidYouMean("--server ", name, names))
	case len(found) == 0 && len(file.Entries) == 1:
		return &file.Entries[0], nil // Resolve reports why it cannot be started
	case len(found) == 0:
		return nil, console.WithHint(console.Usagef("no server in %s can be started: %s", file.Path, wording.List(names)), "--server NAME to see why")
	case name == "" && len(found) > 1:
		return nil, console.WithHint(console.Usagef("%s has several servers: %s", file.Path, wording.List(names)), "--server NAME to choose one")
	}
	return nearest(file, found, cwd)
}

// nearest returns the server that a client would use here: the project's before the
// user's.
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
		case wording.IsWithin(e.Project, cwd) && (best == nil || best.Scope == target.ScopeUser || len(e.Project) >= len(best.Project)):
			best = e
		}
		projects = append(projects, e.Project)
	}
	if best == nil {
		return nil, console.WithHint(console.Usagef("%s has the server %q for several projects: %s", file.Path, found[0].Name, wording.List(projects)), "running mcpdbg in one of these project folders")
	}
	return best, nil
}

// ConfiguredServer reads a server from its current file. inputs also has the values of
// variables that are not set.
func ConfiguredServer(path, project, name string, inputs map[string]string) (Target, error) {
	opts, err := TargetOptions()
	if err != nil {
		return Target{}, err
	}
	environ := opts.LookupEnv
	opts.LookupEnv = func(name string) (string, bool) {
		if value, ok := environ(name); ok {
			return value, true
		}
		return inputs[name], inputs[name] != ""
	}
	file, err := target.Read(path, opts)
	if err != nil {
		return Target{}, configError(err)
	}
	i := slices.IndexFunc(file.Entries, func(e target.Entry) bool { return e.Name == name && e.Project == project })
	if i < 0 {
		return Target{}, fmt.Errorf("%s has no server %q any more", path, name)
	}
	return Defaults().Use(file.Entries[i], file.How, resolveInputs(inputs))
}
