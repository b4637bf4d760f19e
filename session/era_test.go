package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// crossing is how long an accepted initialize waits for the response to
// server/discover.
const crossing = 250 * time.Millisecond

// sentSince returns the methods that were sent from a row on, in order.
func (h *harness) sentSince(from int) (methods []string) {
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(from, rows)] {
		if row.Kind == session.KindStdin {
			methods = append(methods, h.log.Method(row.Method))
		}
	}
	return methods
}

// silentLegacy answers initialize and nothing before it.
func silentLegacy(p *fakeProcess) int {
	return p.each(func(m message) {
		if m.Method == mcp.MethodInitialize {
			p.result(m, initResult)
		}
	})
}

// slowModern is a modern server that takes a while to build.
func slowModern(after time.Duration) func(p *fakeProcess) int {
	return func(p *fakeProcess) int {
		time.Sleep(after)
		return p.each(func(m message) {
			if m.Method == mcp.MethodDiscover {
				p.result(m, discoverResult)
			} else {
				p.fail(m, mcp.CodeUnsupportedVersion, `,"data":{"supported":["2026-07-28"]}`)
			}
		})
	}
}

// diesOf is a legacy server that exits at a message.
func diesOf(method string) func(p *fakeProcess) int {
	return func(p *fakeProcess) int {
		return p.each(func(m message) {
			switch m.Method {
			case method:
				_ = p.In.Close()
			case mcp.MethodInitialize:
				p.result(m, initResult)
			}
		})
	}
}

// TestRestartBeginsWithTheKnownEra checks that a restart begins with the
// previous era and tries the other one only if the server no longer supports
// it.
func TestRestartBeginsWithTheKnownEra(t *testing.T) {
	probed := []string{"server/discover", "initialize", "notifications/initialized"}
	legacyAtOnce := probed[1:]
	for _, c := range []struct {
		name      string
		first     func(*fakeProcess) int
		change    func(*session.Config)
		second    func(*fakeProcess) int
		era       mcp.Era
		sent      []string
		took      time.Duration // of the restart
		protocol  string        // requested
		failsOnce bool
	}{
		{name: "a legacy server that ignores the probe", first: silentLegacy, second: silentLegacy, era: mcp.Legacy, sent: legacyAtOnce},
		{name: "one that refuses it", first: legacy(nil), second: legacy(nil), era: mcp.Legacy, sent: legacyAtOnce},
		{name: "one that dies of it", first: diesOf(mcp.MethodDiscover), second: silentLegacy, era: mcp.Legacy, sent: legacyAtOnce},
		{name: "legacy has become modern", first: silentLegacy, second: slowModern(0), era: mcp.Modern, sent: []string{"initialize", "server/discover"}},
		{name: "modern stays modern, however long it builds", first: slowModern(0), second: slowModern(9 * time.Second), era: mcp.Modern, sent: probed[:1], took: 9 * time.Second},
		{name: "modern has become legacy", first: slowModern(0), second: legacy(nil), era: mcp.Legacy, sent: probed},
		{name: "modern has become silent", first: slowModern(0), second: silentLegacy, era: mcp.Legacy, sent: probed, took: session.KnownProbeTimeout + crossing},
		{name: "nothing is known after a failure", first: silentLegacy, second: diesOf(mcp.MethodInitialize), failsOnce: true},
		{
			name: "the known era wins over a preferred one", first: slowModern(0), second: slowModern(0), era: mcp.Modern, sent: probed[:1],
			change: func(c *session.Config) { c.Prefer, c.Protocol = mcp.Legacy, mcp.V20250618 },
		}, {
			name: "a requested revision", first: legacy(nil), second: legacy(nil), era: mcp.Legacy, sent: legacyAtOnce, protocol: mcp.V20250326,
			change: func(c *session.Config) { c.Protocol = mcp.V20250326 },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, c.first, c.change)
				h.exec.serve = c.second
				from, begin := h.log.Len(), time.Now()
				err := h.Restart(t.Context())
				if c.failsOnce {
					var failed *session.OpenError
					require.ErrorAs(t, err, &failed)
					h.exec.serve, from = silentLegacy, h.log.Len()
					require.NoError(t, h.Restart(t.Context()))
					require.Equal(t, probed, h.sentSince(from))
					return
				}
				require.NoError(t, err)
				require.Equal(t, c.took, time.Since(begin))
				require.Equal(t, c.sent, h.sentSince(from))
				require.Equal(t, c.era, h.Status().Server.Era)
				if c.protocol != "" {
					stdin := h.entries(session.KindStdin)
					require.Contains(t, stdin[len(stdin)-2], `"protocolVersion":"`+c.protocol+`"`)
				}
			})
		})
	}
}
