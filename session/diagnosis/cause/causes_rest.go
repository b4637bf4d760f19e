package cause

import (
	"fmt"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

// lostOutput finds output that is missing from the log.
func lostOutput(w *view) (found, bool) {
	return found{
		text: fmt.Sprintf("%d bytes of output were dropped; they may include responses", w.gapBytes),
		try:  diagnosis.AdviceOverrun, row: w.gap.row,
	}, w.gap.n > 0
}

// outputHeld finds a server that writes faster than we read.
func outputHeld(w *view) (found, bool) {
	if w.live == nil || !w.live.OutputPaused {
		return found{}, false
	}
	text := "the server writes faster than mcpdbg reads, so it has to wait"
	if w.gap.n == 0 {
		text += "; nothing is lost"
	}
	return found{text: text, row: -1}, true
}

// notRecorded finds a recording that stopped or is incomplete.
func notRecorded(w *view) (found, bool) {
	s := w.src.Stats()
	switch s.Recording {
	case session.RecordingStopped:
	case session.RecordingIncomplete:
		return found{text: "the recording is incomplete: " + s.RecordingError, try: "record the session again to keep it", row: -1}, true
	default:
		return found{}, false
	}
	return found{text: "the recording has stopped: " + s.RecordingError, try: "new entries are not saved", row: -1}, true
}
