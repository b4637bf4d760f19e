package ui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
)

// A fakeLauncher has one item of each kind.
type fakeLauncher struct {
	t      testing.TB
	home   Home
	fails  error
	slow   chan struct{} // if set, Open waits for it
	asked  []Item
	inputs map[string]string
	closed int
	again  []Again
	serve  func(*fakeProcess, message) // of what is started again
}

// someItems is what a Launcher may find.
func someItems() Home {
	return Home{
		Items: []Item{
			{Kind: ServerItem, Key: "1", Name: "everything", From: "Claude Desktop ~/.config/Claude/claude_desktop_config.json", Where: "local", Command: "npx -y @modelcontextprotocol/server-everything stdio"},
			{Kind: ServerItem, Key: "2", Name: "weather", From: "VS Code .vscode/mcp.json", Where: "build-7", Command: "weather --key ${KEY}", Notes: []string{"an unknown variable ${input:x} was left"}, Inputs: []Input{
				{ID: "region", Description: "Where to look", Options: []string{"eu", "us"}, Default: "eu"},
				{ID: "key", Description: "The key of the service", Secret: true},
			}},
			{Kind: ServerItem, Key: "3", Name: "remote", From: "Cursor ~/.cursor/mcp.json", Where: "", Command: "https://example.com/mcp", Blocked: "HTTP is not supported yet"},
			{Kind: RecordingItem, Key: "4", Name: "20261121-114750-files", Where: "local", When: time.Date(2026, 11, 21, 11, 47, 50, 0, time.UTC), Size: 18_637, Live: true},
			{Kind: RecordingItem, Key: "5", Name: "20261120-090000-weather", Where: "build-7", When: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Size: 1_200_000},
			{Kind: DemoItem, Key: "6", Name: "demo server", Where: "local", Command: "mcpdbg demo-server"},
		},
		Notes: []string{"~/.codex/config.toml can't be read: line 3: a key without a value"},
	}
}

func (l *fakeLauncher) Home(context.Context) (Home, error) {
	if l.home.Items == nil {
		l.home = someItems()
	}
	return l.home, l.fails
}

func (l *fakeLauncher) Open(ctx context.Context, item Item, inputs map[string]string) (Opened, error) {
	if l.slow != nil {
		<-l.slow
	}
	l.asked, l.inputs = append(l.asked, item), inputs
	if l.fails != nil {
		return Opened{}, l.fails
	}
	s, _ := newSession(l.t, newLog(l.t), echo)
	return Opened{Session: s, Title: item.Name + " (local)", Start: s.Open, Close: func(ctx context.Context) error {
		l.closed++
		_, err := s.Close(ctx)
		return err
	}}, nil
}

func (l *fakeLauncher) Again(_ context.Context, again Again) (Opened, error) {
	l.again = append(l.again, again)
	if l.fails != nil {
		return Opened{}, l.fails
	}
	s, _ := newSessionWith(l.t, newLog(l.t), l.serve, again.Configure)
	return Opened{Session: s, Title: "replay of fake (local)", Start: s.Open}, nil
}

func (d *driver) launcher() *fakeLauncher { return d.opts.Launcher.(*fakeLauncher) }

var homeTests = func() map[string]actionTest {
	tests := map[string]actionTest{
		actHome: func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(actHome)
			require.Contains(t, d.plain(), "━ Open ━")
			require.Regexp(t, `>   everything +server +local +Claude Desktop`, d.plain())
			require.Regexp(t, `x remote +server +HTTP is not supported yet`, d.plain())
			require.Regexp(t, `20261121-114750-files +recording +2026-11-21 11:47  18.2K  not finished`, d.plain())
			require.Contains(t, d.plain(), "~/.codex/config.toml can't be read")
			d.write("build-7")
			require.Contains(t, d.plain(), "weather --key ${KEY}", "it is found by where it runs")
			d.opts.Launcher = nil
			d.overlays = nil
			d.do(actHome)
			require.Contains(t, d.rows()[35], "x open another: there is nothing to choose from")
		},
		actOpenItem: func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(actHome)
			d.write("remote")
			d.do(actOpenItem)
			require.Contains(t, d.plain(), "remote can't be opened: HTTP is not supported yet")
			require.Empty(t, d.launcher().asked)
			d.do(actCloseHome)
			d.write("every")
			d.launcher().fails = errors.New("npx is not installed\ntry another")
			d.do(actOpenItem)
			require.Contains(t, d.plain(), "everything: npx is not installed")
			require.Contains(t, d.plain(), "try another")
			d.launcher().fails = nil
			d.do(actOpenItem)
			synctest.Wait()
			d.take(about{d.subject, changed{}})
			require.Nil(t, d.top())
			require.Len(t, d.subjects, 2)
			require.Contains(t, d.rows()[0], "LIVE  everything (local)")
			require.Contains(t, d.rows()[0], "ready")
			require.Len(t, d.launcher().asked, 2)
			d.do(actHome)
			d.write("no such thing")
			require.Contains(t, d.plain(), "nothing here has that")
			d.do(actOpenItem)
			require.NotNil(t, d.top())
		},
		actReload: func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(actHome)
			d.launcher().home.Items[0].Name = "another name"
			d.do(actReload)
			require.Contains(t, d.plain(), "another name")
			d.launcher().fails = errors.New("no such folder")
			d.do(actReload)
			require.Contains(t, d.plain(), "x       no such folder")
			require.Contains(t, d.plain(), "another name", "what was there stays")
		},
		actCloseHome: func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(actHome)
			d.write("x")
			d.do(actCloseHome)
			require.NotNil(t, d.top())
			d.do(actCloseHome)
			require.Nil(t, d.top())
		},
	}
	for id, test := range pickerTests(scopeHome, actHome) {
		tests[id] = test
	}
	return tests
}()

// asksInputs opens what needs values.
func (d *driver) asksInputs() {
	d.do(actHome)
	d.write("weather")
	d.do(actOpenItem)
	require.Contains(d.t, d.plain(), " Needed to open weather ")
}

var inputTests = map[string]actionTest{
	actAcceptInput: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.write("x")
		d.do(actAcceptInput)
		d.write("hunter2")
		require.NotContains(t, d.plain(), "hunter2")
		require.Contains(t, d.plain(), "•••••••")
		d.do(actAcceptInput)
		require.Contains(t, d.plain(), "x must be one of: eu, us")
		require.Empty(t, d.launcher().asked)
		d.do(actClearInput)
		d.write("us")
		fields := d.top().(*inputs).fields
		d.do(actAcceptInput, actAcceptInput)
		require.Equal(t, map[string]string{"region": "us", "key": "hunter2"}, d.launcher().inputs)
		require.Contains(t, d.rows()[0], "weather")
		require.NotContains(t, string(fields[1].text[:cap(fields[1].text)]), "hunter2", "nothing of it stays behind")
	},
	actNextInput: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		require.Contains(t, d.plain(), "> eu")
		d.do(actNextInput)
		require.Contains(t, d.plain(), "what you type is not shown")
		d.do(actNextInput)
		require.Contains(t, d.plain(), "> eu")
	},
	actPrevInput: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do(actPrevInput)
		require.Contains(t, d.plain(), "what you type is not shown")
	},
	actNextOption: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do(actNextOption)
		require.Contains(t, d.plain(), "> us")
		d.do(actNextOption)
		require.Contains(t, d.plain(), "> eu")
		d.do(actNextInput, actNextOption)
		require.Contains(t, d.rows()[35], "x next option: any text will do here")
	},
	actClearInput: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do(actClearInput)
		require.NotContains(t, d.plain(), "> eu")
	},
	actCloseInputs: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.asksInputs()
		d.do(actCloseInputs)
		require.Contains(t, d.plain(), "━ Open ━")
		require.Empty(t, d.launcher().asked)
	},
}

// TestHomeAlone: without any session there is home, and nothing that needs one
// does harm.
func TestHomeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, Options{Launcher: &fakeLauncher{t: t}}, 120, 36)
		require.Contains(t, d.rows()[0], "mcpdbg  no session is open")
		require.Contains(t, d.plain(), "━ Open ━")
		d.do(actCloseHome)
		require.Contains(t, d.rows()[35], "ctrl+c quits")
		require.NotNil(t, d.top())
		h := d.top()
		d.overlays = nil
		for _, action := range d.keys.Reachable(scopeTraffic) {
			if action.ID != actQuit && action.ID != actInterrupt && action.ID != actSuspend {
				d.do(action.ID)
				requireExact(t, d.screen(), 120, 36)
			}
		}
		d.prompt, d.dialog, d.overlays, d.zoom = nil, nil, nil, false
		d.focusOn(trafficID)
		d.push(h)
		d.write("every")
		d.do(actOpenItem)
		synctest.Wait()
		d.take(about{d.subject, changed{}})
		require.Contains(t, d.rows()[0], "LIVE  everything (local)")
		require.NotContains(t, d.plain(), "1 Sessions", "one session needs no list")
		d.do(actSessions, actRemoveSession, actYes)
		require.Equal(t, 1, d.launcher().closed)
		require.Contains(t, d.plain(), "━ Open ━")
	})
}

// TestHomeFirst: the first start explains itself.
func TestHomeFirst(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		d := drive(t, Options{Launcher: &fakeLauncher{t: t, home: Home{Items: someItems().Items[5:]}}}, size[0], size[1])
		requireExact(t, d.screen(), size[0], size[1])
		require.Contains(t, d.plain(), "press enter: the demo")
		require.Regexp(t, ">   demo s", d.plain())
		golden(t, fmt.Sprintf("home-first-%dx%d", size[0], size[1]), d.plain())
	}
}

// TestHomeGivesUp: what is opened can be given up, and is closed if it comes
// all the same.
func TestHomeGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLauncher{t: t, slow: make(chan struct{})}
		d := drive(t, Options{Launcher: l}, 120, 36)
		h := d.top().(*home)
		opening := d.launchItem(h, h.found.Items[0], nil)
		d.stale = true
		require.Contains(t, d.plain(), "opening everything ...")
		require.Nil(t, d.openItem(h), "one at a time")
		done := make(chan tea.Msg)
		go func() { done <- opening() }()
		d.do(actCloseHome)
		close(l.slow)
		d.take(<-done)
		require.Empty(t, d.subjects)
		require.Equal(t, 1, l.closed)
		require.NotContains(t, d.plain(), "opening everything")
	})
}

// TestHomeIsUntrusted: what config files hold cannot leave its place.
func TestHomeIsUntrusted(t *testing.T) {
	for _, text := range hostile {
		item := Item{Kind: ServerItem, Name: text, From: text, Where: text, Command: text, Notes: []string{text}, Inputs: []Input{{ID: text, Description: text, Default: text, Options: []string{text}}}}
		blocked := item
		blocked.Blocked = text
		d := drive(t, Options{Launcher: &fakeLauncher{t: t, home: Home{Items: []Item{item, blocked}, Notes: []string{text}}}}, 100, 30)
		for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 10}} {
			d.overlays = d.overlays[:1]
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.screen(), size[0], size[1])
			d.do(scopeHome+"-"+actDown, actOpenItem)
			requireExact(t, d.screen(), size[0], size[1])
			d.do(scopeHome+"-"+actUp, actOpenItem)
			require.IsType(t, &inputs{}, d.top())
			requireExact(t, d.screen(), size[0], size[1])
		}
	}
}
