package tui

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/via"
	"mcpdbg/ui/host"
)

const maxListed = 2000

func recordingItem(r *store.Recording) host.Item {
	item := host.Item{
		Kind: host.RecordingItem, Key: recordingKey + keySep + r.Path, Name: r.Command(), From: wording.Path(r.Path),
		Where: wording.Place(via.Where(r.Header.ExecServer, r.Header.Via, r.Header.Host)), Command: strings.Join(r.Header.Argv, " "), When: r.When, Short: store.ShortName(filepath.Base(r.Path)), Size: r.Size, Live: r.State == session.RecordingOn,
	}
	if r.Header.Mode == session.ModeTap {
		item.Tap, item.Name = true, r.Header.Name
	}
	if len(r.Header.Argv) > 0 { // values that are not in the recording are missing
		item.Words = append(r.Header.Flags(), r.Header.Argv...)
	}
	if r.Duration > 0 {
		item.Long = time.Duration(r.Duration) * time.Microsecond
	}
	if c := r.Counts; c != nil {
		item.Counted, item.Sent, item.Received, item.Errors = true, c.Out, c.In, c.Errors
	}
	item.Verdict = verdict(r)
	return item
}

var unfinished = map[session.RecordingState]string{
	session.RecordingTorn: "not finished", session.RecordingParted: "parts missing", session.RecordingCut: "stopped",
}

// The likeliest cause, or host.VerdictOK; empty until examined.
func verdict(r *store.Recording) string {
	switch text := unfinished[r.State]; {
	case r.Cause != "":
		return r.Cause
	case r.State == session.RecordingCut && r.Stopped != "":
		return text + ": " + r.Stopped
	case text != "":
		return text
	case r.Examined && r.Whole() && r.Counts.Errors == 0:
		return host.VerdictOK
	}
	return ""
}

// Look implements host.Launcher.
func (*Launcher) Look(ctx context.Context, item host.Item, whole bool) host.Item {
	_, path, _ := strings.Cut(item.Key, keySep)
	r := store.Recording{Path: path, When: item.When}
	err := r.Look()
	if err == nil && whole {
		err = r.Examine(ctx)
	}
	looked := recordingItem(&r)
	looked.Group = item.Group
	if item.Client != "" || item.State != "" {
		looked.Name, looked.Client, looked.State = item.Name, item.Client, item.State
	}
	if err != nil && ctx.Err() == nil {
		looked.Verdict = "cannot be read"
		looked.Notes = []string{err.Error()}
	}
	return looked
}
