package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/ui/widget/termsafe"
)

// Unreadable returns the error for an unreadable recording, with a hint.
func Unreadable(path string, err error) error {
	format, foreign := errors.AsType[*recordings.FormatError](err)
	_, ended := errors.AsType[*console.SignalError](err)
	switch {
	case ended:
		return err
	case foreign && format.Major > recordings.Version:
		return console.WithHint(console.Usagef("%v", format), "a newer mcpdbg (this is "+console.Version+")")
	case foreign:
		return console.WithHint(console.Usagef("%v", format), ListHint+", or mcpdbg rec import to convert the log of another program")
	case errors.Is(err, fs.ErrNotExist):
		return console.WithHint(console.Usagef("%s: file not found", path), ListHint)
	}
	return console.Usagef("%v", err)
}

// RecordingNames is help on the FILE argument of a recording.
const RecordingNames = `FILE is a path, or part of the name of one recording in the folder where
sessions are recorded, such as its last six letters; "last" is the newest there.
The name of a tap is its live session, or else its newest recording; of several
live ones NAME:PID chooses one.`

// NewestName names the newest recording.
const NewestName = "last"

// ListHint points to the list of recordings.
const ListHint = "mcpdbg rec ls to list the recordings"

const shownCandidates = 8

// ResolveRecording finds a recording: an existing path, part of the name of one in the
// default folder, ignoring case, the word for the newest there, or the name of a tap. A
// name with a separator is always a path. The error is wrong usage.
func ResolveRecording(name string) (string, error) {
	switch info, err := os.Stat(name); {
	case name == "":
		return "", console.WithHint(console.Usagef("no recording given: the name is empty"), ListHint)
	case err == nil && info.IsDir():
		return "", console.WithHint(console.Usagef("%s is a folder, not a recording", name), "mcpdbg rec ls "+wording.Quote(name)+" to list its recordings")
	case err == nil:
		return name, nil
	case name == "-":
		return "", console.WithHint(console.Usagef("a recording cannot be read from standard input: it is read more than once"), "save it to a file first")
	case filepath.Base(name) != name:
		return "", Unreadable(name, err)
	case !errors.Is(err, fs.ErrNotExist):
		return "", console.Usagef("%v", err)
	}
	folders, all, err := store.ListOwn()
	if err != nil {
		return "", console.Usagef("%s: file not found; recordings: %v", name, err)
	}
	return pickRecording(name, folders, all)
}

// ResolveRecordings is ResolveRecording for each name.
func ResolveRecordings(names []string) error {
	for i, name := range names {
		path, err := ResolveRecording(name)
		if err != nil {
			return err
		}
		names[i] = path
	}
	return nil
}

// all is sorted newest first.
func pickRecording(name string, folders []string, all []store.Recording) (string, error) {
	if name == NewestName && len(all) > 0 {
		return all[0].Path, nil
	}
	var found []store.Recording
	for _, r := range all {
		base := filepath.Base(r.Path)
		if base == name || base == name+".jsonl" {
			return r.Path, nil
		}
		if strings.Contains(strings.ToLower(base), strings.ToLower(name)) {
			found = append(found, r)
		}
	}
	for _, live := range []bool{true, false} {
		path, err := tapNamed(name, all, live)
		switch {
		case path != "" || err != nil:
			return path, err
		case len(found) == 1:
			return found[0].Path, nil
		}
	}
	switch {
	case len(found) > 1:
		return "", console.WithHint(console.Usagef("%q is in the names of %d recordings in %s:%s", name, len(found), wording.Paths(folders), candidates(found)),
			"more of the name")
	}
	return "", console.WithHint(console.Usagef("%s: file not found, and no recording in %s has it in its name", name, wording.Paths(folders)),
		ListHint)
}

func candidates(all []store.Recording) string {
	var lines strings.Builder
	for i, r := range all {
		if i == shownCandidates {
			fmt.Fprintf(&lines, "\nand %d older ones", len(all)-i)
			break
		}
		lines.WriteString("\n" + filepath.Base(r.Path))
	}
	return lines.String()
}

// CompleteRecordings completes recordings in the default folder, and else files.
func CompleteRecordings(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, all, err := store.ListOwn()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []cobra.Completion
	if len(all) > 0 && strings.HasPrefix(NewestName, typed) {
		names = append(names, cobra.CompletionWithDesc(NewestName, "the newest recording"))
	}
	for _, r := range all {
		name := filepath.Base(r.Path)
		if strings.HasPrefix(name, typed) && termsafe.String(name) == name { // completions are printed unescaped
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, cobra.ShellCompDirectiveDefault // files
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
