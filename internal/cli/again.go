package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui"
)

// Again implements ui.Launcher.
func (l *launcher) Again(_ context.Context, again ui.Again) (ui.Opened, error) {
	t := freshFlags()
	t.cwd, t.shown = again.Header.Cwd, again.Argv
	if again.Header.Host != "" {
		t.ssh.dest = again.Header.Host
	}
	if again.EnvPolicy != "" && !t.ssh.remote() {
		t.envPolicy = again.EnvPolicy
	}
	var secrets []executor.EnvVar
	var pairs []string
	for _, name := range again.Named {
		value, given := again.Values[name]
		if !given {
			var there bool
			if value, there = os.LookupEnv(name); !there {
				return ui.Opened{}, fmt.Errorf("%s needs a value: it is not in this environment", name)
			}
		}
		t.env = append(t.env, name+"="+value)
		pairs = append(pairs, "${"+name+"}", value)
	}
	for name, value := range again.Values {
		secrets = append(secrets, executor.EnvVar{Name: name, Value: value})
		if !slices.Contains(again.Named, name) {
			pairs = append(pairs, "${"+name+"}", value)
		}
	}
	argv := slices.Clone(again.Argv)
	fill := strings.NewReplacer(pairs...)
	for i := range argv {
		argv[i] = fill.Replace(argv[i])
	}
	t.configure = func(cfg *session.Config) {
		delete(cfg.Policies, mcp.MethodRoots) // the recording has an answer, or the person
		cfg.Secrets = append(cfg.Secrets, secrets...)
		again.Configure(cfg)
	}
	return l.start(t, argv, "replay of "+t.serverName(argv))
}
