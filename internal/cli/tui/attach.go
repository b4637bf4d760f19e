package tui

import (
	"context"
	"errors"
	"path/filepath"

	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/workspace"
)

// watch returns the running tap that writes a recording, with a viewer if it can have one;
// nil if no tap writes it.
func watch(ctx context.Context, path string, h session.Header) (*workspace.Tap, *control.Viewer) {
	if h.Mode != session.ModeTap {
		return nil, nil
	}
	if t := tapOf(path); t != nil {
		v, err := t.Watch(ctx)
		switch {
		case errors.Is(err, control.ErrVersion):
			return &workspace.Tap{Why: "started by an older mcpdbg: it can be restarted, nothing else", Give: t.Give}, nil
		case err != nil:
			return &workspace.Tap{Why: "the tap does not answer: " + err.Error()}, nil
		}
		return &workspace.Tap{Link: v}, v
	}
	r := store.Recording{Path: path}
	if err := r.Look(); err != nil || r.State != session.RecordingOn {
		return nil, nil
	}
	return &workspace.Tap{Why: "started without --live"}, nil
}

// tapOf returns the live tap that writes a recording, or nil.
func tapOf(path string) *control.Tap {
	dir, err := recordings.TapDir()
	if err != nil {
		return nil
	}
	folder, err := control.Folder(dir)
	if err != nil {
		return nil
	}
	taps, err := control.List(folder)
	if err != nil {
		return nil
	}
	for i := range taps {
		if taps[i].Recording != "" && sameFile(taps[i].Recording, path) {
			return &taps[i]
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	a, errA := filepath.EvalSymlinks(a)
	b, errB := filepath.EvalSymlinks(b)
	if errA != nil || errB != nil {
		return false
	}
	a, errA = filepath.Abs(a)
	b, errB = filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}
