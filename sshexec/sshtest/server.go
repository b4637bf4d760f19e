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

	"mcpdbg/internal/wording"
)

// Options configure a server that is a real program.
type Options struct {
	Alias   string   // name of the server in Config; empty means target
	Aliases []string // further names of it
	SSH     []string // lines for its block in Config; they take precedence over the default ones
	Jump    *Server  // the server through which Config reaches it, under another Alias

	// Sshd are lines of sshd_config, which take precedence over the default
	// ones. Lines after a Match line are in its block.
	Sshd       []string
	LogLevel   string   // of sshd: INFO or more; empty means VERBOSE
	HostKeys   []string // types: ed25519, ecdsa, rsa; nil means all three
	KeyOptions string   // before the key in authorized_keys, such as command="x"
	// AuthorizedKeys are more lines of authorized_keys.
	AuthorizedKeys []string
	User           string // the user to log in as; empty means the user who runs the test
	// Setup are shell commands that Busybox runs before it starts the server.
	Setup string
	// AllAddresses makes OpenSSH listen on every address of this machine, on the
	// port of Addr: on Linux one server then acts as all hosts of 127.0.0.0/8.
	AllAddresses bool
}

// A Server is an SSH server for one test.
type Server struct {
	Alias  string // target, in Config
	Config string // ssh_config file, for -F, with everything needed to connect to Alias
	Addr   string // host:port; empty if only a ProxyCommand connects to it
	User   string
	Dir    string // of all its files; other users may read it

	KeyFile        string // private key that may log in, ed25519
	KnownHosts     string // with all HostKeys
	AuthorizedKeys string
	HostKeys       []ssh.PublicKey
	Key            *Key   // the key of KeyFile
	LogFile        string // the server's log

	mark    string // SSHTEST=mark is in the environment of each process that it starts
	options Options
	block   string // of Config
	stop    func()
}

// newServer makes the common parts of all servers: keys and folders.
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
		kinds = hostKeyTypes
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
			t.Logf("the log of %s ends in\n%s", s.Alias, wording.Tail(s.Log(), 8<<10))
		}
	})
	return s, keys
}

func (s *Server) writeListening(t testing.TB) {
	t.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	require.NoError(t, err)
	s.writeClient(t, s.Addr, "HostName "+host, "Port "+port)
}

// The way is how to connect to the server: lines of ssh_config. The host is its name in
// known_hosts.
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

// Through is the same server with another Config, which connects through a
// proxy that NewProxy made for its Addr.
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

// Command returns the real ssh program, ready to run a command on the server.
func (s *Server) Command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ssh", append([]string{"-F", s.Config, s.Alias}, args...)...)
}

// ClientConfig returns the configuration of a Go client: it logs in with Key
// and accepts the HostKeys.
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

// Dial returns a Go client, logged in; it is closed with the test.
func (s *Server) Dial(t testing.TB) *ssh.Client {
	t.Helper()
	client, err := ssh.Dial("tcp", s.Addr, s.ClientConfig())
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Stop ends the server at once, with all its connections and processes. The
// test calls it at its end.
func (s *Server) Stop() { s.stop() }

// Log returns the server's log so far.
func (s *Server) Log() string {
	text, _ := os.ReadFile(s.LogFile)
	return string(text)
}
