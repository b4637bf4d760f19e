package unixsocket

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// samePeer reports whether the other end of a socket belongs to the same user.
func samePeer(conn net.Conn) bool {
	return checkPeer(conn, func(fd int) bool {
		peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		return err == nil && int(peer.Uid) == os.Getuid()
	})
}
