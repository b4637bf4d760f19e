package session_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// grow sets the processes of the fake, including its leader.
func (p *fakeProcess) grow(pids ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree = nil
	for _, pid := range pids {
		p.tree = append(p.tree, executor.Descendant{PID: pid, Command: fmt.Sprintf("cmd%d", pid)})
	}
}

func (p *fakeProcess) Tree(context.Context) ([]executor.Descendant, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tree, p.treeErr
}

// KillOne implements executor.TreeKiller.
func (p *fakeProcess) KillOne(_ context.Context, pid int) (executor.Descendant, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.tree {
		if d.PID == pid {
			return d, nil
		}
	}
	return executor.Descendant{}, executor.ErrNotInTree
}

func TestTreeIsLoggedWhenItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		p := h.exec.started[0]
		leader := p.Info().PID
		look := func(pids ...int) int {
			p.grow(pids...)
			tree, err := h.Tree(t.Context())
			require.NoError(t, err)
			require.Len(t, tree, len(pids))
			return len(h.entries(session.KindProc))
		}
		require.Zero(t, look(leader), "already logged at the start")
		require.Equal(t, 1, look(leader, 7))
		require.Equal(t, 1, look(leader, 8), "at most one a second")
		<-time.After(time.Second)
		require.Equal(t, 1, look(7, leader), "as the log has it, in any order")
		require.Equal(t, 2, look(leader, 8))
		require.Equal(t, fmt.Sprintf("proc %d cmd%d, 8 cmd8", leader, leader), h.entries(session.KindProc)[1])

		p.mu.Lock()
		p.treeErr = errors.New("no /proc")
		p.mu.Unlock()
		_, err := h.Tree(t.Context())
		require.ErrorContains(t, err, "no /proc")
	})
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), nil)
		_, err := h.Tree(t.Context())
		require.ErrorIs(t, err, session.ErrNotRunning)
		require.ErrorIs(t, h.KillDescendant(t.Context(), 7), session.ErrNotRunning)
	})
}

func TestKillDescendant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		h.exec.started[0].grow(7)
		require.ErrorIs(t, h.KillDescendant(t.Context(), 8), executor.ErrNotInTree)
		require.Empty(t, h.entries(session.KindAct))
		require.NoError(t, h.KillDescendant(t.Context(), 7))
		require.Equal(t, []string{"act kill-one 7 cmd7"}, h.entries(session.KindAct))
	})
}

// TestCommandLinesHideSecrets checks that secrets in command lines are not
// logged.
func TestCommandLinesHideSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), func(c *session.Config) {
			c.Command.Env = []executor.EnvVar{{Name: "KEY", Value: "d7ec"}, {Name: "SHORT", Value: "cmd"}}
			c.Secrets = []executor.EnvVar{{Name: "input", Value: "cmd7ecs"}}
		})
		p := h.exec.started[0]
		p.mu.Lock()
		p.tree = []executor.Descendant{{PID: 7, Command: "cmd --key=d7ec cmd7ecs"}}
		p.mu.Unlock()
		tree, err := h.Tree(t.Context())
		require.NoError(t, err)
		require.Equal(t, "cmd --key=${KEY} ${input}", tree[0].Command)
		require.NoError(t, h.KillDescendant(t.Context(), 7))
		require.Equal(t, []string{"proc 7 cmd --key=${KEY} ${input}"}, h.entries(session.KindProc))
		require.Equal(t, []string{"act kill-one 7 cmd --key=${KEY} ${input}"}, h.entries(session.KindAct))
	})
}

func TestEnvValue(t *testing.T) {
	t.Setenv("MCPDBG_TEST_PASSED", "shell")
	t.Setenv("MCPDBG_TEST_LEFT", "left")
	t.Setenv("MCPDBG_TEST_NAMED", "not this one")
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), func(c *session.Config) {
			c.Command.Env = []executor.EnvVar{{Name: "MCPDBG_TEST_NAMED", Value: "old"}, {Name: "MCPDBG_TEST_NAMED", Value: "named"}}
		})
		value := func(name string) string {
			v, err := h.EnvValue(name)
			if err != nil {
				require.ErrorIs(t, err, session.ErrNoValue)
				require.Empty(t, v)
				return "none"
			}
			return v
		}
		require.Equal(t, "named", value("MCPDBG_TEST_NAMED"), "also before there is a process")
		require.Equal(t, "none", value("MCPDBG_TEST_PASSED"))

		report := executor.EnvReport{Passed: []string{"MCPDBG_TEST_PASSED"}, Omitted: []string{"MCPDBG_TEST_LEFT"}, Added: []string{"PATH"}}
		h.exec.place = executor.Info{Env: report}
		require.NoError(t, h.Open(t.Context()))
		require.Equal(t, report, h.Status().Process.Env)
		require.Equal(t, "shell", value("MCPDBG_TEST_PASSED"))
		require.Equal(t, "left", value("MCPDBG_TEST_LEFT"))
		require.Equal(t, "none", value("PATH"), "added variables are not the shell's")
		require.Equal(t, "none", value("MCPDBG_TEST_NONE"))

		h.exec.place.Link = &executor.LinkInfo{}
		require.NoError(t, h.Restart(t.Context()))
		require.Equal(t, "none", value("MCPDBG_TEST_PASSED"), "no variables of the shell are passed over a connection")
		require.Equal(t, "named", value("MCPDBG_TEST_NAMED"))
	})
}
