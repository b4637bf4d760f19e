//go:build unix

package localexec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

func TestSequenceOfAProcess(t *testing.T) {
	e := New(Options{})
	defer func() { require.NoError(t, e.Close()) }()
	p, err := e.Start(t.Context(), executor.Command{
		Argv: []string{"sh", "-c", "read x; echo $x; exit 7"},
	})
	require.NoError(t, err)
	s, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	defer s.Close()
	r, err := p.Write(context.Background(), "1", []byte("hello\n"))
	require.NoError(t, err)
	require.Equal(t, executor.WriteResult{Status: executor.Accepted, Bytes: 6}, r)

	var told []executor.Event
	for range 3 {
		ev, err := s.Next(t.Context())
		require.NoError(t, err)
		told = append(told, ev)
	}
	require.Equal(t, []executor.Event{
		{Kind: executor.Output, Seq: 1, Data: []byte("hello\n")},
		{Kind: executor.Exited, Seq: 2, Exit: executor.Exit{Kind: executor.ExitCode, Code: 7}},
		{Kind: executor.Closed, Seq: 3},
	}, told)
}
