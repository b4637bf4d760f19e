// Package report writes the result of a smoke test: for programs as one JSON
// document ([JSON]) or line by line ([Lines]), for build servers as JUnit XML
// ([JUnit]) and TAP ([TAP]), for people as one page ([HTML]) and as text
// ([TextLines], [Summary]).
//
// All formats have for each target its host and server, where it failed and the
// class of the failure, a message and a hint, the duration of each phase, and
// the path of the recording. They include texts of hosts and servers, but
// always as plain text, and never with control characters.
package report
