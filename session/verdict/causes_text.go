package verdict

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

func lspHeaders(w *view) (found, bool) {
	t := w.stray.lines[header]
	return found{
		text: "it frames messages with Content-Length headers, as language servers do",
		try:  session.AdviceHeaders, row: t.row,
	}, t.n > 0
}

func overSeveralLines(w *view) (found, bool) {
	t := w.stray.lines[multiline]
	text := "a message is spread over several lines: no line of it is one"
	if n := w.stray.join.first; n > 0 {
		text = fmt.Sprintf("%d lines on stdout form one JSON value together: a message must be one line", n)
	}
	return found{text: text, try: "write JSON without indentation", row: t.row}, t.n > 0
}

// badLines finds lines that would be messages but for their bytes.
func badLines(problem lineProblem, one, many, try string) func(*view) (found, bool) {
	return func(w *view) (found, bool) {
		t := w.stray.lines[problem]
		text := "a line on stdout " + one
		if t.n > 1 {
			text = fmt.Sprintf("%d lines on stdout %s", t.n, many)
		}
		return found{text: text + ": not taken for a message", try: try, row: t.row}, t.n > 0
	}
}

// noNewline finds bytes that never became a line, also when the process has
// been ended since.
func noNewline(w *view) (found, bool) {
	if !w.waiting.seen {
		return found{}, false
	}
	what := count(w.partial.Bytes, "byte on stdout waits", "bytes on stdout wait") + " for a newline"
	if len(w.partial.Head) == w.partial.Bytes && json.Valid([]byte(w.partial.Head)) {
		what += ", though it is valid JSON"
	}
	if w.alive() {
		what += ", for " + took(w.now-w.waiting.t+waitingAfter)
	}
	return found{text: what, try: session.AdviceNewline, row: w.waiting.row, clock: w.alive()}, true
}

// waitingAfter is how old the bytes are that a waiting entry tells of.
const waitingAfter = 1_000_000

// onlyText finds a server that writes to stdout, and no message.
func onlyText(w *view) (found, bool) {
	t := w.stray.lines[plainText]
	if t.n == 0 || w.answered > 0 || w.early() || len(w.asked.open) == 0 {
		return found{}, false
	}
	text := "no answer, but " + count(t.n, "line on stdout that is no message", "lines on stdout that are no messages; the first") + ": " + w.quote(t.row)
	return found{text: text, try: session.AdviceStray, row: t.row}, true
}

func strayText(w *view) (found, bool) {
	t := w.stray.lines[plainText]
	if t.n == 0 {
		return found{}, false
	}
	text := count(t.n, "line on stdout is no message", "lines on stdout are no messages; the first")
	return found{text: text + ": " + w.quote(t.row), try: session.AdviceStray, row: t.row}, true
}

func (w *view) quote(number int) string {
	line := w.line(number)
	if strings.TrimSpace(line) == "" {
		return "(blank)"
	}
	return clip(line, quoteBytes)
}

// batches finds several messages on a line, in a session whose revision has no
// such thing.
func batches(w *view) (found, bool) {
	return found{
		text: count(w.batches.n, "line on stdout is a JSON-RPC batch", "lines on stdout are JSON-RPC batches") + ", which only revision " + mcp.V20250326 + " knows",
		try:  "most clients drop them: write each message on a line of its own", row: w.batches.row,
	}, w.batches.n > 0 && w.version != mcp.V20250326
}
