//go:build unix

package link

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/sshtest"
)

// BenchmarkDrain reads 64 MiB through a connection of this package, through two
// hops, and through plain x/crypto: the layers in between must not cost
// throughput.
func BenchmarkDrain(b *testing.B) {
	const size = 64 << 20
	s := sshtest.OpenSSH(b, sshtest.Options{Alias: "jump"})
	behind := sshtest.OpenSSH(b, sshtest.Options{Jump: s})
	drain := func(b *testing.B, open func() (ssh.Channel, <-chan *ssh.Request, error)) {
		b.SetBytes(size)
		for b.Loop() {
			channel, requests, err := open()
			require.NoError(b, err)
			go ssh.DiscardRequests(requests)
			_, err = channel.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{"head -c 67108864 /dev/zero"}))
			require.NoError(b, err)
			n, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{channel}, make([]byte, 64<<10))
			require.NoError(b, err)
			require.Equal(b, int64(size), n)
			_ = channel.Close()
		}
	}
	b.Run("plain", func(b *testing.B) {
		client := s.Dial(b)
		drain(b, func() (ssh.Channel, <-chan *ssh.Request, error) { return client.OpenChannel("session", nil) })
	})
	b.Run("link", func(b *testing.B) {
		c := dial(b, s, Options{})
		drain(b, func() (ssh.Channel, <-chan *ssh.Request, error) { return c.OpenSession(b.Context()) })
	})
	b.Run("jump", func(b *testing.B) {
		c := dial(b, behind, Options{})
		drain(b, func() (ssh.Channel, <-chan *ssh.Request, error) { return c.OpenSession(b.Context()) })
	})
}

// BenchmarkDial is a connection with its login, and one through a connected
// jump host.
func BenchmarkDial(b *testing.B) {
	s := sshtest.OpenSSH(b, sshtest.Options{Alias: "jump"})
	behind := sshtest.OpenSSH(b, sshtest.Options{Jump: s})
	for name, server := range map[string]*sshtest.Server{"direct": s, "warm jump": behind} {
		b.Run(name, func(b *testing.B) {
			d := newDialer(b, server, Options{})
			first, err := d.Dial(b.Context(), target(server), Reporter{})
			require.NoError(b, err)
			defer first.Close()
			for b.Loop() {
				c, err := d.Dial(b.Context(), target(server), Reporter{})
				require.NoError(b, err)
				require.NoError(b, c.Close())
			}
		})
	}
}
