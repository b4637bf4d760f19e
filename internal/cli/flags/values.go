package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/target"
)

// A Limit is a flag for a number with a unit.
type Limit[N ~int64] struct {
	text  string
	Value *N
	Parse func(string) (N, error)
}

// String implements pflag.Value.
func (l *Limit[N]) String() string { return l.text }

// Type implements pflag.Value.
func (l *Limit[N]) Type() string { return "limit" }

// Set implements pflag.Value.
func (l *Limit[N]) Set(text string) error {
	value, err := l.Parse(text)
	*l.Value, l.text = value, text
	return err
}

// size is in bytes, with an optional suffix K, M or G.
type size int

// String implements pflag.Value.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return fmt.Sprint(int(*s))
}

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	digits := strings.TrimRight(strings.ToUpper(text), "B")
	unit := 1
	for suffix, factor := range map[string]int{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if rest, ok := strings.CutSuffix(digits, suffix); ok {
			digits, unit = rest, factor
			break
		}
	}
	var n int
	if _, err := fmt.Sscanf(digits, "%d", &n); err != nil || fmt.Sprint(n) != digits || n <= 0 || n > maxSize/unit {
		return fmt.Errorf("invalid size %q: write 65536, 64K, 16M or 1G", text)
	}
	*s = size(n * unit)
	return nil
}

const maxSize = 2 << 30

// CompleteOneOf completes a flag that takes one of words.
func CompleteOneOf(cmd *cobra.Command, flag string, words ...cobra.Completion) {
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteNothing turns off file completion for flags.
func CompleteNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions) // the flag exists
	}
}

// NoArgs rejects arguments before the first --.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && target.IsURL(args[0]) {
		return URLError(args[0])
	}
	if len(args) > 0 {
		return console.WithHint(console.Usagef("%s: unexpected %q: put the server command after --", cmd.CommandPath(), args[0]), ExpandedHint(cmd))
	}
	return nil
}

// URLError returns the error for a server URL, with a hint.
func URLError(url string) error {
	return console.WithHint(console.Usagef("server URLs are not supported: mcpdbg starts servers that speak over stdio"),
		target.BridgeHint(url))
}

// CompleteRules completes the ids of rules.
func CompleteRules(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	for _, r := range rule.All() {
		if strings.HasPrefix(r.ID, strings.ToUpper(typed)) {
			ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Title))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// Typed returns the flags and the server command of a command line without the program's
// name: flags, then the command, with or without --. With --config the command is that of
// the file.
func Typed(words []string) (Target, []string, error) { return typed(words, nil) }

func typed(words []string, tokens *Tokens) (Target, []string, error) {
	t := Target{ExecServer: ExecServer{Tokens: tokens}}
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
		return t, nil, console.Usagef("no command: type the server command after the flags")
	}
	return Choose(&console.Env{Command: argv, HasCommand: len(argv) > 0}, t)
}

func typedError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return console.Usagef("--help: put it after the server's program, or see mcpdbg --help in a shell")
	}
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return console.Usagef("%v", err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := wording.Nearest(name, known); near != "" {
		return console.Usagef("%v; did you mean --%s?", err, near)
	}
	return console.Usagef("%v; flags after the program belong to the server", err)
}
