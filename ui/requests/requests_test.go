package requests

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// TestObserveForgets checks that requests that ended are forgotten with the text
// typed so far, and that only an open one closes with a message.
func TestObserveForgets(t *testing.T) {
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Argv: []string{"server"}}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	ctx, cancel := context.WithCancel(t.Context())
	w := workspace.New(ctx, cancel, workspace.Opened{Session: session.New(session.Config{Log: log})}, 1)
	s := NewState()
	for id, method := range []string{mcp.MethodRoots, mcp.MethodElicit} {
		s.drafts[uint64(id)] = &answerView{state: s, request: session.ServerRequest{ID: uint64(id), N: 7, Method: method}}
	}
	open := s.drafts[1]
	h := uitest.NewHost(t, w, 80, 24)
	h.Opened = []host.View{&policyView{}, open}
	s.Observe(h.Context())
	require.Empty(t, s.drafts)
	require.Equal(t, []host.View{open}, h.Closed)
	require.Equal(t, []string{"elicitation/create: " + session.ErrNotPending.Error()}, h.Warnings)
}
