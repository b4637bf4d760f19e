package tui

import (
	"slices"
	"strings"

	"mcpdbg/internal/cli/flags"
	"mcpdbg/recordings/store"
	"mcpdbg/session/target"
)

type home struct {
	Files []target.File // from the known locations; unreadable ones have Err
	Notes []string      // what could not be read, and why

	Folders    []string          // of recordings
	Recordings []store.Recording // the newest first, not read yet
}

const maxRecent = 10

// Recent returns the newest recordings, from their first and last lines.
func (h *home) Recent() []store.Recording {
	newest := slices.Clone(h.Recordings[:min(len(h.Recordings), maxRecent)])
	for i := range newest {
		_ = newest[i].Look() // what cannot be read stays empty
	}
	return newest
}

// It reads no recordings.
func discover() home {
	opts, err := flags.TargetOptions()
	h := home{Files: target.Discover(opts)}
	if err != nil {
		h.Notes = append(h.Notes, err.Error())
	}
	if h.Folders, h.Recordings, err = store.ListOwn(); err != nil {
		h.Notes = append(h.Notes, "recordings: "+err.Error())
	}
	return h
}

// Servers returns how many servers were found.
func (h *home) Servers() int {
	n := 0
	for i := range h.Files {
		n += len(h.Files[i].Entries)
	}
	return n
}

// commandText returns a server's command line without secrets.
func commandText(e *target.Entry) string {
	words := make([]string, len(e.Argv))
	for i, arg := range e.Argv {
		words[i] = arg.String()
	}
	return strings.Join(words, " ")
}
