// Package index builds the table of rows over a log: one row of 32 bytes for each
// entry, with requests and responses paired, and the counts of session.Stats. It
// derives everything from the entries alone, both while a log is written and when a
// file is opened, so both have the same rows.
//
// An [Index] takes entries one by one or in batches and shows them when they are
// published. Rows beyond its memory limit go to a file ([File]). It can report the
// rows and counts as of any earlier length (history.go), and be saved next to a
// recording, so that a later program need not read that again (saved.go,
// history_store.go).
package index
