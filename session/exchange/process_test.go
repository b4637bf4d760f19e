package exchange_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/executor"
)

// followedTo returns the process of a log whose lines a Follower has read.
func followedTo(t *testing.T, lines ...string) *exchange.Process {
	t.Helper()
	src := rectest.Session(t, lines...)
	c, f := session.NewCursor(src), exchange.NewFollower(src)
	steps(t, c, f)
	return f.Process()
}

func TestProcess(t *testing.T) {
	const (
		starting = `"k":"state","state":"starting"`
		ready    = `"k":"state","state":"ready"`
		exited   = `"k":"exited","seq":9,"code":3`
		closed   = `"k":"closed","seq":10`
	)
	p := followedTo(t, starting, rectest.Started, `"k":"env","policy":"client"`, `"k":"link","state":"stalled"`, `"k":"waiting","stream":"stdout","bytes":3,"head":"abc"`)
	require.True(t, p.Alive())
	require.Equal(t, exchange.Event{Seen: true, Row: 1, T: p.Begun.T}, p.Begun)
	require.Equal(t, "client", p.Env.Policy)
	require.Equal(t, "stalled", p.Link.State)
	require.Equal(t, "abc", p.Partial.Head)
	require.True(t, p.Waiting.Seen)
	require.Equal(t, executor.EndedUnknown, p.By())

	p = followedTo(t, rectest.Started, `"k":"waiting","stream":"stdout","bytes":3`, `< {"id":1,"result":{}}`)
	require.False(t, p.Waiting.Seen, "the line was completed")
	p = followedTo(t, rectest.Started, `"k":"waiting","stream":"stdout","bytes":3`, `"k":"gap","bytes":7`)
	require.False(t, p.Waiting.Seen, "the line was lost")

	p = followedTo(t, rectest.Started, ready, exited, closed)
	require.False(t, p.Alive())
	require.True(t, p.Over())
	require.Equal(t, 3, *p.Exit.Code)
	require.Equal(t, executor.EndedByServer, p.By())
	p = followedTo(t, rectest.Started, `"k":"act","act":"kill"`, exited, closed)
	require.Equal(t, executor.EndedByPerson, p.By())

	p = followedTo(t, rectest.Started, ready, exited, closed, starting)
	require.Equal(t, exchange.Process{State: session.Starting, Attempt: 1}, *p, "the next process has not started")
	p = followedTo(t, rectest.Started, exited, closed, starting, `"k":"state","state":"failed","detail":"no","code":"start.notfound"`)
	require.Equal(t, 0, p.Attempt, "no process was ready")
	require.True(t, p.Failed.Seen)
	require.Equal(t, "no", p.Failure.Detail)
	p = followedTo(t, rectest.Started, `"k":"failed","error":"gone"`, `"k":"state","state":"failed","detail":"the same"`)
	require.True(t, p.Lost.Seen)
	require.False(t, p.Failed.Seen, "the start did not fail")
	require.Equal(t, "gone", p.Loss.Error)
}

func TestHandshake(t *testing.T) {
	const initialize = `> {"id":1,"method":"initialize"}`
	for name, tc := range map[string]struct {
		lines []string
		want  exchange.Handshake
	}{
		"legacy": {
			[]string{initialize, `< {"id":1,"result":{"protocolVersion":"2025-06-18"}}`, `> {"id":2,"method":"a"}`, `< {"id":2,"result":{"protocolVersion":"1"}}`},
			exchange.Handshake{Response: exchange.Event{Row: 2}, Request: 1, Initialize: true, Revision: "2025-06-18"},
		},
		"refused": {
			[]string{initialize, `< {"id":1,"error":{"code":1,"message":"no"}}`},
			exchange.Handshake{Response: exchange.Event{Row: 2}, Request: 1, Initialize: true, Refused: true},
		},
		"a refused probe": {
			[]string{`> {"id":3,"method":"server/discover"}`, initialize, `< {"id":3,"error":{"code":1,"message":"no"}}`},
			exchange.Handshake{Response: exchange.Event{Row: 3}, Request: 1},
		},
		"after another request": {
			[]string{`> {"id":3,"method":"server/discover"}`, `> {"id":4,"method":"a"}`, initialize, `< {"id":1,"error":{"code":1,"message":"no"}}`},
			exchange.Handshake{},
		},
		"in a batch": {
			[]string{`"k":"stdin","raw":"[{\"id\":1,\"method\":\"ping\"},{\"id\":2,\"method\":\"initialize\"}]"`, `"k":"stdout","seq":1,"raw":"[{\"id\":1,\"error\":{}},{\"id\":2,\"result\":{\"protocolVersion\":\"2025-03-26\"}}]"`},
			exchange.Handshake{Response: exchange.Event{Row: 2}, Request: 1, Initialize: true, Revision: "2025-03-26"},
		},
		"an echo": {
			[]string{initialize, `< {"id":1,"method":"initialize"}`},
			exchange.Handshake{Echo: exchange.Event{Row: 2}},
		},
	} {
		got := followedTo(t, append([]string{rectest.Started}, tc.lines...)...).Handshake
		for _, e := range []*exchange.Event{&got.Response, &got.Echo} {
			require.Equal(t, e.Row > 0, e.Seen, name)
			e.Seen, e.T = false, 0
		}
		require.Equal(t, tc.want, got, name)
	}
}

// TestReusedIDs tests responses of which one may be to an older request.
func TestReusedIDs(t *testing.T) {
	const first, second = `> {"id":1,"method":"a"}`, `> {"id":1,"method":"b"}`
	const both = `"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"},{\"id\":1,\"method\":\"b\"}]"`
	for _, tc := range []struct {
		requests []string
		reused   bool
	}{{[]string{first, second}, true}, {[]string{both}, true}, {[]string{first}, false}} {
		lines := append([]string{rectest.Started}, tc.requests...)
		src := rectest.Session(t, append(lines, `< {"id":1,"result":{}}`, `< {"id":1,"result":{}}`)...)
		c, f := session.NewCursor(src), exchange.NewFollower(src)
		var last exchange.Step
		for c.Next() {
			all, err := f.Add(c)
			require.NoError(t, err)
			last = all[0]
		}
		require.Equal(t, exchange.Duplicate, last.Kind)
		require.Equal(t, tc.reused, last.Reused)
	}
}
