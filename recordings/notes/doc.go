// Package notes keeps what a person adds to a recording: marks, and texts, on its
// entries. They are in a file of their own beside the recording, which stays as
// it is. docs/recording-format.md says what the file looks like.
//
// The file is a list of changes that only grows: each one is on the disk when Set
// returns, and a crash costs at most the one that was being written. Where
// nothing can be written, such as in a folder that belongs to somebody else, notes
// live as long as the program, and one error says so.
package notes
