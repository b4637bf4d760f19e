package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/ui/termsafe"
)

// recordingNames is what the help of a command that takes a recording says of
// its argument.
const recordingNames = `FILE is a path, or a part of the name of one recording in the folder where
sessions are recorded, such as its last six letters; "last" is the newest there.`

// newestName is the word for the newest recording.
const newestName = "last"

// listHint is where to look for a name.
const listHint = "mcpdbg rec ls lists the recordings"

// shownCandidates is how many recordings an error lists.
const shownCandidates = 8

// resolveRecording finds the recording that a person names: a path that is
// there, or a part, in any case, of the name of one recording in the default
// folder, or the newest one there. Who can't write a path that is there means
// none: a name with a separator in it is always a path. The error is wrong
// usage.
func resolveRecording(name string) (string, error) {
	switch info, err := os.Stat(name); {
	case name == "":
		return "", withHint(usagef("a recording has to be named"), listHint)
	case err == nil && info.IsDir():
		return "", withHint(usagef("%s is a folder, not a recording", name), "name a .jsonl file in it; mcpdbg rec ls "+word(name)+" lists them")
	case err == nil:
		return name, nil
	case name == "-":
		return "", withHint(usagef("a recording can't be read from standard input: it is read more than once"), "save it to a file first")
	case filepath.Base(name) != name:
		return "", unreadable(name, err)
	case !errors.Is(err, fs.ErrNotExist):
		return "", usagef("%v", err)
	}
	folder, err := recordings.DefaultDir()
	if err != nil {
		return "", usagef("%s: there is no such file (%v)", name, err)
	}
	all, err := datedRecordings(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", usagef("%s: there is no such file; recordings: %v", name, err)
	}
	return pickRecording(name, folder, all)
}

// resolveRecordings replaces each name by the path that resolveRecording finds.
func resolveRecordings(names []string) error {
	for i, name := range names {
		path, err := resolveRecording(name)
		if err != nil {
			return err
		}
		names[i] = path
	}
	return nil
}

// pickRecording finds the one that a name means among all, the newest first.
func pickRecording(name, folder string, all []recent) (string, error) {
	if name == newestName && len(all) > 0 {
		return all[0].path, nil
	}
	var found []recent
	for _, r := range all {
		base := filepath.Base(r.path)
		if base == name || base == name+".jsonl" {
			return r.path, nil
		}
		if strings.Contains(strings.ToLower(base), strings.ToLower(name)) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		return found[0].path, nil
	case len(found) > 1:
		return "", withHint(usagef("%q is in the names of %d recordings of %s:%s", name, len(found), shortPath(folder), candidates(found)),
			"name one of them by more of its name")
	}
	return "", withHint(usagef("%s: there is no such file, and no recording in %s has it in its name", name, shortPath(folder)),
		listHint)
}

// candidates are the names of recordings, one a line.
func candidates(all []recent) string {
	var lines strings.Builder
	for i, r := range all {
		if i == shownCandidates {
			fmt.Fprintf(&lines, "\nand %d older ones", len(all)-i)
			break
		}
		lines.WriteString("\n" + filepath.Base(r.path))
	}
	return lines.String()
}

// completeRecordings completes a recording by the names in the default folder,
// and by the files of the current one.
func completeRecordings(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	folder, err := recordings.DefaultDir()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	all, _ := datedRecordings(folder) // without the folder there are none
	var names []cobra.Completion
	if len(all) > 0 && strings.HasPrefix(newestName, typed) {
		names = append(names, cobra.CompletionWithDesc(newestName, "the newest recording"))
	}
	for _, r := range all {
		name := filepath.Base(r.path)
		if strings.HasPrefix(name, typed) && termsafe.String(name) == name { // it goes to the terminal as it is
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, cobra.ShellCompDirectiveDefault // files
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
