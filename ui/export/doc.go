// Package export is the dialog that writes a session or recording in another format,
// to share it.
//
// A view (view.go, paint.go) chooses the format and the file, and shows which secrets
// redaction removes; a job (job.go) does the work off the goroutine of the program.
// Redaction reads the file of the recording, so a session that is not recorded can only
// be exported as it is.
package export
