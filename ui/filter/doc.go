// Package filter decides which rows of a log are shown.
//
// A filter is words with a space between them, and a row must match all of
// them; "or" between words begins an alternative. "!" before a word turns it
// around.
//
//	method:tools/*    the method: part of it, or all of it with * and ?
//	id:7              the id of a message, as number or as string
//	dir:in dir:out    from the server, to the server
//	kind:request      or response, notification, error, batch, stray, stderr
//	err               what went wrong: errors, lost and unmatched messages,
//	                  lines with a problem
//	>100ms <5s        the time between request and response
//	text "some text"  the text in a message or its method, in any case
//	/regexp/          the regular expression (RE2), in any case with (?i)
//
// A response has its request's method; the text of an entry that carries no
// message is what session.Describe says of it. What the row of the index can decide
// is decided without reading the message; only what is left is read, and of a
// message of more than 16 MiB only as much.
//
// A Filter is compiled once and may be used by any goroutine; a Matcher, which
// is a Filter over one log, belongs to one.
package filter
