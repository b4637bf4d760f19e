package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestUnreadableResponseSettlesItsRequest checks that a response that is too long or
// nested too deep ends its call as soon as its id is known.
func TestUnreadableResponseSettlesItsRequest(t *testing.T) {
	const limit = 64 << 10
	long := strings.Repeat("x", 2*limit)
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	const tooLong, tooDeep = "the response to id 3 is longer than --line-limit 64K", "the response to id 3 is nested too deep to be read (more than 10000 levels)"
	for _, tc := range []struct {
		name, line string
		unended    bool   // no newline follows
		want       string // the error; "" if the call is not settled
	}{
		{"id first", `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"}}`, false, tooLong},
		{"id first, before the line ends", `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG`, true, tooLong},
		{"error", `{"jsonrpc":"2.0","id":ID,"error":{"message":"LONG"}}`, false, tooLong},
		{"id last", `{"result":{"a":"LONG"},"jsonrpc":"2.0","id":ID}`, false, tooLong},
		{"nested too deep", `{"result":DEEP,"jsonrpc":"2.0","id":ID}`, false, tooDeep},
		{"id in neither", `{"result":{"a":"LONG"},"id":ID,"x":"LONG"}`, false, ""},
		{"id in a text", `{"result":{"a":"LONG\"},\"id\":ID}"}}`, false, ""},
		{"a request", `{"method":"m","params":{"result":"LONG"},"id":ID}`, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := open(t, legacy(func(p *fakeProcess, m message) {
				if m.Method != "long" {
					p.result(m, `{}`)
					return
				}
				line := strings.NewReplacer("ID", string(m.ID), "LONG", long, "DEEP", deep).Replace(tc.line)
				if !tc.unended {
					line += "\n"
				}
				p.out(line)
				if tc.want == "" {
					p.result(m, `{}`)
				}
			}), func(cfg *session.Config) { cfg.LineLimit = limit })
			resp, err := h.Request(t.Context(), "long", nil, session.CallOptions{})
			request := h.row(session.KindStdin, `"long"`)
			if tc.want == "" {
				require.NoError(t, err)
				require.Equal(t, `{}`, string(resp.Result))
				require.Equal(t, session.ReqAnswered, request.State)
				require.Contains(t, h.entries(session.KindNote)[0], "a line of stdout is longer than --line-limit 64K; its beginning and its end show no response, so it settles no request")
				return
			}
			require.EqualError(t, err, tc.want)
			var unread *session.UnreadError
			require.ErrorAs(t, err, &unread)
			require.Equal(t, session.ReqLost, request.State)
			why, ok := session.Unread(h.log, int(request.Related)-1)
			require.True(t, ok, "the log says the same")
			require.EqualError(t, why, tc.want)
			require.Empty(t, h.entries(session.KindNote))
			require.Zero(t, h.log.Stats().PendingOut)
		})
	}
}

// TestUnreadableStartIsNotStray checks that the parts of a response over the line limit
// are not shown as output that is not a message, and those of another line are, once.
func TestUnreadableStartIsNotStray(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for name, tc := range map[string]struct {
		line  string
		stray int
	}{
		"id first": {`{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"}}`, 0},
		"id last":  {`{"result":{"a":"LONG"},"jsonrpc":"2.0","id":ID}`, 0},
		"no JSON":  {`LONG`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, func(p *fakeProcess) int {
				return p.each(func(m message) {
					p.out(strings.NewReplacer("ID", string(m.ID), "LONG", long).Replace(tc.line) + "\n")
					_ = p.In.Close()
				})
			}, func(cfg *session.Config) { cfg.LineLimit, cfg.Era = 64<<10, mcp.Legacy })
			var failure *session.OpenError
			require.ErrorAs(t, h.Open(t.Context()), &failure)
			require.Len(t, failure.Stray, tc.stray)
		})
	}
}
