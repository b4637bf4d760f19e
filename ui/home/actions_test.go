package home

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A manyLauncher has items of each kind.
type manyLauncher struct {
	home   host.Home
	fails  error
	slow   chan struct{} // if set, Open waits for it
	asked  []host.Item
	inputs map[string]string
	closed int
}

func (l *manyLauncher) Home(context.Context) (host.Home, error) {
	if l.home.Items == nil {
		l.home = uitest.SomeItems()
	}
	return l.home, l.fails
}

func (*manyLauncher) Look(_ context.Context, item host.Item, whole bool) host.Item {
	return uitest.Look(item, whole)
}

func (l *manyLauncher) Open(_ context.Context, item host.Item, inputs map[string]string) (workspace.Opened, error) {
	if l.slow != nil {
		<-l.slow
	}
	l.asked, l.inputs = append(l.asked, item), inputs
	return workspace.Opened{Title: item.Name + " (local)", Close: func(context.Context) error {
		l.closed++
		return nil
	}}, l.fails
}

func (*manyLauncher) Wrap(context.Context, host.Item, bool) (string, error) { return "+ tap", nil }

func (*manyLauncher) Again(context.Context, host.Rerun) (workspace.Opened, error) {
	panic("not used")
}

// A room has a launcher; nil for none.
type room struct {
	*uitest.Room
	launcher *manyLauncher
}

type roomTest func(t *testing.T, r *room)

func newRoom(h *uitest.Host, l *manyLauncher) *room {
	r := &room{launcher: l}
	r.Room = uitest.NewRoom(h, Actions(func(host.Context) host.Launcher {
		if r.launcher == nil {
			return nil
		}
		return r.launcher
	}), InputActions())
	return r
}

// inRoom runs a test with an open session, whose clock starts with that of the items.
func inRoom(t *testing.T, test roomTest) {
	t.Helper()
	uitest.Live(t, &uitest.Server{}, 160, 36, func(t *testing.T, h *uitest.Host) { test(t, newRoom(h, &manyLauncher{})) })
}

// atHome runs a test without a session, with the list of items.
func atHome(t *testing.T, w, h int, l *manyLauncher, test roomTest) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), w, h), l)
		r.Do("open-session")
		test(t, r)
	})
}

func TestActions(t *testing.T) {
	tests := map[string]roomTest{}
	maps.Copy(tests, homeTests)
	maps.Copy(tests, inputTests)
	for id, test := range uitest.PickerTests(Scope) {
		tests[id] = func(t *testing.T, r *room) {
			r.Do("open-session")
			test(t, r.Room)
		}
	}
	uitest.TestActions(t, slices.Concat(Actions(nil), InputActions()), tests, inRoom)
}

var homeTests = map[string]roomTest{
	"home-wrap": func(t *testing.T, r *room) {
		r.Do("open-session", "home-wrap")
		require.Equal(t, "Wrap everything?", r.Dialog.Title)
	},
	"open-session": func(t *testing.T, r *room) {
		r.Do("open-session")
		require.Contains(t, r.Text(), "─ Open ─")
		require.Regexp(t, `>   everything +server +local +Claude Desktop`, r.Text())
		require.Regexp(t, `x remote +server +HTTP is not supported yet`, r.Text())
		require.Regexp(t, `files --root /srv +recording .* 3 min ago .* LIVE`, r.Text())
		require.Regexp(t, `build-7: weather +recording .* 2 h ago .* 412 messages  3 errors  the server exited`, r.Text())
		require.Regexp(t, `server-everything stdio +recording .* 20:00:00 .* 19 messages  ok`, r.Text())
		require.Regexp(t, `server-everything stdio +recording .* 19:55:00 .* 19 messages  ok`, r.Text(), "two rows that look different")
		require.Contains(t, r.Text(), "~/.codex/config.toml can't be read")
		r.Write("build-7")
		require.Regexp(t, `>   build-7: weather +recording`, r.Text())
		require.Regexp(t, `    weather +server +build-7`, r.Text(), "found by its host")
		r.launcher = nil
		r.Opened = nil
		r.Do("open-session")
		require.Contains(t, r.Said(), "x open another: servers and recordings cannot be opened")
	},
	"home-open": func(t *testing.T, r *room) {
		r.Do("open-session")
		r.Write("remote")
		r.Do("home-open")
		require.Contains(t, r.Text(), "cannot open remote: HTTP is not supported yet")
		require.Empty(t, r.launcher.asked)
		r.Do("home-close", "open-session")
		r.Write("every")
		r.launcher.fails = errors.New("npx is not installed\ntry another")
		r.Do("home-open")
		require.Contains(t, r.Text(), "everything: npx is not installed")
		require.Contains(t, r.Text(), "try another")
		r.launcher.fails = nil
		r.Do("home-open")
		require.Empty(t, r.Opened)
		require.Len(t, r.Added, 1)
		require.Equal(t, "everything (local)", r.Added[0].Title)
		require.Len(t, r.launcher.asked, 2)
		r.Do("open-session")
		r.Write("no such thing")
		require.Regexp(t, `>   no such thing +command +start this command as a server`, r.Text())
		r.Write(" 'x")
		r.Do("home-open")
		require.Contains(t, r.Text(), "x cannot start the command: unclosed quote")
		r.Write(" y'")
		require.NotContains(t, r.Text(), "unclosed quote")
		r.Do("home-open")
		require.Equal(t, []string{"no", "such", "thing", "x y"}, r.launcher.asked[2].Words)
		require.Empty(t, r.Opened)
	},
	"home-edit": func(t *testing.T, r *room) {
		r.Do("open-session", "home-edit")
		require.Contains(t, r.Said(), "x edit command: only commands of recordings can be edited")
		r.Write("files")
		r.Do("home-edit")
		require.Contains(t, r.Text(), "/ --ssh build-7 /usr/bin/files --root '/s r v'")
		r.Do("home-open")
		require.Equal(t, []string{"--ssh", "build-7", "/usr/bin/files", "--root", "/s r v"}, r.launcher.asked[0].Words)
		require.Equal(t, host.CommandItem, r.launcher.asked[0].Kind)
	},
	"home-reload": func(t *testing.T, r *room) {
		r.Do("open-session")
		r.launcher.home.Items[0].Name = "another name"
		r.Do("home-reload")
		require.Contains(t, r.Text(), "another name")
		r.launcher.fails = errors.New("no such folder")
		r.Do("home-reload")
		require.Contains(t, r.Text(), "x no such folder")
		require.Contains(t, r.Text(), "another name", "the previous items stay")
	},
	"home-close": func(t *testing.T, r *room) {
		r.Do("open-session")
		r.Write("x")
		r.Do("home-close")
		require.Empty(t, r.Opened)
	},
}

// asksInputs opens an item that needs values.
func (r *room) asksInputs() {
	r.Do("open-session")
	r.Write("weather")
	r.Do("home-open")
	require.Contains(r.T, r.Text(), " Needed to open weather ")
}

var inputTests = map[string]roomTest{
	"input-accept": func(t *testing.T, r *room) {
		r.asksInputs()
		r.Write("x")
		r.Do("input-accept")
		r.Write("hunter2")
		require.NotContains(t, r.Text(), "hunter2")
		require.Contains(t, r.Text(), "•••••••")
		r.Do("input-accept")
		require.Contains(t, r.Text(), "x must be one of: eu, us")
		require.Empty(t, r.launcher.asked)
		r.Do("input-clear")
		r.Write("us")
		fields := r.Context().View.(*inputs).Fields
		r.Do("input-accept", "input-accept")
		require.Equal(t, map[string]string{"region": "us", "key": "hunter2"}, r.launcher.inputs)
		require.Equal(t, "weather (local)", r.Added[0].Title)
		require.NotContains(t, string(fields[1].Text[:cap(fields[1].Text)]), "hunter2", "nothing of it stays behind")
	},
	"input-next": func(t *testing.T, r *room) {
		r.asksInputs()
		require.Contains(t, r.Text(), "> eu")
		r.Do("input-next")
		require.Contains(t, r.Text(), "input is not echoed")
		r.Do("input-next")
		require.Contains(t, r.Text(), "> eu")
	},
	"input-previous": func(t *testing.T, r *room) {
		r.asksInputs()
		r.Do("input-previous")
		require.Contains(t, r.Text(), "input is not echoed")
	},
	"input-option": func(t *testing.T, r *room) {
		r.asksInputs()
		r.Do("input-option")
		require.Contains(t, r.Text(), "> us")
		r.Do("input-option")
		require.Contains(t, r.Text(), "> eu")
		r.Do("input-next", "input-option")
		require.Contains(t, r.Said(), "x next option: this value accepts any text")
	},
	"input-clear": func(t *testing.T, r *room) {
		r.asksInputs()
		r.Do("input-clear")
		require.NotContains(t, r.Text(), "> eu")
	},
	"input-cancel": func(t *testing.T, r *room) {
		r.asksInputs()
		r.Do("input-cancel")
		require.Contains(t, r.Text(), "─ Open ─")
		require.Empty(t, r.launcher.asked)
	},
}

// TestHomeFirst checks that the first start explains itself.
func TestHomeFirst(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		atHome(t, size[0], size[1], &manyLauncher{home: host.Home{Items: uitest.SomeItems().Items[8:]}}, func(t *testing.T, r *room) {
			uitest.RequireExact(t, r.Frame(), size[0], size[1])
			require.Contains(t, r.Text(), "press enter: the demo")
			require.Regexp(t, ">   demo s", r.Text())
			uitest.Golden(t, fmt.Sprintf("first-%dx%d", size[0], size[1]), r.Text())
		})
	}
}

// TestHomeGivesUp checks that opening can be cancelled, and that a session that
// opens anyway is closed.
func TestHomeGivesUp(t *testing.T) {
	atHome(t, 120, 36, &manyLauncher{slow: make(chan struct{})}, func(t *testing.T, r *room) {
		v := r.Opened[0].(*View)
		r.Begin(openItem(r.Context(), v))
		require.Contains(t, r.Text(), "opening everything ...")
		require.Nil(t, openItem(r.Context(), v), "one at a time")
		r.Do("home-close")
		close(r.launcher.slow)
		r.Arrive()
		require.Empty(t, r.Added)
		require.Equal(t, 1, r.launcher.closed)
		require.NotContains(t, r.Text(), "opening everything")
	})
}

// TestHomeIsUntrusted checks that text of config files cannot leave its place.
func TestHomeIsUntrusted(t *testing.T) {
	for _, text := range uitest.Hostile {
		item := host.Item{Kind: host.ServerItem, Name: text, From: text, Where: text, Command: text, Notes: []string{text}, Inputs: []host.Input{{ID: text, Description: text, Default: text, Options: []string{text}}}}
		blocked := item
		blocked.Blocked = text
		atHome(t, 100, 30, &manyLauncher{home: host.Home{Items: []host.Item{item, blocked}, Notes: []string{text}}}, func(t *testing.T, r *room) {
			for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 10}} {
				r.Opened = r.Opened[:1]
				r.Resize(size[0], size[1])
				uitest.RequireExact(t, r.Frame(), size[0], size[1])
				r.Do(Scope+"-"+kit.Down, "home-open")
				uitest.RequireExact(t, r.Frame(), size[0], size[1])
				r.Do(Scope+"-"+kit.Up, "home-open")
				require.IsType(t, &inputs{}, r.Context().View)
				uitest.RequireExact(t, r.Frame(), size[0], size[1])
			}
		})
	}
}
