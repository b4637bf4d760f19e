//go:build !linux

package link

import "net"

// Only Linux supports requesting an immediate acknowledgement.
func tune(conn net.Conn) (ack func()) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(true) // Go's default; the connection works without it
	}
	return nil
}
