package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

func TestRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		begin := time.Now()
		var r repeats
		r.init(&mu)
		add := func(n uint64, took time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			r.add(n, took, func(n uint64, times int, total time.Duration) {
				got = append(got, fmt.Sprintf("%v: n %d, %d times, %v", time.Since(begin), n, times, total))
			})
		}
		add(1, time.Millisecond)
		<-time.After(400 * time.Millisecond)
		add(10, 2*time.Millisecond)
		add(20, 3*time.Millisecond)
		<-time.After(time.Second) // 1.4 s: the repeats were written at 1 s
		add(5, 0)
		add(6, 0)
		mu.Lock()
		r.end()
		mu.Unlock()
		<-time.After(5 * time.Second)
		require.Equal(t, []string{
			"0s: n 1, 1 times, 1ms",
			"1s: n 30, 2 times, 5ms",
			"1.4s: n 11, 2 times, 0s",
		}, got)
	})
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		n := 0
		var r repeats
		r.init(&mu)
		for range 2 {
			mu.Lock()
			r.add(1, 0, func(uint64, int, time.Duration) { n++ })
			mu.Unlock()
			<-time.After(1100 * time.Millisecond)
		}
		require.Equal(t, 2, n, "a second later it counts as the first again")
	})
}

// TestAskDoesNotOutliveItsPolicy checks that a policy change between reading
// the policy and adding the request applies to the request.
func TestAskDoesNotOutliveItsPolicy(t *testing.T) {
	s := &Session{}
	s.requests.s, s.requests.policies = s, policies{"roots/list": Policy{Mode: PolicyCanned, Answer: []byte(`{"roots":[]}`)}.prepared("roots/list")}
	var answer, by string
	s.requests.open(&pendingRequest{
		ServerRequest: ServerRequest{Method: "roots/list"},
		settle:        func(raw json.RawMessage, who string) { answer, by = string(raw), who },
	}, Policy{Mode: PolicyAsk})
	require.Equal(t, `{"roots":[]}`, answer)
	require.Equal(t, ByPolicy, by)
	require.Empty(t, s.ServerRequests())
}

func TestAsksLimitBytes(t *testing.T) {
	var x serverRequests
	half := make([]byte, maxRequestBytes/2+1)
	first := &pendingRequest{ServerRequest: ServerRequest{Params: half}}
	require.True(t, x.add(first, 0, nil))
	require.False(t, x.add(&pendingRequest{ServerRequest: ServerRequest{Params: half}}, 0, nil))
	require.Same(t, first, x.removeID(first.ID))
	require.Nil(t, x.removeID(first.ID))
	require.True(t, x.add(&pendingRequest{ServerRequest: ServerRequest{Params: half}}, 0, nil), "there is room again")
}

func TestTail(t *testing.T) {
	var lines tail
	for i := range tailLines + 5 {
		lines.addStderr(fmt.Appendf(nil, "%d", i))
		lines.addStray(fmt.Appendf(nil, "%d", i))
	}
	lines.addStderr(make([]byte, 10_000))
	stderr, stray := lines.lines()
	require.Len(t, stderr, tailLines)
	require.Equal(t, "6", stderr[0], "the last ones, oldest first")
	require.Equal(t, strings.Repeat("\x00", quotedLength)+"…", stderr[tailLines-1])
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, stray, "the first ones")
}

func FuzzFillMeta(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/clientInfo":1,"a":"}"}}}`))
	f.Add([]byte(`{"params": { "b":[{}]},"jsonrpc":"2.0","id":1,"method":"x"}`))
	s := &Session{server: Server{Era: mcp.Modern, Protocol: mcp.Latest}}
	s.requests.s = s
	f.Fuzz(func(t *testing.T, line []byte) {
		filled := s.FillMeta(bytes.Clone(line))
		before, after := framing.Scan(line), framing.Scan(filled)
		require.Equal(t, before.Kind, after.Kind)
		require.Equal(t, before.ID.Of(line), after.ID.Of(filled))
		require.Equal(t, filled, s.FillMeta(filled), "filled once")
		if json.Valid(line) {
			require.True(t, json.Valid(filled))
		}
	})
}
