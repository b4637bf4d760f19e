package flags

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/scenario"
)

// Scenario name a scenario and set its variables.
type Scenario struct {
	File string
	Vars []string
}

// Register adds the flags.
func (s *Scenario) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.File, "scenario", "", "run the steps of this scenario `file`; - is standard input")
	f.StringArrayVar(&s.Vars, "var", nil, "set the scenario variable `NAME=VALUE`; may be repeated")
	// They fail only for flags that do not exist.
	_ = cmd.MarkFlagFilename("scenario", "yaml", "yml", "json")
	_ = cmd.RegisterFlagCompletionFunc("var", cobra.NoFileCompletions)
}

// Read reads the scenario with its variables, or returns nil without one. Errors are
// wrong usage.
func (s *Scenario) Read(ctx context.Context, env *console.Env) (*scenario.Scenario, *scenario.Vars, error) {
	if s.File == "" {
		if len(s.Vars) > 0 {
			return nil, nil, console.Usagef("--var requires --scenario")
		}
		return nil, nil, nil
	}
	given := make(map[string]string, len(s.Vars))
	for _, pair := range s.Vars {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, nil, console.Usagef("--var %q: must be NAME=VALUE", pair)
		}
		given[name] = value
	}
	data, err := env.ReadFile(ctx, "--scenario", s.File)
	if err != nil {
		return nil, nil, console.WithHint(err, "mcpdbg rec export --format scenario to make one from a recording")
	}
	name := s.File
	if name == "-" {
		name = console.StandardInput
	}
	sc, err := scenario.Parse(name, data)
	if err != nil {
		return nil, nil, console.Usagef("%v", err)
	}
	vars, err := sc.Bind(given, os.LookupEnv)
	if err != nil {
		return nil, nil, console.WithHint(console.Usagef("%v", err), "--var NAME=VALUE to set a variable")
	}
	return sc, vars, nil
}
