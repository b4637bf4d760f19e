package ui

import (
	"mcpdbg/session"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// quote is a modern tool that asks twice before it answers.
func quote(p *fakeProcess, m message) {
	const ask = `{"jsonrpc":"2.0","id":%s,"result":{` + modernMeta + `,"resultType":"input_required","inputRequests":{"%s":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"%s"}}`
	time.Sleep(12 * time.Millisecond)
	params := string(m.Params)
	switch {
	case m.Method != "tools/call":
	case strings.Contains(params, `"requestState":"one"`):
		p.out(ask, m.ID, "again", "two")
	case strings.Contains(params, `"requestState":"two"`):
		p.out(`{"jsonrpc":"2.0","id":%s,"result":{`+modernMeta+`,"resultType":"complete","content":[{"type":"text","text":"ACME 12.30"}]}}`, m.ID)
	default:
		p.out(ask, m.ID, "confirm", "one")
	}
}

// inModern runs a test on a session with a modern server, with a row for each
// exchange.
func inModern(t *testing.T, serve func(*fakeProcess, message), test func(*testing.T, *driver, *fakeExecutor, session.Log)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		s, x := newSessionWith(t, log, serve, func(c *session.Config) {
			c.Policies = map[string]session.Policy{"elicitation/create": {Mode: session.PolicyAsk}}
		})
		x.Modern = true
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait()
		d := driveAs(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		test(t, d, x, log)
	})
}

// answer accepts the oldest request of the server.
func (d *driver) answer(content string) {
	d.t.Helper()
	s := d.visible.ws.Session
	asks := s.ServerRequests()
	require.NotEmpty(d.t, asks)
	time.Sleep(time.Second)
	require.NoError(d.t, s.Answer(asks[0].ID, []byte(`{"action":"accept","content":`+content+`}`)))
	time.Sleep(5 * time.Millisecond)
	synctest.Wait()
	d.arrive()
}
