// Package report writes what a smoke test found out: for programs as one JSON
// document ([JSON]) or line by line ([StartLine], [TargetLine], [EndLine]), for
// build servers as JUnit XML ([JUnit]) and TAP ([TAP]), for people as one page
// ([HTML]) and as text ([Columns.Line], [Summary]).
//
// All of them tell of each target its host and server, where it failed and what
// class of failure that is, what happened, what to try, how long each phase
// took, and where its recording is. What hosts and servers said is in them: it
// never gets out as anything but text, and no control character gets out at all.
package report
