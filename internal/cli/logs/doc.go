// Package logs reads logs for commands. It prints the log of a session or of a
// recording as lines: one line of text per entry, or the recorded lines. It follows
// a live session, and selects entries by a filter, by number and by time. It checks
// a recording while its rows are read, and shows how far a command has come.
package logs
