// Package recordings keeps the log of a session in a file, and reads it back.
//
// A recording is one JSONL file: a header, then one entry a line, each message
// embedded byte for byte (docs/recording-format.md is the whole format). The
// file is the log: a live session writes it through a [File] and every view
// reads from the same File, so that memory stays bounded however long a session
// runs. With Options.NoRecord the file is a temporary one without a name.
//
// Writing is a group commit. Whoever finds the log free takes all that is
// queued, encodes it into one buffer, writes that with one write(2), adds the
// rows to the index and shows them to readers; those who came meanwhile wait,
// and the first of them leads next. So entries have one order, a lone writer
// pays for no other goroutine, and nothing is shown before it is in the file.
// What a killed recorder leaves is a file whose every complete line is good.
//
// A disk that is full ends the recording and not the session: the last torn
// line is cut off, Stats says what happened, and later entries are kept in
// memory, the oldest giving way.
//
// A [Recording] is a recording opened for reading, which is a session.Source as
// the File is. Open reads it whole; OpenAtOnce returns with the last rows, which
// it reads first, and a goroutine goes from front to back behind it: some decode
// blocks of lines, one adds the entries to the index in their order, and readers
// see each block when it is complete. What another program is still recording is
// followed: its lock says that there is more to come. Memory is that of the
// index (session.Index, at most 64 MiB of rows and 3 bytes for each), a few
// blocks, and the longest line.
//
// The index of a large recording is stored in a folder of the user's cache. It
// says what file it is of, in ways that no other file has by accident; whatever
// does not agree, it is deleted and made again. Its rows stay on the disk and
// are read page by page. So an index is only ever a matter of time: without it,
// everything is the same, later.
//
// Decode, Scanner, Peek and Verify are for single lines, for going through a
// file, for its two ends, and for its sums.
package recordings
