// Package steps makes a scenario of what was done in a recorded session.
//
// [Of] takes what the client did and leaves out what a session does by itself:
// the handshake, pings, further rounds of a request that asked for input. A
// request becomes a step that waits for its answer: those that were under way at
// the same time are made one after the other. Where the client did something
// meanwhile that the answer needed, such as to answer a question of the server or
// to cancel, the call is one in the background, with an await where its answer
// came.
//
// A text that the server gave and the client sent back, such as a cursor or the
// id of something new, becomes a capture and a variable. What each step expects
// says [Options.Expect]: by default as much as should hold on the next day too.
//
// What was sent stands in the scenario as it was sent, secrets included. What a
// redacted copy of a recording conceals becomes a variable that somebody has to
// give.
package steps
