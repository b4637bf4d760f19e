package ui

import (
	"context"
	"os"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
)

// startFails opens the box about a server that ended without a variable that it needs.
func startFails(d *driver) {
	d.do("kill", "stop-this")
	d.pull()
	d.Open(d.visible.ws, problems.NewFailedStart("", "start", &session.OpenError{
		Reason: session.ReasonExited, Program: "fake", Elapsed: 19 * time.Millisecond, Exit: &executor.Exit{Kind: executor.ExitCode, Code: 3},
		Stderr: []string{"starting", "error: environment variable DEMO_API_KEY is not set"},
	}))
}

// started is a test that an action of the box starts the server again.
func started(action string) func(*testing.T, *driver, *fakeExecutor) {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		startFails(d)
		d.do(action)
		d.pull()
		require.Nil(t, d.front.top(), "it is closed")
		require.Equal(t, 2, x.Started())
		require.Contains(t, d.rows()[0], "ready")
	}
}

// opensFromStart is a test that an action of the box leads elsewhere, and closing back.
func opensFromStart(text string, actions ...string) func(*testing.T, *driver, *fakeExecutor) {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		startFails(d)
		box := d.front.top()
		d.do(actions...)
		require.Contains(t, d.plain(), text)
		d.closes()
		require.Equal(t, box, d.front.top())
	}
}

var failedStartTests = map[string]actionTest{
	"start-variable": setsVariable,
	"start-line": func(t *testing.T, d *driver, _ *fakeExecutor) {
		startFails(d)
		require.Regexp(t, `✗ It ended after 19ms, before it answered: exit code 3\.`, d.plain())
		require.Contains(t, d.plain(), "stderr  error: environment variable DEMO_API_KEY is not set")
		d.do("start-line")
		require.Contains(t, d.plain(), "Needed to start fake")
	},
	"start-command": func(t *testing.T, d *driver, x *fakeExecutor) {
		var argv []string
		x.Way = func(_ context.Context, cmd executor.Command) error { argv = cmd.Argv; return nil }
		session.Change{Variable: executor.EnvVar{Name: "KEY", Value: "hunter2"}}.Apply(d.visible.ws.Session)
		startFails(d)
		d.do("start-command")
		d.write(" --key=${KEY}!")
		d.do(actAccept)
		d.pull()
		require.Equal(t, "--key=hunter2!", argv[len(argv)-1])
		require.Contains(t, d.rows()[0], "ready")
		d.do(actTraffic, kit.Bottom, "copy-menu")
		d.write("mcpdbg")
		d.do("copy-this")
		require.Contains(t, d.clip, "'--key=${KEY}!'", "the command that was started last")
	},
	"start-again":   started("start-again"),
	"start-why":     opensFromStart("Why", "start-why"),
	"start-process": opensFromStart("Process", "start-process"),
	"close-start": func(t *testing.T, d *driver, _ *fakeExecutor) {
		startFails(d)
		d.do("close-start")
		require.Nil(t, d.front.top())
	},
	"failed-start-page-up": func(t *testing.T, d *driver, _ *fakeExecutor) {
		scrollsStart(t, d)
		require.Contains(t, d.plain(), "lines 4-5 of 5")
		d.do("failed-start-page-up")
		require.Contains(t, d.plain(), "lines 3-4 of 5")
	},
	"failed-start-page-down": func(t *testing.T, d *driver, _ *fakeExecutor) {
		scrollsStart(t, d)
		require.Contains(t, d.plain(), "It seems to need the variable DEMO_API_KEY")
	},
	"failed-start-up": opensFromStart("Needed to start", "failed-start-down", "failed-start-up", "start-line"),
	"failed-start-down": func(t *testing.T, d *driver, _ *fakeExecutor) {
		startFails(d)
		require.Contains(t, d.plain(), "> v ")
		d.do("failed-start-down")
		require.Contains(t, d.plain(), "> e ")
	},
}

// scrollsStart opens the box on a low screen, and goes to the end of its text.
func scrollsStart(t *testing.T, d *driver) {
	startFails(d)
	d.take(tea.WindowSizeMsg{Width: 60, Height: 12})
	require.Contains(t, d.plain(), "lines 1-")
	require.Contains(t, d.plain(), "─ enter runs the line · esc close ·")
	for range 9 {
		d.do("failed-start-page-down")
	}
}

func (d *driver) closes() { d.run(d.closeFocused(d.visible.context())) }

// setsVariable checks that the value of a variable is asked for without showing it, that
// the server gets it, and that it is in no frame, no log and no file.
func setsVariable(t *testing.T, d *driver, x *fakeExecutor) {
	const value = "hunter2-swordfish"
	got := ""
	x.Way = func(_ context.Context, cmd executor.Command) error {
		for _, v := range cmd.Env {
			if v.Name == "DEMO_API_KEY" {
				got = v.Value
			}
		}
		return nil
	}
	startFails(d)
	d.do("start-variable")
	for _, r := range value {
		d.take(tea.KeyPressMsg{Code: r, Text: string(r)})
		require.NotContains(t, d.plain(), value[:3])
	}
	require.Contains(t, d.plain(), "•••••••••••••••••")
	d.do("input-accept")
	d.pull()
	require.Equal(t, value, got)
	require.Contains(t, d.rows()[0], "ready")
	require.NotContains(t, d.plain(), value)
	log := d.visible.ws.Session.Log()
	for n := range log.Len() {
		row := make([]session.Row, 1)
		require.Equal(t, 1, log.Rows(n, row))
		e, err := log.Entry(row[0], 0)
		require.NoError(t, err)
		require.NotContains(t, string(e.Payload)+string(e.Body), value)
	}
	if path, ok := log.(interface{ Path() string }); ok && path.Path() != "" {
		file, err := os.ReadFile(path.Path())
		require.NoError(t, err)
		require.NotContains(t, string(file), value)
	}
	shown, err := d.visible.ws.Session.EnvValue("DEMO_API_KEY")
	require.NoError(t, err)
	require.Equal(t, value, shown, "on request")
}
