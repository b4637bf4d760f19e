package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// maxSaid is how much of the body of a refusal is kept.
const maxSaid = 1 << 10

func (d Dialer) dialWeb(ctx context.Context) (wire.Conn, error) {
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DialContext: dialQuick},
		// Elsewhere the credentials might be read.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	conn, resp, err := websocket.Dial(ctx, d.Target.URL, &websocket.DialOptions{HTTPClient: &client, HTTPHeader: d.Credentials.header()})
	if err != nil {
		return nil, d.refused(ctx, resp, err)
	}
	conn.SetReadLimit(wire.MaxMessage)
	return &web{conn: conn}, nil
}

// dialQuick connects without delayed acknowledgements: Codex sends each message on its own, with
// Nagle's algorithm, so that a response would wait 40 ms for the one of the output before it.
func dialQuick(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		return quick{tcp}, nil
	}
	return conn, err
}

// A quick connection acknowledges what it has read.
type quick struct{ *net.TCPConn }

// Read implements net.Conn.
func (q quick) Read(p []byte) (int, error) {
	n, err := q.TCPConn.Read(p)
	acknowledge(q.TCPConn)
	return n, err
}

func (d Dialer) refused(ctx context.Context, resp *http.Response, err error) error {
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return d.fail(executor.HostKeyUnknown, fmt.Errorf("the certificate cannot be verified: %w", cert.Err), "")
	case resp == nil:
		return d.classify(ctx, err)
	}
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxSaid))
	failure := &executor.StartError{
		Code: executor.NetRefused, Hop: d.Target.Host(), Phase: "connect", Said: strings.TrimSpace(string(said)),
		SaidBy: executor.SpeakerExecServer,
		Err:    fmt.Errorf("the exec server responded with %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)),
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized && d.Credentials.empty():
		failure.Code, failure.Hint = executor.AuthDenied, "it requires a token: --exec-server-token-env NAME or --exec-server-token-file FILE"
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		failure.Code, failure.Hint = executor.AuthDenied, "check the token"
	case resp.StatusCode != http.StatusSwitchingProtocols:
		failure.Hint = "check the URL: its server does not accept WebSocket connections there"
	}
	return failure
}

// A web is a Conn over WebSocket.
type web struct {
	conn *websocket.Conn
	buf  []byte // of the last message
}

// Read implements wire.Conn.
func (w *web) Read(ctx context.Context) ([]byte, error) {
	_, r, err := w.conn.Reader(ctx)
	if err != nil {
		return nil, webError(err)
	}
	if cap(w.buf) > wire.MaxWrite {
		w.buf = nil
	}
	w.buf = w.buf[:0]
	for {
		if len(w.buf) == cap(w.buf) {
			w.buf = append(w.buf, 0)[:len(w.buf)]
		}
		n, err := r.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf = w.buf[:len(w.buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return w.buf, nil
		case err != nil:
			return nil, webError(err)
		}
	}
}

// Write implements wire.Conn.
func (w *web) Write(ctx context.Context, message []byte) error {
	if err := w.conn.Write(ctx, websocket.MessageText, message); err != nil {
		return webError(err)
	}
	return nil
}

// Ping implements wire.Pinger.
func (w *web) Ping(ctx context.Context) error { return w.conn.Ping(ctx) }

// Close implements wire.Conn. It waits for no reply: the peer may be gone.
func (w *web) Close() error { return w.conn.CloseNow() }

// webError returns what ended a connection, without the library's words around it.
func webError(err error) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed) && closed.Reason != "":
		return fmt.Errorf("the exec server closed the connection: %s", closed.Reason)
	case errors.As(err, &closed):
		return fmt.Errorf("the exec server closed the connection (status %d)", int(closed.Code))
	case errors.Is(err, io.EOF):
		return errors.New("the exec server closed the connection")
	}
	return cause(err)
}
