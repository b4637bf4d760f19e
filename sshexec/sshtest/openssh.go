//go:build unix

package sshtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startLimit is how long a server may take until it listens.
const startLimit = 20 * time.Second

// OpenSSH starts a real sshd that listens on the loopback interface. It logs in
// only who runs the test, unless that is root.
func OpenSSH(t testing.TB, o Options) *Server {
	t.Helper()
	sshd := needSshd(t)
	s, keys := newServer(t, o)
	listen(t, s, "Server listening on", func() *exec.Cmd {
		conf := s.writeSshd(t, o, keys, "ListenAddress "+s.Addr)
		return exec.Command(sshd, "-D", "-e", "-f", conf)
	})
	s.writeClient(t, o, s.Addr, s.listenWay(t)...)
	return s
}

// Inetd is a real sshd without a port: Config names a ProxyCommand that starts
// one for each connection.
func Inetd(t testing.TB, o Options) *Server {
	t.Helper()
	require.Nil(t, o.Jump, "a ProxyCommand is the whole way")
	sshd := needSshd(t)
	s, keys := newServer(t, o)
	s.stop = func() { endMarked(s.mark) }
	conf := s.writeSshd(t, o, keys)
	const host = "sshtest.invalid" // which leads nowhere, should a client ignore the ProxyCommand
	s.writeClient(t, o, host, "HostName "+host,
		fmt.Sprintf("ProxyCommand %s -i -f '%s' -E '%s'", sshd, conf, s.LogFile))
	return s
}

func needSshd(t testing.TB) string {
	t.Helper()
	Need(t, "ssh")
	sshd := Need(t, "sshd")
	if os.Geteuid() == 0 {
		// Where sshd keeps its helper locked up; the service makes it when it starts.
		require.NoError(t, os.MkdirAll("/run/sshd", 0o755))
	}
	return sshd
}

// writeSshd writes sshd_config, in which the first value of a keyword counts.
func (s *Server) writeSshd(t testing.TB, o Options, keys []*Key, way ...string) string {
	t.Helper()
	level := o.LogLevel
	if level == "" {
		level = "VERBOSE"
	}
	match := slices.IndexFunc(o.Sshd, func(line string) bool {
		return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "match")
	})
	if match < 0 {
		match = len(o.Sshd)
	}
	lines := slices.Concat(way, o.Sshd[:match], []string{
		"LogLevel " + level,
		fmt.Sprintf("AuthorizedKeysFile %q", s.AuthorizedKeys),
		"SetEnv SSHTEST=" + s.mark,
		"StrictModes no", // the folder of temporary files is anybody's
		"UsePAM no",
		"PidFile none",
		"PermitRootLogin yes",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"MaxStartups 1000",
		"PrintMotd no",
		"PrintLastLog no",
	})
	if penalises(t) {
		lines = append(lines, "PerSourcePenalties no") // one test must not lock out the next
	}
	for _, key := range keys {
		lines = append(lines, fmt.Sprintf("HostKey %q", key.File))
	}
	lines = append(lines, o.Sshd[match:]...)
	conf := filepath.Join(s.Dir, "sshd_config")
	writeFile(t, conf, strings.Join(lines, "\n")+"\n", 0o644)
	return conf
}

// penalises says whether this sshd knows PerSourcePenalties, as 9.8 and later do.
func penalises(t testing.TB) bool {
	t.Helper()
	version, err := exec.Command(Need(t, "ssh"), "-V").CombinedOutput()
	require.NoError(t, err)
	var major, minor int
	_, err = fmt.Sscanf(string(version), "OpenSSH_%d.%d", &major, &minor)
	require.NoError(t, err, "%s", version)
	return major > 9 || major == 9 && minor >= 8
}

// listen starts a program that listens on a port of our choice, s.Addr, and
// waits until its standard error, which becomes the log, says that it does.
// Another program may take the port first, so it tries again.
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

// launch says whether the program got ready, or else it has ended.
func (s *Server) launch(t testing.TB, ready string, cmd *exec.Cmd) bool {
	t.Helper()
	file, err := os.Create(s.LogFile)
	require.NoError(t, err)
	log := &watch{file: file, want: []byte(ready), seen: make(chan struct{})}
	cmd.Stderr = log
	// The pipe ends with the last process of the server; endTree leaves none.
	cmd.WaitDelay = startLimit
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it was killed, or the log says why
		_ = file.Close()
	}()
	s.stop = sync.OnceFunc(func() {
		endTree(cmd.Process.Pid)
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

// A watch writes to a file, and tells when a text has gone by.
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
