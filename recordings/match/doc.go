// Package match matches the requests of two sessions and finds the messages that belong
// to a request.
//
// [Walk] visits a session.Source message by message and reports for each one the
// request it belongs to. It keeps only pending requests in memory; [Read] reads the
// bytes again.
//
// Ids mean nothing across sessions. A request is identified by its key ([AppendKey]):
// the method and the params in canonical form ([AppendCanonical]). [Rules], which
// people keep in a file next to their code, define what else to ignore, and [TypeOf]
// recognizes values that change with each run. [Diff] and [Differ] find where two
// values differ.
//
// All input is untrusted: nothing here panics, and texts must be sanitized before they
// are written to a terminal.
package match
