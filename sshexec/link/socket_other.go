//go:build !linux

package link

import "net"

// tune sets the options of a socket. Only Linux knows how to ask for an
// acknowledgement without delay.
func tune(conn net.Conn) (ack func()) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(true) // which Go does anyway; no connection fails for it
	}
	return nil
}
