// Package copies copies and shares what a session holds: rows to the clipboard of the
// terminal or into new files, the whole session or recording in another format, and the
// user's marks and notes on rows in a file next to the recording.
//
// The copy menu has the other forms of a row, such as command lines that send a request
// again, and the configuration with which a client starts the server. The export dialog
// shows which secrets redaction removes; it reads the file of the recording, so a session
// that is not recorded can only be exported as it is. Marks and notes are in the
// Workspace: PlaceNotes reads them once all rows are known, and each change is saved.
package copies
