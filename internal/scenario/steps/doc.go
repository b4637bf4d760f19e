// Package steps makes a scenario from a recorded session.
//
// [Of] takes the actions of the client, without what a session does by itself: the
// handshake, pings, and further rounds of a request that required input. A request
// becomes a step that waits for its response; concurrent requests become consecutive
// steps. If the response needed something else that the client did meanwhile, such as
// answering a server request or cancelling, the call becomes a background call, with
// an await step where its response came.
//
// A text that the server sent and the client sent back, such as a cursor or the id of
// something new, becomes a capture and a variable. [Options.Expect] sets what each
// step expects: by default as much as should still hold in a later run.
//
// The scenario contains messages as they were sent, including secrets. Values that were
// redacted in the recording become variables without a value.
package steps
