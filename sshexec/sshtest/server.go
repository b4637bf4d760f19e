//go:build unix

package sshtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Options configure a server that is a real program.
type Options struct {
	Alias   string   // what the server is called in Config; empty means target
	Aliases []string // further names of it
	SSH     []string // lines for its block in Config, before and so in place of our own
	Jump    *Server  // the server through which Config reaches it, under another Alias

	// Sshd are lines of sshd_config, before and so in place of our own. What comes
	// after a Match line stands in its block.
	Sshd       []string
	LogLevel   string   // of sshd: INFO or more; empty means VERBOSE
	HostKeys   []string // types: ed25519, ecdsa, rsa; nil means all three
	KeyOptions string   // before the key in authorized_keys, such as command="x"
	// AuthorizedKeys are further lines of authorized_keys.
	AuthorizedKeys []string
	User           string // who logs in; empty means who runs the test
	// Before are commands of a shell that Busybox runs before it becomes the server.
	Before string
	// Everywhere makes OpenSSH listen at every address of this machine, on the port
	// of Addr: on Linux one server is so as many hosts as 127.0.0.0/8 has addresses.
	Everywhere bool
}

// A Server is an SSH server for one test.
type Server struct {
	Alias  string // target, in Config
	Config string // ssh_config file, for -F, in which Alias is all that is needed
	Addr   string // host:port; empty when only a ProxyCommand leads there
	User   string
	Dir    string // of all its files; others may read it

	KeyFile        string // private key that may log in, ed25519
	KnownHosts     string // with all HostKeys
	AuthorizedKeys string
	HostKeys       []ssh.PublicKey
	Key            *Key   // the key of KeyFile
	LogFile        string // what the server says of itself

	mark    string // SSHTEST=mark is in the environment of each process that it starts
	options Options
	block   string // of Config
	stop    func()
}

// newServer makes what all servers have in common: keys and folders.
func newServer(t testing.TB, o Options) (*Server, []*Key) {
	t.Helper()
	dir := tempDir(t)
	s := &Server{
		options:        o,
		Alias:          o.Alias,
		Config:         filepath.Join(dir, "ssh_config"),
		User:           o.User,
		Dir:            dir,
		KnownHosts:     filepath.Join(dir, "known_hosts"),
		AuthorizedKeys: filepath.Join(dir, "authorized_keys"),
		LogFile:        filepath.Join(dir, "log"),
		mark:           filepath.Base(dir),
		stop:           func() {},
	}
	if s.Alias == "" {
		s.Alias = "target"
	}
	if s.User == "" {
		me, err := user.Current()
		require.NoError(t, err)
		s.User = me.Username
	}
	s.Key = NewKey(t, "ed25519", filepath.Join(dir, "client_key"))
	s.KeyFile = s.Key.File
	authorized := strings.TrimSpace(o.KeyOptions+" "+s.Key.AuthorizedKey()) + "\n"
	for _, line := range o.AuthorizedKeys {
		authorized += strings.TrimSuffix(line, "\n") + "\n"
	}
	writeFile(t, s.AuthorizedKeys, authorized, 0o644)

	kinds := o.HostKeys
	if kinds == nil {
		kinds = HostKeyTypes
	}
	var keys []*Key
	for _, kind := range kinds {
		key := NewKey(t, kind, filepath.Join(dir, "host_"+kind))
		keys = append(keys, key)
		s.HostKeys = append(s.HostKeys, key.PublicKey())
	}
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("the log of %s ends in\n%s", s.Alias, tail(s.Log(), 8<<10))
		}
	})
	return s, keys
}

// writeListening is writeClient for a server that listens on Addr.
func (s *Server) writeListening(t testing.TB) {
	t.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	require.NoError(t, err)
	s.writeClient(t, s.Addr, "HostName "+host, "Port "+port)
}

// writeClient writes Config and KnownHosts. The way is what leads to the server:
// lines of ssh_config. The host is what known_hosts calls it.
func (s *Server) writeClient(t testing.TB, host string, way ...string) {
	t.Helper()
	var known strings.Builder
	for _, key := range s.HostKeys {
		known.WriteString(knownhosts.Line([]string{host}, key) + "\n")
	}
	writeFile(t, s.KnownHosts, known.String(), 0o600)

	lines := slices.Concat(s.options.SSH, way, []string{
		"User " + s.User,
		fmt.Sprintf("IdentityFile %q", s.KeyFile),
		"IdentitiesOnly yes",
		"IdentityAgent none",
		fmt.Sprintf("UserKnownHostsFile %q", s.KnownHosts),
		"GlobalKnownHostsFile /dev/null",
	})
	s.block = "Host " + strings.Join(append([]string{s.Alias}, s.options.Aliases...), " ") + "\n"
	if jump := s.options.Jump; jump != nil {
		require.NotEqual(t, jump.Alias, s.Alias, "a hop needs an alias of its own")
		lines = append(lines, "ProxyJump "+jump.Alias)
	}
	for _, line := range lines {
		s.block += "\t" + line + "\n"
	}
	if jump := s.options.Jump; jump != nil {
		s.block += jump.block
	}
	writeFile(t, s.Config, s.block, 0o644)
}

// Through is the same server with another Config, in which it is reached through
// a proxy: one that NewProxy made for its Addr.
func (s *Server) Through(t testing.TB, p *Proxy) *Server {
	t.Helper()
	dir := tempDir(t)
	through := *s
	through.Addr = p.Addr
	through.Config = filepath.Join(dir, "ssh_config")
	through.KnownHosts = filepath.Join(dir, "known_hosts")
	through.writeListening(t)
	return &through
}

// Command is the real ssh program, about to run a command on the server.
func (s *Server) Command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ssh", append([]string{"-F", s.Config, s.Alias}, args...)...)
}

// ClientConfig is what a plain client in Go needs: it logs in with Key and takes
// the HostKeys.
func (s *Server) ClientConfig() *ssh.ClientConfig {
	return &ssh.ClientConfig{
		User: s.User,
		Auth: []ssh.AuthMethod{ssh.PublicKeys(s.Key)},
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			for _, known := range s.HostKeys {
				if bytes.Equal(known.Marshal(), key.Marshal()) {
					return nil
				}
			}
			return fmt.Errorf("%s is not a key of %s", ssh.FingerprintSHA256(key), s.Alias)
		},
	}
}

// Dial is a plain client in Go, logged in; it is closed with the test.
func (s *Server) Dial(t testing.TB) *ssh.Client {
	t.Helper()
	client, err := ssh.Dial("tcp", s.Addr, s.ClientConfig())
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Stop ends the server at once, with all its connections and processes. The test
// does it by itself at its end.
func (s *Server) Stop() { s.stop() }

// Log is what the server has said of itself so far.
func (s *Server) Log() string {
	text, _ := os.ReadFile(s.LogFile)
	return string(text)
}

func tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "..." + text[len(text)-most:]
}
