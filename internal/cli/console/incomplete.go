package console

import (
	"fmt"
	"os"
	"sync"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/widget/termsafe"
)

// An IncompleteList collects the incomplete recordings of an invocation. It is
// safe for concurrent use.
type IncompleteList struct {
	mu   sync.Mutex
	list []string
}

// Add adds a closed recording if it is incomplete. A log without a file does not
// count.
func (l *IncompleteList) Add(log *recordings.File) {
	stats := log.Stats()
	text := stats.RecordingError
	switch {
	case log.Path() == "":
		return
	case stats.Recording == session.RecordingStopped:
		text = log.Path() + ": " + text
	case stats.Recording != session.RecordingIncomplete:
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, text)
}

// RecordedTo returns the line that names the folder with all recordings.
func (l *IncompleteList) RecordedTo(folder string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := "recorded to " + folder
	if n := len(l.list); n > 0 {
		text += fmt.Sprintf(", %d incomplete", n)
	}
	return text
}

// shownIncomplete is the maximum number of incomplete recordings that are named.
const shownIncomplete = 5

// ReportIncomplete prints the incomplete recordings to standard error, and
// reports whether there are any.
func (env *Env) ReportIncomplete() bool {
	env.Incomplete.mu.Lock()
	defer env.Incomplete.mu.Unlock()
	list := env.Incomplete.list
	for i, text := range list {
		if i == shownIncomplete {
			fmt.Fprintf(env.Stderr, "mcpdbg: and %d more recordings are incomplete\n", len(list)-i)
			break
		}
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: recording incomplete: "+text))
	}
	return len(list) > 0
}

// A temporaryFolder is the folder for recordings if there is no default folder,
// as without HOME.
type temporaryFolder struct {
	mu   sync.Mutex
	path string // "" until it is needed
}

// Use returns the folder, creating it at the first call.
func (f *temporaryFolder) Use() (path string, created bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		created = true
		if f.path, err = os.MkdirTemp("", "mcpdbg-recordings-*"); err != nil { // 0700
			return "", false, err
		}
	}
	return f.path, created, nil
}
