package unixsocket

import (
	"errors"
	"io/fs"
	"net"

	"golang.org/x/sys/windows"
)

// The folder is in the profile of the user, which is private.
func isOwn(fs.FileInfo) bool { return true }

// IsRefused reports whether nothing listens on an existing socket.
func IsRefused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

func samePeer(net.Conn) bool { return true }
