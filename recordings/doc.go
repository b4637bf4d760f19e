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
// Open reads a recording as a [Recording], which is a session.Source as the
// File is; Decode and Verify are for single lines and for whole files.
package recordings
