// Package logtext prints the log of a session or of a recording as lines: one
// line of text per entry, or the recorded lines. It follows a live session, and
// selects entries by a filter, by number and by time.
package logtext
