package dial

import (
	"net"
	"syscall"
)

// acknowledge sends a pending acknowledgement. The kernel forgets that it may not delay them.
func acknowledge(conn *net.TCPConn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return // it is closed
	}
	_ = raw.Control(func(fd uintptr) { // it is only slower otherwise
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
	})
}
