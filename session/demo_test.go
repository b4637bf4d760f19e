package session_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
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

// answering calls a tool, answers what it asks for with answer, and returns the
// text of its result.
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

// next waits until a person is asked for a method.
func (h *harness) next(method string) session.Ask {
	h.t.Helper()
	for {
		changed := h.log.Changed()
		for _, ask := range h.Asks() {
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
				require.Empty(t, h.Asks())
				require.Zero(t, h.log.Stats().Orphans)
				require.Zero(t, h.log.Stats().PendingIn)

				require.NoError(t, h.SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyMalformed}))
				resp, err := h.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"ask"}`), session.CallOptions{})
				require.NoError(t, err)
				require.Contains(t, string(resp.Result), "not an elicitation result")
			})
		})
	}
}

// The reference server asks for all three, for the roots as soon as it can.
func TestEverythingIsAnswered(t *testing.T) {
	npx, err := exec.LookPath("npx")
	if err != nil {
		if os.Getenv("CI") == "true" {
			require.NoError(t, err)
		}
		t.Skip("npx is not on PATH")
	}
	h := newReal(t, localexec.New(localexec.Options{}), []string{npx, "-y", "@modelcontextprotocol/server-everything@2026.8.31", "stdio"}, func(c *session.Config) {
		c.StartupTimeout = 50 * time.Second
		c.Era = mcp.Legacy
		person(c)
	})
	if err := h.Open(t.Context()); err != nil && os.Getenv("CI") != "true" {
		t.Skip("npx could not fetch the server: ", err)
	} else {
		require.NoError(t, err)
	}
	require.NoError(t, h.Answer(h.next(mcp.MethodRoots).ID, json.RawMessage(`{"roots":[{"uri":"file:///srv/data","name":"data"}]}`)))

	require.Contains(t, h.answering("trigger-elicitation-request", `{}`, mcp.MethodElicit,
		`{"action":"accept","content":{"name":"Ada","check":true,"email":"ada@example.com"}}`), "Ada")
	require.Contains(t, h.answering("trigger-elicitation-request", `{}`, mcp.MethodElicit, `{"action":"decline"}`), "declined")
	require.Contains(t, h.answering("trigger-sampling-request", `{"prompt":"hello","maxTokens":5}`, mcp.MethodSample,
		`{"role":"assistant","content":{"type":"text","text":"from a person"},"model":"m","stopReason":"endTurn"}`), "from a person")

	resp, err := h.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"get-roots-list","arguments":{}}`), session.CallOptions{})
	require.NoError(t, err)
	require.Contains(t, string(resp.Result), "file:///srv/data")

	require.NoError(t, h.SetRoots([]session.Root{{URI: "file:///srv/other"}}))
	require.NoError(t, h.Notify(t.Context(), "notifications/roots/list_changed", nil))
	require.Eventually(t, func() bool {
		resp, err = h.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"get-roots-list","arguments":{}}`), session.CallOptions{})
		require.NoError(t, err)
		return strings.Contains(string(resp.Result), "file:///srv/other")
	}, time.Minute, 50*time.Millisecond)
	require.Empty(t, h.Asks())
	require.Zero(t, h.log.Stats().PendingIn)
}
