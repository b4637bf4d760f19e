package session_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

func TestShutdownReportsSparedAndCannotTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), func(c *session.Config) {
			c.Command.Env = []executor.EnvVar{{Name: "KEY", Value: "hunter22"}}
		})
		h.exec.started[0].report = executor.StopReport{
			Spared:     []executor.Descendant{{PID: 31, Command: "adb --key hunter22"}},
			CannotTell: []string{"cannot see processes here"},
		}
		report, err := h.Shutdown(t.Context())
		require.NoError(t, err)
		require.Equal(t, []executor.Descendant{{PID: 31, Command: "adb --key ${KEY}"}}, report.Spared)
		require.Equal(t, []string{"leaked processes: cannot tell (cannot see processes here)"}, report.CannotTell)
		require.Contains(t, h.entries(session.KindProc), "proc left running on request: 31 adb --key ${KEY}")
		require.Contains(t, h.entries(session.KindNote), "note leaked processes: cannot tell (cannot see processes here)")

		report, err = h.Close(t.Context())
		require.NoError(t, err)
		require.Empty(t, report.Spared, "reported once")
	})
}

func TestShutdownCannotTellTheStateOfContainers(t *testing.T) {
	const (
		by   = "container state: cannot tell (started through docker"
		find = "no label was added; docker ps --filter ancestor=x finds it, docker kill ID ends it"
	)
	t.Run("by the command", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, legacy(nil), func(c *session.Config) { c.Command.Argv = []string{"/usr/bin/docker", "run", "-i", "x"} })
			report, err := h.Close(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{by + " run x, pid 4121): " + strings.ReplaceAll(find, "docker ", "/usr/bin/docker ")}, report.CannotTell)
		})
	})
	for name, place := range map[string]executor.Info{
		"here":      {},
		"on a host": {Placement: "far", Link: &executor.LinkInfo{State: executor.LinkUp}},
	} {
		for command, want := range map[string][]string{
			"docker run -i x":                     {by + " run x, pid 2): " + find},
			"/bin/sh -c docker run -i x; true":    {by + ", pid 2)"},
			"sudo -n docker exec -i x server":     {by + " exec x, pid 2): sudo -n docker top x shows the processes, sudo -n docker restart x ends them"},
			"docker exec --token=${KEY} -i x":     {by + " exec x, pid 2)"},
			"docker ps":                           nil,
			"server --docker /var/run/docker run": nil,
		} {
			t.Run("by its processes "+name+": "+command, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := newHarness(t, legacy(nil), nil)
					h.exec.place = place
					require.NoError(t, h.Open(t.Context()))
					h.exec.started[0].tree = []executor.Descendant{{PID: 1, Command: "fake"}, {PID: 2, Command: command}, {PID: 3, Command: "server"}}
					report, err := h.Close(t.Context())
					require.NoError(t, err)
					require.Equal(t, want, report.CannotTell)
				})
			})
		}
	}
	t.Run("of a start that failed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t, func(p *fakeProcess) int { return p.each(func(m message) { p.fail(m, -32603, "") }) },
				func(c *session.Config) { c.Command.Argv = []string{"podman", "run"} })
			require.Error(t, h.Open(t.Context()))
			report, err := h.Close(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"container state: cannot tell (started through podman, pid 4121)"}, report.CannotTell)
		})
	})
}
