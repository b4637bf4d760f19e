package uitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/session/tap"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/workspace"
)

// A LiveTap is a fake of a live tap, which a test controls.
type LiveTap struct {
	Is     control.State
	Acts   []string         // its orders, with the arguments
	Fails  map[string]error // by the first word of an act; only the first time
	Long   []byte           // the line of a held message that is cut
	NextID string           // of the next request that is sent into it

	mu      sync.Mutex
	steers  bool
	changed chan struct{}
	done    chan struct{}
}

// NewLiveTap returns a tap of the client claude-code.
func NewLiveTap() *LiveTap {
	return &LiveTap{
		Is:    control.State{Server: "running", PID: 4188, Client: "claude-code 2.1", Viewers: 1},
		Fails: map[string]error{}, NextID: "1000000007", changed: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

var _ workspace.TapLink = (*LiveTap)(nil)

// Opened returns the recording of the tap with its link, at a time.
func (t *LiveTap) Opened(o workspace.Opened, now time.Time) workspace.Opened {
	o.Tap = &workspace.Tap{Link: t, Now: func() time.Time { return now }}
	return o
}

// Set changes the state, and rings.
func (t *LiveTap) Set(change func(*control.State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.Is)
	t.ring()
}

func (t *LiveTap) ring() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// End ends the tap.
func (t *LiveTap) End() { close(t.done) }

func (t *LiveTap) act(name string, about ...any) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := name
	for _, a := range about {
		text += fmt.Sprintf(" %s", fmt.Sprint(a))
	}
	t.Acts = append(t.Acts, text)
	err := t.Fails[name]
	delete(t.Fails, name)
	t.ring()
	return err
}

// State implements workspace.TapLink.
func (t *LiveTap) State() control.State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Is
}

// Changed implements workspace.TapLink.
func (t *LiveTap) Changed() <-chan struct{} { return t.changed }

// Done implements workspace.TapLink.
func (t *LiveTap) Done() <-chan struct{} { return t.done }

// Steers implements workspace.TapLink.
func (t *LiveTap) Steers() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.steers
}

// Steer implements workspace.TapLink.
func (t *LiveTap) Steer(_ context.Context, take bool) error {
	if other := t.State().Steerer; !take && other != 0 && !t.Steers() {
		return &control.SteeredError{PID: other}
	}
	if err := t.act("steer", take); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steers, t.Is.Steerer = true, os.Getpid()
	return nil
}

// Release implements workspace.TapLink.
func (t *LiveTap) Release(context.Context) error { return t.act("release") }

// Hold implements workspace.TapLink.
func (t *LiveTap) Hold(_ context.Context, filter string) error {
	t.Set(func(s *control.State) { s.Holding = filter })
	return t.act("hold", filter)
}

// Line implements workspace.TapLink.
func (t *LiveTap) Line(context.Context, int) ([]byte, error) { return t.Long, nil }

// LetGo implements workspace.TapLink.
func (t *LiveTap) LetGo(_ context.Context, n int, line []byte, force bool) error {
	return t.act("let-go", n, string(line), force)
}

// Drop implements workspace.TapLink.
func (t *LiveTap) Drop(_ context.Context, n int) error { return t.act("drop", n) }

// Answer implements workspace.TapLink.
func (t *LiveTap) Answer(_ context.Context, n int, body []byte) error {
	return t.act("answer", n, string(body))
}

// Drive implements workspace.TapLink.
func (t *LiveTap) Drive(_ context.Context, method string, params json.RawMessage) (string, error) {
	return t.NextID, t.act("drive", method, string(params))
}

// TakeOver implements workspace.TapLink.
func (t *LiveTap) TakeOver(_ context.Context, id, body []byte) error {
	return t.act("take-over", string(id), string(body))
}

// Cancel implements workspace.TapLink.
func (t *LiveTap) Cancel(_ context.Context, id []byte) error { return t.act("cancel", string(id)) }

// Restart implements workspace.TapLink.
func (t *LiveTap) Restart(context.Context) (string, error) {
	return "restarted: 1.3 s", t.act("restart")
}

// Stop implements workspace.TapLink.
func (t *LiveTap) Stop(context.Context) error { return t.act("stop") }

// LiveTapLog returns the log of a live tap: a handshake, a call, and the lines of messages that
// are held, in the direction of each.
func LiveTapLog(t testing.TB, held ...control.Held) session.Log {
	t.Helper()
	log, seq := newLog(t, session.Header{Argv: []string{"files"}, Mode: session.ModeTap, Name: "files"}), uint64(0)
	add := func(kind session.Kind, line string) {
		seq++
		time.Sleep(20 * time.Millisecond) // on the clock of the bubble
		require.NoError(t, log.Append([]session.Entry{{Kind: kind, Seq: seq, Payload: []byte(line), Msg: framing.Scan([]byte(line)), EOL: framing.LF}}))
	}
	client := json.RawMessage(`{"name":"claude-code","version":"2.1"}`)
	require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Code: tap.NoteClient, Text: "client: claude-code 2.1", Data: client})}))
	add(session.KindStdin, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1"}}}`)
	add(session.KindStdout, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"files","version":"1"}}}`)
	add(session.KindStdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	add(session.KindStdin, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_directory","arguments":{"path":"/srv"}}}`)
	add(session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"12 entries"}]}}`)
	for _, h := range held {
		kind := session.KindFromClient
		if !h.ToServer {
			kind = session.KindToClient
			add(session.KindStdout, string(h.Line))
		}
		time.Sleep(20 * time.Millisecond)
		require.NoError(t, log.Append([]session.Entry{session.ClientEntry(kind, "held", 0, 0, append(bytes.Clone(h.Line), '\n'))}))
	}
	return log
}

// HeldCall returns a held call of a tool, since a time.
func HeldCall(n int, since time.Time, limit time.Duration, tool, arguments string) control.Held {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, 100+n, tool, arguments)
	return HeldLine(n, since, limit, true, line)
}

// HeldLine returns a held message, since a time.
func HeldLine(n int, since time.Time, limit time.Duration, toServer bool, line []byte) control.Held {
	m := framing.Scan(line)
	h := control.Held{N: n, ToServer: toServer, Since: since, Method: string(m.Method.Of(line)), ID: m.ID.Of(line), Line: line, Limit: limit}
	if h.Method == mcp.MethodToolsCall {
		h.Tool = summary.Call(h.Method, line)
	}
	return h
}
