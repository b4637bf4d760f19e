package uitest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// Busy makes the server of an open session respond in many ways to a user's messages, as in
// the recording of Everything.
func Busy(t testing.TB, s *session.Session, x *Server) {
	t.Helper()
	send := func(line string) {
		_, err := s.Send(t.Context(), []byte(line))
		require.NoError(t, err)
		time.Sleep(11 * time.Millisecond) // of the bubble's clock, for the latencies
	}
	p := x.Latest()
	p.Err("fake: listening")
	synctest.Wait() // stderr is not ordered relative to messages sent meanwhile
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	p.Out(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","description":"says it again","inputSchema":{"type":"object"}}]}}`)
	send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"nope"}}`)
	p.Out(`{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"Unknown tool: nope"}}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`)
	p.Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)
	p.Out(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"missing text"}],"isError":true}}`)
	p.Out(`npm WARN deprecated something@1.0`)
	p.Out(`{"jsonrpc":"2.0","id":"s-7","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
	synctest.Wait()
	p.Err("\x1b[31mwarning\x1b[0m: \u202eevil\u202c \x07")
	synctest.Wait()
	send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"res://logs/1"}}`)
	p.Out(`{"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"res://logs/1","text":"%s"}]}}`, strings.Repeat("0123456789", 900))
	p.Out(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	p.Out(`{"jsonrpc":"2.0","id":700,"result":{}}`)
	send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"slow"}}`)
	require.NoError(t, s.Cancel("4", "too slow"))
	synctest.Wait()
	send(`{"jsonrpc":"2.0","id":5,"method":"prompts/list"}`)
	require.NoError(t, s.Log().Append([]session.Entry{
		session.NewEntry(session.KindLagged, 0, session.LaggedBody{Events: 12402}),
		session.NewEntry(session.KindHeld, 0, session.HeldBody{Begin: 20_000, End: 95_000, Streams: []string{"stdout"}}),
	}))
	time.Sleep(3 * time.Second)
}
