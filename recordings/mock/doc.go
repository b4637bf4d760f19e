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
//   - What else came while requests were open goes with the one that was sent
//     last: notifications, and requests of the server.
//   - What came while none was open follows what it followed: an answer, a
//     notification of the client, or the start.
//   - What has the id of a subscription is sent at its place, if the client
//     has made that subscription too.
//
// A server's request gets an id of its own, and where the recorded server went
// on after the client's answer, the mock waits for it and compares it.
//
// # What it costs
//
// Rows are looked at in the order of the file and only as far as a request
// needs it; entries are read only of the asked method. So the first answer of a
// large file does not wait for its index. A request that was looked at takes 8
// bytes, and about 40 more for each different one; a request that was not asked
// for by method takes 4. Nothing else grows with the file: answers are read
// from it when they are sent.
package mock
