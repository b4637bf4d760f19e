package rec

import (
	"os"
	"path/filepath"
	"sort"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
)

// A source is a recording, and the shortest name by which commands take it.
type source struct{ path, name string }

// sourcesOf returns the recordings that arguments name: of a folder, all of it in the order
// of rec ls. Without arguments it returns those of all sessions.
func sourcesOf(args []string) ([]source, error) {
	if len(args) == 0 {
		folders, files, err := store.ListOwn()
		if err != nil {
			return nil, console.Usagef("recordings: %v", err)
		}
		if len(files) == 0 {
			return nil, console.WithHint(console.Usagef("no recordings in %s", folders[0]), "mcpdbg run, or a file or folder")
		}
		return ownSources(newestFirst(files)), nil
	}
	var all []source
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			files, err := store.List(arg)
			if err != nil {
				return nil, console.Usagef("%v", err)
			}
			for _, f := range newestFirst(files) {
				all = append(all, source{f.Path, f.Path})
			}
			continue
		}
		path, err := flags.ResolveRecording(arg)
		if err != nil {
			return nil, err
		}
		name := path
		if path != arg {
			name = filepath.Base(path)
		}
		all = append(all, source{path, name})
	}
	if len(all) == 0 {
		return nil, console.Usagef("no recordings in %s; folders below it are not searched", args[0])
	}
	return all, nil
}

// newestFirst sorts recordings by their start, as rec ls does.
func newestFirst(files []store.Recording) []store.Recording {
	for i := range files {
		if s, err := recordings.Peek(files[i].Path); err == nil && !s.Header.Start.IsZero() {
			files[i].When = s.Header.Start
		}
	}
	sort.SliceStable(files, func(i, j int) bool {
		a, b := &files[i], &files[j]
		return b.When.Compare(a.When) < 0
	})
	return files
}

// ownSources shortens the names of recordings as rec ls does.
func ownSources(files []store.Recording) []source {
	list := make([]Listed, len(files))
	for i := range files {
		list[i].Name = filepath.Base(files[i].Path)
	}
	shortenNames(list)
	all := make([]source, len(files))
	for i := range files {
		all[i] = source{files[i].Path, list[i].Name}
	}
	return all
}
