//go:build unix

package sshtest

import (
	"bytes"
	"context"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// FakeOptions configure a Fake: the zero value works like sshd, and each field
// makes it misbehave in one way. All of Options apply except Sshd, LogLevel and
// KeyOptions.
type FakeOptions struct {
	Options

	// Before the SSH protocol.
	DropFirst int            // number of connections that are closed at once, as with MaxStartups
	Handler   func(net.Conn) // handles the connection instead; see Silence and Endless
	Greeting  []byte         // text before the version line

	// The handshake and the login.
	WrongHostKey bool       // the host keys differ from those in known_hosts
	Crypto       ssh.Config // algorithms
	Banner       string     // in as many messages as needed
	Methods      []string   // all required, in this order: publickey, keyboard-interactive, password; nil means publickey
	Rounds       []Round    // of keyboard-interactive
	Password     string
	MaxAuthTries int // 0 means 6

	// Channels.
	MaxSessions      int // at once on one connection; 0 means no limit, below 0 none at all
	RefuseExec       bool
	IgnoreExec       bool // exec is neither run nor replied to
	RefuseForward    bool // no connection can be made through this server
	IgnoreKeepalives bool // no reply to global requests and to keepalives on a channel
	AcceptEnv        []string

	// The output of processes.
	CutAfter int    // bytes of output of one process, after which its connection is cut; 0 means never
	Reset    bool   // the cut is a reset, not an orderly close
	Throttle func() // called before each chunk is sent, on the goroutine that sends it
	Ending   Ending

	// The test closes Freeze to stop the server in the middle of whatever it
	// does: connections stay open, but nothing is read or written any more.
	Freeze <-chan struct{}
}

// Silence is an Instead that never sends anything.
func Silence(c net.Conn) {
	buf := make([]byte, 1024)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}

// Endless returns an Instead that sends the same text over and over.
func Endless(text string) func(net.Conn) {
	chunk := bytes.Repeat([]byte(text), 1+4096/len(text))
	return func(c net.Conn) {
		for {
			if _, err := c.Write(chunk); err != nil {
				return
			}
		}
	}
}

type fake struct {
	FakeOptions
	server   *Server
	config   *ssh.ServerConfig
	listener net.Listener
	log      *log.Logger
	ctx      context.Context // of everything that it started
	work     sync.WaitGroup

	mu    sync.Mutex
	conns map[*fakeConn]bool
}

// Fake starts a server in this process that listens on the loopback interface.
// It runs commands with /bin/sh as the user who runs the test. Its log has a
// line for each connection, login, channel and request.
func Fake(t testing.TB, o FakeOptions) *Server {
	t.Helper()
	s, keys := newServer(t, o.Options)
	if o.WrongHostKey {
		for i, key := range keys {
			require.NotEqual(t, "ssh-rsa", key.PublicKey().Type(), "there is only one RSA key")
			kind := strings.TrimPrefix(filepath.Base(key.File), "host_")
			keys[i] = NewKey(t, kind, filepath.Join(s.Dir, "wrong_"+kind))
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.Addr = listener.Addr().String()
	s.writeListening(t)

	file, err := os.Create(s.LogFile)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	f := &fake{
		FakeOptions: o,
		server:      s,
		listener:    listener,
		log:         log.New(file, "", log.Ltime|log.Lmicroseconds),
		ctx:         ctx,
		conns:       map[*fakeConn]bool{},
	}
	f.config = f.login(t, keys)
	s.stop = sync.OnceFunc(func() {
		_ = listener.Close()
		cancel()
		f.closeAll()
		endMarked(s.mark)
		f.work.Wait()
		_ = file.Close()
	})
	s.bound(t)
	f.work.Go(f.accept)
	return s
}

func (f *fake) accept() {
	for i := 0; ; i++ {
		raw, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.log.Printf("connection %d", i+1)
		if i < f.DropFirst {
			_ = raw.Close()
			continue
		}
		c := &fakeConn{Conn: raw, frozen: f.Freeze, closed: make(chan struct{})}
		f.mu.Lock()
		f.conns[c] = true
		f.mu.Unlock()
		f.work.Go(func() {
			f.serve(c)
			_ = c.Close()
			f.mu.Lock()
			delete(f.conns, c)
			f.mu.Unlock()
		})
		if f.ctx.Err() != nil {
			f.closeAll()
		}
	}
}

func (f *fake) closeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		_ = c.Close()
	}
}

func (f *fake) serve(c *fakeConn) {
	if f.Handler != nil {
		f.Handler(c)
		return
	}
	if _, err := c.Write(f.Greeting); err != nil {
		return
	}
	conn, channels, requests, err := ssh.NewServerConn(c, f.config)
	if err != nil {
		f.log.Printf("no login: %v", err)
		return
	}
	f.log.Printf("login %s", conn.User())
	f.work.Go(func() { f.global(requests) })
	sessions := make(chan struct{}, max(f.MaxSessions, 0))
	for channel := range channels {
		f.log.Printf("channel %s", channel.ChannelType())
		switch channel.ChannelType() {
		case "session":
			f.openSession(c, channel, sessions)
		case "direct-tcpip":
			f.work.Go(func() { f.forward(channel) })
		default:
			_ = channel.Reject(ssh.UnknownChannelType, "unknown channel type")
		}
	}
}

func (f *fake) openSession(c *fakeConn, channel ssh.NewChannel, sessions chan struct{}) {
	leave := func() {}
	if f.MaxSessions != 0 {
		select {
		case sessions <- struct{}{}:
			leave = func() { <-sessions }
		default:
			_ = channel.Reject(ssh.ConnectionFailed, "open failed") // the words of sshd
			return
		}
	}
	ch, requests, err := channel.Accept()
	if err != nil {
		leave()
		return
	}
	f.work.Go(func() {
		defer leave()
		(&fakeSession{fake: f, conn: c, ch: ch}).serve(requests)
	})
}

func (f *fake) global(requests <-chan *ssh.Request) {
	for r := range requests {
		f.log.Printf("global %s", r.Type)
		if r.WantReply && !f.IgnoreKeepalives {
			_ = r.Reply(false, nil)
		}
	}
}
