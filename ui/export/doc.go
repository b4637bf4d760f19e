// Package export is the dialog that writes a session or recording in another format, to
// share it.
//
// A view chooses the format and the file, and shows which secrets redaction removes; a
// job does the work in the background. Redaction reads the file of the recording, so a
// session that is not recorded can only be exported as it is.
package export
