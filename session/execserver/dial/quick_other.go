//go:build !linux

package dial

import "net"

func acknowledge(*net.TCPConn) {}
