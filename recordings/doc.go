// Package recordings writes the log of a session to a file and reads it back.
//
// A recording is one JSONL file: a header, then one entry a line, each message embedded
// byte for byte (see docs/reference/recording-format.md). The file is the log: a live
// session writes it through a [File] and every view reads from the same File, so that
// memory stays bounded however long a session runs.
//
// Writing is a group commit. The goroutine that finds the log free takes all queued
// entries, encodes them into one buffer, writes that with one write(2), adds the rows
// to the index and publishes them; the first of those that arrive meanwhile leads next.
// So entries have one order, and nothing is shown before it is in the file. A killed
// recorder leaves a file whose complete lines are all valid.
//
// A full disk ends the recording but not the session: a torn last line is cut off,
// Stats reports the error, and later entries are kept in memory, where the oldest are
// dropped first.
//
// A [Recording] is opened for reading and, like File, a session.Source. Open reads it
// whole; OpenProgressive reads the last rows first and indexes the file from the front
// in the background: some goroutines decode blocks of lines, one adds the entries to
// the index in order. A file that another program is recording is followed: its lock
// shows that more is to come. Memory is that of the index (at most 64 MiB of rows and 3
// bytes for each), a few blocks, and the longest line.
//
// The index of a large recording is stored in the user's cache folder. It identifies
// its file in ways that no other file matches by accident; on any mismatch it is
// deleted and rebuilt. It only saves time.
package recordings
