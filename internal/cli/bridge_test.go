package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

// bridgeTo is the variable that makes the test binary a stdio server in front of
// the Streamable HTTP server with the URL in it.
const bridgeTo = "MCPDBG_TEST_BRIDGE"

// A bridge carries the messages of one session from stdio to Streamable HTTP and
// back, byte for byte except for line ends.
type bridge struct {
	url string

	mu       sync.Mutex // guards the rest, and standard output
	session  string     // Mcp-Session-Id
	protocol string     // negotiated by initialize
	posts    sync.WaitGroup
}

// A bridged message, as far as a bridge looks at it.
type bridged struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// serveBridge copies messages until standard input ends and all are answered.
func serveBridge(url string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := &bridge{url: url}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			b.send(ctx, line)
		}
		if err != nil {
			break
		}
	}
	b.posts.Wait()
	return 0
}

// send posts one message. The next one waits only for the handshake.
func (b *bridge) send(ctx context.Context, line []byte) {
	var m bridged
	if json.Unmarshal(line, &m) != nil {
		return // as a server that drops it
	}
	post := func() {
		if err := b.post(ctx, m, line); err != nil {
			fmt.Fprintln(os.Stderr, err)
			b.fail(m, err)
		}
	}
	switch m.Method {
	case "notifications/initialized":
		post()
		b.listen(ctx)
	case "initialize":
		post()
	default:
		b.posts.Go(post)
	}
}

// fail answers a request that could not be posted.
func (b *bridge) fail(m bridged, err error) {
	if m.ID == nil || m.Method == "" {
		return
	}
	text, _ := json.Marshal(err.Error()) // a string always encodes
	b.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, m.ID, text))
}

// post sends one message and writes what comes back for it.
func (b *bridge) post(ctx context.Context, m bridged, line []byte) error {
	request, err := b.request(ctx, http.MethodPost, bytes.NewReader(line))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if m.Params.Meta.Version != "" {
		request.Header.Set("Mcp-Protocol-Version", m.Params.Meta.Version)
		request.Header.Set("Mcp-Method", m.Method)
		if name := m.Params.Name + m.Params.URI; name != "" {
			request.Header.Set("Mcp-Name", name)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if m.Method == "initialize" {
		b.mu.Lock()
		b.session = response.Header.Get("Mcp-Session-Id")
		b.mu.Unlock()
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return b.events(response.Body)
	}
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case json.Valid(body):
		b.write(body)
	case response.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("%s: %.200s", response.Status, body)
	}
	return nil
}

// listen reads the stream on which the server sends its own requests, if it has one.
func (b *bridge) listen(ctx context.Context) {
	request, err := b.request(ctx, http.MethodGet, http.NoBody)
	if err != nil {
		return
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	go func() { // ends with the program
		defer response.Body.Close()
		_ = b.events(response.Body)
	}()
}

func (b *bridge) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, b.url, body)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	request.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{"Mcp-Session-Id": b.session, "Mcp-Protocol-Version": b.protocol} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	return request, nil
}

// events writes the data of server-sent events, which has one line each.
func (b *bridge) events(stream io.Reader) error {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && json.Valid(data) {
			b.write(data)
		}
		if err != nil {
			return nil // the end of the stream
		}
	}
}

// write writes a message as one line, and notes the version in the result of initialize.
func (b *bridge) write(message []byte) {
	var m struct {
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	var line bytes.Buffer
	if json.Compact(&line, message) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if json.Unmarshal(message, &m) == nil && m.Result.Version != "" {
		b.protocol = m.Result.Version
	}
	line.WriteByte('\n')
	_, _ = os.Stdout.Write(line.Bytes())
}
