package cli

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/session/spelling"
)

// This file is about words before the first -- that are not commands, and flags
// that are not known: most are a server's command that -- is missing before.

// unknownCommand says what to do about a word that is not a command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if hint := expandedHint(cmd); hint != "" {
		return withHint(usagef("unexpected %q: the server's command stands after --", args[0]), hint)
	}
	return unknownWord(cmd, args)
}

// unknownWord is the error about words below cmd of which the first is not a
// command of it.
func unknownWord(cmd *cobra.Command, words []string) error {
	if isURL(words[0]) {
		return urlError(words[0])
	}
	failed := usagef("unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" ", cmd.Root().Name()+" ")+words[0])
	if near := nearCommands(cmd, words[0]); len(near) > 0 {
		return withHint(failed, strings.Join(near, ", or "))
	}
	if cmd.HasParent() {
		return withHint(failed, cmd.CommandPath()+" --help lists the commands")
	}
	if isCommand(words) {
		return withHint(failed, missingDashes(cmd, words))
	}
	return withHint(failed, cmd.Name()+" --help lists the commands; a server's command stands after --")
}

// isCommand reports whether words look like the command of a server.
func isCommand(words []string) bool {
	if len(words) > 1 || strings.ContainsAny(words[0], `/\`) {
		return true
	}
	_, err := exec.LookPath(words[0])
	return err == nil
}

// missingDashes says how to write the command of a server.
func missingDashes(cmd *cobra.Command, words []string) string {
	return cmd.CommandPath() + " -- " + commandLine(words) + " (a server's command goes after --)"
}

// nearCommands are the commands that a word may have meant: those below cmd, or
// else any that is called like that.
func nearCommands(cmd *cobra.Command, word string) []string {
	var near []string
	if word == "" {
		return nil
	}
	for _, c := range documented(cmd) {
		if len(spelling.Near(word, []string{c.Name()})) > 0 || slices.Contains(c.SuggestFor, word) {
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

// urlPattern is the beginning of a URL of a server.
var urlPattern = regexp.MustCompile(`^(?i:https?)://`)

// isURL reports whether a word is a URL of a server.
func isURL(word string) bool { return urlPattern.MatchString(word) }

// urlError says what to write instead of the URL of a server.
func urlError(url string) error {
	return withHint(usagef("servers with a URL are not supported: mcpdbg starts a server that speaks over stdio"),
		"-- npx -y mcp-remote "+word(url)+" (a program that connects stdio with the URL)")
}

// flagError is the error about flags of cmd that could not be parsed; args are
// all words before the first --.
func flagError(cmd *cobra.Command, err error, args []string) error {
	failed := usagef("%v (see %s --help)", err, cmd.CommandPath())
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := spelling.Nearest(name, known); near != "" && len(near) > 3 {
			return withHint(failed, "--"+near)
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
		return withHint(failed, strings.Join(near, ", or "))
	}
	return withHint(failed, missingDashes(cmd, words))
}

// takesOnlyFlags are the commands that take no words before the first --.
var takesOnlyFlags = map[string]bool{"run": true, "smoke": true}

// afterWord is what follows the first word of args that is not a flag of cmd.
func afterWord(cmd *cobra.Command, args []string) []string {
	words := wordsOf(cmd, args)
	return words[min(1, len(words)):]
}

// wordsOf is args from the first word on that is neither a flag of cmd nor the
// value of one.
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
		f = cmd.Flags().Lookup(name) // with = in it there is none
	} else if len(arg) == 2 {
		f = cmd.Flags().ShorthandLookup(arg[1:])
	}
	return f != nil && f.NoOptDefVal == ""
}

// checkHelp refuses a question for help about a command that does not exist.
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
