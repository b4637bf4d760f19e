// Package notes stores what a person adds to a recording: marks and texts on its
// entries. They are in a separate file next to the recording, which stays unchanged.
// docs/reference/recording-format.md describes the format of the file.
//
// The file is an append-only list of changes: each one is on the disk when Set returns,
// and a crash loses at most the one that was being written. Where the file can't be
// written, such as in a read-only folder, notes exist until the program exits, and one
// error says so.
package notes
