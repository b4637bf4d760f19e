package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/notes"
	"mcpdbg/ui"
)

func (a *app) openCommand() *cobra.Command {
	var s screenFlags
	cmd := &cobra.Command{
		Use:   "open FILE...",
		Short: "Look at a recording, on the screen of a live session",
		Long: `open shows recordings on the screen of a live session: the same panes, filters,
searches and findings, but nothing can be sent. Several are opened beside each
other.

Without a terminal on stdout it prints them as rec cat does: one line per entry.

` + recordingNames,
		Example: `  mcpdbg open last
  mcpdbg open session.jsonl
  mcpdbg open before.jsonl after.jsonl
  mcpdbg open session.jsonl | grep tools/call`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case a.hasCommand:
				return usagef("open takes recordings and no command")
			case len(files) == 0:
				return withHint(usagef("open what? name a recording"), listHint)
			}
			if err := resolveRecordings(files); err != nil {
				return err
			}
			if err := a.screen(s); err != nil {
				return err
			}
			if !a.terminal {
				return a.printRecordings(cmd.Context(), files)
			}
			return a.openScreen(cmd.Context(), files)
		},
	}
	s.register(cmd)
	return cmd
}

// printRecordings prints recordings, one line per entry.
func (a *app) printRecordings(ctx context.Context, files []string) error {
	for _, path := range files {
		if err := a.recCat(ctx, path, catOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// openScreen is the interface on recordings. What can't be opened is said
// before there is a screen.
func (a *app) openScreen(ctx context.Context, files []string) error {
	prompter := ui.NewPrompter()
	l := &launcher{app: a, prompter: prompter}
	var opened []ui.Opened
	for _, path := range files {
		o, err := l.recording(path)
		if err != nil {
			return errors.Join(err, l.end(ctx, nil))
		}
		opened = append(opened, o)
	}
	err := a.show(ctx, ui.Options{
		Settings: a.settings, Launcher: l, Opened: opened, Prompter: prompter, Drafts: draftsFolder(),
	})
	return errors.Join(err, l.end(ctx, err))
}

// recording opens a recording for the screen.
func (l *launcher) recording(path string) (ui.Opened, error) {
	r, err := recordings.OpenAtOnce(path)
	if err != nil {
		return ui.Opened{}, unreadable(path, err)
	}
	l.mu.Lock()
	l.open = append(l.open, r)
	l.mu.Unlock()
	kept, warning := notesOf(path, r.Header().ID)
	return ui.Opened{
		Source: r, Title: filepath.Base(path), File: path, Notes: kept, Warning: warning,
		Close: func(context.Context) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			if i := slices.Index(l.open, r); i >= 0 {
				l.open = slices.Delete(l.open, i, i+1)
				return r.Close()
			}
			return nil
		},
	}, nil
}

// notesOf are the notes of a person on a recording. Without them it is opened all
// the same.
func notesOf(path, id string) (kept *notes.Notes, warning string) {
	if path == "" {
		return nil, "" // it is not recorded
	}
	kept, err := notes.Open(path, id)
	if err != nil {
		return nil, fmt.Sprintf("marks and notes are not kept: %v", err)
	}
	return kept, ""
}

// unreadable says why a recording can't be read, and what to try.
func unreadable(path string, err error) error {
	format, foreign := errors.AsType[*recordings.FormatError](err)
	_, ended := errors.AsType[*signalError](err)
	switch {
	case ended:
		return err
	case foreign && format.Major > recordings.Version:
		return withHint(usagef("%v", format), "a newer mcpdbg; this is "+version)
	case foreign:
		return withHint(usagef("%v", format), listHint+"; mcpdbg rec import makes one of what another program wrote")
	case errors.Is(err, fs.ErrNotExist):
		return withHint(usagef("%s: there is no such file", path), listHint)
	}
	return usagef("%v", err)
}
