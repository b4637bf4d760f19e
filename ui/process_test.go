package ui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// family is a tree of processes with a child that has a hostile name.
func family(*fakeProcess) []executor.Descendant {
	return []executor.Descendant{
		{PID: 4121, PPID: 1, Command: "npm exec server", RSS: 90 << 20, Started: time.Now().Add(-time.Minute), CPU: 1500 * time.Millisecond},
		{PID: 4122, PPID: 4121, Command: "node \x1b[2Jserver.js", RSS: 60 << 20},
		{PID: 4123, PPID: 4122, Command: "sleep 100"},
	}
}

// watched opens the process pane over a family.
func watched(d *driver, x *fakeExecutor) {
	x.latest().tree = family
	d.do(actInfo)
}

var processTests = map[string]actionTest{
	actInfo: func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().err("up")
		synctest.Wait()
		d.pull()
		watched(d, x)
		require.Contains(t, d.plain(), "mcp-stdio-1")
		require.Regexp(t, `where +this machine`, d.plain())
		require.Contains(t, d.plain(), `["fake-server"]`)
		require.Regexp(t, `initialize +0\.00 ms`, d.plain())
		require.Regexp(t, `4121 +of 1 +90\.0M +up 60\.0 s +cpu 1\.5s +npm exec server`, d.plain())
		require.Regexp(t, `first stderr +\d`, d.plain())
		require.Regexp(t, `first stdout +\d`, d.plain())
		require.Regexp(t, `handshake done +\d`, d.plain())
		require.NotContains(t, d.screen(), "\x1b[2J")
		d.take(tea.KeyPressMsg{Code: 'I', Text: "I"})
		require.NotContains(t, d.plain(), "this machine")
	},
	actProcessStop: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actInfo, actProcessStop)
		require.Contains(t, d.plain(), "the ladder")
		d.do(actStopThis)
		d.pull()
		require.Regexp(t, `how it ended +exit code 0`, d.plain())
	},
	actKillOne: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actInfo, actKillOne)
		require.Contains(t, d.rows()[35], "no process of the server runs")
		d.do(actCloseProcess)
		time.Sleep(sampleEvery)
		watched(d, x)
		d.do(actKillOne)
		require.Contains(t, d.plain(), "Kill one process")
		require.NotContains(t, d.screen(), "\x1b[2J")
	},
	actKillThis: func(t *testing.T, d *driver, x *fakeExecutor) {
		watched(d, x)
		d.do(actKillOne)
		d.write("sleep")
		d.do(actKillThis)
		require.Equal(t, []int{4123}, x.latest().killed)
		require.Contains(t, d.rows()[35], "KILL sent to 4123")
	},
	actCloseTree: func(t *testing.T, d *driver, x *fakeExecutor) {
		watched(d, x)
		d.do(actKillOne, actCloseTree)
		require.NotContains(t, d.plain(), "Kill one process")
		require.Contains(t, d.plain(), "this machine", "the pane below is there still")
		require.Empty(t, x.latest().killed)
	},
	actValues: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actInfo)
		require.Contains(t, d.plain(), "TOKEN")
		require.NotContains(t, d.plain(), "sesame")
		d.do(actValues)
		require.Contains(t, d.plain(), "TOKEN=sesame")
		d.do(actValues)
		require.NotContains(t, d.plain(), "sesame")
	},
	actCloseProcess: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actInfo, actCloseProcess)
		require.Nil(t, d.top())
	},
	actProcessDown:     scrollsProcess(1, actProcessDown),
	actProcessUp:       scrollsProcess(1, actProcessDown, actProcessDown, actProcessUp),
	actProcessPageDown: scrollsProcess(2, actProcessPageDown),
	actProcessPageUp:   scrollsProcess(0, actProcessPageDown, actProcessPageUp),

	scopeTree + "-" + actDown:     treeMoves(actDown, 0, 1),
	scopeTree + "-" + actUp:       treeMoves(actUp, 2, 1),
	scopeTree + "-" + actPageDown: treeMoves(actPageDown, 0, -1),
	scopeTree + "-" + actPageUp:   treeMoves(actPageUp, -1, 0),
	scopeTree + "-" + actTop:      treeMoves(actTop, 2, 0),
	scopeTree + "-" + actBottom:   treeMoves(actBottom, 0, -1),
}

func treeMoves(move string, from, to int) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		watched(d, x)
		pickerMoves(actKillOne, move, from, to)(t, d, x)
	}
}

// scrollsProcess returns a test that actions lead to a line of the process pane,
// on a screen that is two lines too low for it.
func scrollsProcess(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actInfo)
		_ = d.screen()
		s := &d.top().(*processPane).sheet.scroll
		d.take(tea.WindowSizeMsg{Width: 120, Height: s.lines + 2})
		_ = d.screen()
		require.Equal(t, s.lines-2, s.height)
		d.do(actions...)
		require.Equal(t, line, s.top)
	}
}

// TestLeftBehind: descendants of a leader that has ended are named.
func TestLeftBehind(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		p := x.latest()
		p.holds = true
		p.tree = func(*fakeProcess) []executor.Descendant { return family(p)[2:] }
		p.exit(executor.Exit{Kind: executor.ExitCode})
		synctest.Wait()
		d.pull()
		d.do(actInfo)
		require.Contains(t, d.plain(), "Left behind: the leader has ended, and these still run")
		require.Regexp(t, `4123 +of 4122 +sleep 100`, d.plain())
	})
}

// TestProcessIsWatched: the tree is looked at each second while the pane is open,
// and not a second time while a look is under way, or when it is closed.
func TestProcessIsWatched(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		looks := 0
		x.latest().tree = func(p *fakeProcess) []executor.Descendant {
			looks++
			return family(p)
		}
		time.Sleep(time.Minute) // until nothing else moves
		d.take(tick{})
		require.Zero(t, d.pace())
		d.do(actInfo)
		require.Equal(t, 1, looks)
		require.Equal(t, sampleEvery, d.pace())
		d.take(tick{})
		require.Equal(t, 1, looks, "that was just now")
		time.Sleep(sampleEvery)
		d.take(tick{})
		require.Equal(t, 2, looks)
		d.do(actCloseProcess)
		time.Sleep(sampleEvery)
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
