package verdict

import (
	"fmt"

	"mcpdbg/session"
)

// lostOutput finds output that is missing from the log.
func lostOutput(w *view) (found, bool) {
	return found{
		text: fmt.Sprintf("%d bytes of output were dropped: they are in no row, and answers may be among them", w.gapBytes),
		try:  session.AdviceOverrun, row: w.gap.row,
	}, w.gap.n > 0
}

// outputHeld finds that we do not keep up with a server.
func outputHeld(w *view) (found, bool) {
	if w.live == nil || !w.live.Held {
		return found{}, false
	}
	return found{text: "the server has to wait: it writes faster than this program takes its output; nothing is lost", row: -1}, true
}

// notRecorded finds that the log is no longer kept.
func notRecorded(w *view) (found, bool) {
	s := w.src.Stats()
	switch s.Recording {
	case session.RecordingStopped:
	case session.RecordingIncomplete:
		return found{text: "the recording is incomplete: " + s.RecordingError, try: "record the session again to keep it", row: -1}, true
	default:
		return found{}, false
	}
	return found{text: "the recording has stopped: " + s.RecordingError, try: "what comes from now on is not kept", row: -1}, true
}
