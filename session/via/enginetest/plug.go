//go:build linux

package enginetest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A plug holds the streams of one process: theirs are the ends of the process.
type plug struct {
	theirs [3]*os.File
	stdin  *os.File // nil if it is not attached
	out    [2]*os.File
	tty    bool

	readers sync.WaitGroup
	writing atomic.Int32  // readers that wait for the client
	ended   chan struct{} // closed when the process has ended
}

// newPlug makes the streams of a process.
func newPlug(tty, stdin bool) (*plug, error) {
	p := &plug{tty: tty, ended: make(chan struct{})}
	if tty {
		ours, theirs, err := openTerminal()
		if err != nil {
			return nil, err
		}
		p.theirs, p.out[0] = [3]*os.File{theirs, theirs, theirs}, ours
		if stdin {
			p.stdin = ours
		}
		return p, nil
	}
	var err error
	if stdin {
		p.theirs[0], p.stdin, err = os.Pipe()
	} else {
		p.theirs[0], err = os.Open(os.DevNull)
	}
	for i := range p.out {
		if err == nil {
			p.out[i], p.theirs[i+1], err = os.Pipe()
		}
	}
	return p, err
}

// letGo closes the ends of the process, which has them now.
func (p *plug) letGo() {
	for _, f := range p.theirs {
		_ = f.Close() // a terminal is there three times
	}
}

// abandon closes all ends: the process did not start.
func (p *plug) abandon() {
	p.letGo()
	p.closeOurs()
}

func (p *plug) closeOurs() {
	for _, f := range []*os.File{p.stdin, p.out[0], p.out[1]} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// pump copies output to a client, and goes on without one.
func (p *plug) pump(to *frames) {
	for i, from := range p.out {
		if from == nil {
			continue
		}
		p.readers.Go(func() {
			for buf := make([]byte, 32<<10); ; {
				n, err := from.Read(buf)
				if n > 0 {
					p.writing.Add(1)
					to.write(frameStdout+byte(i), buf[:n])
					p.writing.Add(-1)
				}
				if err != nil {
					return
				}
			}
		})
	}
}

// drain waits for the rest of the output of a process that has ended. A process that it
// has leaked may hold the output for longer than docker waits.
func (p *plug) drain() {
	done := make(chan struct{})
	go func() {
		p.readers.Wait()
		close(done)
	}()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-time.After(drainTime):
			waiting = p.writing.Load() > 0 // a slow client loses nothing
		}
	}
	p.closeOurs()
	<-done
}

// feed copies the client's input to the process. If the client ends its input so does
// the process's; if the client dies that stays open.
func (p *plug) feed(conn *net.UnixConn, r io.Reader) {
	if p.stdin == nil {
		_, _ = io.Copy(io.Discard, r)
		return
	}
	_, err := io.Copy(p.stdin, r)
	if err == nil && !hungUp(conn) && !p.tty {
		_ = p.stdin.Close()
	}
}

// hungUp reports whether the other end of a connection was closed, and not only for
// writing.
func hungUp(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	fds := []unix.PollFd{{}}
	err = raw.Control(func(fd uintptr) {
		fds[0].Fd = int32(fd)
		for {
			if _, err := unix.Poll(fds, 0); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	return err != nil || fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
}

// take makes the connection of a request a stream.
func (d *daemon) take(w http.ResponseWriter, raw bool) (*net.UnixConn, io.Reader, error) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	kind := "multiplexed"
	if raw {
		kind = "raw"
	}
	_, err = io.WriteString(conn, "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker."+kind+"-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
	own := conn.(*net.UnixConn)
	d.mu.Lock()
	d.streams[own] = struct{}{}
	d.mu.Unlock()
	return own, buffered, err
}

// release ends a stream.
func (d *daemon) release(conn *net.UnixConn) {
	d.mu.Lock()
	delete(d.streams, conn)
	d.mu.Unlock()
	_ = conn.Close()
}
