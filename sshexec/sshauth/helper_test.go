//go:build unix

package sshauth_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshauth"
	"mcpdbg/sshexec/sshconfig"
)

// waitLimit is how long a test waits for anything before it gives up, however busy
// the machine is.
const waitLimit = 5 * time.Minute

// A door is a server in this process that counts login attempts.
type door struct {
	addr    string
	hostKey ssh.Signer

	mu     sync.Mutex
	offers []string // fingerprints, in order, once for each query
	log    []string // methods for which the server has decided
}

// newDoor serves with config, whose host key it makes. Keys are accepted by
// keys, which may be nil, and counted.
func newDoor(t *testing.T, config *ssh.ServerConfig, keys func(ssh.PublicKey) (*ssh.Permissions, error)) *door {
	t.Helper()
	d := &door{hostKey: newSigner(t)}
	config.AddHostKey(d.hostKey)
	if keys != nil {
		config.PublicKeyCallback = func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			d.mu.Lock()
			d.offers = append(d.offers, ssh.FingerprintSHA256(key))
			d.mu.Unlock()
			return keys(key)
		}
	}
	config.AuthLogCallback = func(_ ssh.ConnMetadata, method string, _ error) {
		d.mu.Lock()
		d.log = append(d.log, method)
		d.mu.Unlock()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d.addr = listener.Addr().String()
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { d.serve(c, config) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		conns.Wait()
	})
	return d
}

func (d *door) serve(c net.Conn, config *ssh.ServerConfig) {
	defer c.Close()
	conn, chans, reqs, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(reqs)
	go func() {
		for ch := range chans {
			_ = ch.Reject(ssh.Prohibited, "")
		}
	}()
	_ = conn.Wait()
}

func (d *door) seen() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.offers...)
}

func (d *door) methods() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.log...)
}

// only accepts this key.
func only(right ssh.PublicKey) func(ssh.PublicKey) (*ssh.Permissions, error) {
	return func(key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) == string(right.Marshal()) {
			return nil, nil
		}
		return nil, errors.New("not this key")
	}
}

func noKey(ssh.PublicKey) (*ssh.Permissions, error) { return nil, errors.New("no key will do") }

// newHost returns a configuration with all methods on and no keys.
func newHost() *sshconfig.Host {
	return &sshconfig.Host{Alias: "box", HostName: "box", User: "ada", Port: 22, Pubkey: true, KbdInteractive: true, Password: true}
}

// login logs in to addr. The connection ends with the login.
func login(t *testing.T, addr string, h *sshconfig.Host, p executor.Prompter) *sshauth.Failure {
	t.Helper()
	return loginWith(t, t.Context(), addr, h, p)
}

func loginWith(t *testing.T, ctx context.Context, addr string, h *sshconfig.Host, p executor.Prompter) *sshauth.Failure {
	t.Helper()
	netConn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer netConn.Close()
	require.NoError(t, netConn.SetDeadline(time.Now().Add(waitLimit)))
	stop := context.AfterFunc(ctx, func() { _ = netConn.Close() })
	defer stop()
	a := sshauth.New(ctx, sshauth.Options{Host: h, Hop: "ada@box:22", Prompter: p})
	defer a.Close()
	config := &ssh.ClientConfig{User: h.User, HostKeyCallback: ssh.InsecureIgnoreHostKey()}
	a.Apply(config)
	conn, chans, reqs, err := ssh.NewClientConn(netConn, addr, config)
	if err != nil {
		failure := a.Explain(err)
		require.NotNil(t, failure, "%v", err)
		t.Logf("%s | %s | %v", failure, failure.Hint, failure.Remarks)
		return failure
	}
	go ssh.DiscardRequests(reqs)
	go func() {
		for range chans {
			t.Error("the server opened a channel")
		}
	}()
	require.Nil(t, a.Explain(nil))
	_ = conn.Close()
	return nil
}

// A person answers prompts, and remembers them.
type person struct {
	mu     sync.Mutex
	asked  []executor.Prompt
	answer func(p executor.Prompt) ([]string, error)
}

func (p *person) Ask(_ context.Context, prompt executor.Prompt) (executor.Answer, error) {
	p.mu.Lock()
	p.asked = append(p.asked, prompt)
	p.mu.Unlock()
	values, err := p.answer(prompt)
	return executor.Answer{Values: values}, err
}

// says gives the same answers to every prompt, the last one forever.
func says(answers ...string) *person {
	var n int
	return &person{answer: func(executor.Prompt) ([]string, error) {
		answer := answers[min(n, len(answers)-1)]
		n++
		return []string{answer}, nil
	}}
}

func newSigner(t testing.TB) ssh.Signer {
	t.Helper()
	signer, err := ssh.NewSignerFromSigner(newKey(t))
	require.NoError(t, err)
	return signer
}

func newKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	return key
}

func added(key ed25519.PrivateKey, comment string) agent.AddedKey {
	return agent.AddedKey{PrivateKey: key, Comment: comment}
}

// keygen makes a key file with ssh-keygen, and returns its public key.
func keygen(t testing.TB, file string, args ...string) ssh.PublicKey {
	t.Helper()
	program := exectest.Need(t, "ssh-keygen")
	cmd := exec.Command(program, append([]string{"-q", "-C", "key of a test", "-f", file}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return readPublic(t, file+".pub")
}

func readPublic(t testing.TB, file string) ssh.PublicKey {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	public, _, _, _, err := ssh.ParseAuthorizedKey(data)
	require.NoError(t, err)
	return public
}

func writePublic(t testing.TB, file string, key ssh.PublicKey) string {
	t.Helper()
	require.NoError(t, os.WriteFile(file, ssh.MarshalAuthorizedKey(key), 0o644))
	return file
}

// wrongKeys returns keys that no server accepts.
func wrongKeys(t testing.TB, n int) []agent.AddedKey {
	t.Helper()
	var keys []agent.AddedKey
	for i := range n {
		keys = append(keys, added(newKey(t), "wrong "+strconv.Itoa(i+1)))
	}
	return keys
}

// keyring serves an agent in this process and returns the path of its socket.
func keyring(t *testing.T, held agent.Agent) string {
	t.Helper()
	return listenUnix(t, func(c net.Conn) { _ = agent.ServeAgent(held, c) })
}

// listenUnix serves each connection until it ends, and returns the path of the
// socket.
func listenUnix(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent") //nolint:usetesting // t.TempDir may be too long for a socket
	require.NoError(t, err)
	socket := filepath.Join(dir, "socket")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		conns.Wait()
		_ = os.RemoveAll(dir)
	})
	return socket
}
