//go:build unix

package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/knownhosts"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// one starts a Fake that does not speak SSH.
func one(t *testing.T, instead func(net.Conn)) *sshtest.Server {
	return sshtest.Fake(t, sshtest.FakeOptions{Handler: instead})
}

// says replies to the client's version line with text, and closes.
func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 256))
		_, _ = io.WriteString(c, text)
	}
}

// nowhere returns a configuration with these lines for the target.
func nowhere(t *testing.T, lines ...string) *sshtest.Server {
	file := filepath.Join(t.TempDir(), "config")
	text := "Host target\n\t" + strings.Join(append(lines, "User ada", "UserKnownHostsFile none", "GlobalKnownHostsFile none"), "\n\t") + "\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return &sshtest.Server{Alias: "target", Config: file}
}

// closedPort returns an address where nothing listens.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// remember replaces the lines of known_hosts for s.
func remember(t *testing.T, s *sshtest.Server, lines ...string) {
	require.NoError(t, os.WriteFile(s.KnownHosts, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

func lineFor(t *testing.T, s *sshtest.Server, key ssh.PublicKey) string {
	host, port, err := net.SplitHostPort(s.Addr)
	require.NoError(t, err)
	var n int
	_, err = fmt.Sscan(port, &n)
	require.NoError(t, err)
	return knownhosts.Line(host, n, key, false)
}

// Every code has a server that causes it, a real one where possible.
func TestClassify(t *testing.T) {
	short := Options{ConnectTimeout: 300 * time.Millisecond, AuthTimeout: 300 * time.Millisecond}
	for _, c := range []struct {
		name    string
		server  func(t *testing.T) *sshtest.Server
		options Options
		errno   error // of each connect
		code    executor.StartCode
		phase   string
		text    string // in the error
		said    string
		by      executor.Speaker // of said
		hint    string
	}{
		{
			name:   "a line of the configuration",
			server: func(t *testing.T) *sshtest.Server { return nowhere(t, "Port nonsense") },
			code:   executor.ResolveConfig, phase: "resolve", text: ":2", hint: "correct that line",
		},
		{
			name: "a loop of jump hosts",
			server: func(t *testing.T) *sshtest.Server {
				return nowhere(t, "ProxyJump other", "Host other", "ProxyJump target")
			},
			code: executor.ResolveConfig, phase: "resolve", text: "loop", hint: "ssh -G",
		},
		{
			name:   "no such name",
			server: func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName nosuchhost.invalid") },
			code:   executor.ResolveDNS, phase: "connect", text: "nosuchhost.invalid", hint: "spelling",
		},
		{
			name:   "nobody listens",
			server: func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName 127.0.0.1", "Port "+closedPort(t)) },
			code:   executor.NetRefused, phase: "connect", text: "connection refused", hint: "check the port",
		},
		{
			name:   "no route",
			server: func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName 127.0.0.1") },
			errno:  syscall.EHOSTUNREACH,
			code:   executor.NetUnreachable, phase: "connect", text: "no route to host", hint: "VPN",
		},
		{
			name:   "no network",
			server: func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName 127.0.0.1") },
			errno:  syscall.ENETUNREACH,
			code:   executor.NetUnreachable, phase: "connect", text: "network is unreachable", hint: "VPN",
		},
		{
			name:    "no reply to connect",
			server:  func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName 127.0.0.1") },
			options: short, errno: context.DeadlineExceeded,
			code: executor.NetTimeout, phase: "connect", text: "no connection in time after 300ms", hint: "firewall",
		},
		{
			name:    "silent listener",
			server:  func(t *testing.T) *sshtest.Server { return one(t, sshtest.Silence) },
			options: short,
			code:    executor.NetTimeout, phase: "host-key", text: "took too long", hint: "check the port",
		},
		{
			name:   "HTTP",
			server: func(t *testing.T) *sshtest.Server { return one(t, says("HTTP/1.1 400 Bad Request\r\n\r\n")) },
			code:   executor.NetNotSSH, phase: "host-key", text: `it sent "HTTP/1.1 400 Bad Request"`, said: "HTTP/1.1 400", hint: "port",
		},
		{
			name: "a mail server that waits",
			server: func(t *testing.T) *sshtest.Server {
				return one(t, func(c net.Conn) { _, _ = io.WriteString(c, "220 mail ESMTP\r\n"); sshtest.Silence(c) })
			},
			options: Options{ConnectTimeout: 5 * time.Second}, // there must be time for its text
			code:    executor.NetNotSSH, phase: "host-key", text: "does not speak SSH", said: "220 mail", hint: "port",
		},
		{
			name:   "endless text",
			server: func(t *testing.T) *sshtest.Server { return one(t, sshtest.Endless("noise\n")) },
			code:   executor.NetNotSSH, phase: "host-key", text: "does not speak SSH", said: "noise", hint: "port",
		},
		{
			name:   "an endless line",
			server: func(t *testing.T) *sshtest.Server { return one(t, sshtest.Endless("x")) },
			code:   executor.NetNotSSH, phase: "host-key", text: "does not speak SSH", said: "xxxx", hint: "port",
		},
		{
			name:   "SSH 1",
			server: func(t *testing.T) *sshtest.Server { return one(t, says("SSH-1.5-OldServer\r\n")) },
			code:   executor.NetNotSSH, phase: "host-key", text: "SSH-1.5-OldServer", said: "SSH-1.5", hint: "port",
		},
		{
			name: "a hostile version line",
			server: func(t *testing.T) *sshtest.Server {
				return one(t, says("SSH-2.0-"+strings.Repeat("\x1b[2J", 100)+"\r\n"))
			},
			code: executor.NetNotSSH, phase: "host-key", text: `SSH-2.0-\x1b[2J`, hint: "port",
		},
		{
			name:   "closes at once",
			server: func(t *testing.T) *sshtest.Server { return one(t, func(net.Conn) {}) },
			code:   executor.NetDroppedEarly, phase: "host-key", text: "before its version line", hint: "MaxStartups",
		},
		{
			name:   "MaxStartups, as in sshd",
			server: func(t *testing.T) *sshtest.Server { return one(t, says("Exceeded MaxStartups\r\n")) },
			code:   executor.NetDroppedEarly, phase: "host-key", text: "before its version line", said: "Exceeded MaxStartups", hint: "MaxStartups",
		},
		{
			name:   "closes in the key exchange",
			server: func(t *testing.T) *sshtest.Server { return one(t, says("SSH-2.0-Short\r\n")) },
			code:   executor.NetLost, phase: "host-key", text: "key exchange failed: ", hint: "log",
		},
		{
			name: "nonsense instead of a key exchange",
			server: func(t *testing.T) *sshtest.Server {
				return one(t, says("SSH-2.0-Nonsense\r\n"+strings.Repeat("nonsense", 100)))
			},
			code: executor.NetLost, phase: "host-key", text: "key exchange failed", hint: "log",
		},
		{
			name: "a ProxyCommand that hangs",
			server: func(t *testing.T) *sshtest.Server {
				return nowhere(t, "ProxyCommand sh -c 'echo dialling the gate >&2; exec sleep 1000'")
			},
			options: Options{ConnectTimeout: 5 * time.Second}, // there must be time for its text
			code:    executor.NetProxy, phase: "host-key", by: executor.SpeakerProxy,
			text: `the ProxyCommand "sh -c 'echo dialling the gate >&2; exec sleep 1000'" did not connect within 5 s`, said: "dialling the gate", hint: "in a terminal",
		},
		{
			name: "a ProxyCommand that hangs, of the ssh program",
			server: func(t *testing.T) *sshtest.Server {
				return nowhere(t, "ProxyCommand sh -c 'echo dialling the gate >&2; exec sleep 1000'")
			},
			options: Options{Transport: Binary, ConnectTimeout: time.Second, AuthTimeout: time.Second},
			code:    executor.NetProxy, phase: "connect", by: executor.SpeakerSSH,
			text: `the ProxyCommand "sh -c 'echo dialling the gate >&2; exec sleep 1000'" did not connect within 1 s`, hint: "in a terminal",
		},
		{
			name: "a ProxyCommand that reports a timeout, of the ssh program",
			server: func(t *testing.T) *sshtest.Server {
				return nowhere(t, "ProxyCommand sh -c 'echo nc: connect timed out >&2; exit 1'")
			},
			options: Options{Transport: Binary},
			code:    executor.NetTimeout, phase: "connect", by: executor.SpeakerSSH,
			text: "connection timed out", said: "nc: connect timed out", hint: "in a terminal",
		},
		{
			name: "a ProxyCommand that connects, and then nothing, of the ssh program",
			server: func(t *testing.T) *sshtest.Server {
				return nowhere(t, "ProxyCommand sh -c 'echo SSH-2.0-Frozen; exec sleep 1000'")
			},
			options: Options{Transport: Binary, ConnectTimeout: time.Second, AuthTimeout: 2 * time.Second},
			code:    executor.NetTimeout, phase: "connect",
			text: "ssh did not connect or log in within 3 s", hint: "in a terminal",
		},
		{
			name: "a master that hangs, of a host with a ProxyCommand",
			server: func(t *testing.T) *sshtest.Server {
				dir, err := os.MkdirTemp("", "m") //nolint:usetesting // t.TempDir may be too long for a socket
				require.NoError(t, err)
				t.Cleanup(func() { _ = os.RemoveAll(dir) })
				path := filepath.Join(dir, "master")
				l, err := net.Listen("unix", path)
				require.NoError(t, err)
				t.Cleanup(func() { _ = l.Close() })
				return nowhere(t, "HostName 127.0.0.1", "ControlPath "+path, "ProxyCommand sleep 1000")
			},
			options: Options{Transport: Master, ConnectTimeout: 300 * time.Millisecond},
			code:    executor.NetTimeout, phase: "connect",
			text: "no reply from the ssh master: no connection in time", hint: "check",
		},
		{
			name:   "a ProxyCommand that leads elsewhere",
			server: func(t *testing.T) *sshtest.Server { return nowhere(t, "ProxyCommand echo HTTP/1.1 400 Bad Request") },
			code:   executor.NetNotSSH, phase: "host-key", by: executor.SpeakerProxy,
			text: "does not speak SSH", said: "HTTP/1.1 400", hint: "check that the ProxyCommand leads to an SSH server",
		},
		{
			name:   "a ProxyCommand that ends",
			server: func(t *testing.T) *sshtest.Server { return nowhere(t, "ProxyCommand true") },
			code:   executor.NetDroppedEarly, phase: "host-key", text: "the ProxyCommand ended before the server's version line", hint: "MaxStartups",
		},
		{
			name: "a ProxyCommand that fails",
			server: func(t *testing.T) *sshtest.Server {
				return nowhere(t, "ProxyCommand sh -c 'echo no such gate >&2; exit 3'")
			},
			code: executor.NetProxy, phase: "host-key", by: executor.SpeakerProxy, text: "ProxyCommand failed: exit status", said: "no such gate", hint: "in a terminal",
		},
		{
			name: "an unknown host key",
			server: func(t *testing.T) *sshtest.Server {
				s := sshtest.OpenSSH(t, sshtest.Options{})
				remember(t, s, "# nothing")
				return s
			},
			code: executor.HostKeyUnknown, phase: "host-key", text: "cannot prompt", hint: " ssh-ed25519 AAAA",
		},
		{
			name: "a changed host key",
			server: func(t *testing.T) *sshtest.Server {
				s := sshtest.OpenSSH(t, sshtest.Options{})
				remember(t, s, "# a comment", lineFor(t, s, s.Key.PublicKey()))
				return s
			},
			options: Options{AcceptNew: true},
			code:    executor.HostKeyChanged, phase: "host-key", text: "known_hosts:2", hint: "ssh-keygen -f",
		},
		{
			name: "a revoked host key",
			server: func(t *testing.T) *sshtest.Server {
				s := sshtest.OpenSSH(t, sshtest.Options{HostKeys: []string{"ed25519"}})
				remember(t, s, lineFor(t, s, s.HostKeys[0]), "@revoked "+lineFor(t, s, s.HostKeys[0]))
				return s
			},
			options: Options{AcceptNew: true},
			code:    executor.HostKeyRevoked, phase: "host-key", text: "known_hosts:2", hint: "new key",
		},
		{
			name: "only other ciphers",
			server: func(t *testing.T) *sshtest.Server {
				return sshtest.OpenSSH(t, sshtest.Options{SSH: []string{"Ciphers aes128-ctr"}, Sshd: []string{"Ciphers aes256-ctr,3des-cbc"}})
			},
			code: executor.KexNoCommon, phase: "host-key", text: "the server offers aes256-ctr, 3des-cbc; this client accepts aes128-ctr", hint: "Ciphers +aes256-ctr",
		},
		{
			name: "only unsupported ciphers",
			server: func(t *testing.T) *sshtest.Server {
				return sshtest.OpenSSH(t, sshtest.Options{SSH: []string{"Ciphers aes192-cbc"}})
			},
			code: executor.KexNoCommon, phase: "host-key", text: "none of the configured ciphers is supported: aes192-cbc", hint: "aes128-gcm",
		},
		{
			name: "a key that may not log in",
			server: func(t *testing.T) *sshtest.Server {
				s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"Banner none"}})
				require.NoError(t, os.WriteFile(s.AuthorizedKeys, nil, 0o600))
				return s
			},
			code: executor.AuthDenied, phase: "login", text: "the server wants publickey", hint: "authorized_keys",
		},
		{
			name: "more keys than the server allows",
			server: func(t *testing.T) *sshtest.Server {
				s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxAuthTries 1"}})
				require.NoError(t, os.WriteFile(s.AuthorizedKeys, nil, 0o600))
				return s
			},
			code: executor.AuthTooMany, phase: "login", text: "too many", hint: "IdentitiesOnly",
		},
		{
			name: "a prompt without a prompter",
			server: func(t *testing.T) *sshtest.Server {
				return sshtest.Fake(t, sshtest.FakeOptions{Methods: []string{"password"}, Password: "right"})
			},
			code: executor.AuthPrompt, phase: "login", text: "Password for", hint: "in a terminal",
		},
		{
			name: "a jump host that does not forward",
			server: func(t *testing.T) *sshtest.Server {
				jump := sshtest.OpenSSH(t, sshtest.Options{Alias: "jump", Sshd: []string{"AllowTcpForwarding no"}})
				return sshtest.OpenSSH(t, sshtest.Options{Jump: jump})
			},
			code: executor.NetUnreachable, phase: "connect", by: executor.SpeakerJump, text: "does not connect to other hosts", said: "open failed", hint: "AllowTcpForwarding",
		},
		{
			name: "a closed port behind a jump host",
			server: func(t *testing.T) *sshtest.Server {
				s := sshtest.OpenSSH(t, sshtest.Options{Jump: sshtest.OpenSSH(t, sshtest.Options{Alias: "jump"})})
				s.Stop()
				return s
			},
			code: executor.NetRefused, phase: "connect", by: executor.SpeakerJump, text: "connection refused (reported by the jump host", said: "refused", hint: "port",
		},
		{
			name: "a name that the jump host does not know",
			server: func(t *testing.T) *sshtest.Server {
				jump := sshtest.OpenSSH(t, sshtest.Options{Alias: "jump"})
				return sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump, SSH: []string{"HostName nosuchhost.invalid"}}})
			},
			code: executor.ResolveDNS, phase: "connect", by: executor.SpeakerJump, text: "no address (reported by the jump host", hint: "spelling",
		},
		{
			name: "a jump host that denies the login",
			server: func(t *testing.T) *sshtest.Server {
				jump := sshtest.OpenSSH(t, sshtest.Options{Alias: "jump"})
				require.NoError(t, os.WriteFile(jump.AuthorizedKeys, nil, 0o600))
				return sshtest.OpenSSH(t, sshtest.Options{Jump: jump})
			},
			code: executor.AuthDenied, phase: "login", text: "the server wants publickey", hint: "authorized_keys",
		},
		{
			name: "a jump host that does not speak SSH",
			server: func(t *testing.T) *sshtest.Server {
				jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}, Handler: says("HTTP/1.1 400 Bad Request\r\n\r\n")})
				return sshtest.OpenSSH(t, sshtest.Options{Jump: jump})
			},
			code: executor.NetNotSSH, phase: "host-key", by: executor.SpeakerJump, text: "at the jump host", said: "HTTP/1.1 400", hint: "port",
		},
		{
			name: "a login that takes too long",
			server: func(t *testing.T) *sshtest.Server {
				freeze := make(chan struct{})
				close(freeze)
				return sshtest.Fake(t, sshtest.FakeOptions{Freeze: freeze})
			},
			options: short,
			code:    executor.NetTimeout, phase: "host-key", text: "took too long", hint: "port",
		},
		{
			name:    "no ssh program",
			server:  func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName 127.0.0.1") },
			options: Options{Transport: Binary, SSH: "/nonexistent/ssh"},
			code:    executor.ResolveConfig, phase: "resolve", text: "/nonexistent/ssh", hint: "ssh",
		},
		{
			name: "no master",
			server: func(t *testing.T) *sshtest.Server {
				return nowhere(t, "HostName 127.0.0.1", "ControlPath /nonexistent/%C")
			},
			options: Options{Transport: Master},
			code:    executor.NetProxy, phase: "connect", text: "no such file", hint: "ssh -M",
		},
		{
			name:    "an unknown transport",
			server:  func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName 127.0.0.1") },
			options: Options{Transport: "pigeon"},
			code:    executor.ResolveConfig, phase: "resolve", text: `"pigeon"`, hint: "ssh",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.options.ConnectTimeout > 0 {
				t.Parallel() // they only wait
			}
			s := c.server(t)
			d := newDialer(t, s, c.options)
			d.wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
			if c.errno != nil {
				d.dialTCP = func(ctx context.Context, _ *net.Dialer, _, _ string) (net.Conn, error) {
					var errno syscall.Errno
					if errors.As(c.errno, &errno) {
						return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errno)}
					}
					<-ctx.Done()
					return nil, ctx.Err()
				}
			}
			r := new(recorder)
			_, err := d.Dial(t.Context(), sshconfig.Destination{Host: s.Alias}, r.reporter())
			var e *executor.StartError
			require.ErrorAs(t, err, &e)
			t.Logf("%s: %v\n\tsaid %.100q\n\thint: %s", e.Code, e, e.Said, e.Hint)
			require.Equal(t, c.code, e.Code)
			require.Equal(t, c.phase, e.Phase)
			require.ErrorContains(t, e, c.text)
			require.Contains(t, e.Said, c.said)
			if e.Said != "" {
				require.Equal(t, c.by, e.SaidBy)
			}
			require.LessOrEqual(t, len(e.Said), maxSaid)
			require.Contains(t, e.Hint, c.hint)
			require.Positive(t, e.Elapsed)
			require.NotEmpty(t, e.Hop)
			require.Len(t, r.phases, len(r.begun))
			if c.options.Transport != "pigeon" {
				require.Equal(t, error(e), r.phases[len(r.phases)-1].Err)
			}
		})
	}
}

// The server's text is bounded, wherever it comes from.
func TestServerTextIsBounded(t *testing.T) {
	long := strings.Repeat("x", 3*maxSaid)
	for _, err := range []error{
		&ssh.OpenChannelError{Message: long},
		&proxyError{said: long, err: io.EOF},
		&programError{said: long},
		&loginError{banner: long, err: io.EOF},
		&tunnelError{via: &Conn{hop: "ada@jump:22", host: &sshconfig.Host{Alias: "jump"}}, err: &ssh.OpenChannelError{Reason: ssh.Prohibited, Message: long}},
		fmt.Errorf("ssh: disconnect, reason 2: %q", long),
	} {
		e := classify(err, place{hop: "ada@host:22", phase: phaseOpen, begin: time.Now()})
		require.LessOrEqual(t, len(e.Said), maxSaid)
		require.Less(t, len(e.Error()), 200)
		require.NotEmpty(t, e.Code)
	}
}

func TestAlgorithmNamesAreMadeSafe(t *testing.T) {
	names := []string{"\x1b[2J", "aes128-ctr", strings.Repeat("x", 1000), "kex-strict-s-v00@openssh.com", "a b"}
	for range 100 {
		names = append(names, "cipher@example.com")
	}
	safe := safeNames(names)
	require.Equal(t, "aes128-ctr", safe[0])
	require.Len(t, safe, 24)
	e := classify(&ssh.AlgorithmNegotiationError{What: "host key", RequestedAlgorithms: []string{"ssh-rsa"}, SupportedAlgorithms: names},
		place{phase: phaseHostKey, begin: time.Now()})
	require.Equal(t, executor.KexNoCommon, e.Code)
	require.Contains(t, e.Hint, "HostKeyAlgorithms +ssh-rsa")
	require.NotContains(t, e.Error(), "\x1b")
}
