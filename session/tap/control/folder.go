package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mcpdbg/session/unixsocket"
)

const maxName = 30

// Folder returns the folder of the control sockets, next to that of the recordings of
// taps. Only its user can enter it.
func Folder(recordings string) (string, error) {
	folder := filepath.Join(filepath.Dir(recordings), "taps")
	if len(folder)+len("/-4294967295.sock")+maxName > unixsocket.MaxPath {
		folder = filepath.Join("/tmp", "mcpdbg-"+strconv.Itoa(os.Getuid()))
	}
	if err := unixsocket.Private(folder); err != nil {
		return "", err
	}
	return folder, nil
}

func socketName(name string, pid int) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._", r) {
			return r
		}
		return '-'
	}, name)
	return safe[:min(len(safe), maxName)] + "-" + strconv.Itoa(pid) + ".sock"
}

// A Tap is a live tap, as its greeting describes it.
type Tap struct {
	Version   int
	Name      string
	PID       int
	Since     time.Time
	Recording string // "" without one
	path      string
}

func (g *greeting) tap(path string) Tap {
	return Tap{Version: g.Version, Name: g.Name, PID: g.PID, Since: g.Since, Recording: g.Recording, path: path}
}

// List returns the live taps of this user, and removes the sockets of others that were
// killed.
func List(folder string) ([]Tap, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var taps []Tap
	for _, f := range files {
		path := filepath.Join(folder, f.Name())
		if filepath.Ext(path) != ".sock" {
			continue
		}
		t := Tap{path: path}
		conn, _, err := t.dial(context.Background())
		switch {
		case unixsocket.IsRefused(err):
			if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > firstWait { // else it is about to listen
				_ = os.Remove(path)
			}
			continue
		case err != nil: // gone, or too slow
			continue
		}
		_ = conn.Close()
		if t.PID > 0 {
			taps = append(taps, t)
		}
	}
	return taps, nil
}

// dial opens a connection, and takes the greeting. It has a deadline.
func (t *Tap) dial(ctx context.Context) (net.Conn, *bufio.Reader, error) {
	dialing, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	conn, err := unixsocket.Dial(dialing, t.path)
	if err != nil {
		return nil, nil, err
	}
	in, err := t.greeted(conn)
	if err != nil {
		_ = conn.Close()
		return nil, nil, fmt.Errorf("no greeting: %w", err)
	}
	return conn, in, nil
}

func (t *Tap) greeted(conn net.Conn) (*bufio.Reader, error) {
	_ = conn.SetDeadline(time.Now().Add(firstWait))
	in := bufio.NewReaderSize(conn, maxOrder)
	var hello greeting
	if err := readLine(in, upTo(maxOrder), &hello); err != nil {
		return nil, err
	}
	*t = hello.tap(t.path)
	return in, nil
}

// Give gives an order to a tap, and returns its answer: "tell", "restart" or "stop".
func (t *Tap) Give(ctx context.Context, do string) (string, error) {
	conn, in, err := t.dial(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	if t.Version < 1 || t.Version > version {
		return "", fmt.Errorf("it speaks version %d of the control lines, and this is version %d", t.Version, version)
	}
	wait := firstWait
	if do == "restart" {
		wait = restartWait
	}
	_ = conn.SetDeadline(time.Now().Add(wait))
	if err := writeLine(conn, order{Do: do}); err != nil {
		return "", err
	}
	var r reply
	if err := readLine(in, upTo(maxOrder), &r); err != nil {
		return "", errors.Join(context.Cause(ctx), fmt.Errorf("no answer: %w", err))
	}
	return r.Text, r.err()
}
