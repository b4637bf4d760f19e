package cause

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

func lspHeaders(w *view) (found, bool) {
	t := w.stray.lines[header]
	return found{
		text: "the server frames messages with Content-Length headers, as language servers do",
		try:  diagnosis.AdviceHeaders, row: t.row,
	}, t.n > 0
}

func overSeveralLines(w *view) (found, bool) {
	t := w.stray.lines[multiline]
	text := "a message spans several lines, so none of them is valid JSON"
	if n := w.stray.join.first; n > 0 {
		text = fmt.Sprintf("%d lines on stdout form one JSON value: a message must be one line", n)
	}
	return found{text: text, try: "write JSON without indentation", row: t.row}, t.n > 0
}

// badLines finds lines that are not messages because of a problem with their bytes.
func badLines(problem lineProblem, one, many, try string) func(*view) (found, bool) {
	return func(w *view) (found, bool) {
		t := w.stray.lines[problem]
		text := "a line on stdout " + one
		if t.n > 1 {
			text = fmt.Sprintf("%d lines on stdout %s", t.n, many)
		}
		return found{text: text, try: try, row: t.row}, t.n > 0
	}
}

// noNewline finds bytes that never became a line, even if the process has exited
// since.
func noNewline(w *view) (found, bool) {
	if !w.Waiting.Seen {
		return found{}, false
	}
	what := wording.Plural(w.Partial.Bytes, "byte") + " on stdout without a newline"
	if len(w.Partial.Head) == w.Partial.Bytes && json.Valid([]byte(w.Partial.Head)) {
		what += ", although it is valid JSON"
	}
	if w.Alive() {
		what += ", for " + took(w.now-w.Waiting.T+waitingAfter)
	}
	return found{text: what, try: diagnosis.AdviceNewline, row: w.Waiting.Row, clock: w.Alive()}, true
}

// waitingAfter is the age of the bytes in a waiting entry, in microseconds.
const waitingAfter = 1_000_000

func onlyText(w *view) (found, bool) {
	t := w.stray.lines[plainText]
	if t.n == 0 || w.answered > 0 || w.early() || len(w.asked) == 0 {
		return found{}, false
	}
	return found{text: "no response, but " + w.noise(&t, true), brief: "no response, but " + w.noise(&t, false), try: diagnosis.AdviceStray, row: t.row}, true
}

func strayText(w *view) (found, bool) {
	t := w.stray.lines[plainText]
	if t.n == 0 {
		return found{}, false
	}
	return found{text: w.noise(&t, true), brief: w.noise(&t, false), try: diagnosis.AdviceStray, row: t.row}, true
}

// noise counts lines that are not messages, and may quote the first.
func (w *view) noise(t *tally, quoted bool) string {
	text := wording.PluralOf(t.n, "line of noise on stdout", "lines of noise on stdout")
	switch {
	case !quoted:
		return text
	case t.n > 1:
		text += "; first"
	}
	return text + ": " + w.quote(t.row)
}

func (w *view) quote(number int) string {
	line := w.line(number)
	if strings.TrimSpace(line) == "" {
		return "(blank)"
	}
	return clip(line, quoteBytes)
}

// batches finds batches in a session whose revision does not support them.
func batches(w *view) (found, bool) {
	return found{
		text: wording.PluralOf(w.batches.n, "line on stdout is a JSON-RPC batch", "lines on stdout are JSON-RPC batches") + ", which only revision " + mcp.V20250326 + " supports",
		try:  "most clients drop them: write each message on its own line", row: w.batches.row,
	}, w.batches.n > 0 && w.Handshake.Revision != mcp.V20250326
}

func lostOutput(w *view) (found, bool) {
	return found{
		text: fmt.Sprintf("%d bytes of output were dropped; they may include responses", w.gapBytes),
		try:  diagnosis.AdviceOverrun, row: w.gap.row,
	}, w.gap.n > 0
}

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
