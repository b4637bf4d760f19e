// Package answers has canned answers to a server's own requests: it reads the file
// of --answers, and selects the answer to each request.
//
// The answer to a method is a result object, an object with the one member error,
// the string "defaults", or a list of entries that select requests by mode and
// key:
//
//	[{"mode": "url", "result": {"action": "accept"}}, {"key": "name", "defaults": true}]
package answers
