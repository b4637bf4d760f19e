//go:build unix

package sshauth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshauth"
	"mcpdbg/sshexec/sshtest"
)

// For a broken agent there is a remark without its address, and the key file is
// still offered.
func TestBrokenAgents(t *testing.T) {
	key := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "id"))
	d := newDoor(t, &ssh.ServerConfig{}, only(key.PublicKey()))
	discard := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	tests := []struct{ name, socket, why string }{
		{"missing", filepath.Join(t.TempDir(), "socket"), "no such file"},
		{"not a socket", key.File, "connection refused"},
		{"silent", listenUnix(t, discard), "did not reply in time"},
		{"closes", listenUnix(t, func(net.Conn) {}), "closed the connection"},
		{"garbage", listenUnix(t, func(c net.Conn) {
			_, _ = c.Write(bytes.Repeat([]byte{0, 0, 0, 2, 99, 0x1b}, 10))
			discard(c)
		}), "unknown type tag"},
		{"too large", listenUnix(t, func(c net.Conn) {
			_, _ = c.Write(bytes.Repeat([]byte{0xff}, 100))
			discard(c)
		}), "too large"},
		{"empty", keyring(t, agent.NewKeyring()), "holds no keys"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHost()
			h.IdentityAgent = test.socket
			f := login(t, d.addr, h, nil)
			require.Equal(t, executor.AuthDenied, f.Code)
			require.Len(t, f.Remarks, 1)
			require.Contains(t, f.Remarks[0], "agent: ")
			require.Contains(t, f.Remarks[0], test.why)
			require.NotContains(t, fmt.Sprintf("%+v %s", f, f), test.socket)

			if test.name == "silent" {
				return // the two seconds have passed
			}
			h.IdentityFiles = []string{key.File}
			require.Nil(t, login(t, d.addr, h, nil))
		})
	}
}

// Nothing about the login is sent to a server with the wrong host key.
func TestNoKeyBeforeTheHostKey(t *testing.T) {
	key := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "id"))
	d := newDoor(t, &ssh.ServerConfig{}, only(key.PublicKey()))
	h := newHost()
	touched := make(chan struct{}, 1)
	h.IdentityAgent = listenUnix(t, func(net.Conn) { touched <- struct{}{} })
	h.IdentityFiles = []string{key.File}
	a := sshauth.New(t.Context(), sshauth.Options{Host: h, Hop: "hop", Prompter: says("x")})
	defer a.Close()
	config := &ssh.ClientConfig{User: "ada", HostKeyCallback: ssh.FixedHostKey(newSigner(t).PublicKey())}
	a.Apply(config)
	conn, err := net.Dial("tcp", d.addr)
	require.NoError(t, err)
	_, _, _, err = ssh.NewClientConn(conn, d.addr, config)
	require.ErrorContains(t, err, "host key mismatch")
	require.Nil(t, a.Explain(err), "not a matter of logging in")
	require.Empty(t, d.seen())
	require.Empty(t, d.methods())
	require.Empty(t, touched)
}

// When a connection ends during the login, there is no prompt for a password.
func TestNoPromptForADeadConnection(t *testing.T) {
	key := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "id"))
	for _, cause := range []error{
		io.EOF,
		&executor.LostError{Code: executor.LostReset, Hop: "box", Err: errors.New("reset")},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		d := newDoor(t, &ssh.ServerConfig{
			PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) { return nil, nil },
		}, func(ssh.PublicKey) (*ssh.Permissions, error) {
			cancel(cause) // the connection is closed then
			return nil, errors.New("no")
		})
		h := newHost()
		h.IdentityFiles = []string{key.File}
		p := says("x")
		f := loginWith(t, ctx, d.addr, h, p)
		require.Equal(t, executor.NetLost, f.Code)
		require.ErrorIs(t, f, cause)
		require.Contains(t, f.Error(), "tried publickey (1 key: ")
		require.Empty(t, p.asked)
	}
}

func TestCancelledAndTooSlow(t *testing.T) {
	slow := errors.New("the login took longer than 15s")
	for cause, code := range map[error]executor.StartCode{
		context.Canceled:         executor.StartCancelled,
		context.DeadlineExceeded: executor.AuthTimeout,
		slow:                     executor.AuthTimeout,
	} {
		t.Run(cause.Error(), func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			d := passwordDoor(t, secret)
			p := &person{answer: func(executor.Prompt) ([]string, error) {
				cancel(cause)
				return nil, ctx.Err()
			}}
			f := loginWith(t, ctx, d.addr, newHost(), p)
			require.Equal(t, code, f.Code)
			require.ErrorIs(t, f, cause)
			require.Len(t, p.asked, 1)
		})
	}
}

// Time spent in prompts does not count.
func TestClocksAreStoppedDuringPrompts(t *testing.T) {
	const patience = 2 * time.Second
	d := newDoor(t, &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			if _, err := ask("", "Look at your telephone", []string{"Code:"}, []bool{true}); err != nil {
				return nil, err
			}
			<-time.After(2 * patience) // the user thinks
			return nil, nil
		},
	}, nil)
	ctx, cancel := executor.WithPausableTimeout(t.Context(), patience, errors.New("too slow"))
	defer cancel()
	resume := executor.Pause(ctx) // the time until the first prompt does not matter
	p := &person{answer: func(executor.Prompt) ([]string, error) {
		resume()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * patience):
			return []string{"1"}, nil
		}
	}}
	require.Nil(t, loginWith(t, ctx, d.addr, newHost(), p))
	<-ctx.Done() // then the clock continues
}

// The list of methods from a server is bounded and harmless.
func TestHostileMethods(t *testing.T) {
	a := sshauth.New(t.Context(), sshauth.Options{Host: newHost(), Hop: "hop"})
	config := &ssh.ClientConfig{}
	a.Apply(config)
	methods := make([]string, 5000)
	for i := range methods {
		methods[i] = "\x1b[2J" + strings.Repeat("x", 1000)
	}
	auth, err := config.AuthCallback(&ssh.ClientAuthContext{AllowedMethods: methods})
	require.Nil(t, auth)
	require.Error(t, err)
	f := a.Explain(fmt.Errorf("ssh: handshake failed: %w", err))
	require.Less(t, len(f.Error()), 4<<10)
	require.NotContains(t, f.Error(), "\x1b")
	require.Contains(t, f.Hint, "--ssh-transport binary")
}

func TestExplainDisconnectMessage(t *testing.T) {
	tests := []struct {
		err  string
		code executor.StartCode
		text string
	}{
		{`ssh: handshake failed: ssh: disconnect, reason 2: "Too many authentication failures"`, executor.AuthTooMany, "too many attempts"},
		{`ssh: handshake failed: ssh: disconnect, reason 14: "No more\x1b[2J"`, executor.AuthDenied, `No more\x1b[2J`},
		{`ssh: handshake failed: something else`, executor.AuthDenied, "something else"},
	}
	for _, test := range tests {
		a := sshauth.New(t.Context(), sshauth.Options{Host: newHost(), Hop: "hop"})
		config := &ssh.ClientConfig{}
		a.Apply(config)
		_, _ = config.AuthCallback(&ssh.ClientAuthContext{AllowedMethods: []string{"password"}})
		f := a.Explain(errors.New(test.err))
		require.Equal(t, test.code, f.Code)
		require.Contains(t, f.Error(), test.text)
	}
	a := sshauth.New(t.Context(), sshauth.Options{Host: newHost()})
	require.Nil(t, a.Explain(errors.New("ssh: disconnect, reason 11: \"bye\"")), "before the login")
	require.Nil(t, a.Explain(nil))
}

// No secret appears in formatted values of the package.
func TestNoSecretIsShown(t *testing.T) {
	const word = "tr0ub4dor"
	dir := t.TempDir()
	sealed := filepath.Join(dir, "sealed")
	keygen(t, sealed, "-t", "ecdsa", "-m", "PEM", "-N", word+"-not-the-one")
	d := newDoor(t, &ssh.ServerConfig{
		MaxAuthTries:     50,
		PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) { return nil, errors.New("no") },
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			_, err := ask("", "", []string{"?"}, []bool{false})
			return nil, errors.Join(err, errors.New("no"))
		},
	}, func(ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil })
	h := newHost()
	h.IdentityFiles = []string{sealed}
	p := says(word)
	a := sshauth.New(t.Context(), sshauth.Options{Host: h, Hop: "hop", Prompter: p})
	defer a.Close()
	config := &ssh.ClientConfig{User: "ada", HostKeyCallback: ssh.FixedHostKey(d.hostKey.PublicKey())}
	a.Apply(config)
	conn, err := net.Dial("tcp", d.addr)
	require.NoError(t, err)
	_, _, _, err = ssh.NewClientConn(conn, d.addr, config)
	require.Error(t, err)
	require.Len(t, p.asked, 9, "three times each: passphrase, challenge, password")
	f := a.Explain(err)
	p.answer = nil // which holds the password for the test
	for _, value := range []any{err, f, *f, a, *a, config, p.asked} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			require.NotContains(t, fmt.Sprintf(verb, value), word)
		}
	}
}
