package tap

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// steered is a session in which a person holds the lines with the word HOLD.
func steered(t *testing.T, text string) *script {
	t.Helper()
	s := play(t, handshake)
	s.steer.arm(func(m *Message) bool { return bytes.Contains(m.Line, []byte("HOLD")) }, "HOLD", s.now)
	s.run(text)
	return s
}

// done renders the acts of a decision.
func (s *script) done(acts []act, err error) []string {
	s.t.Helper()
	require.NoError(s.t, err)
	return render(acts)
}

func (s *script) drive(method, params string) []string {
	s.t.Helper()
	acts, id, err := s.steer.drive(method, []byte(params), s.now)
	require.NotEmpty(s.t, id)
	return s.done(acts, err)
}

func TestHoldsAndLetsGo(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"x":"HOLD"}
	none (held)
client 2 tools/call {"x":1}
	server 2 tools/call {"x":1}
server 2 = "HOLD"
	none (held)
server notifications/message {}
	client notifications/message {}
`)
	require.Equal(t, []string{`server 1 tools/call {"x":"HOLD"} (held)`}, s.done(s.steer.letGo(1, nil, false, s.now)))
	require.Equal(t, []string{`client 2 = "edited" (edited)`}, s.done(s.steer.letGo(2, expand(`2 = "edited"`), false, s.now)))
	_, err := s.steer.letGo(2, nil, false, s.now)
	require.ErrorIs(t, err, ErrNotHeld)
	require.Zero(t, s.steer.bytes)
	s.run(`
restart r
	client 1 !restarted (restart)
	stop
`)
}

func TestHeldLinesAreNotOvertaken(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"_meta":{"progressToken":"t"}}
	server 1 tools/call {"_meta":{"progressToken":"t"}}
server notifications/progress {"progressToken":"t","message":"HOLD"}
	none (held)
server notifications/progress {"progressToken":"u"}
	client notifications/progress {"progressToken":"u"}
server notifications/progress {"progressToken":"t"}
	none (held)
server 1 = {}
	none (held)
server 5 sampling/createMessage {"_meta":{"progressToken":"t"},"x":"HOLD"}
	none (held)
client 2 tasks/get {"taskId":"k","x":"HOLD"}
	none (held)
client 3 tasks/cancel {"taskId":"k"}
	none (held)
client 4 tasks/cancel {"taskId":"l"}
	server 4 tasks/cancel {"taskId":"l"}
`)
	require.Equal(t, []string{
		`client notifications/progress {"progressToken":"t","message":"HOLD"} (held)`,
		`client notifications/progress {"progressToken":"t"} (held)`,
		`client 1 = {} (held)`,
		`client 5 sampling/createMessage {"_meta":{"progressToken":"t"},"x":"HOLD"} (held)`,
		`server 2 tasks/get {"taskId":"k","x":"HOLD"} (held)`,
		`server 3 tasks/cancel {"taskId":"k"} (held)`,
	}, render(s.steer.arm(nil, "", s.now)))
	s.run(`
client 6 tools/call {"x":"HOLD"}
	server 6 tools/call {"x":"HOLD"}
`)
}

// TestHeldHandshake checks that nothing overtakes a line of the handshake.
func TestHeldHandshake(t *testing.T) {
	s := play(t, "")
	s.steer.arm(func(m *Message) bool { return bytes.Contains(m.Line, []byte("initialize")) }, "initialize", s.now)
	s.run(`
client 0 initialize {}
	none (held)
client 1 tools/list
	none (held)
server notifications/message {}
	client notifications/message {}
`)
	require.Equal(t, []string{"server 0 initialize {} (held)", "server 1 tools/list (held)"}, render(s.steer.arm(nil, "", s.now)))
}

func TestHeldAndCancelled(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"x":"HOLD"}
	none (held)
client notifications/cancelled {"requestId":1}
	gone 1 tools/call {"x":"HOLD"} (withheld)
	note the request was held and is dropped
	none (withheld)
client 2 tools/call {"x":"HOLD"}
	none (held)
client 4 tools/call {"x":"HOLD"}
	none (held)
server 2 elicitation/create
	client 2 elicitation/create
server 3 elicitation/create {"x":"HOLD"}
	none (held)
restart r
	note dropped, because the server ended: held elicitation/create
	gone 3 elicitation/create {"x":"HOLD"} (withheld)
	stop
client notifications/cancelled {"requestId":2}
	gone 2 tools/call {"x":"HOLD"} (withheld)
	note the request was held and is dropped
	none (withheld)
`)
	require.Len(t, s.steer.lines, 1)
	require.Empty(t, s.done(s.steer.letGo(s.steer.lines[0].n, nil, false, s.now)))
	require.Len(t, s.held.lines, 1)
	s.run(`
+20s
	client 4 !starting (answered)
`)
}

func TestEditsThatCutPairs(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"x":"HOLD","_meta":{"progressToken":1}}
	none (held)
`)
	for _, text := range []string{`2 tools/call {"_meta":{"progressToken":1}}`, `1 tools/call {"_meta":{"progressToken":2}}`, "{}", `"1" tools/call {"_meta":{"progressToken":1}}`} {
		_, err := s.steer.letGo(1, expand(text), false, s.now)
		require.ErrorIs(t, err, ErrCutsPair, text)
	}
	_, err := s.steer.letGo(1, []byte("{\n}"), true, s.now)
	require.ErrorIs(t, err, errNotOneLine)
	require.Equal(t, []string{"server 2 tools/call (edited)"}, s.done(s.steer.letGo(1, expand("2 tools/call"), true, s.now)))
}

func TestDropsAndAnswers(t *testing.T) {
	s := steered(t, `
client 1 tools/call {"x":"HOLD"}
	none (held)
client 2 tools/call {"x":"HOLD"}
	none (held)
client 3 tools/call {"x":"HOLD"}
	none (held)
server 1 roots/list {"x":"HOLD"}
	none (held)
client notifications/roots/list_changed {"x":"HOLD"}
	none (held)
`)
	acts, err := s.steer.drop(1, s.now)
	require.Equal(t, []string{"note dropped: tools/call", `gone 1 tools/call {"x":"HOLD"} (withheld)`}, s.done(acts, err))
	require.Equal(t, []string{`client 2 = {"a":1} (answered)`}, s.done(s.steer.answer(2, []byte(`"result":{"a":1}`), s.now)))
	require.Equal(t, []string{"client 3 !cancelled (answered)"}, s.done(s.steer.answer(3, nil, s.now)))
	require.Equal(t, []string{`server 1 = {"roots":[]} (answered)`}, s.done(s.steer.answer(4, []byte(`"result":{"roots":[]}`), s.now)))
	_, err = s.steer.answer(5, nil, s.now)
	require.ErrorIs(t, err, errNoRequest)
	_, err = s.steer.answer(1, nil, s.now)
	require.ErrorIs(t, err, ErrNotHeld)
	require.Equal(t, []string{"note dropped, because the client closed its side: notifications/roots/list_changed", `gone notifications/roots/list_changed {"x":"HOLD"} (withheld)`, "close"}, render(s.clientClosed(s.now)))
}

// TestDrives sends requests of a person, whose responses the client does not get.
func TestDrives(t *testing.T) {
	s := play(t, handshake)
	require.Equal(t, []string{`server 1000000000 tools/call {"name":"a"} (own)`}, s.drive("tools/call", `{"name":"a"}`))
	require.Equal(t, []string{"note the client does not know about this logging/setLevel", "server 1000000001 logging/setLevel (own)"}, s.drive("logging/setLevel", ""))
	s.run(`
server 1000000000 = {}
	none (own)
noticed
`)
	_, _, err := s.steer.drive("tools/call", nil, s.now)
	require.ErrorIs(t, err, errNotNow)
}

// TestTakesOver answers a request of the server that the client has.
func TestTakesOver(t *testing.T) {
	s := play(t, handshake+`
server 1 roots/list
	client 1 roots/list
`)
	require.Equal(t, []string{`server 1 = {} (answered)`, `client notifications/cancelled {"requestId":1,"reason":"answered in mcpdbg"} (own)`},
		s.done(s.steer.takeOver([]byte("1"), []byte(`"result":{}`), s.now)))
	_, err := s.steer.takeOver([]byte("1"), []byte(`"result":{}`), s.now)
	require.ErrorIs(t, err, errNoRequest)
	s.run(`
server 1 roots/list
	client "mcpdbg:0a1b2c3d:s1" roots/list (edited)
client 1 = {"late":true}
	note response to a request that has ended
	none (withheld)
`)
}
