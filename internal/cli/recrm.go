package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/notes"
	"mcpdbg/ui/termsafe"
)

func (a *app) recRemoveCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "rm FILE...",
		Short: "Remove recordings",
		Long: `rm removes the recordings that are named, with all their parts and the notes on
them, and says what it removed. It asks nothing. What is no recording is left
alone, and so is one that is being recorded, unless --force is given.

FILE is a path, the whole name of a recording in the folder where sessions are
recorded, or its last six letters; "last" is the newest there.`,
		Example: `  mcpdbg rec rm last
  mcpdbg rec rm 7k2m9x ./old.jsonl`,
		ValidArgsFunction: completeRecordings,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("rec rm takes one recording or more")
			}
			named := slices.Clone(args)
			if err := resolveRecordings(args); err != nil {
				return err // before any is gone
			}
			for i, path := range args {
				if err := wholeName(named[i], path); err != nil {
					return err
				}
			}
			return a.recRemove(args, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "remove also what is being recorded")
	return cmd
}

// wholeName refuses a name that is only some part of that of the recording which
// it was found by: too little to remove it.
func wholeName(name, path string) error {
	base := filepath.Base(path)
	switch {
	case name == path, name == newestName, name == base, name+".jsonl" == base, strings.EqualFold(name, shortName(base)):
		return nil
	}
	return withHint(usagef("%s is not removed: %q is only a part of its name", base, name), "mcpdbg rec rm "+word(base))
}

func (a *app) recRemove(paths []string, force bool) error {
	for _, path := range paths {
		size := sizeOf(path)
		if err := removeRecording(path, force); err != nil {
			return cantRemove(path, err)
		}
		if _, err := fmt.Fprintln(a.stdout, termsafe.String(fmt.Sprintf("removed %s, %s", path, byteCount(size)))); err != nil {
			return err
		}
	}
	return nil
}

// removeRecording removes a recording and all that belongs to it.
func removeRecording(path string, force bool) error {
	if err := recordings.Remove(path, force); err != nil {
		return err
	}
	if err := os.Remove(notes.Path(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// cantRemove says why a recording was not removed.
func cantRemove(path string, err error) error {
	if errors.Is(err, recordings.ErrLive) {
		return withHint(usagef("%s is not removed: %v", path, err), "end that session first, or add --force")
	}
	if errors.Is(err, recordings.ErrPart) {
		first, _ := recordings.FirstPart(path)
		return withHint(usagef("%s is not removed: %v", path, err), "mcpdbg rec rm "+first+" removes all of it")
	}
	return unreadable(path, err)
}

// sizeOf is how many bytes a recording takes, its notes included.
func sizeOf(path string) int64 {
	total := int64(0)
	if s, err := recordings.Peek(path); err == nil {
		total = s.Size
	}
	if info, err := os.Lstat(notes.Path(path)); err == nil {
		total += info.Size()
	}
	return total
}
