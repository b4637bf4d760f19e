package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
)

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

// versionLine returns the output of mcpdbg version.
func versionLine() string {
	line := fmt.Sprintf("mcpdbg %s %s/%s %s", console.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		line += buildWords(info.Settings)
	}
	return line
}

// buildWords returns the commit that a program was built from and its date, as
// the go command noted them. A build outside a repository has neither.
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
