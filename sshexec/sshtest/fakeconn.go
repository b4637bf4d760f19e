//go:build unix

package sshtest

import (
	"io"
	"net"
	"strconv"
	"sync"

	"golang.org/x/crypto/ssh"
)

type fakeConn struct {
	net.Conn
	frozen <-chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Read blocks until the connection closes once it is frozen; the data of a
// pending Read is lost.
func (c *fakeConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.wait() {
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *fakeConn) Write(p []byte) (int, error) {
	if c.wait() {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// wait reports whether the connection is frozen, after it has been closed.
func (c *fakeConn) wait() bool {
	select {
	case <-c.frozen:
		<-c.closed
		return true
	default:
		return false
	}
}

func (c *fakeConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// Without reset, cut closes only the sending direction, because closing a socket with
// unread data is a reset too.
func (c *fakeConn) cut(reset bool) {
	tcp := c.Conn.(*net.TCPConn)
	if !reset {
		_ = tcp.CloseWrite()
		return
	}
	_ = tcp.SetLinger(0)
	_ = c.Close()
}

// A client jumps through this server.
func (f *fake) forward(channel ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		OriginHost string
		OriginPort uint32
	}
	if ssh.Unmarshal(channel.ExtraData(), &to) != nil || f.RefuseForward {
		_ = channel.Reject(ssh.Prohibited, "open failed")
		return
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(f.ctx, "tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
	if err != nil {
		_ = channel.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	defer conn.Close()
	ch, requests, err := channel.Accept()
	if err != nil {
		return
	}
	defer ch.Close()
	go ssh.DiscardRequests(requests) // ends with the channel
	f.work.Go(func() {
		_, _ = io.Copy(conn, ch)
		_ = conn.(*net.TCPConn).CloseWrite()
	})
	_, _ = io.Copy(ch, conn)
}
