// Package exit is about how an invocation ends: the exit codes, the errors that
// carry one, and what is printed about an error.
//
// A command returns an error. CodeOf derives the exit code from the type of the
// error, and Explain returns the lines for standard error: the message, the
// evidence of the session or the host, and what to try.
package exit
