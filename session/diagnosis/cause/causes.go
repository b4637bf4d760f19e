package cause

import (
	"slices"

	"mcpdbg/session/diagnosis"
)

type cause struct {
	id       string
	severity diagnosis.Severity
	// unless names causes that explain this one. It is not reported with them.
	unless []string
	// probable causes are inferred from the evidence, which may have another one.
	probable bool
	part     diagnosis.Part
	// find returns the text and the evidence, or false if the cause does not
	// apply.
	find func(*view) (found, bool)
}

// ResponseNeeded is the cause that only the user can end: a pending server request.
const ResponseNeeded = "waits-for-you"

type found struct {
	text, try string
	brief     string // as in diagnosis.Cause; empty if it is the text
	row       int
	clock     bool // text contains a time that increases while the session runs
}

// causes lists all causes, the likeliest first.
var causes = []cause{
	// Lost output may explain everything else: causes_rest.go.
	{id: "lost-output", severity: diagnosis.Error, find: lostOutput},

	// No process, or no connection to it: causes_start.go.
	{id: "not-found", severity: diagnosis.Error, find: notFound},
	{id: "not-executable", severity: diagnosis.Error, find: startFailed("start.noexec")},
	{id: "no-directory", severity: diagnosis.Error, find: startFailed("start.nodir")},
	{id: "start-timeout", severity: diagnosis.Error, find: startFailed("start.timeout", "start.cancelled")},
	{id: "unreachable", severity: diagnosis.Error, find: unreachable},
	{id: "not-started", severity: diagnosis.Error, unless: starts, find: startFailed()},
	{id: "link-lost", severity: diagnosis.Error, find: linkLost},
	{id: "lost", severity: diagnosis.Error, unless: []string{"link-lost"}, find: processLost},
	{id: linkDown, severity: diagnosis.Warning, find: linkStalled},

	// The server waits for the user: causes_wait.go.
	{id: ResponseNeeded, severity: diagnosis.Warning, find: waitsForYou},

	// The server exited: causes_end.go.
	{id: "ended-from-outside", severity: diagnosis.Error, find: outside},
	{id: "bridge", severity: diagnosis.Error, find: bridgeFailed},
	{id: "variable", severity: diagnosis.Error, unless: []string{"bridge"}, find: variableMissing},
	{id: "command-missing", severity: diagnosis.Error, unless: []string{"bridge", "variable"}, find: commandMissing},
	{id: "exited-early", severity: diagnosis.Error, unless: []string{"bridge", "variable", "command-missing"}, find: exitedEarly},
	{id: "crashed", severity: diagnosis.Error, find: crashed},
	{id: "ended", severity: diagnosis.Warning, find: endedUnasked},

	// The handshake failed with a response: causes_start.go.
	{id: "echo", severity: diagnosis.Error, find: echo},
	{id: "refused", severity: diagnosis.Error, find: refused},
	{id: "version", severity: diagnosis.Error, find: wrongVersion},

	// Output that is not a message: causes_text.go.
	{id: "lsp-headers", severity: diagnosis.Error, part: diagnosis.PartRest, find: lspHeaders},
	{id: "multi-line", severity: diagnosis.Error, part: diagnosis.PartRest, unless: []string{"lsp-headers"}, find: overSeveralLines},
	{id: "bom", severity: diagnosis.Error, part: diagnosis.PartRest, find: badLines(byteOrderMark, "begins with a byte order mark", "begin with a byte order mark", "write UTF-8 without one")},
	{id: "utf8", severity: diagnosis.Error, part: diagnosis.PartRest, find: badLines(notUTF8, "is not UTF-8", "are not UTF-8", "write UTF-8, whatever the locale (Python: -e PYTHONUTF8=1)")},
	{id: "nul", severity: diagnosis.Error, part: diagnosis.PartRest, find: badLines(nul, "contains NUL bytes", "contain NUL bytes", "is it UTF-16? write UTF-8")},
	{id: "too-deep", severity: diagnosis.Error, part: diagnosis.PartRest, find: badLines(tooDeep, "is nested too deep", "are nested too deep", "most clients reject it too")},
	{id: "too-long", severity: diagnosis.Error, part: diagnosis.PartRest, find: badLines(tooLong, "is longer than the limit", "are longer than the limit", "most clients drop the connection at a much lower limit")},
	{id: "no-newline", severity: diagnosis.Error, part: diagnosis.PartRest, unless: []string{"lsp-headers"}, find: noNewline},

	// Missing responses: causes_wait.go.
	{id: "wrong-id", severity: diagnosis.Error, probable: true, find: wrongID},
	{id: "not-reading", severity: diagnosis.Error, unless: append([]string{linkDown}, ends...), find: notReading},
	{id: "held-pipe", severity: diagnosis.Warning, find: heldPipe},
	{id: "only-text", severity: diagnosis.Error, unless: append([]string{"lost-output"}, framings...), find: onlyText},
	{id: "buffered-to-the-end", severity: diagnosis.Error, unless: []string{"lost-output"}, find: bufferedToTheEnd},
	{id: "silent", severity: diagnosis.Warning, unless: []string{linkDown, "lost-output", "bridge", "not-reading"}, find: silent},
	{id: "fetching", severity: diagnosis.Warning, unless: []string{linkDown, "lost-output", "bridge", "not-reading", "silent"}, find: fetching},
	{id: "buffered", severity: diagnosis.Warning, probable: true, unless: []string{linkDown, "lost-output", "bridge", "not-reading", "silent", "fetching"}, find: buffered},
	{id: "handshake-timeout", severity: diagnosis.Error, unless: append([]string{"lost-output", "bridge", "wrong-id", "only-text", "buffered-to-the-end"}, framings...), find: handshakeTimeout},
	{id: "unanswered", severity: diagnosis.Warning, part: diagnosis.PartResponse, unless: slices.Concat(ends, framings, noAnswers, []string{linkDown}), find: unansweredCall},
	{id: "never-answered", severity: diagnosis.Warning, part: diagnosis.PartResponse, unless: slices.Concat(ends, framings, noAnswers, []string{"unanswered"}), find: neverAnswered},

	// The session continues: causes_rest.go, causes_wait.go, causes_end.go.
	{id: "stray", severity: diagnosis.Warning, part: diagnosis.PartRest, unless: append([]string{"only-text"}, framings...), find: strayText},
	{id: "unknown-ids", severity: diagnosis.Warning, part: diagnosis.PartRest, unless: []string{"wrong-id"}, find: unknownIDs},
	{id: "parse-error", severity: diagnosis.Warning, part: diagnosis.PartRest, find: parseError},
	{id: "batch", severity: diagnosis.Warning, part: diagnosis.PartRest, find: batches},
	{id: "duplicates", severity: diagnosis.Warning, part: diagnosis.PartRest, find: answeredTwice},
	{id: "survivors", severity: diagnosis.Error, part: diagnosis.PartRest, find: couldNotBeKilled},
	{id: "stubborn", severity: diagnosis.Warning, part: diagnosis.PartRest, find: stubborn},
	{id: "left-behind", severity: diagnosis.Warning, part: diagnosis.PartRest, unless: []string{"held-pipe", "stubborn"}, find: leftBehind},
	{id: "held", severity: diagnosis.Info, part: diagnosis.PartRest, find: outputHeld},
	{id: "not-recorded", severity: diagnosis.Error, part: diagnosis.PartRest, find: notRecorded},
}

// linkDown is the cause of which no statement about the server can follow.
const linkDown = "link-stalled"

// Groups of causes that explain others.
var (
	starts    = []string{"not-found", "not-executable", "no-directory", "start-timeout", "unreachable"}
	noAnswers = []string{"lost-output", "bridge", ResponseNeeded, "wrong-id", "not-reading", "only-text", "silent", "fetching", "buffered", "handshake-timeout"}
	ends      = []string{"ended-from-outside", "variable", "command-missing", "exited-early", "crashed", "ended", "link-lost", "lost"}
	framings  = []string{"lsp-headers", "multi-line", "bom", "utf8", "nul", "too-deep", "too-long", "no-newline"}
)
