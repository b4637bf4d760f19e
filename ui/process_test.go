package ui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/process"
)

// family returns a process tree with a child that has a hostile name.
func family(*fakeProcess) []executor.Descendant {
	return []executor.Descendant{
		{PID: 4121, PPID: 1, Command: "npm exec server", RSS: 90 << 20, Started: time.Now().Add(-time.Minute), CPU: 1500 * time.Millisecond},
		{PID: 4122, PPID: 4121, Command: "node \x1b[2Jserver.js", RSS: 60 << 20},
		{PID: 4123, PPID: 4122, Command: "sleep 100"},
	}
}

// watched opens the process pane over the tree of family.
func watched(d *driver, x *fakeExecutor) {
	x.latest().tree = family
	d.do("info")
}

var processTests = map[string]actionTest{
	"info": func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().err("up")
		synctest.Wait()
		d.pull()
		watched(d, x)
		require.Contains(t, d.plain(), "mcp-stdio-1")
		require.Regexp(t, `location +this machine`, d.plain())
		require.Contains(t, d.plain(), `["fake-server"]`)
		require.Regexp(t, `initialize +0\.00 ms`, d.plain())
		require.Regexp(t, `4121 +ppid 1 +90\.0M +up 60\.0 s +cpu 1\.5s +npm exec server`, d.plain())
		require.Regexp(t, `first stderr +\d`, d.plain())
		require.Regexp(t, `first stdout +\d`, d.plain())
		require.Regexp(t, `handshake done +\d`, d.plain())
		require.NotContains(t, d.content(), "\x1b[2J")
		d.take(tea.KeyPressMsg{Code: 'I', Text: "I"})
		require.NotContains(t, d.plain(), "this machine")
	},
	"process-stop": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("info", "process-stop")
		require.Contains(t, d.plain(), "shutdown sequence")
		d.do("stop-this")
		d.pull()
		require.Regexp(t, `exit status +exit code 0`, d.plain())
	},
	"kill-one": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("info", "kill-one")
		require.Contains(t, d.rows()[35], "no server process is running")
		d.do("close-process")
		time.Sleep(process.SampleEvery)
		watched(d, x)
		d.do("kill-one")
		require.Contains(t, d.plain(), "Kill one process")
		require.NotContains(t, d.content(), "\x1b[2J")
	},
	"kill-this": func(t *testing.T, d *driver, x *fakeExecutor) {
		watched(d, x)
		d.do("kill-one")
		d.write("sleep")
		d.do("kill-this")
		require.Equal(t, []int{4123}, x.latest().killed)
		require.Contains(t, d.rows()[35], "SIGKILL sent to 4123")
	},
	"close-tree": func(t *testing.T, d *driver, x *fakeExecutor) {
		watched(d, x)
		d.do("kill-one", "close-tree")
		require.NotContains(t, d.plain(), "Kill one process")
		require.Contains(t, d.plain(), "this machine", "the pane below is still open")
		require.Empty(t, x.latest().killed)
	},
	"environment-values": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("info")
		require.Contains(t, d.plain(), "TOKEN")
		require.NotContains(t, d.plain(), "sesame")
		d.do("environment-values")
		require.Contains(t, d.plain(), "TOKEN=sesame")
		d.do("environment-values")
		require.NotContains(t, d.plain(), "sesame")
	},
	"close-process": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("info", "close-process")
		require.Nil(t, d.front.top())
	},
	"process-down":      scrollsProcess(1, "process-down"),
	"process-up":        scrollsProcess(1, "process-down", "process-down", "process-up"),
	"process-page-down": scrollsProcess(2, "process-page-down"),
	"process-page-up":   scrollsProcess(0, "process-page-down", "process-page-up"),

	process.ScopeTree + "-" + kit.Down:     treeMoves(kit.Down, 0, 1),
	process.ScopeTree + "-" + kit.Up:       treeMoves(kit.Up, 2, 1),
	process.ScopeTree + "-" + kit.PageDown: treeMoves(kit.PageDown, 0, -1),
	process.ScopeTree + "-" + kit.PageUp:   treeMoves(kit.PageUp, -1, 0),
	process.ScopeTree + "-" + kit.Top:      treeMoves(kit.Top, 2, 0),
	process.ScopeTree + "-" + kit.Bottom:   treeMoves(kit.Bottom, 0, -1),
}

func treeMoves(move string, from, to int) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		watched(d, x)
		pickerMoves("kill-one", move, from, to)(t, d, x)
	}
}

// scrollsProcess returns a test that actions lead to a line of the process pane,
// on a screen that is two lines too short for it.
func scrollsProcess(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("info")
		_ = d.content()
		s := textOf(d.front.top())
		d.take(tea.WindowSizeMsg{Width: 120, Height: s.Lines + 2})
		_ = d.content()
		require.Equal(t, s.Lines-2, s.Height)
		d.do(actions...)
		require.Equal(t, line, s.Top)
	}
}

// TestLeftBehind checks that descendants of an exited leader are listed.
func TestLeftBehind(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		p := x.latest()
		p.holds = true
		p.tree = func(*fakeProcess) []executor.Descendant { return family(p)[2:] }
		p.exit(executor.Exit{Kind: executor.ExitCode})
		synctest.Wait()
		d.pull()
		d.do("info")
		require.Contains(t, d.plain(), "Leaked: the leader has exited, these still run")
		require.Regexp(t, `4123 +ppid 4122 +sleep 100`, d.plain())
	})
}

// TestNoProcessIsLeft checks that the pane shows whether processes are left after the
// end, and how that is known.
func TestNoProcessIsLeft(t *testing.T) {
	const left = "no process left"
	end := func(d *driver, p *fakeProcess) {
		d.do("info")
		require.NotContains(t, d.plain(), "After the end")
		p.exit(executor.Exit{Kind: executor.ExitCode})
		synctest.Wait()
		d.pull()
		time.Sleep(process.SampleEvery)
		d.take(tick{})
	}
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		end(d, x.latest())
		require.Regexp(t, left+` +looked for processes of the server after its end and found none`, d.plain())
	})
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		p := x.latest()
		p.cannotTell = []string{"plain launch"}
		end(d, p)
		_, err := d.visible.ws.Session.Shutdown(t.Context())
		require.NoError(t, err)
		d.pull()
		require.Regexp(t, `not known +leaked processes: cannot tell \(plain launch\)`, d.plain())
		require.NotContains(t, d.plain(), left)
	})
}

// TestProcessIsWatched checks that the tree is sampled each second while the pane
// is open, but not while a sample is being taken or after the pane is closed.
func TestProcessIsWatched(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		looks := 0
		x.latest().tree = func(p *fakeProcess) []executor.Descendant {
			looks++
			return family(p)
		}
		time.Sleep(time.Minute) // until nothing else changes
		d.take(tick{})
		require.Zero(t, d.pace())
		d.do("info")
		require.Equal(t, 1, looks)
		require.Equal(t, process.SampleEvery, d.pace())
		d.take(tick{})
		require.Equal(t, 1, looks, "the last sample is recent")
		time.Sleep(process.SampleEvery)
		d.take(tick{})
		require.Equal(t, 2, looks)
		d.do("close-process")
		time.Sleep(process.SampleEvery)
		d.take(tick{})
		require.Equal(t, 2, looks)
	})
}

func (p *fakeProcess) Tree(context.Context) ([]executor.Descendant, error) {
	if p.tree == nil {
		return nil, nil
	}
	return p.tree(p), nil
}

func (p *fakeProcess) KillOne(_ context.Context, pid int) (executor.Descendant, error) {
	p.killed = append(p.killed, pid)
	return executor.Descendant{PID: pid}, nil
}
