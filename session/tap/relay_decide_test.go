package tap

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFollowersGoOn: a message that is held only because of another one goes on with it.
func TestFollowersGoOn(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"_meta":{"progressToken":"t"}}
	server 1 tools/call {"_meta":{"progressToken":"t"}}
server notifications/progress {"progressToken":"t","message":"HOLD"}
	none (held)
server notifications/progress {"progressToken":"t"}
	none (held)
server notifications/progress {"progressToken":"t","message":"HOLD 2"}
	none (held)
server 1 = {}
	none (held)
`)
	for _, n := range []int{2, 3, 4} {
		_, err := s.steer.letGo(n, nil, false, s.now)
		require.ErrorIs(t, err, ErrOvertakes)
	}
	require.Equal(t, []string{
		`note dropped: notifications/progress`,
		`gone notifications/progress {"progressToken":"t","message":"HOLD"} (withheld)`,
		`client notifications/progress {"progressToken":"t"} (held)`,
	}, s.done(s.steer.drop(1, s.now)))
	require.Len(t, s.steer.held(), 2)
	require.Equal(t, []string{`client 1 = {} (held)`}, s.done(s.steer.letGo(4, nil, true, s.now)))
	require.Equal(t, []string{`client notifications/progress {"progressToken":"t","message":"HOLD 2"} (held)`}, s.done(s.steer.letGo(3, nil, false, s.now)))
	require.Empty(t, s.steer.held())
}

// TestNamedMethods: a filter that matches everything holds no handshake, ping and
// cancellation.
func TestNamedMethods(t *testing.T) {
	s := play(t, "")
	s.steer.arm(func(*Message) bool { return true }, "kind:request", s.now)
	s.run(handshake + `
client 1 ping
	server 1 ping
server 1 = {}
	client 1 = {}
client 2 tools/call
	none (held)
client notifications/cancelled {"requestId":9}
	server notifications/cancelled {"requestId":9}
`)
	s.steer.arm(func(*Message) bool { return true }, "method:ping", s.now)
	s.run(`
client 3 ping
	none (held)
`)
}

// TestHeldNews is about the list that a person gets.
func TestHeldNews(t *testing.T) {
	s := play(t, `
client 0 initialize {"protocolVersion":"2025-11-25","clientInfo":{"name":"Zed","version":"1"}}
	server 0 initialize {"protocolVersion":"2025-11-25","clientInfo":{"name":"Zed","version":"1"}}
client 7 tools/call {"name":"echo"}
	server 7 tools/call {"name":"echo"}
+3s
`)
	var got []Message
	s.steer.arm(func(m *Message) bool { got = append(got, *m); return true }, "", s.now)
	sent := s.now.Add(-3 * time.Second)
	s.run(`
client "a" tools/call {"name":"add"}
	none (held)
server 7 = {}
	none (held)
server 1 roots/list
	none (held)
`)
	require.Equal(t, []Message{
		{ToServer: true, Line: got[0].Line, Method: "tools/call", Tool: "add"},
		{Line: got[1].Line, Method: "tools/call", Tool: "echo"},
		{Line: got[2].Line, Method: "roots/list"},
	}, got)
	require.Equal(t, []Held{
		{N: 1, ToServer: true, Since: s.now, Method: "tools/call", Tool: "add", ID: []byte(`"a"`), Line: got[0].Line, Limit: time.Minute},
		{N: 2, Since: sent, Tool: "echo", ID: []byte("7"), Line: got[1].Line, Limit: time.Minute},
		{N: 3, Since: s.now, Method: "roots/list", ID: []byte("1"), Line: got[2].Line},
	}, s.steer.held())
	require.False(t, bytes.HasSuffix(got[0].Line, []byte("\n")))
}

// TestEditsKeepTheEnd of a line.
func TestEditsKeepTheEnd(t *testing.T) {
	s := steered(t, "")
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"HOLD"}}`)
	for _, edit := range [][]byte{line, append(bytes.Clone(line), "\r\n"...), nil} {
		s.fromClient(append(bytes.Clone(line), "\r\n"...), s.now)
		acts, err := s.steer.letGo(s.steer.n, edit, false, s.now)
		require.NoError(t, err)
		require.Equal(t, string(line)+"\r\n", string(acts[0].out))
		require.Equal(t, whyHeld, acts[0].why)
	}
	s.fromClient(append(bytes.Clone(line), "\r\n"...), s.now)
	acts, err := s.steer.letGo(s.steer.n, bytes.ReplaceAll(line, []byte("HOLD"), []byte("x")), false, s.now)
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"x"}}`+"\r\n", string(acts[0].out))
	s.fromClient(append(line, '\n'), s.now)
	for _, edit := range []string{"", "\n", "{\n}"} {
		_, err = s.steer.letGo(s.steer.n, []byte(edit), true, s.now)
		require.ErrorIs(t, err, errNotOneLine)
	}
}

func TestSubscriptionsAreNotCut(t *testing.T) {
	s := steered(t, `
server notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":3},"x":"HOLD"}
	none (held)
server notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":3}}
	none (held)
server notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":4}}
	client notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":4}}
`)
	_, err := s.steer.letGo(1, expand(`notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":4}}`), false, s.now)
	require.ErrorIs(t, err, ErrCutsPair)
}

func TestManyAreHeld(t *testing.T) {
	s := steered(t, "")
	for range maxStopped {
		s.fromClient(expand(`notifications/x {"x":"HOLD"}`), s.now)
	}
	require.Equal(t, []string{"note more than 8 MiB, or 1000 messages, are held: the rest pass", `server notifications/x {"x":"HOLD"}`},
		render(s.fromClient(expand(`notifications/x {"x":"HOLD"}`), s.now)))
}

// TestAnswersAreChecked: an answer is one member, and becomes one line.
func TestAnswersAreChecked(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"x":"HOLD"}
	none (held)
server 1 roots/list
	client 1 roots/list
`)
	for _, body := range []string{"", "{}", `"x":1`, `"result":`, `"result":{}}{`, `"result":{},"id":2`, `"error":1,"method":"x"`} {
		_, err := s.steer.answer(1, []byte(body), s.now)
		require.ErrorIs(t, err, errNotMember, body)
		_, err = s.steer.takeOver([]byte("1"), []byte(body), s.now)
		require.ErrorIs(t, err, errNotMember, body)
	}
	acts, err := s.steer.answer(1, []byte("\"result\": {\n \"a\": \"<\"\n}\n"), s.now)
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"a":"<"}}`+"\n", string(acts[0].out))
	require.Equal(t, []string{"server 1 !cancelled (answered)", `client notifications/cancelled {"requestId":1,"reason":"answered in mcpdbg"} (own)`},
		s.done(s.steer.takeOver([]byte("1"), nil, s.now)))
}

// TestOwnProgress: the client gets no progress of a request of a person.
func TestOwnProgress(t *testing.T) {
	s := play(t, handshake+`
client 1 tools/call {"_meta":{"progressToken":"theirs"}}
	server 1 tools/call {"_meta":{"progressToken":"theirs"}}
`)
	_, _, err := s.steer.drive("tools/call", []byte(`{"_meta":{"progressToken":"theirs"}}`), s.now)
	require.ErrorIs(t, err, errTokenInUse)
	_, _, err = s.steer.drive("tools/call", []byte(`[]`), s.now)
	require.ErrorIs(t, err, errNotParams)
	require.Equal(t, []string{`server 1000000000 tools/call {"_meta":{"progressToken":"ours"}} (own)`}, s.drive("tools/call", "{\n\"_meta\":{\"progressToken\":\"ours\"}}"))
	s.steer.arm(func(*Message) bool { return true }, "", s.now)
	s.run(`
server notifications/progress {"progressToken":"ours"}
	none (own)
server 1000000000 = {}
	none (own)
`)
	s.steer.arm(nil, "", s.now)
	s.run(`
server notifications/progress {"progressToken":"ours"}
	none (withheld)
server notifications/progress {"progressToken":"theirs"}
	client notifications/progress {"progressToken":"theirs"}
`)
}

// TestModernDrive: a request of a person has what those of a modern client have.
func TestModernDrive(t *testing.T) {
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	s := play(t, `
client 1 server/discover {"_meta":`+meta+`}
	server 1 server/discover {"_meta":`+meta+`}
server 1 = {"supportedVersions":["2026-07-28"],"capabilities":{}}
	client 1 = {"supportedVersions":["2026-07-28"],"capabilities":{}}
`)
	require.Equal(t, []string{`server "mcpdbg:0a1b2c3d:1" tools/list {"_meta":` + meta + `} (own)`}, s.drive("tools/list", ""))
	require.Equal(t, []string{`server "mcpdbg:0a1b2c3d:2" tools/call {"_meta":` + meta + `,"name":"a"} (own)`}, s.drive("tools/call", `{"name":"a"}`))
	require.Equal(t, []string{`server "mcpdbg:0a1b2c3d:3" tools/call {"_meta":{}} (own)`}, s.drive("tools/call", `{"_meta":{}}`))
}

// TestCancels cancels requests of the client wherever they are.
func TestCancels(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"_meta":{"progressToken":"t"}}
	server 1 tools/call {"_meta":{"progressToken":"t"}}
client 2 tools/call {"x":"HOLD"}
	none (held)
`)
	require.Equal(t, []string{`server notifications/cancelled {"requestId":1,"reason":"cancelled in mcpdbg"} (own)`, "client 1 !cancelled (answered)"},
		s.done(s.steer.cancel([]byte("1"), s.now)))
	require.Equal(t, []string{"client 2 !cancelled (answered)"}, s.done(s.steer.cancel([]byte("2"), s.now)))
	require.NotEmpty(t, s.drive("tools/call", ""))
	require.Equal(t, []string{`server notifications/cancelled {"requestId":1000000000,"reason":"cancelled in mcpdbg"} (own)`},
		s.done(s.steer.cancel([]byte("1000000000"), s.now)))
	s.run(`
client notifications/cancelled {"requestId":1}
	none (withheld)
server notifications/progress {"progressToken":"t"}
	none (withheld)
server 1 = {}
	none (withheld)
server 1000000000 = {}
	none (own)
noticed
client 3 tools/call
	none (held)
`)
	require.Equal(t, []string{"client 3 !cancelled (answered)"}, s.done(s.steer.cancel([]byte("3"), s.now)))
	for _, id := range []string{"0", "1", "3", "99"} {
		_, err := s.steer.cancel([]byte(id), s.now)
		require.ErrorIs(t, err, errNoRequest, id)
	}
}

// TestHoldsOverARestart: a message that comes during a restart is held like others, and a
// person who dropped an answer has settled its call.
func TestHoldsOverARestart(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"name":"a"}
	server 1 tools/call {"name":"a"}
server 1 = {"content":"HOLD"}
	none (held)
`)
	s.done(s.steer.drop(1, s.now))
	s.run(`
restart r
	stop
client 2 tools/call {"name":"HOLD"}
	none (held)
ended exit code 0
	start
started
	server 0 initialize {"protocolVersion":"2025-11-25"} (restart)
server 0 = {"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}
	none (restart)
	server notifications/initialized (restart)
	client notifications/tools/list_changed (restart)
	done r, 0s, failed 0, resent 0
	server 1000000000 tools/list (own)
`)
	require.Len(t, s.steer.held(), 1)
	require.Equal(t, []string{`server 2 tools/call {"name":"HOLD"} (held)`}, s.done(s.steer.letGo(2, nil, false, s.now)))
}

// TestRefusedOrders: what a person sends must be a message, and a handshake is the client's.
func TestRefusedOrders(t *testing.T) {
	s := steered(t, "")
	for params, want := range map[string]error{"{\"a\":\"\xff\"}": errNotParams, "[]": errNotParams, "{": errNotParams} {
		_, _, err := s.steer.drive("tools/call", []byte(params), s.now)
		require.ErrorIs(t, err, want, params)
	}
	for _, method := range []string{"initialize", "subscriptions/listen"} {
		_, _, err := s.steer.drive(method, nil, s.now)
		require.ErrorIs(t, err, errHandshake, method)
	}
}
