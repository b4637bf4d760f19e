package execserver

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/unixsocket"
)

// TestCheck checks the combinations of flags.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		o    options
		goos string
		want string
	}{
		{options{listen: "stdio"}, "windows", ""},
		{options{listen: "unix:"}, "linux", ""},
		{options{listen: "unix:/x", keep: time.Hour, detach: true}, "linux", ""},
		{options{attach: "/x"}, "linux", ""},
		{options{}, "linux", "requires --listen or --attach"},
		{options{listen: "stdio", attach: "/x"}, "linux", "cannot be combined"},
		{options{listen: "tcp:1"}, "linux", "must be stdio or unix:PATH"},
		{options{listen: "unix:/x"}, "windows", "unsupported on Windows"},
		{options{attach: "/x"}, "windows", "unsupported on Windows"},
		{options{listen: "unix:", keep: 2 * time.Hour}, "linux", "between 0 and 1h"},
		{options{listen: "unix:", keep: -1}, "linux", "between 0 and 1h"},
		{options{listen: "stdio", keep: time.Minute}, "linux", "requires --listen unix:PATH"},
		{options{listen: "unix:", detach: true}, "linux", "--detach requires --keep"},
	} {
		err := c.o.check(&console.Env{}, c.goos)
		if c.want == "" {
			require.NoError(t, err, "%+v", c.o)
			continue
		}
		require.ErrorContains(t, err, c.want, "%+v", c.o)
	}
	require.ErrorContains(t, (&options{listen: stdio}).check(&console.Env{HasCommand: true}, "linux"), "takes no command")
}

// relayed starts a relay, and returns its input, the server's side, and the relay's result.
func relayed(t *testing.T, out io.Writer) (in *io.PipeWriter, server net.Conn, ended chan error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("exec-server has no sockets on Windows")
	}
	dir, err := os.MkdirTemp("", "m") //nolint:usetesting // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := unixsocket.Listen(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	read, in := io.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- relay(t.Context(), &console.Env{Stdin: read, Stdout: out}, path) }()
	server, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	return in, server, ended
}

// TestRelayEndsWithServer checks that both directions are copied, and that all output of the
// server is written before the end.
func TestRelayEndsWithServer(t *testing.T) {
	var out bytes.Buffer
	in, server, ended := relayed(t, &out)
	go func() { _, _ = in.Write([]byte("to the server\n")) }()
	got := make([]byte, len("to the server\n"))
	_, err := io.ReadFull(server, got)
	require.NoError(t, err)
	require.Equal(t, "to the server\n", string(got))
	text := bytes.Repeat([]byte("x"), 1<<20)
	_, err = server.Write(text)
	require.NoError(t, err)
	require.NoError(t, server.Close())
	require.NoError(t, <-ended)
	require.Equal(t, len(text), out.Len())
}

// TestRelayEndsWithInput checks that a reader that does not read does not keep the relay.
func TestRelayEndsWithInput(t *testing.T) {
	blocked, out := io.Pipe()
	defer blocked.Close()
	in, server, ended := relayed(t, out)
	_, err := server.Write([]byte("never read"))
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.NoError(t, <-ended)
	_, err = server.Read(make([]byte, 1))
	require.Error(t, err, "the server's connection has ended")
}
