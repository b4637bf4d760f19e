package ui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/wire"
	"mcpdbg/ui/workspace"
)

// A fakeLauncher has one item of each kind.
type fakeLauncher struct {
	t      testing.TB
	home   host.Home
	fails  error
	slow   chan struct{} // if set, Open waits for it
	asked  []host.Item
	inputs map[string]string
	closed int
	again  []host.Rerun
	serve  func(*fakeProcess, message) // of restarted recordings
}

// someItems returns items that a Launcher may find.
func someItems() host.Home {
	return host.Home{
		Items: []host.Item{
			{Kind: host.ServerItem, Key: "1", Name: "everything", From: "Claude Desktop ~/.config/Claude/claude_desktop_config.json", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio"},
			{Kind: host.ServerItem, Key: "2", Name: "weather", From: "VS Code .vscode/mcp.json", Where: "build-7", Command: "weather --key ${KEY}", Notes: []string{"an unknown variable ${input:x} was left"}, Inputs: []host.Input{
				{ID: "region", Description: "Where to look", Options: []string{"eu", "us"}, Default: "eu"},
				{ID: "key", Description: "The key of the service", Secret: true},
			}},
			{Kind: host.ServerItem, Key: "3", Name: "remote", From: "Cursor ~/.cursor/mcp.json", Where: "", Command: "https://example.com/mcp", Blocked: "HTTP is not supported yet"},
			{Kind: host.RecordingItem, Key: "4", Name: "files", When: began.Add(-3 * time.Minute)},
			{Kind: host.RecordingItem, Key: "5", Name: "weather", When: began.Add(-2 * time.Hour)},
			{Kind: host.RecordingItem, Key: "7", Name: "everything", When: began.Add(-4 * time.Hour)},
			{Kind: host.RecordingItem, Key: "8", Name: "everything", When: began.Add(-4*time.Hour - 5*time.Minute)},
			{Kind: host.RecordingItem, Key: "9", Name: "notes", When: began.Add(-100 * 24 * time.Hour)},
			{Kind: host.DemoItem, Key: "6", Name: "demo server", Where: "local", Command: "mcpdbg demo-server"},
		},
		Notes: []string{"~/.codex/config.toml can't be read: line 3: a key without a value"},
	}
}

func (l *fakeLauncher) Home(context.Context) (host.Home, error) {
	if l.home.Items == nil {
		l.home = someItems()
	}
	return l.home, l.fails
}

// began is the time at which tests begin.
var began = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// lookedAt has what the files of the recordings say.
var lookedAt = map[string]host.Item{
	"4": {Name: "files --root /srv", Where: "local", Command: "/usr/bin/files --root /srv", Words: []string{"--ssh", "build-7", "/usr/bin/files", "--root", "/s r v"}, Size: 18_637, Live: true},
	"5": {Name: "build-7: weather", Where: "build-7", Command: "weather", Size: 1_200_000, Long: 90 * time.Second, Counted: true, Sent: 400, Received: 12, Errors: 3, Verdict: "the server exited with code 1 before it answered, after 1 ms"},
	"7": {Name: "server-everything stdio", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio", Size: 9_000, Long: 2 * time.Second, Counted: true, Sent: 8, Received: 11, Verdict: host.VerdictOK},
	"8": {Name: "server-everything stdio", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio", Size: 9_000, Long: time.Second, Counted: true, Sent: 8, Received: 11, Verdict: host.VerdictOK},
	"9": {Name: "notes", Where: "local", Command: "notes", Size: 200, Counted: true, Errors: 1},
}

func (*fakeLauncher) Look(_ context.Context, item host.Item, whole bool) host.Item {
	looked := lookedAt[item.Key]
	looked.Kind, looked.Key, looked.When, looked.From = item.Kind, item.Key, item.When, "~/recordings/"+item.Key+".jsonl"
	if !whole {
		looked.Verdict = ""
	}
	return looked
}

func (l *fakeLauncher) Open(ctx context.Context, item host.Item, inputs map[string]string) (workspace.Opened, error) {
	if l.slow != nil {
		<-l.slow
	}
	l.asked, l.inputs = append(l.asked, item), inputs
	if l.fails != nil {
		return workspace.Opened{}, l.fails
	}
	s, _ := newSession(l.t, newLog(l.t), echo)
	return workspace.Opened{Session: s, Title: item.Name + " (local)", Start: s.Open, Close: func(ctx context.Context) error {
		l.closed++
		_, err := s.Close(ctx)
		return err
	}}, nil
}

func (l *fakeLauncher) Again(_ context.Context, again host.Rerun) (workspace.Opened, error) {
	l.again = append(l.again, again)
	if l.fails != nil {
		return workspace.Opened{}, l.fails
	}
	s, _ := newSessionWith(l.t, newLog(l.t), l.serve, again.Configure)
	return workspace.Opened{Session: s, Title: "replay of fake (local)", Start: s.Open}, nil
}

func (d *driver) launcher() *fakeLauncher { return d.opts.Launcher.(*fakeLauncher) }

var homeTests = func() map[string]actionTest {
	tests := map[string]actionTest{
		"open-session": func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do("open-session")
			require.Contains(t, d.plain(), "━ Open ━")
			require.Regexp(t, `>   everything +server +local +Claude Desktop`, d.plain())
			require.Regexp(t, `x remote +server +HTTP is not supported yet`, d.plain())
			require.Regexp(t, `files --root /srv +recording .* 3 min ago .* LIVE`, d.plain())
			require.Regexp(t, `build-7: weather +recording .* 2 h ago .* 412 messages  3 errors  the server exited`, d.plain())
			require.Regexp(t, `server-everything stdio +recording .* 20:00:00 .* 19 messages  ok`, d.plain())
			require.Regexp(t, `server-everything stdio +recording .* 19:55:00 .* 19 messages  ok`, d.plain(), "two rows that look different")
			require.Contains(t, d.plain(), "~/.codex/config.toml can't be read")
			d.write("build-7")
			require.Regexp(t, `>   build-7: weather +recording`, d.plain())
			require.Regexp(t, `    weather +server +build-7`, d.plain(), "found by its host")
			d.opts.Launcher = nil
			d.front.views = nil
			d.do("open-session")
			require.Contains(t, d.rows()[35], "x open another: servers and recordings cannot be opened")
		},
		"home-open": func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do("open-session")
			d.write("remote")
			d.do("home-open")
			require.Contains(t, d.plain(), "cannot open remote: HTTP is not supported yet")
			require.Empty(t, d.launcher().asked)
			d.do("home-close")
			d.write("every")
			d.launcher().fails = errors.New("npx is not installed\ntry another")
			d.do("home-open")
			require.Contains(t, d.plain(), "everything: npx is not installed")
			require.Contains(t, d.plain(), "try another")
			d.launcher().fails = nil
			d.do("home-open")
			synctest.Wait()
			d.take(addressed{d.visible, changed{}})
			require.Nil(t, d.front.top())
			require.Len(t, d.screens, 2)
			require.Contains(t, d.rows()[0], "LIVE  ready  everything (local)")
			require.Contains(t, d.rows()[0], "ready")
			require.Len(t, d.launcher().asked, 2)
			d.do("open-session")
			d.write("no such thing")
			require.Regexp(t, `>   no such thing +command +start this command as a server`, d.plain())
			d.write(" 'x")
			d.do("home-open")
			require.Contains(t, d.rows()[3], "x cannot start the command: unclosed quote")
			d.write(" y'")
			require.NotContains(t, d.plain(), "unclosed quote")
			d.do("home-open")
			synctest.Wait()
			require.Equal(t, []string{"no", "such", "thing", "x y"}, d.launcher().asked[2].Words)
			require.Nil(t, d.front.top())
		},
		"home-edit": func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do("open-session", "home-edit")
			require.Contains(t, d.rows()[35], "x edit command: only commands of recordings can be edited")
			d.write("files")
			d.do("home-edit")
			require.Contains(t, d.plain(), "/ --ssh build-7 /usr/bin/files --root '/s r v'")
			d.do("home-open")
			synctest.Wait()
			require.Equal(t, []string{"--ssh", "build-7", "/usr/bin/files", "--root", "/s r v"}, d.launcher().asked[0].Words)
			require.Equal(t, host.CommandItem, d.launcher().asked[0].Kind)
		},
		"home-reload": func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do("open-session")
			d.launcher().home.Items[0].Name = "another name"
			d.do("home-reload")
			require.Contains(t, d.plain(), "another name")
			d.launcher().fails = errors.New("no such folder")
			d.do("home-reload")
			require.Contains(t, d.plain(), "x no such folder")
			require.Contains(t, d.plain(), "another name", "the previous items stay")
		},
		"home-close": func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do("open-session")
			d.write("x")
			d.do("home-close")
			require.NotNil(t, d.front.top())
			d.do("home-close")
			require.Nil(t, d.front.top())
		},
	}
	for id, test := range pickerTests(home.Scope, "open-session") {
		tests[id] = test
	}
	return tests
}()

// asksInputs opens an item that needs values.
func (d *driver) asksInputs() {
	d.do("open-session")
	d.write("weather")
	d.do("home-open")
	require.Contains(d.t, d.plain(), " Needed to open weather ")
}

var inputTests = map[string]actionTest{
	"input-accept": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.write("x")
		d.do("input-accept")
		d.write("hunter2")
		require.NotContains(t, d.plain(), "hunter2")
		require.Contains(t, d.plain(), "•••••••")
		d.do("input-accept")
		require.Contains(t, d.plain(), "x must be one of: eu, us")
		require.Empty(t, d.launcher().asked)
		d.do("input-clear")
		d.write("us")
		fields := d.front.top().(*home.Inputs).Fields
		d.do("input-accept", "input-accept")
		require.Equal(t, map[string]string{"region": "us", "key": "hunter2"}, d.launcher().inputs)
		require.Contains(t, d.rows()[0], "weather")
		require.NotContains(t, string(fields[1].Text[:cap(fields[1].Text)]), "hunter2", "nothing of it stays behind")
	},
	"input-next": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		require.Contains(t, d.plain(), "> eu")
		d.do("input-next")
		require.Contains(t, d.plain(), "input is not echoed")
		d.do("input-next")
		require.Contains(t, d.plain(), "> eu")
	},
	"input-previous": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do("input-previous")
		require.Contains(t, d.plain(), "input is not echoed")
	},
	"input-option": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do("input-option")
		require.Contains(t, d.plain(), "> us")
		d.do("input-option")
		require.Contains(t, d.plain(), "> eu")
		d.do("input-next", "input-option")
		require.Contains(t, d.rows()[35], "x next option: this value accepts any text")
	},
	"input-clear": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do("input-clear")
		require.NotContains(t, d.plain(), "> eu")
	},
	"input-cancel": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do("input-cancel")
		require.Contains(t, d.plain(), "━ Open ━")
		require.Empty(t, d.launcher().asked)
	},
}

// TestHomeAlone checks that home is shown without any session, and that actions
// that need a session do no harm.
func TestHomeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, Options{Launcher: &fakeLauncher{t: t}}, 120, 36)
		require.Contains(t, d.rows()[0], "mcpdbg  no session is open")
		require.Contains(t, d.plain(), "━ Open ━")
		d.do("home-close")
		require.Contains(t, d.rows()[35], "ctrl+c quits")
		require.NotNil(t, d.front.top())
		h := d.front.top()
		d.front.views = nil
		for _, action := range d.actions.keys.Reachable(wire.Scope) {
			if action.ID != actQuit && action.ID != host.ActInterrupt && action.ID != actSuspend {
				d.do(action.ID)
				requireExact(t, d.content(), d.screen.Width, d.screen.Height)
			}
		}
		d.front.prompt, d.front.dialog, d.front.views, d.panes.zoom = nil, nil, nil, false
		d.focusOn(trafficID)
		d.visible.push(h)
		d.write("every")
		d.do("home-open")
		synctest.Wait()
		d.take(addressed{d.visible, changed{}})
		require.Contains(t, d.rows()[0], "LIVE  ready  everything (local)")
		require.NotContains(t, d.plain(), "1 Sessions", "one session needs no list")
		d.do(actSessions, actRemoveSession, actYes)
		require.Equal(t, 1, d.launcher().closed)
		require.Contains(t, d.plain(), "━ Open ━")
	})
}

// TestHomeFirst checks that the first start explains itself.
func TestHomeFirst(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		d := drive(t, Options{Launcher: &fakeLauncher{t: t, home: host.Home{Items: someItems().Items[8:]}}}, size[0], size[1])
		requireExact(t, d.content(), size[0], size[1])
		require.Contains(t, d.plain(), "press enter: the demo")
		require.Regexp(t, ">   demo s", d.plain())
		uitest.Golden(t, fmt.Sprintf("home-first-%dx%d", size[0], size[1]), d.plain())
	}
}

// TestHomeGivesUp checks that opening can be cancelled, and that a session that
// opens anyway is closed.
func TestHomeGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLauncher{t: t, slow: make(chan struct{})}
		d := drive(t, Options{Launcher: l}, 120, 36)
		opening := d.visible.Do("home-open")
		d.canvas.stale = true
		require.Contains(t, d.plain(), "opening everything ...")
		require.Nil(t, d.visible.Do("home-open"), "one at a time")
		done := make(chan tea.Msg)
		go func() { done <- opening() }()
		d.do("home-close")
		close(l.slow)
		d.take(<-done)
		require.Empty(t, d.screens)
		require.Equal(t, 1, l.closed)
		require.NotContains(t, d.plain(), "opening everything")
	})
}

// TestHomeIsUntrusted checks that text of config files cannot leave its place.
func TestHomeIsUntrusted(t *testing.T) {
	for _, text := range hostile {
		item := host.Item{Kind: host.ServerItem, Name: text, From: text, Where: text, Command: text, Notes: []string{text}, Inputs: []host.Input{{ID: text, Description: text, Default: text, Options: []string{text}}}}
		blocked := item
		blocked.Blocked = text
		d := drive(t, Options{Launcher: &fakeLauncher{t: t, home: host.Home{Items: []host.Item{item, blocked}, Notes: []string{text}}}}, 100, 30)
		for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 10}} {
			d.front.views = d.front.views[:1]
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.content(), size[0], size[1])
			d.do(home.Scope+"-"+kit.Down, "home-open")
			requireExact(t, d.content(), size[0], size[1])
			d.do(home.Scope+"-"+kit.Up, "home-open")
			require.IsType(t, &home.Inputs{}, d.front.top())
			requireExact(t, d.content(), size[0], size[1])
		}
	}
}
