package link

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// deadAfter is how long the kernel sends without an acknowledgement: as long as the
// keepalives take to notice.
const deadAfter = keepaliveQuiet + keepaliveMisses*keepaliveReply

// tune returns a function that requests an immediate acknowledgement, which has an effect
// for a short time only: sshd leaves Nagle's algorithm on until the session starts, and
// together with delayed acknowledgements that costs 40 ms in each login.
func tune(conn net.Conn) (ack func()) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	// The connection works without any of these options.
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
