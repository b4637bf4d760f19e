package flags

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/wording"
)

// Typed returns the flags and the server command of a command line without the
// program's own name: flags, then the command, with or without -- before it. With
// --config the command is that of the file.
func Typed(words []string) (Target, []string, error) {
	var t Target
	cmd := &cobra.Command{}
	t.Register(cmd)
	cmd.Flags().SetInterspersed(false) // flags after the program are the program's
	if len(words) > 1 && words[0] == "mcpdbg" && strings.HasPrefix(words[1], "-") {
		words = words[1:]
	}
	if err := cmd.Flags().Parse(words); err != nil {
		return t, nil, typedError(cmd, err)
	}
	argv := slices.Clone(cmd.Flags().Args())
	if len(argv) == 0 && t.Config.File == "" {
		return t, nil, exit.Usagef("no command: type the server command after the flags")
	}
	return Choose(&console.Env{Command: argv, HasCommand: len(argv) > 0}, t)
}

// typedError returns the error for flags that cannot be parsed.
func typedError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return exit.Usagef("--help: put it after the server's program, or see mcpdbg --help in a shell")
	}
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return exit.Usagef("%v", err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := wording.Nearest(name, known); near != "" {
		return exit.Usagef("%v; did you mean --%s?", err, near)
	}
	return exit.Usagef("%v; flags after the program belong to the server", err)
}
