package tui

import (
	"context"
	"errors"
	"fmt"

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings/notes"
	"mcpdbg/ui"
	"mcpdbg/ui/prompter"
	"mcpdbg/ui/workspace"
)

// ShowRecordings shows recordings in the interface. It returns errors about
// recordings before the interface starts.
func ShowRecordings(ctx context.Context, env *console.Env, files []string) error {
	prompter := prompter.New()
	l := &Launcher{Env: env, prompter: prompter}
	var opened []workspace.Opened
	for _, path := range files {
		o, err := l.recording(path)
		if err != nil {
			return errors.Join(err, l.End(ctx, nil))
		}
		opened = append(opened, o)
	}
	err := showScreen(ctx, env, ui.Options{
		Settings: env.Settings, Launcher: l, Opened: opened, Prompter: prompter, Drafts: draftsFolder(),
	})
	return errors.Join(err, l.End(ctx, err))
}

// notesOf returns the user's notes on a recording, or a warning if they cannot be
// read: the recording is opened without them.
func notesOf(path, id string) (kept *notes.Notes, warning string) {
	if path == "" {
		return nil, "" // not recorded
	}
	kept, err := notes.Open(path, id)
	if err != nil {
		return nil, fmt.Sprintf("marks and notes cannot be saved: %v", err)
	}
	return kept, ""
}
