package rec

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings/redact"
)

type redactRules struct {
	env        []string // names of environment variables
	files      []string // with one value each
	keys       []string
	pointers   []string
	patterns   []string
	noDefaults bool
	home       bool
	identity   bool
}

var redactFlags = []string{"env", "value-from", "key", "pointer", "pattern", "no-defaults", "home", "identity"}

func (o *redactRules) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.env, "env", nil, "remove the value of the environment variable `name`")
	f.StringArrayVar(&o.files, "value-from", nil, "remove the text in `file`")
	f.StringArrayVar(&o.keys, "key", nil, "remove the values of members with this `name`")
	f.StringArrayVar(&o.pointers, "pointer", nil, "remove everything at or below `[method:]/pointer`")
	f.StringArrayVar(&o.patterns, "pattern", nil, "remove matches of the regular expression `re`")
	f.BoolVar(&o.noDefaults, "no-defaults", false, "remove only what the other flags name")
	f.BoolVar(&o.home, "home", false, "replace home folders such as /home/ada by ~")
	f.BoolVar(&o.identity, "identity", false, "remove your user and host names, and those in the recording")
}

func (o *redactRules) rules(ctx context.Context, env *console.Env) (redact.Rules, error) {
	var rules redact.Rules
	if !o.noDefaults {
		rules = redact.Default()
		rules.DigestKey = env.DigestKey()
	}
	for _, name := range o.env {
		value, ok := os.LookupEnv(name)
		if !ok {
			return rules, console.WithHint(console.Usagef("--env %s: not set in this environment", name), "set it for this command, or put its value into a file for --value-from")
		}
		rules.Values = append(rules.Values, redact.Value{Name: "env " + name, Text: value})
	}
	for i, file := range o.files {
		text, err := env.ReadFile(ctx, "--value-from", file)
		if err != nil {
			return rules, err
		}
		rules.Values = append(rules.Values, redact.Value{Name: fmt.Sprintf("value %d", i+1), Text: strings.TrimRight(string(text), "\r\n")})
	}
	for i, expr := range o.patterns {
		rules.Patterns = append(rules.Patterns, redact.Pattern{Name: fmt.Sprintf("pattern %d", i+1), Expr: expr})
	}
	rules.Keys = append(rules.Keys, o.keys...)
	rules.Pointers = o.pointers
	rules.Home, rules.Identity = o.home, o.identity
	if o.identity {
		rules.Names = ownNames()
	}
	return rules, nil
}

func ownNames() []string {
	names := []string{os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME")}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	return names
}
