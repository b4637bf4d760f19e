//go:build unix && !linux && !darwin && !freebsd

package unixsocket

import "net"

// samePeer relies on the folder, which only its user can enter.
func samePeer(net.Conn) bool { return true }
