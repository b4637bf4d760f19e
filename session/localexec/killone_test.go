//go:build unix

package localexec

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

func TestKillOne(t *testing.T) {
	e := newExecutor(t, Options{})
	p, err := e.Start(t.Context(), executor.Command{Argv: []string{"sh", "-c", "sleep 1000 & echo on; wait; exit 7"}})
	require.NoError(t, err)
	_, err = p.Read(t.Context(), 0, 0, waitLimit) // until the sleep is forked
	require.NoError(t, err)

	killer, ok := p.(executor.TreeKiller)
	require.True(t, ok)
	for _, foreign := range []int{1, os.Getpid(), os.Getppid(), 0, -p.Info().PID} {
		_, err := killer.KillOne(t.Context(), foreign)
		require.ErrorIs(t, err, executor.ErrNotInTree, foreign)
	}

	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 2)
	require.Equal(t, p.Info().PID, tree[0].PID, "the leader first")
	if runtime.GOOS == "linux" {
		for _, d := range tree {
			require.WithinDuration(t, p.Info().Started, d.Started, time.Minute)
		}
	}
	isChild := func(d executor.Descendant) bool { return d.PID != p.Info().PID }
	child := tree[slices.IndexFunc(tree, isChild)]
	for !strings.Contains(child.Command, "sleep") { // until exec it is a copy of the shell
		tree, err = p.Tree(t.Context())
		require.NoError(t, err)
		require.Len(t, tree, 2)
		child = tree[slices.IndexFunc(tree, isChild)]
	}
	killed, err := killer.KillOne(t.Context(), child.PID)
	require.NoError(t, err)
	require.Equal(t, child.PID, killed.PID)

	s, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	defer s.Close()
	for {
		ev, err := s.Next(t.Context())
		require.NoError(t, err)
		if ev.Kind == executor.Exited {
			require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 7}, ev.Exit, "its parent lived on: %v", tree)
			break
		}
	}
	_, err = killer.KillOne(t.Context(), killed.PID)
	require.ErrorIs(t, err, executor.ErrNotInTree)
	require.Contains(t, killed.Command, "sleep")
}
