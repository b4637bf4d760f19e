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
func (l *launcher) Again(ctx context.Context, again ui.Again) (ui.Opened, error) {
	t, ofRun, err := l.flagsOf(again)
	if err != nil {
		return ui.Opened{}, err
	}
	t.shown = again.Argv
	var secrets []executor.EnvVar
	var pairs []string
	if t.from != nil {
		for _, secret := range t.from.start.Secrets() {
			pairs = append(pairs, "${"+secret.Name+"}", secret.Value)
		}
	}
	for _, name := range again.Named {
		value, given := again.Values[name]
		if !given && ofRun {
			continue // the flags have it
		}
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
	return l.start(ctx, t, argv, "replay of "+t.serverName(argv))
}

// flagsOf are the flags with which what a recording tells of is started again:
// those of the run that it is of, or what it says itself.
func (l *launcher) flagsOf(again ui.Again) (t targetFlags, ofRun bool, err error) {
	if l.target != nil && again.File != "" {
		if t, ofRun, err = l.target(again.File); ofRun {
			return t, true, err
		}
	}
	t = freshFlags()
	t.cwd = again.Header.Cwd
	if again.Header.Host != "" {
		t.ssh.dest = again.Header.Host
	}
	if again.EnvPolicy != "" && !t.ssh.remote() {
		t.envPolicy = again.EnvPolicy
	}
	return t, false, nil
}
