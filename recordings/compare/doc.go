// Package compare compares two sessions with a server.
//
// [Compare] reads both once and keeps a small record of each exchange: the hash of
// its match key (see package match), the hash of its response, and the positions of
// both. Exchanges are paired by match key, those with the same key in order, and the
// rest by method and tool; the pages of a list are one exchange. Only responses whose
// bytes differ are read again and compared value by value: items of lists by name,
// text that is JSON as JSON, other text by lines. Values that change with each run,
// such as times and ids, are equal if their types are; the user's rules can ignore
// more.
//
// The [Report] is data, and can be written as text, JSON and JUnit XML. Quoted text
// comes from servers: its length is limited, but it must be sanitized before it is
// written to a terminal.
package compare
