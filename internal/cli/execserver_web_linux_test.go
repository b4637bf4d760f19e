package cli

import (
	"bytes"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session/execserver/wire"
)

// relayWeb serves the exec server of a socket over WebSocket, to those with the token and the
// header.
func relayWeb(t *testing.T, socket string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hunter2" || r.Header.Get("X-Team") != "a" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		conn.SetReadLimit(wire.MaxMessage)
		stream, err := net.Dial("unix", socket)
		if err != nil {
			return
		}
		lines := wire.NewLines(stream, wire.MaxMessage)
		defer lines.Close()
		go func() {
			defer func() { _ = conn.CloseNow() }()
			for {
				text, err := lines.Read(r.Context())
				if err != nil || conn.Write(r.Context(), websocket.MessageText, text) != nil {
					return
				}
			}
		}()
		for {
			_, text, err := conn.Read(r.Context())
			if err != nil || lines.Write(r.Context(), bytes.TrimSpace(text)) != nil {
				return
			}
		}
	}
}

// TestExecServerOverTLS starts a server over wss, with a token and a header. The server does not
// get the token.
func TestExecServerOverTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(relayWeb(t, strings.TrimPrefix(socketServer(t), "unix:")))
	defer s.Close()
	authority := clitest.WriteFile(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	headers := clitest.WriteFile(t, "X-Team: a\n")
	run := func(token string) clitest.Result {
		cmd := clitest.Program(t, echo("--exec-server", "wss"+strings.TrimPrefix(s.URL, "https"), "--exec-server-token-env", "TEST_TOKEN", "--exec-server-headers", headers)...)
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+authority, "TEST_TOKEN="+token)
		return clitest.Finish(t, cmd)
	}
	r := run("hunter2")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
	r = run("wrong")
	require.NotEqual(t, 0, r.Code)
	require.Contains(t, r.Stderr, "the exec server said: no token")
	require.NotContains(t, r.Stderr, "wrong")
}
