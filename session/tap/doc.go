// Package tap forwards between a client and its server: it starts the server as the client
// would, passes on both directions byte for byte, and writes what it passed on to a log.
//
// # Forwarding first
//
// A debugging session logs a message before it sends it. A tap does not: the client and
// the server must not notice it. Each read gets a number and a time from one counter,
// goes into a queue, and is forwarded; a goroutine writes the queue to the log. If the
// queue is full, a read waits for it for a moment, and then is forwarded without being
// logged: a gap has its size and its stream.
//
// # The end
//
// The streams end as they would without a tap: the end of the client's input closes that
// of the server, signals are passed on to the server's group, and Run returns with the
// exit of the server. If the client is gone, so that the output has no reader, the server is
// ended.
//
// # Live mode
//
// With Config.Live whole lines are forwarded, and the server can be restarted under the
// client. A relay decides, line by line; a live tap does what it decides.
package tap
