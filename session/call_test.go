package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/answers"
	"mcpdbg/session/mcp"
)

func TestRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			if m.Method == "bad" {
				p.fail(m, -32602, `,"data":{"x":1}`)
				return
			}
			p.result(m, string(m.Params))
		}), nil)
		resp, err := h.Request(t.Context(), "echo", json.RawMessage("{ \"big\": 9007199254740993,\n\"s\":\"\\u003c\" }"), session.CallOptions{})
		require.NoError(t, err)
		require.Equal(t, `{"big":9007199254740993,"s":"\u003c"}`, string(resp.Result), "on one line, digits and escapes untouched")
		require.Equal(t, session.ReqAnswered, h.row(session.KindStdin, `"echo"`).State)

		resp, err = h.Request(t.Context(), "bad", nil, session.CallOptions{})
		require.NoError(t, err)
		require.Equal(t, -32602, resp.Error.Code)
		require.JSONEq(t, `{"x":1}`, string(resp.Error.Data))
		require.Equal(t, session.ReqFailed, h.row(session.KindStdin, `"bad"`).State)

		_, err = h.Request(t.Context(), "echo", json.RawMessage(`[1]`), session.CallOptions{})
		require.ErrorContains(t, err, "must be a JSON object")
	})
}

func TestRequestsFromManyGoroutines(t *testing.T) {
	h := open(t, legacy(func(p *fakeProcess, m message) { p.result(m, string(m.Params)) }), nil)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			want := fmt.Sprintf(`{"i":%d}`, i)
			resp, err := h.Request(t.Context(), "echo", json.RawMessage(want), session.CallOptions{})
			if err != nil || string(resp.Result) != want {
				t.Errorf("request %d: %s, %v", i, resp.Result, err)
			}
		})
	}
	all.Wait()
	require.Zero(t, h.log.Stats().PendingOut)
}

// Stdin entries have the order of the pipe, whichever goroutine writes.
func TestLogOrderIsPipeOrder(t *testing.T) {
	var mu sync.Mutex
	var read []string
	h := open(t, legacy(func(p *fakeProcess, m message) {
		mu.Lock()
		defer mu.Unlock()
		read = append(read, m.raw)
	}), nil)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for k := range 20 {
				if _, err := h.Send(t.Context(), fmt.Appendf(nil, "line %d of %d", k, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_, err := h.Close(t.Context())
	require.NoError(t, err)
	var logged []string
	for _, line := range h.entries(session.KindStdin) {
		if text := strings.TrimPrefix(line, "stdin "); strings.HasPrefix(text, "line ") {
			logged = append(logged, text)
		}
	}
	require.Len(t, read, 400)
	require.Equal(t, read, logged)
}

func TestTimeoutCancelsAndLateResponseIsPaired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			switch m.Method {
			case "slow":
				go func() {
					<-time.After(10 * time.Second)
					p.result(m, `{}`)
				}()
			}
		}), nil)
		_, err := h.Request(t.Context(), "slow", nil, session.CallOptions{Timeout: 4 * time.Second})
		require.ErrorIs(t, err, session.ErrTimeout)
		require.ErrorContains(t, err, "slow: timed out after 4s")
		synctest.Wait()
		require.Equal(t, session.ReqTimedOut, h.row(session.KindStdin, `"slow"`).State)
		h.row(session.KindStdin, "notifications/cancelled")
		require.Zero(t, h.log.Stats().PendingOut)

		<-time.After(10 * time.Second)
		synctest.Wait()
		request := h.row(session.KindStdin, `"slow"`)
		require.Equal(t, session.ReqTimedOut, request.State)
		require.NotZero(t, request.Related, "the late response is paired")
		require.Zero(t, h.log.Stats().Unmatched)
	})
}

func TestCancelledContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := h.Request(ctx, "never", nil, session.CallOptions{})
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
		require.Equal(t, session.ReqCancelled, h.row(session.KindStdin, `"never"`).State)
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			if m.Method != "work" {
				return
			}
			var params struct {
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			}
			if err := json.Unmarshal(m.Params, &params); err != nil {
				t.Error(err)
			}
			for i := range 3 {
				p.out(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", params.Meta.Token, i))
			}
			p.out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"other","progress":9}}` + "\n")
			p.result(m, "{}")
		}), nil)
		var got []string
		_, err := h.Request(t.Context(), "work", json.RawMessage(`{"a":1}`), session.CallOptions{Progress: func(raw json.RawMessage) {
			got = append(got, string(raw[strings.LastIndexByte(string(raw), ':')+1:]))
		}})
		require.NoError(t, err)
		require.Equal(t, []string{"0}", "1}", "2}"}, got)
	})
}

// TestResentRequestsHaveTheirOwnToken checks that a re-sent request is as it was, but for
// its id and its progress token.
func TestResentRequestsHaveTheirOwnToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var id string
		h := open(t, legacy(func(p *fakeProcess, m message) {
			id = string(m.ID)
			p.result(m, string(m.Params))
		}), nil)
		for params, want := range map[string]string{
			`{"name":"x","_meta": {"a":1,"progressToken" : "mcpdbg-4","b":[]}}`: `{"name":"x","_meta":{"a":1,"progressToken":%s,"b":[]}}`,
			`{"_meta":{"progressToken":5}}`:                                     `{"_meta":{"progressToken":%s}}`, `{"_meta":{}}`: `{"_meta":{}}`, `{"progressToken":1}`: `{"progressToken":1}`,
		} {
			resp, err := h.Request(t.Context(), "work", json.RawMessage(params), session.CallOptions{Bare: true, Act: &session.ActBody{Act: session.ActResend}})
			require.NoError(t, err)
			require.JSONEq(t, strings.ReplaceAll(want, "%s", id), string(resp.Result))
			resp, err = h.Request(t.Context(), "work", json.RawMessage(params), session.CallOptions{Bare: true})
			require.NoError(t, err)
			require.JSONEq(t, params, string(resp.Result), "only re-sent requests")
		}
	})
}

// TestProgressMayUseTheSession checks that a function for progress runs under no lock
// that ending the process needs.
func TestProgressMayUseTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			p.out(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`+"\n", m.ID))
		}), nil)
		began := time.Now()
		killed := false
		_, err := h.Request(t.Context(), "work", nil, session.CallOptions{Progress: func(json.RawMessage) {
			killed = h.Kill() == nil
		}})
		require.ErrorIs(t, err, session.ErrEnded)
		require.True(t, killed)
		require.Less(t, time.Since(began), 5*time.Second, "nothing waited for a lock")
	})
}

// TestSlowProgress checks that a slow function for progress keeps no output from being
// read, that Request waits for it, and that it gets the latest progress.
func TestSlowProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sent = 3000
		h := open(t, legacy(func(p *fakeProcess, m message) {
			for i := range sent {
				p.out(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", m.ID, i))
			}
			p.result(m, "{}")
		}), nil)
		var got []int
		_, err := h.Request(t.Context(), "work", nil, session.CallOptions{Progress: func(raw json.RawMessage) {
			var p struct{ Progress int }
			_ = json.Unmarshal(raw, &p)
			if got = append(got, p.Progress); len(got) == 1 {
				time.Sleep(time.Second)
			}
		}})
		require.NoError(t, err)
		require.True(t, slices.IsSorted(got))
		require.LessOrEqual(t, len(got), 1001, "the oldest are skipped")
		require.Equal(t, sent-1, got[len(got)-1])
	})
}

func TestServerRequests(t *testing.T) {
	for _, tc := range []struct{ name, answers, ask, want, declared string }{
		{name: "ping gets a result", ask: `{"jsonrpc":"2.0","id":0,"method":"ping"}`, want: `{"jsonrpc":"2.0","id":0,"result":{}}`, declared: `"capabilities":{}`},
		{name: "the rest is refused", ask: `{"jsonrpc":"2.0","id":"s-1","method":"roots/list"}`, want: `"id":"s-1","error":{"code":-32601`, declared: `"capabilities":{}`},
		{
			name: "a canned answer", answers: `{"roots/list":{"roots":[]}}`, declared: `"capabilities":{"roots":{"listChanged":true}}`,
			ask: `{"jsonrpc":"2.0","id":9007199254740993,"method":"roots/list"}`, want: `"id":9007199254740993,"result":{"roots":[]}`,
		}, {
			name: "a canned error", answers: `{"sampling/createMessage":{"error":{"code":-1,"message":"User rejected sampling request"}}}`, declared: `"sampling":{}`,
			ask: `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}`, want: `"id":7,"error":{"code":-1,`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answered := make(chan string, 1)
				h := open(t, legacy(func(p *fakeProcess, m message) {
					if m.Method == "go" {
						p.out(tc.ask + "\n")
					} else {
						answered <- m.raw
					}
				}), func(c *session.Config) {
					if tc.answers == "" {
						return
					}
					var err error
					c.Answers, err = answers.Parse([]byte(tc.answers))
					require.NoError(t, err)
				})
				require.NoError(t, h.Notify(t.Context(), "go", nil))
				require.Contains(t, <-answered, tc.want)
				synctest.Wait()
				require.Zero(t, h.log.Stats().PendingIn)
				h.row(session.KindStdin, tc.declared)
			})
		})
	}
}

func TestModernRequestsCarryMetaAndGoRoundsForInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		h := open(t, func(p *fakeProcess) int {
			return p.each(func(m message) {
				switch {
				case m.Method == mcp.MethodDiscover:
					p.result(m, discoverResult)
				case strings.Contains(m.raw, "inputResponses"):
					seen = append(seen, m.raw)
					p.result(m, `{"resultType":"complete","ok":true}`)
				default:
					seen = append(seen, m.raw)
					p.result(m, `{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}}},"requestState":"st"}`)
				}
			})
		}, func(c *session.Config) {
			c.Answers = session.Answers{"elicitation/create": json.RawMessage(`{"action":"decline"}`)}
		})
		resp, err := h.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"ask","_meta":{"mine":1,"io.modelcontextprotocol/clientInfo":"theirs"}}`), session.CallOptions{})
		require.NoError(t, err)
		require.JSONEq(t, `{"resultType":"complete","ok":true}`, string(resp.Result))
		require.Len(t, seen, 2)
		for _, raw := range seen {
			require.Contains(t, raw, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`)
			require.Contains(t, raw, `"mine":1`)
			require.Contains(t, raw, `"io.modelcontextprotocol/clientInfo":"theirs"`, "a person's value is kept")
			require.Contains(t, raw, `"elicitation":{"form":{}}`)
		}
		require.Contains(t, seen[1], `"inputResponses":{"k":{"action":"decline"}}`)
		require.Contains(t, seen[1], `"requestState":"st"`)
		require.NotContains(t, seen[1], `"id":"mcpdbg-2"`, "a new id")
	})
}

func TestListAll(t *testing.T) {
	pages := func(cursors ...string) func(p *fakeProcess) int {
		n := 0
		return legacy(func(p *fakeProcess, m message) {
			next := ""
			if n < len(cursors) {
				next = fmt.Sprintf(`,"nextCursor":%q`, cursors[n])
			}
			n++
			p.result(m, fmt.Sprintf(`{"tools":[{"name":"t%d"}]%s}`, n, next))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		h := open(t, pages("a", "b"), nil)
		items, err := h.ListAll(t.Context(), mcp.Lists[0])
		require.NoError(t, err)
		require.Len(t, items, 3)
		h.row(session.KindStdin, `"params":{"cursor":"b"}`)
	})
	synctest.Test(t, func(t *testing.T) {
		h := open(t, pages("a", "a", "a"), nil)
		items, err := h.ListAll(t.Context(), mcp.Lists[0])
		require.ErrorContains(t, err, "twice")
		require.Len(t, items, 2)
	})
	synctest.Test(t, func(t *testing.T) {
		h := open(t, pages(""), nil)
		items, err := h.ListAll(t.Context(), mcp.Lists[0])
		require.NoError(t, err, "an empty cursor ends a legacy list")
		require.Len(t, items, 1)
	})
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) { p.fail(m, -32601, "") }), nil)
		_, err := h.ListAll(t.Context(), mcp.Lists[3])
		var failure *session.RPCError
		require.ErrorAs(t, err, &failure)
		require.Equal(t, -32601, failure.Code)
	})
}

func TestSendIsVerbatim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := make(chan string, 1)
		h := open(t, legacy(func(_ *fakeProcess, m message) { got <- m.raw }), nil)
		for _, line := range []string{`{ "jsonrpc" :"2.0","id": 1.0 ,"method":"x"}`, "no json \xff\x00", " "} {
			n, err := h.Send(t.Context(), []byte(line))
			require.NoError(t, err)
			require.Equal(t, line, <-got)
			require.NotZero(t, n)
		}
	})
}
