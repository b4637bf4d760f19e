// Package recordings writes the log of a session to a file and reads it back.
//
// A recording is one JSONL file: a header, then one entry a line, each message
// embedded byte for byte (docs/reference/recording-format.md is the whole format).
// The file is the log: a live session writes it through a [File] and every view
// reads from the same File, so that memory stays bounded however long a session
// runs. With Options.NoRecord the file is a temporary one without a name.
//
// Writing is a group commit. The goroutine that finds the log free takes all
// queued entries, encodes them into one buffer, writes that with one write(2),
// adds the rows to the index and publishes them; those that arrive meanwhile
// wait, and the first of them leads next. So entries have one order, a lone
// writer pays for no other goroutine, and nothing is shown before it is in the
// file. A killed recorder leaves a file whose complete lines are all valid.
//
// A full disk ends the recording but not the session: a torn last line is cut
// off, Stats reports the error, and later entries are kept in memory, where the
// oldest are dropped first.
//
// A [Recording] is a recording opened for reading and, like File, a
// session.Source. Open reads it whole; OpenProgressive reads the last rows first,
// returns, and indexes the file from the front in the background: some goroutines
// decode blocks of lines, one adds the entries to the index in order, and readers
// see each block when it is complete. A file that another program is still
// recording is followed: its lock shows that more is to come. Memory is that of
// the index (index.Index, at most 64 MiB of rows and 3 bytes for each), a few
// blocks, and the longest line.
//
// The index of a large recording is stored in the user's cache folder. A stored
// index identifies its file in ways that no other file matches by accident; on
// any mismatch it is deleted and rebuilt. Its rows stay on the disk and are read
// page by page. A stored index only saves time: without it, everything works the
// same, more slowly.
//
// Decode, Scanner, Peek and Verify decode a single line, scan a file from front
// to back, read its first and last line, and check its hashes.
package recordings
