package dial

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

func dialer(t *testing.T, text string, c Credentials) Dialer {
	target, err := Parse(text)
	require.NoError(t, err)
	return Dialer{Target: target, Credentials: c}
}

func startError(t *testing.T, err error) *executor.StartError {
	var failed *executor.StartError
	require.ErrorAs(t, err, &failed)
	return failed
}

// echo accepts a connection and returns each message to its sender. It requires a token.
func echo(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, "no token", http.StatusUnauthorized)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(wire.MaxMessage)
	for {
		kind, text, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		if string(text) == "end" {
			_ = conn.Close(websocket.StatusGoingAway, "shutting down")
			return
		}
		if conn.Write(r.Context(), kind, text) != nil {
			return
		}
	}
}

// TestWeb checks messages over WebSocket, and the cause when the server closes it.
func TestWeb(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	defer s.Close()
	conn, err := dialer(t, "ws"+strings.TrimPrefix(s.URL, "http"), Credentials{Token: "secret"}).Dial(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	for _, text := range []string{"{}", strings.Repeat("x", 3<<20), "[1]"} {
		require.NoError(t, conn.Write(t.Context(), []byte(text)))
		got, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	require.NoError(t, conn.Write(t.Context(), []byte("end")))
	_, err = conn.Read(t.Context())
	require.EqualError(t, err, "the exec server closed the connection: shutting down")
}

// TestWebPing checks that a connection can ask for a sign of life.
func TestWebPing(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	defer s.Close()
	conn, err := dialer(t, "ws"+strings.TrimPrefix(s.URL, "http"), Credentials{Token: "secret"}).Dial(t.Context())
	require.NoError(t, err)
	read := make(chan error, 1)
	go func() {
		_, err := conn.Read(context.Background())
		read <- err
	}()
	require.NoError(t, conn.(wire.Pinger).Ping(t.Context()))
	require.NoError(t, conn.Close())
	require.Error(t, <-read)
}

// TestWebRefused checks the causes of failed connections.
func TestWebRefused(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	url := "ws" + strings.TrimPrefix(s.URL, "http")
	_, err := dialer(t, url, Credentials{}).Dial(t.Context())
	failed := startError(t, err)
	require.Equal(t, executor.AuthDenied, failed.Code)
	require.Equal(t, "no token", failed.Said)
	require.Equal(t, "the exec server", failed.SaidBy.String())
	require.Contains(t, failed.Hint, "--exec-server-token-env")
	_, err = dialer(t, url, Credentials{Token: "wrong"}).Dial(t.Context())
	require.Equal(t, executor.AuthDenied, startError(t, err).Code)
	require.NotContains(t, err.Error(), "wrong")

	s.Close()
	_, err = dialer(t, url, Credentials{}).Dial(t.Context())
	failed = startError(t, err)
	require.Equal(t, executor.NetRefused, failed.Code)
	require.Contains(t, failed.Error(), "no exec server listens on "+url)

	_, err = dialer(t, "ws://build-7", Credentials{Token: "secret"}).Dial(t.Context())
	require.Equal(t, executor.StartInvalid, startError(t, err).Code)
	require.NotContains(t, err.Error(), "secret")
}

// TestWebRedirect checks that a token is not sent to another server.
func TestWebRedirect(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	_, err := dialer(t, "ws"+strings.TrimPrefix(s.URL, "http"), Credentials{Token: "secret"}).Dial(t.Context())
	require.ErrorContains(t, startError(t, err), "307")
	require.False(t, asked)
}

// TestUnix checks messages over a socket.
func TestUnix(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "m") //nolint:usetesting // the path must be short
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "s")
	_, err = dialer(t, "unix:"+file, Credentials{}).Dial(t.Context())
	require.Equal(t, executor.NetRefused, startError(t, err).Code)

	l, err := net.Listen("unix", file)
	require.NoError(t, err)
	defer l.Close()
	go func() {
		if peer, err := l.Accept(); err == nil {
			_, _ = peer.Write([]byte("{}\n"))
			_ = peer.Close()
		}
	}()
	conn, err := dialer(t, "unix:"+file, Credentials{}).Dial(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	got, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "{}", string(got))
	_, err = conn.Read(t.Context())
	require.Error(t, err)
}

// server is the program of TestCommand: it returns lines, and says something else on standard
// error.
const server = "mcpdbg-dial-test-server"

// TestMain is the program of a target, if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == server {
		os.Exit(serve(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func serve(args []string) int {
	_, _ = os.Stderr.WriteString("starting\ncannot listen\n")
	if len(args) > 0 && args[0] == "fail" {
		return 3
	}
	conn := wire.NewLines(streams{}, wire.MaxMessage)
	for {
		text, err := conn.Read(context.Background())
		if err != nil {
			break
		}
		if conn.Write(context.Background(), text) != nil {
			break
		}
	}
	if len(args) > 0 && args[0] == "stay" {
		time.Sleep(time.Hour)
	}
	return 0
}

type streams struct{}

func (streams) Read(p []byte) (int, error) { return os.Stdin.Read(p) }

func (streams) Write(p []byte) (int, error) { return os.Stdout.Write(p) }

func (streams) Close() error { return nil }

func command(t *testing.T, args ...string) (Dialer, *localexec.Executor) {
	program, err := os.Executable()
	require.NoError(t, err)
	run := localexec.New(localexec.Options{})
	t.Cleanup(func() { require.NoError(t, run.Close()) })
	return Dialer{Target: Target{Argv: append([]string{program, server}, args...)}, Run: run}, run
}

// TestCommand checks messages over the streams of a program, more than its queue holds, and
// that closing the connection ends it.
func TestCommand(t *testing.T) {
	d, run := command(t)
	conn, err := d.Dial(t.Context())
	require.NoError(t, err)
	const count = 5000
	sent := make(chan error, 1)
	go func() {
		for range count {
			if err := conn.Write(context.Background(), []byte(`"message"`)); err != nil {
				sent <- err
				return
			}
		}
		sent <- conn.Write(context.Background(), []byte(strings.Repeat("x", 4<<20)))
	}()
	for range count {
		got, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, `"message"`, string(got))
	}
	got, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 4<<20)
	require.NoError(t, <-sent)
	require.NoError(t, conn.Close())
	require.Equal(t, executor.StateClosed, run.Process("mcp-stdio-1").Info().State)
}

// TestCommandEnds checks the cause when a program ends by itself.
func TestCommandEnds(t *testing.T) {
	d, _ := command(t, "fail")
	conn, err := d.Dial(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Read(t.Context())
	var ended *endedError
	require.ErrorAs(t, err, &ended)
	require.Equal(t, 3, ended.Exit.Code)
	require.True(t, strings.HasSuffix(err.Error(), "ended with 3: cannot listen"), err)
}

// TestCommandStays checks that a program that ignores the end of its input is killed.
func TestCommandStays(t *testing.T) {
	d, run := command(t, "stay")
	conn, err := d.Dial(t.Context())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	exit := run.Process("mcp-stdio-1").Info().Exit
	require.NotNil(t, exit)
	require.Equal(t, executor.ExitSignal, exit.Kind)
}

// TestCommandMissing checks that a missing program is an error of the start.
func TestCommandMissing(t *testing.T) {
	d, _ := command(t)
	d.Target.Argv = []string{"mcpdbg-no-such-program"}
	_, err := d.Dial(t.Context())
	require.Equal(t, executor.StartNotFound, startError(t, err).Code)
	require.NotErrorIs(t, err, executor.ErrUnknownProcess)
}
