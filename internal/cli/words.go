package cli

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
)

// Most words before the first -- that are not commands, and unknown flags, belong to a
// server command without the --.

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if hint := flags.ExpandedHint(cmd); hint != "" {
		return console.WithHint(console.Usagef("unexpected %q: put the server command after --", args[0]), hint)
	}
	return unknownWord(cmd, args)
}

// The first of words is not a subcommand of cmd.
func unknownWord(cmd *cobra.Command, words []string) error {
	if target.IsURL(words[0]) {
		return flags.URLError(words[0])
	}
	failed := console.Usagef("unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" ", cmd.Root().Name()+" ")+words[0])
	if near := nearCommands(cmd, words[0]); len(near) > 0 {
		return console.WithHint(failed, strings.Join(near, ", or "))
	}
	if cmd.HasParent() {
		return console.WithHint(failed, cmd.CommandPath()+" --help to list the commands")
	}
	if isCommand(words) {
		return console.WithHint(failed, missingDashes(cmd, words))
	}
	return console.WithHint(failed, cmd.Name()+" --help to list the commands; put a server command after --")
}

func isCommand(words []string) bool {
	if len(words) > 1 || strings.ContainsAny(words[0], `/\`) {
		return true
	}
	_, err := exec.LookPath(words[0])
	return err == nil
}

func missingDashes(cmd *cobra.Command, words []string) string {
	return cmd.CommandPath() + " -- " + wording.CommandLine(words) + " (the server command goes after --)"
}

// nearCommands returns subcommands of cmd, or else any command of a misspelled name.
func nearCommands(cmd *cobra.Command, word string) []string {
	var near []string
	if word == "" {
		return nil
	}
	for _, c := range documented(cmd) {
		if len(wording.Near(word, []string{c.Name()})) > 0 || slices.Contains(c.SuggestFor, word) {
			near = append(near, c.CommandPath())
		}
	}
	if len(near) > 0 {
		return near
	}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if c.Name() == word {
			near = append(near, c.CommandPath())
		}
		for _, below := range documented(c) {
			look(below)
		}
	}
	look(cmd.Root())
	return near
}

// args are all arguments before the first --.
func flagError(cmd *cobra.Command, err error, args []string) error {
	failed := console.Usagef("%v (see %s --help)", err, cmd.CommandPath())
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := wording.Nearest(name, known); near != "" && len(near) > 3 {
			return console.WithHint(failed, "--"+near)
		}
	}
	for range strings.Fields(cmd.CommandPath())[1:] {
		args = afterWord(cmd, args)
	}
	words := wordsOf(cmd, args)
	if cmd.HasParent() && !takesOnlyFlags[cmd.Name()] || len(words) == 0 {
		return failed
	}
	if near := nearCommands(cmd, words[0]); !cmd.HasParent() && len(near) > 0 {
		return console.WithHint(failed, strings.Join(near, ", or "))
	}
	return console.WithHint(failed, missingDashes(cmd, words))
}

var takesOnlyFlags = map[string]bool{"run": true, "smoke": true}

// afterWord skips the first argument that is not a flag of cmd.
func afterWord(cmd *cobra.Command, args []string) []string {
	words := wordsOf(cmd, args)
	return words[min(1, len(words)):]
}

// wordsOf starts at the first one that is neither a flag of cmd nor its value.
func wordsOf(cmd *cobra.Command, args []string) []string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' {
			return args[i:]
		}
		if takesValue(cmd, arg) {
			i++
		}
	}
	return nil
}

// takesValue reports whether the word after a flag of cmd is its value.
func takesValue(cmd *cobra.Command, arg string) bool {
	var f *pflag.Flag
	if name, long := strings.CutPrefix(arg, "--"); long {
		f = cmd.Flags().Lookup(name) // nil for --name=value
	} else if len(arg) == 2 {
		f = cmd.Flags().ShorthandLookup(arg[1:])
	}
	return f != nil && f.NoOptDefVal == ""
}

// checkHelp rejects unknown commands.
func checkHelp(root *cobra.Command, args []string) error {
	words, asked := args, false
	if len(args) > 0 && args[0] == "help" {
		words, asked = args[1:], true
	}
	asked = asked || slices.Contains(args, "--help") || slices.Contains(args, "-h")
	if !asked {
		return nil
	}
	cmd := root
	for {
		words = wordsOf(cmd, words)
		if len(words) == 0 || !cmd.HasAvailableSubCommands() {
			return nil
		}
		i := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == words[0] || c.HasAlias(words[0]) })
		if i < 0 {
			return unknownWord(cmd, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--help" || w == "-h" }))
		}
		cmd, words = cmd.Commands()[i], words[1:]
	}
}
