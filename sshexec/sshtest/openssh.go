//go:build unix

package sshtest

import (
	"context"
	"fmt"
	"mcpdbg/session/exectest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// OpenSSH starts a real sshd that listens on the loopback interface. Only the
// user who runs the test can log in, unless that is root. If the user cannot
// log in at all, the test is skipped; see Need.
func OpenSSH(t testing.TB, o Options) *Server {
	t.Helper()
	needSshd(t)
	if o.User == "" {
		needLogin(t)
	}
	return startOpenSSH(t, o)
}

func startOpenSSH(t testing.TB, o Options) *Server {
	t.Helper()
	sshd := needSshd(t)
	s, keys := newServer(t, o)
	listen(t, s, "Server listening on", func() *exec.Cmd {
		address := s.Addr
		if o.AllAddresses {
			address = strings.Replace(address, "127.0.0.1", "0.0.0.0", 1)
		}
		conf := s.writeSshd(t, o, keys, "ListenAddress "+address)
		return exec.Command(sshd, "-D", "-e", "-f", conf)
	})
	s.bound(t)
	s.writeListening(t)
	return s
}

// Inetd is a real sshd without a port: Config has a ProxyCommand that starts
// one for each connection.
func Inetd(t testing.TB, o Options) *Server {
	t.Helper()
	require.Nil(t, o.Jump, "a ProxyCommand is the whole way")
	sshd := needSshd(t)
	if o.User == "" {
		needLogin(t)
	}
	s, keys := newServer(t, o)
	s.stop = func() { endMarked(s.mark) }
	s.bound(t)
	conf := s.writeSshd(t, o, keys)
	const host = "sshtest.invalid" // an invalid name, in case a client ignores the ProxyCommand
	s.writeClient(t, host, "HostName "+host,
		fmt.Sprintf("ProxyCommand %s -i -f '%s' -E '%s'", sshd, conf, s.LogFile))
	return s
}

func needSshd(t testing.TB) string {
	t.Helper()
	exectest.Need(t, "ssh")
	sshd := exectest.Need(t, "sshd")
	if os.Geteuid() == 0 {
		// The folder of sshd's privilege separation; the service creates it
		// when it starts.
		require.NoError(t, os.MkdirAll("/run/sshd", 0o755))
	}
	return sshd
}

// In sshd_config the first value of a keyword is used, except for MaxStartups, of which
// the last is used.
func (s *Server) writeSshd(t testing.TB, o Options, keys []*Key, way ...string) string {
	t.Helper()
	level := o.LogLevel
	if level == "" {
		level = "VERBOSE"
	}
	// Match blocks reach to the end of the file.
	match := slices.IndexFunc(o.Sshd, func(line string) bool {
		return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "match")
	})
	if match < 0 {
		match = len(o.Sshd)
	}
	lines := slices.Concat(way, o.Sshd[:match], []string{
		"LogLevel " + level,
		fmt.Sprintf("AuthorizedKeysFile %q", s.AuthorizedKeys),
		"SetEnv SSHTEST=" + s.mark + o.quiet(),
		"StrictModes no", // every user can write to the folder of temporary files
		"UsePAM no",
		"PidFile none",
		"PermitRootLogin yes",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"PrintMotd no",
		"PrintLastLog no",
	})
	if !slices.ContainsFunc(o.Sshd, func(line string) bool { return strings.HasPrefix(line, "MaxStartups ") }) {
		lines = append(lines, "MaxStartups 1000")
	}
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

// quiet keeps bash from reading the startup files of the user who runs the tests, which
// may be slow or print text: bash reads them if its parent is sshd and not a shell. A
// user who was made for the test has its own files.
func (o Options) quiet() string {
	if o.User != "" {
		return ""
	}
	return " SHLVL=2"
}

// PerSourcePenalties is supported since 9.8.
func penalises(t testing.TB) bool {
	t.Helper()
	version, err := exec.Command(exectest.Need(t, "ssh"), "-V").CombinedOutput()
	require.NoError(t, err)
	var major, minor int
	_, err = fmt.Sscanf(string(version), "OpenSSH_%d.%d", &major, &minor)
	require.NoError(t, err, "%s", version)
	return major > 9 || major == 9 && minor >= 8
}

// OrdinaryOpenSSH is OpenSSH run by an ordinary user, so that only that user
// can log in: a temporary one if root runs the test, or the User of o, and
// otherwise the user who runs it. Programs for a command must be readable by
// that user; see CopyBinary.
func OrdinaryOpenSSH(t testing.TB, o Options) *Server {
	t.Helper()
	if os.Geteuid() != 0 {
		return OpenSSH(t, o)
	}
	account := accountOf(t, &o)
	sshd := needSshd(t)
	s, keys := newServer(t, o)
	for _, key := range keys {
		account.give(t, key.File)
	}
	listen(t, s, "Server listening on", func() *exec.Cmd {
		conf := s.writeSshd(t, o, keys, "ListenAddress "+s.Addr)
		cmd := exec.Command(sshd, "-D", "-e", "-f", conf)
		cmd.Dir = "/"
		cmd.SysProcAttr = account.credential()
		return cmd
	})
	s.bound(t)
	s.writeListening(t)
	return s
}

// accountOf sets the User of o if there is none.
func accountOf(t testing.TB, o *Options) *Account {
	t.Helper()
	if o.User == "" {
		a := User(t, "/bin/sh")
		o.User = a.Name
		return a
	}
	found, err := user.Lookup(o.User)
	require.NoError(t, err)
	return &Account{Name: o.User, Home: found.HomeDir, UID: number(t, found.Uid), GID: number(t, found.Gid)}
}

// Master starts the real ssh program as a ControlMaster that is logged in to a
// server, and returns the path of its socket.
func Master(t testing.TB, s *Server) string {
	t.Helper()
	ssh := exectest.Need(t, "ssh")
	socket := filepath.Join(tempDir(t), "master")
	run := func(args ...string) error {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		defer cancel()
		return exec.CommandContext(ctx, ssh, append([]string{"-F", s.Config, "-S", socket}, args...)...).Run()
	}
	// With -f it continues in the background, once the socket exists.
	require.NoError(t, run("-o", "ControlMaster=yes", "-f", "-N", s.Alias))
	// It fails if the server has ended, and the master with it.
	t.Cleanup(func() { _ = run("-O", "exit", s.Alias) })
	return socket
}
