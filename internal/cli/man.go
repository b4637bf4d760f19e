package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
)

func manCommand(env *console.Env) *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "Print the manual page of mcpdbg or of one of its commands",
		Long: `man prints a manual page in man(7) format. With --dir it writes the pages of
mcpdbg and of all its commands to a folder, one file each; packages install them
to share/man/man1.`,
		Example: `  mcpdbg man smoke | man -l -
  mcpdbg man --dir /usr/local/share/man/man1`,
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, words []string) error {
			if folder != "" && len(words) > 0 {
				return console.Usagef("--dir writes all pages: remove %s", strings.Join(words, " "))
			}
			if folder != "" {
				return writeManPages(cmd.Root(), folder)
			}
			of, rest, err := cmd.Root().Find(words)
			if err != nil || len(rest) > 0 {
				return console.WithHint(console.Usagef("no command %q", strings.Join(words, " ")), cmd.Root().Name()+" --help to list the commands")
			}
			_, err = env.Stdout.Write(manPage(of))
			return err
		},
	}
	cmd.Flags().StringVar(&folder, "dir", "", "write all pages to this `folder`, creating it if needed")
	_ = cmd.MarkFlagDirname("dir") // the flag exists
	return cmd
}

func completeCommands(cmd *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if of, rest, err := cmd.Root().Find(words); err == nil && len(rest) == 0 {
		for _, c := range documented(of) {
			names = append(names, c.Name())
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func writeManPages(cmd *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return console.Usagef("--dir: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, manName(cmd)+".1"), manPage(cmd), 0o644); err != nil { //nolint:gosec // readable by everyone
		return console.Usagef("--dir: %v", err)
	}
	for _, below := range documented(cmd) {
		if err := writeManPages(below, folder); err != nil {
			return err
		}
	}
	return nil
}

// manName returns the name of a command's page.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func documented(cmd *cobra.Command) []*cobra.Command {
	var below []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			below = append(below, c)
		}
	}
	return below
}

func manPage(cmd *cobra.Command) []byte {
	var page bytes.Buffer
	r := roff{&page}
	r.title(manName(cmd), "mcpdbg "+console.Version)
	r.section("NAME")
	r.text(manName(cmd) + " - " + cmd.Short)
	r.section("SYNOPSIS")
	r.block("  " + cmd.UseLine())
	r.section("DESCRIPTION")
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	r.prose(long)
	if below := documented(cmd); len(below) > 0 {
		r.section("COMMANDS")
		for _, c := range below {
			r.term(strings.TrimPrefix(c.CommandPath(), cmd.Root().Name()+" "), c.Short)
		}
	}
	cmd.InitDefaultHelpFlag()
	r.section("OPTIONS")
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			r.term(optionWords(f))
		}
	})
	r.sections(cmd)
	return page.Bytes()
}

func optionWords(f *pflag.Flag) (words, does string) {
	value, does := pflag.UnquoteUsage(f)
	words = "--" + f.Name
	if f.Shorthand != "" {
		words = "-" + f.Shorthand + ", " + words
	}
	if value != "" {
		words += " " + value
	}
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
		return words, does
	}
	return words, does + " (default " + f.DefValue + ")"
}
