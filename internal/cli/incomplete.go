package cli

import (
	"fmt"
	"os"
	"sync"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/termsafe"
)

// An incompleteList collects the recordings of an invocation that are
// incomplete. It may be used by any goroutine.
type incompleteList struct {
	mu   sync.Mutex
	list []string
}

// add adds a recording that was closed, if it is incomplete. A log that was not
// to be kept is none.
func (l *incompleteList) add(log *recordings.File) {
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

// shownIncomplete is how many incomplete recordings are named.
const shownIncomplete = 5

// reportIncomplete says on standard error which recordings are incomplete, and
// reports whether any is.
func (a *app) reportIncomplete() bool {
	a.incomplete.mu.Lock()
	defer a.incomplete.mu.Unlock()
	list := a.incomplete.list
	for i, text := range list {
		if i == shownIncomplete {
			fmt.Fprintf(a.stderr, "mcpdbg: and %d more recordings are incomplete\n", len(list)-i)
			break
		}
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: recording incomplete: "+text))
	}
	return len(list) > 0
}

// A temporaryShelf is the folder for recordings where the usual one has no
// place, as without HOME.
type temporaryShelf struct {
	mu   sync.Mutex
	path string // "" until it is needed
}

// shelve has sessions recorded to a temporary folder if there is no usual one.
// The warning about it is "" but for the first time.
func (a *app) shelve(t *targetFlags) (warning string, err error) {
	if t.noRecord || t.record != "" || t.recordings != "" {
		return "", nil
	}
	_, why := recordings.DefaultDir()
	if why == nil {
		return "", nil
	}
	a.temporary.mu.Lock()
	defer a.temporary.mu.Unlock()
	if a.temporary.path == "" {
		if a.temporary.path, err = os.MkdirTemp("", "mcpdbg-recordings-*"); err != nil { // 0700
			return "", withHint(usagef("recordings can't be kept: %v, and %v", why, err), "--record FILE names a file, and --no-record needs none")
		}
		warning = fmt.Sprintf("warning: %v: recording to the temporary folder %s", why, a.temporary.path)
	}
	t.recordings = a.temporary.path
	return warning, nil
}

// warnShelf is shelve, with the warning on standard error.
func (a *app) warnShelf(t *targetFlags) error {
	warning, err := a.shelve(t)
	if warning != "" {
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+warning))
	}
	return err
}
