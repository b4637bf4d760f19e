// Package mock serves a recording as a server.
//
// A [Server] answers each request with the recorded response to the same request: the
// same method, and equal params as defined by package match. A request without a
// recorded response gets an error that names the closest recorded request and where it
// differs.
//
// # Messages sent with a response
//
// Everything that the recorded server wrote has a place in the recording, and is
// written again in that place. A play iterates over the rows of the recording, starting
// at a message of the client:
//
//   - Progress belongs to the request with its token; the token is replaced by the
//     one that the client uses now.
//   - Changes of lists and of resources that belong to no subscription follow the
//     last response before them, or the client notification after that, no matter
//     which requests were pending.
//   - Everything else that came while requests were pending belongs to the request
//     that was sent last: notifications, and requests of the server.
//   - Messages that came while no request was pending follow their predecessor: a
//     response, a notification of the client, or the start.
//   - A message with the id of a subscription is sent in its place if the client has
//     made that subscription, too.
//
// A notification is written separately and in its recorded rhythm, with pauses of at
// most 20 ms each and a second in total: clients drop progress that arrives together
// with the response.
//
// A request of the server gets a new id. Where the recorded server continued after the
// client's response, the mock waits for that and compares it.
//
// # Cost
//
// Rows are read in the order of the file and only as far as a request needs; entries
// are read only for the requested method, the others while the client is idle. So the
// first response from a large file does not wait for the index; only to find that
// nothing was recorded, all requests of the method must be read. A recorded request
// takes 4 bytes, one of a method that was requested takes 12, and each different one of
// those about 60 more. Recently used keys and responses are kept, at most 24 MiB. Apart
// from one line of it at a time, nothing else grows with the file.
package mock
