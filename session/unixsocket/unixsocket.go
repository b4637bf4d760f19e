// Package unixsocket opens Unix sockets that only their user can reach: the folder and the
// socket are closed to others, and the peer is checked where the system can tell it.
package unixsocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// MaxPath is the length of a path that fits into an address on all systems.
const MaxPath = 100

// staleTime is how long a connection to an existing socket may take.
const staleTime = time.Second

// errInUse is the error of Listen if another program listens there.
var errInUse = errors.New("another program listens there")

// ErrPeer is the error of Dial if the socket is that of another user.
var ErrPeer = errors.New("it belongs to another user")

// Private makes a folder that only its user can enter, or checks that an existing one is.
func Private(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir() || !isOwn(info):
		return fmt.Errorf("%s is not a private folder of yours", folder)
	}
	return nil
}

// Listen opens a socket in a private folder, in place of one whose program was killed. The
// listener accepts only connections of the same user.
func Listen(path string) (net.Listener, error) {
	if len(path) > MaxPath {
		return nil, fmt.Errorf("listen on %s: the path is longer than %d bytes", path, MaxPath)
	}
	if err := Private(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := removeStale(path); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return &listener{Listener: l, accepts: samePeer}, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != os.ModeSocket && info.Mode().Type() != os.ModeIrregular: // the latter on Windows
		return errors.New("the file is not a socket")
	}
	conn, err := net.DialTimeout("unix", path, staleTime)
	switch {
	case err == nil:
		_ = conn.Close()
		return errInUse
	case !IsRefused(err):
		return err
	}
	return os.Remove(path)
}

type listener struct {
	net.Listener
	accepts func(net.Conn) bool
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || l.accepts(conn) {
			return conn, err
		}
		_ = conn.Close()
	}
}

// Dial connects to a socket of the same user.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if !samePeer(conn) {
		_ = conn.Close()
		return nil, fmt.Errorf("connect to %s: %w", path, ErrPeer)
	}
	return conn, nil
}
