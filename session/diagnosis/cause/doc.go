// Package cause names the likeliest cause when something is wrong with a
// session: one sentence on what happened, what to try, and the row of the log
// that shows it.
//
// A [Tracker] reads a session.Source from its first row, a few rows at a time,
// and keeps facts about the process that was started last. [Tracker.Now] checks
// those facts against a table of causes (see causes.go), the likeliest first. A
// recording has the same causes as its live session, because everything is
// derived from the log, except for clocks and what only a running process knows:
// a caller passes those in as [Live].
//
// A cause disappears with its problem: an answered request is not reported, a
// new start resets the facts, and a server that the user ended did not crash. A
// healthy session has no causes.
//
// Most rows are judged by their 32 bytes: exchange.Follower knows the requests
// without a response and the life of the process. Entries are read only for events,
// batches, lines of several writes, the first stdout lines that are not messages, and
// quotes. Everything that is kept has limits that do not depend on the length of the log.
//
// Texts quote servers. They are bounded and have one line, but are untrusted:
// sanitize them before writing them to a terminal.
package cause
