package link

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// deadAfter is how long the kernel sends without an acknowledgement before it
// gives a connection up: as long as the keepalives take to notice.
const deadAfter = keepaliveQuiet + keepaliveMisses*keepaliveReply

// tune sets the options of a socket. It returns what asks for an acknowledgement
// without delay, which holds for a short while only: sshd leaves Nagle's
// algorithm on until the session starts, and that against a delayed
// acknowledgement costs 40 ms in each login.
func tune(conn net.Conn) (ack func()) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	// None of the options is needed for the connection to work.
	_ = tcp.SetNoDelay(true)
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(deadAfter/time.Millisecond))
	})
	quick := func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1)
	}
	ack = func() { _ = raw.Control(quick) }
	ack()
	return ack
}
