//go:build linux || darwin || freebsd

package unixsocket

import "net"

// checkPeer checks the descriptor of a socket.
func checkPeer(conn net.Conn, own func(fd int) bool) bool {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) { same = own(int(fd)) })
	return err == nil && same
}
