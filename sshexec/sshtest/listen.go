//go:build unix

package sshtest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startLimit is for a server to listen, or a client to connect.
const startLimit = 5 * time.Minute

// listen chooses the port of s.Addr, and waits until the program's standard error, which
// becomes the log, has the ready message. Another program may take the port first, so it
// retries.
func listen(t testing.TB, s *Server, ready string, command func() *exec.Cmd) {
	t.Helper()
	for range 5 {
		s.Addr = freeAddr(t)
		if s.launch(t, ready, command()) {
			return
		}
		if !strings.Contains(s.Log(), "in use") {
			break
		}
	}
	t.Fatal("the server ended at once")
}

// launch reports whether the program became ready; otherwise it has ended.
func (s *Server) launch(t testing.TB, ready string, cmd *exec.Cmd) bool {
	t.Helper()
	file, err := os.Create(s.LogFile)
	require.NoError(t, err)
	log := &watch{file: file, want: []byte(ready), seen: make(chan struct{})}
	cmd.Stderr = log
	// The pipe ends with the last process of the server; endTree leaves none.
	cmd.WaitDelay = startLimit
	tie(cmd)
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it was killed, or the log has the reason
		_ = file.Close()
	}()
	s.stop = sync.OnceFunc(func() {
		select {
		case <-ended: // by itself; its pid may have been reused
		default:
			endTree(cmd.Process.Pid)
		}
		endMarked(s.mark)
		<-ended
	})
	select {
	case <-log.seen:
		return true
	case <-ended:
		return false
	case <-time.After(startLimit):
		t.Fatalf("the server did not get ready within %v", startLimit)
		return false
	}
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// A watch writes to a file, and reports when a text has been written.
type watch struct {
	file *os.File
	want []byte
	seen chan struct{}
	text []byte // until it was seen
	done bool
}

func (w *watch) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if !w.done {
		w.text = append(w.text, p...)
		if bytes.Contains(w.text, w.want) {
			w.done, w.text = true, nil
			close(w.seen)
		}
	}
	return n, err
}
