package rec

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/ui/widget/termsafe"
)

func recRemoveCommand(env *console.Env) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "rm FILE...",
		Short: "Remove recordings",
		Long: `rm removes the given recordings with all their parts and notes, and prints what
it removed. It does not ask for confirmation. Files that are not recordings are
not removed, nor are recordings in progress, unless --force is given.

FILE is a path, the full name of a recording in the folder where sessions are
recorded, or its last six letters; "last" is the newest there.`,
		Example: `  mcpdbg rec rm last
  mcpdbg rec rm 7k2m9x ./old.jsonl`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usagef("rec rm takes one or more recordings")
			}
			named := slices.Clone(args)
			if err := flags.ResolveRecordings(args); err != nil {
				return err // before any is removed
			}
			for i, path := range args {
				if err := wholeName(named[i], path); err != nil {
					return err
				}
			}
			return recRemove(env, args, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also remove a recording in progress")
	return cmd
}

// Part of a recording's name is not enough to remove it.
func wholeName(name, path string) error {
	base := filepath.Base(path)
	switch {
	case name == path, name == flags.NewestName, name == base, name+".jsonl" == base, strings.EqualFold(name, store.ShortName(base)):
		return nil
	}
	return console.WithHint(console.Usagef("%s not removed: %q is only part of its name", base, name), "mcpdbg rec rm "+wording.Quote(base))
}

func recRemove(env *console.Env, paths []string, force bool) error {
	for _, path := range paths {
		size := store.Size(path)
		if err := store.Remove(path, force); err != nil {
			return cantRemove(path, err)
		}
		if _, err := fmt.Fprintln(env.Stdout, termsafe.String(fmt.Sprintf("removed %s, %s", path, wording.Bytes(size)))); err != nil {
			return err
		}
	}
	return nil
}

func cantRemove(path string, err error) error {
	if errors.Is(err, recordings.ErrLive) {
		return console.WithHint(console.Usagef("%s not removed: %v", path, err), "end that session first, or add --force")
	}
	if errors.Is(err, recordings.ErrPart) {
		first, _ := recordings.FirstPart(path)
		return console.WithHint(console.Usagef("%s not removed: %v", path, err), "mcpdbg rec rm "+first+" to remove all of it")
	}
	return flags.Unreadable(path, err)
}
