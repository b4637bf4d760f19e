// Package filter decides which rows of a log are shown.
//
// A filter is words with a space, or "and", between them, and a row must match
// all of them; "or" between words begins an alternative. "!" before a word
// negates it. Text such as "or" or a:b needs quotes.
//
//	method:tools/*    the method: part of it, or all of it with * and ?
//	tool:echo         calls of a tool, and the responses; * and ? as above
//	id:7              the id of a message, as number or as string
//	is:failed         or running, waits, ok, cancelled, unanswered, noise, odd,
//	                  exit, restart, slow, task, batch: what the row shows
//	dir:in dir:out    from the server, to the server
//	kind:request      or response, notification, error, batch, stray, stderr,
//	                  event, or one kind of event such as exited
//	err               problems: errors, lost and unmatched messages,
//	                  lines with a problem, lost output
//	>100ms <5s        the time that the server took for a request
//	n:10-20 n:10-     the number of the entry in the log
//	seq:3-5 seq:7     the sequence number; each process starts at 1, so add
//	run:2             the number of the process, from 1
//	text "some text"  the text in a message, its method or the words that its row
//	                  shows, such as cancelled, in any case
//	k=3 "k=3"         a whole name and value, not k=33; in quotes also part of them
//	/regexp/          the regular expression (RE2), in any case with (?i)
//
// A response has its request's method; the text of an entry without a message
// is that of session.Describe. Whatever the row of the index decides is decided
// without reading the message, and only once for all rows with equal fields.
// Other messages are read, up to 16 MiB of each.
//
// A Filter may be used by several goroutines at once. A Matcher, which is a
// Filter over one log, must be used by one goroutine only.
package filter
