// Package rerun starts the server of a session again and again, asks it what it
// was asked last, and says what changed in its answers.
//
// It is made for people who change a server while they debug it. A [Series] is
// about one session, with one log: each round is another process in it.
// [Series.Begin] asks the first process for all that it offers; [Series.Again]
// plans what to send out of the log, ends the process, starts the next one, asks
// it, and compares the answers with those that there were. A [Round] is what
// came of it.
//
// What is sent are requests that the person made, the last different ones. Calls
// of tools do things, so that only those go out whose tool is read-only, as the
// server says of it now; the others are held back, and are not forgotten:
// [Series.Rest] sends them.
package rerun
