package verdict

import "slices"

// A cause is one kind of trouble: how it is found in the facts, and what is
// said of it.
type cause struct {
	id       string
	severity Severity
	// unless names causes that explain this one. It is not told beside them.
	unless []string
	// find returns the sentence and the evidence; false if there is no such
	// trouble. The rules of one subject stand in one file.
	find func(*view) (found, bool)
}

// WaitsForYou is the cause that only a person can end: the server has asked.
const WaitsForYou = "waits-for-you"

// found is what a rule found.
type found struct {
	text, try string
	row       int
	clock     bool // text has a time in it that goes on, in a session that runs
}

// causes are all there are, the likeliest first.
var causes = []cause{
	// What we lost ourselves may be what all else misses: causes_rest.go.
	{id: "lost-output", severity: Error, find: lostOutput},

	// There is no process, or no way to it: causes_start.go.
	{id: "not-found", severity: Error, find: startFailed("start.notfound")},
	{id: "not-executable", severity: Error, find: startFailed("start.noexec")},
	{id: "no-directory", severity: Error, find: startFailed("start.nodir")},
	{id: "start-timeout", severity: Error, find: startFailed("start.timeout", "start.cancelled")},
	{id: "unreachable", severity: Error, find: unreachable},
	{id: "not-started", severity: Error, unless: starts, find: startFailed()},
	{id: "link-lost", severity: Error, find: linkLost},
	{id: "lost", severity: Error, unless: []string{"link-lost"}, find: processLost},
	{id: "link-stalled", severity: Warning, find: linkStalled},

	// It waits for the person: causes_wait.go.
	{id: WaitsForYou, severity: Warning, find: waitsForYou},

	// It ended: causes_end.go.
	{id: "ended-from-outside", severity: Error, find: outside},
	{id: "variable", severity: Error, find: variableMissing},
	{id: "command-missing", severity: Error, unless: []string{"variable"}, find: commandMissing},
	{id: "exited-early", severity: Error, unless: []string{"variable", "command-missing"}, find: exitedEarly},
	{id: "crashed", severity: Error, find: crashed},
	{id: "ended", severity: Warning, find: endedUnasked},

	// It answered the handshake, with no: causes_start.go.
	{id: "echo", severity: Error, find: echo},
	{id: "refused", severity: Error, find: refused},
	{id: "version", severity: Error, find: wrongVersion},

	// What it wrote is no message: causes_text.go.
	{id: "lsp-headers", severity: Error, find: lspHeaders},
	{id: "multi-line", severity: Error, unless: []string{"lsp-headers"}, find: overSeveralLines},
	{id: "bom", severity: Error, find: badLines(byteOrderMark, "begins with a byte order mark", "begin with a byte order mark", "write UTF-8 without one")},
	{id: "utf8", severity: Error, find: badLines(notUTF8, "is not UTF-8", "are not UTF-8", "write UTF-8, whatever the locale (Python: -e PYTHONUTF8=1)")},
	{id: "nul", severity: Error, find: badLines(nul, "has NUL bytes", "have NUL bytes", "is it UTF-16? write UTF-8")},
	{id: "too-deep", severity: Error, find: badLines(tooDeep, "is nested too deep to be taken for a message", "are nested too deep to be taken for messages", "most clients refuse it too")},
	{id: "too-long", severity: Error, find: badLines(tooLong, "is longer than the limit", "are longer than the limit", "most clients drop the connection far below it")},
	{id: "no-newline", severity: Error, unless: []string{"lsp-headers"}, find: noNewline},

	// Answers that do not arrive: causes_wait.go.
	{id: "wrong-id", severity: Error, find: wrongID},
	{id: "not-reading", severity: Error, unless: ends, find: notReading},
	{id: "held-pipe", severity: Warning, find: heldPipe},
	{id: "only-text", severity: Error, unless: append([]string{"lost-output"}, framings...), find: onlyText},
	{id: "buffered-to-the-end", severity: Error, unless: []string{"lost-output"}, find: bufferedToTheEnd},
	{id: "silent", severity: Warning, unless: []string{"lost-output", "not-reading"}, find: silent},
	{id: "buffered", severity: Warning, unless: []string{"lost-output", "not-reading", "silent"}, find: buffered},
	{id: "handshake-timeout", severity: Error, unless: append([]string{"lost-output", "wrong-id", "only-text", "buffered-to-the-end"}, framings...), find: handshakeTimeout},
	{id: "unanswered", severity: Warning, unless: slices.Concat(ends, framings, noAnswers), find: unansweredCall},

	// The session goes on: causes_rest.go, causes_wait.go, causes_end.go.
	{id: "stray", severity: Warning, unless: append([]string{"only-text"}, framings...), find: strayText},
	{id: "unknown-ids", severity: Warning, unless: []string{"wrong-id"}, find: unknownIDs},
	{id: "batch", severity: Warning, find: batches},
	{id: "duplicates", severity: Warning, find: answeredTwice},
	{id: "survivors", severity: Error, find: couldNotBeKilled},
	{id: "stubborn", severity: Warning, find: stubborn},
	{id: "left-behind", severity: Warning, unless: []string{"held-pipe", "stubborn"}, find: leftBehind},
	{id: "held", severity: Info, find: outputHeld},
	{id: "not-recorded", severity: Error, find: notRecorded},
}

// Groups of causes that explain others.
var (
	starts    = []string{"not-found", "not-executable", "no-directory", "start-timeout", "unreachable"}
	noAnswers = []string{"lost-output", WaitsForYou, "wrong-id", "not-reading", "only-text", "silent", "buffered", "handshake-timeout"}
	ends      = []string{"ended-from-outside", "variable", "command-missing", "exited-early", "crashed", "ended", "link-lost", "lost"}
	framings  = []string{"lsp-headers", "multi-line", "bom", "utf8", "nul", "too-deep", "too-long", "no-newline"}
)
