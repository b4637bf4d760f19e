// Package diagnosis has the words for what is wrong with a session. Its two
// halves read a session.Source and nothing else, so a live session and its
// recording have the same diagnosis:
//
//   - session/diagnosis/rule checks every entry by the rules of the protocol. A
//     [Problem] is one place where a [Rule] is violated, with a [Severity] and the
//     [Side] that it is about. A [Count] counts problems the same way everywhere.
//   - session/diagnosis/cause names the likeliest [Cause] when something is wrong
//     now: what happened, what to try, and the row that shows it.
//
// The advice in this package is shared by the causes and by the hints of a
// session that could not be opened (session.OpenError).
package diagnosis
