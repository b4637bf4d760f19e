package workspace

import (
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// An atOnce is a recording shown before all of it is read, as from recordings.OpenTail.
type atOnce interface {
	session.Source
	// Tail returns its last rows; nil if it is short and was read at once.
	Tail() session.Source
	Progress() recordings.Progress
}

// readEnd shows the last rows while the rest is being read or listed.
func (w *Workspace) readEnd() {
	r, ok := w.Log.(atOnce)
	if !ok || r.Tail() == nil && r.Progress().Done {
		return
	}
	w.Reading = r
	if tail := r.Tail(); tail != nil {
		w.Tail = NewProjection(tail)
		w.Tail.Index.Partial = true
		w.Shown = w.Tail
	}
}

// FullyRead reports whether problems and causes may be shown, not for a part of a
// recording.
func (w *Workspace) FullyRead() bool { return w.Reading == nil }

// Skipped describes the unreadable parts of the recording.
func (w *Workspace) Skipped() string { return SkippedOf(w.Log) }

// SkippedOf describes the unreadable parts of a recording, or "".
func SkippedOf(source session.Source) string {
	if r, ok := source.(interface{ Warnings() recordings.Warnings }); ok {
		return r.Warnings().String()
	}
	return ""
}

// PercentRead returns how much of the recording has been read, in percent.
func (w *Workspace) PercentRead() int {
	p := w.Reading.Progress()
	if p.Size == 0 {
		return 100
	}
	return int(min(p.Bytes, p.Size) * 100 / p.Size)
}
