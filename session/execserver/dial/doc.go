// Package dial connects to exec servers: programs that speak on their standard input and
// output, sockets of this machine, and WebSocket URLs.
//
// A program is started by an executor that is passed in, so that it may run on this machine,
// on a host or in a container, and ends as any process of that executor. Tokens and headers
// come from the environment or from a file, and are sent over wss, or to this machine only.
package dial
