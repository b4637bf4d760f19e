package cli

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/scenario"
	"mcpdbg/internal/verify/report"
)

func schemas() map[string]func() []byte {
	return map[string]func() []byte{
		"answers":    scenario.AnswersSchema, // of --answers
		"report":     report.Schema,          // of --report FILE.json
		"scenario":   scenario.Schema,        // of mcpdbg run --scenario
		"smoke":      report.SmokeSchema,     // of mcpdbg smoke --json
		"smoke-line": report.LineSchema,      // of each line of mcpdbg smoke --jsonl
		"check":      report.CheckSchema,     // of mcpdbg check --json
	}
}

func schemaCommand(env *console.Env) *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas()))
	return &cobra.Command{
		Use:                   "schema [NAME]",
		DisableFlagsInUseLine: true,
		Short:                 "Print the JSON Schema of a file that mcpdbg reads or writes",
		Long: `schema prints a JSON Schema (2020-12), for editors and for programs:

  answers      the files of --answers
  check        what mcpdbg check --json prints
  report       what --report FILE.json of smoke and check writes
  scenario     the files of mcpdbg run --scenario and mcpdbg smoke --scenario
  smoke        what mcpdbg smoke --json prints
  smoke-line   each line of what mcpdbg smoke --jsonl prints

Without a name it lists the names.

An editor with YAML support checks and completes a scenario whose first line is

  # yaml-language-server: $schema=scenario.schema.json`,
		Example:   `  mcpdbg schema scenario > scenario.schema.json`,
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(env.Stdout, strings.Join(names, "\n"))
				return err
			}
			schema := schemas()[args[0]]
			if schema == nil || len(args) > 1 {
				return console.WithHint(console.Usagef("unknown schema %q", strings.Join(args, " ")), "one of "+strings.Join(names, ", "))
			}
			_, err := env.Stdout.Write(schema())
			return err
		},
	}
}

func versionCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and build information",
		Example: `  mcpdbg version`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return printVersion(env)
		},
	}
}

func printVersion(env *console.Env) error {
	_, err := fmt.Fprintln(env.Stdout, versionLine())
	return err
}

func versionLine() string {
	line := fmt.Sprintf("mcpdbg %s %s/%s %s", console.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		line += buildWords(info.Settings)
	}
	return line
}

// buildWords returns commit and date, which only a build in a repository has.
func buildWords(settings []debug.BuildSetting) string {
	noted := map[string]string{}
	for _, s := range settings {
		noted[s.Key] = s.Value
	}
	words := ""
	if commit := noted["vcs.revision"]; commit != "" {
		words += " commit " + commit[:min(len(commit), 12)]
		if noted["vcs.modified"] == "true" {
			words += "+changes"
		}
	}
	if date := noted["vcs.time"]; date != "" {
		words += " " + date
	}
	return words
}
