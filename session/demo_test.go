package session_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// serveDemo is the healthy demo server, as a process.
func serveDemo(p *fakeProcess) int {
	return demo.Serve(context.Background(), p.in, stream{p, executor.Stdout}, stream{p, executor.Stderr}, demo.Options{})
}

type stream struct {
	p  *fakeProcess
	to executor.Stream
}

func (s stream) Write(b []byte) (int, error) {
	s.p.Journal.Output(s.to, append([]byte(nil), b...))
	return len(b), nil
}

// answering calls a tool, answers its request with answer, and returns the text
// of its result.
func (h *harness) answering(tool, args, method, answer string) string {
	h.t.Helper()
	text := make(chan string, 1)
	go func() {
		resp, err := h.Request(h.t.Context(), "tools/call", json.RawMessage(`{"name":"`+tool+`","arguments":`+args+`}`), session.CallOptions{})
		if err == nil && resp.Error != nil {
			err = resp.Error
		}
		if err != nil {
			text <- err.Error()
			return
		}
		text <- string(resp.Result)
	}()
	ask := h.next(method)
	require.NoError(h.t, h.Answer(ask.ID, json.RawMessage(answer)))
	return <-text
}

// next waits until a request of the method is pending.
func (h *harness) next(method string) session.ServerRequest {
	h.t.Helper()
	for {
		changed := h.log.Changed()
		for _, ask := range h.ServerRequests() {
			if ask.Method == method {
				return ask
			}
		}
		select {
		case <-changed:
		case <-time.After(time.Minute):
			h.t.Fatalf("%s was not asked for: %v", method, h.entries())
		}
	}
}

func TestDemoIsAnsweredInBothEras(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, serveDemo, func(c *session.Config) {
					c.Era = era
					person(c)
				})
				require.Contains(t, h.answering("ask", `{}`, mcp.MethodElicit, `{"action":"accept","content":{"name":"Ada"}}`),
					`the person chose accept: {\"name\":\"Ada\"}`)
				require.Contains(t, h.answering("ask", `{"mode":"url"}`, mcp.MethodElicit, `{"action":"accept"}`), "the person chose accept")
				require.Contains(t, h.answering("sample", `{}`, mcp.MethodSample,
					`{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m","stopReason":"endTurn"}`), `m said: {\"type\":\"text\",\"text\":\"hi\"}`)
				require.Contains(t, h.answering("roots", `{}`, mcp.MethodRoots, `{"roots":[{"uri":"file:///x"}]}`), "1 roots: [{file:///x}]")
				require.Empty(t, h.ServerRequests())
				require.Zero(t, h.log.Stats().Unmatched)
				require.Zero(t, h.log.Stats().PendingIn)

				require.NoError(t, h.SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyMalformed}))
				resp, err := h.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"ask"}`), session.CallOptions{})
				require.NoError(t, err)
				require.Contains(t, string(resp.Result), "not an elicitation result")
			})
		})
	}
}
