package replay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestTools checks which calls are sent.
func TestTools(t *testing.T) {
	serve := func(hints map[string]bool) server {
		return scripted(mcp.Legacy, func(p *process, m message) {
			if m.Method != "tools/list" {
				p.result(m, `{}`)
				return
			}
			var tools []string
			for name, hint := range hints {
				tools = append(tools, fmt.Sprintf(`{"name":%q,"annotations":{"readOnlyHint":%v}}`, name, hint))
			}
			p.result(m, `{"tools":[`+strings.Join(tools, ",")+`]}`)
		})
	}
	callBoth := func(s *session.Session) {
		call(t, s, "look", `{}`, session.CallOptions{})
		call(t, s, "change", `{}`, session.CallOptions{})
	}
	listAndCall := func(s *session.Session) {
		request(t, s, "tools/list", `{}`, session.CallOptions{})
		callBoth(s)
	}
	recorded := map[string]bool{"look": true, "change": false}
	for _, c := range []struct {
		name string
		act  func(*session.Session)
		live map[string]bool
		opts replay.Options
		want []string
	}{
		{"as recorded", listAndCall, recorded, replay.Options{}, []string{"answered", "answered", "skipped"}},
		{"named", listAndCall, recorded, replay.Options{Tools: []string{"change"}}, []string{"answered", "answered", "answered"}},
		{"all", listAndCall, recorded, replay.Options{AllTools: true}, []string{"answered", "answered", "answered"}},
		{"no longer read-only", listAndCall, map[string]bool{"look": false}, replay.Options{}, []string{"answered", "skipped", "skipped"}},
		{"the server is asked", callBoth, recorded, replay.Options{}, []string{"answered", "skipped"}},
		{"unknown tools", callBoth, nil, replay.Options{}, []string{"skipped", "skipped"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := record(t, serve(recorded), mcp.Legacy, c.act)
				_, res, _ := again(t, rec, serve(c.live), c.opts)
				require.Equal(t, c.want, statuses(res))
			})
		})
	}
}

// TestRaw checks that input other than plain messages is sent unchanged.
func TestRaw(t *testing.T) {
	var got []string
	serve := func(p *process) int {
		got = nil
		return scripted(mcp.Legacy, func(p *process, m message) {
			got = append(got, m.line)
			if m.ID != nil {
				p.result(m, `{}`)
			}
			if strings.HasPrefix(m.line, "[") {
				p.say(`[{"jsonrpc":"2.0","id":5,"result":{}}]`)
			}
		})(p)
	}
	lines := []string{
		"{nonsense\n", `[{"jsonrpc":"2.0","id":5,"method":"a"}]` + "\n", `{"jsonrpc":"2.0","id":6,"method":"a","params":[1]}` + "\n",
		`{"id":7,"method":"a"}` + "\r\n", "\n", `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n",
	}
	act := func(s *session.Session) {
		for _, line := range lines {
			_, err := s.SendBytes(context.Background(), []byte(line))
			require.NoError(t, err)
			synctest.Wait()
		}
		for _, half := range []string{`{"jsonrpc":"2.0","id":8,"meth`, `od":"half"}` + "\n", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":`, `{"name":"rm"}}` + "\n"} {
			_, err := s.SendBytes(context.Background(), []byte(half))
			require.NoError(t, err)
			synctest.Wait()
		}
		request(t, s, "last", `{}`, session.CallOptions{})
	}
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Legacy, act)
		recorded := got
		plan, res, _ := again(t, rec, serve, replay.Options{})
		require.NoError(t, res.Lost)
		want := append(append([]string{}, recorded[:len(recorded)-2]...), recorded[len(recorded)-1])
		require.Len(t, got, len(want))
		require.Equal(t, want[:len(want)-1], got[:len(got)-1], "all but a tool call, of which no part is sent")
		require.Equal(t, replay.Raw, plan.Items()[0].Kind)
		require.Equal(t, []string{"sent", "answered", "answered", "answered", "sent", "sent", "sent", "answered", "skipped", "skipped", "answered"}, statuses(res))

		_, _, _ = again(t, rec, serve, replay.Options{AllTools: true})
		require.Equal(t, recorded[:len(recorded)-1], got[:len(got)-1])
	})
}

// TestProcesses selects among the processes of a recording.
func TestProcesses(t *testing.T) {
	serve := scripted(mcp.Legacy, func(p *process, m message) { p.result(m, `{}`) })
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, serve, mcp.Legacy, func(s *session.Session) {
			for _, method := range []string{"", "second", "third"} {
				if method != "" {
					require.NoError(t, s.Restart(t.Context()))
					request(t, s, method, `{}`, session.CallOptions{})
				}
			}
		})
		for number, want := range map[int]string{0: "second", 2: "second", 3: "third"} {
			plan, err := replay.New(t.Context(), rec, replay.Options{Run: number})
			require.NoError(t, err)
			require.Len(t, plan.Items(), 1)
			require.Equal(t, want, plan.Items()[0].Method)
		}
		_, err := replay.New(t.Context(), rec, replay.Options{Run: 4})
		require.ErrorContains(t, err, "no process 4, it has 3")
		plan, err := replay.New(t.Context(), rec, replay.Options{Run: 1})
		require.NoError(t, err)
		require.Empty(t, plan.Items())
	})
}
