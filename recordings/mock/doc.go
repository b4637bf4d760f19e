// Package mock is a recorded server, served again.
//
// A [Server] reads requests and answers each with what was recorded for the
// same request: the same method and the same params by value (package match
// says what that means). It never answers from another call: a request without
// a recorded answer gets an error that names the closest recorded request and
// where it differs.
//
// # What is sent with an answer
//
// Everything that the recorded server wrote has a place in the recording, and
// is written again at that place. A play walks over the rows of the recording
// from a message of the client on:
//
//   - Progress goes with the request whose token it has; the token is the one
//     that the client gave now.
//   - Changes of lists and of resources that belong to no subscription follow
//     what had been answered when they came, or the client's notification
//     behind it, whatever was open then.
//   - What else came while requests were open goes with the one that was sent
//     last: notifications, and requests of the server.
//   - What came while none was open follows what it followed: an answer, a
//     notification of the client, or the start.
//   - What has the id of a subscription is sent at its place, if the client
//     has made that subscription too.
//
// A notification goes out in a write of its own and in its recorded rhythm, with
// pauses of at most 20 ms and a second in all, before its answer and apart from
// it: clients drop progress that arrives together with the answer.
//
// A server's request gets an id of its own, and where the recorded server went
// on after the client's answer, the mock waits for it and compares it.
//
// # What it costs
//
// Rows are looked at in the order of the file and only as far as a request
// needs it; entries are read only of the asked method, the others while the
// client is idle. So the first answer of a large file does not wait for its
// index; only that nothing was recorded takes a look at all of the method.
// A recorded request takes 4 bytes, one of a method that was asked for 12, and
// each different one of those about 60 more. Answers are read from the file when
// they are sent; keys and answers that were used lately are kept, at most 24 MiB
// of them. Nothing else grows with the file, but for one line of it at a time.
package mock
