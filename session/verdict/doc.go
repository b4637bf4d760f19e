// Package verdict names the likeliest cause when something is wrong with a
// session: one sentence on what happened, what to try, and the row of the log
// that shows it.
//
// A [Tracker] reads a session.Source from its first row on, a few rows at a
// time, and keeps the facts of the process that was started last. [Tracker.Now]
// asks each rule of one table (see causes.go) whether those facts show its
// cause, the likeliest first. So a recording tells what the live session told:
// there is nothing in it that is not in the log, but for clocks and for what
// only a running process knows, which a caller hands in as [Live].
//
// A cause is gone when its trouble is over: answered requests are not waited
// for, a start begins anew, and what a person ended did not die. A healthy
// session has no verdict.
//
// Most rows cost a look at their 32 bytes. Entries are read only of events, of
// the first stdout lines that are no messages, and of what a sentence quotes.
// What is kept has limits that do not depend on the length of the log.
//
// Texts quote servers. They are bounded and of one line, and still untrusted:
// they have to be made safe before a terminal sees them.
package verdict
