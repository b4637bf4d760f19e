package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A catalogRoom has the catalog of a workspace.
type catalogRoom struct {
	*uitest.Room
	catalog  *Catalog
	composed []string // the keys of the items that were given to the composer
}

// A catalogTest is a test of the catalog of a session with a server.
type catalogTest func(t *testing.T, r *catalogRoom, x *uitest.Server)

// newCatalogRoom returns the room of a workspace, with a closed catalog.
func newCatalogRoom(h *uitest.Host) *catalogRoom {
	r := &catalogRoom{catalog: &Catalog{}}
	r.Room = uitest.NewRoom(h, CatalogActions(
		func(host.Context) *Catalog { return r.catalog },
		func(_ host.Context, item *workspace.CatalogItem) tea.Cmd {
			r.composed = append(r.composed, item.Key)
			return nil
		},
	))
	r.Settle = func() { r.Run(RefreshLists(r.Context())) }
	return r
}

// inCatalog runs a test with a server that has a catalog, unless serve is set.
func inCatalog(t *testing.T, serve func(*uitest.Process, uitest.Message), test catalogTest) {
	t.Helper()
	x := &uitest.Server{Serve: serve, Capabilities: uitest.AllCapabilities}
	if serve == nil {
		x.Serve = uitest.OffersAndEchoes
	}
	uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) { test(t, newCatalogRoom(h), x) })
}

// lookUp opens the catalog, with the tools that the server lists.
func (r *catalogRoom) lookUp() {
	r.T.Helper()
	r.Do("catalog")
	if !r.Context().Workspace.Shown.Catalog.List("tools").Known() {
		r.Do("catalog-reload")
	}
	r.Pull()
	require.Contains(r.T, r.Text(), "echo")
}

func (r *catalogRoom) top() *Catalog {
	v, ok := r.Context().View.(*Catalog)
	require.True(r.T, ok)
	return v
}

func catalogMoves(id, want string, before ...string) catalogTest {
	return func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		r.Do(before...)
		r.Do(id)
		require.Equal(t, want, r.top().Item().Key)
	}
}

// scrollsItem returns a test that actions scroll to a line of a long
// description.
func scrollsItem(line int, actions ...string) catalogTest {
	return func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		item := r.top().Item()
		item.Description = ""
		for i := range 100 {
			item.Description += fmt.Sprintf("line %d.\n", i)
		}
		require.Contains(t, r.Text(), "line 0.")
		r.Do(actions...)
		if line > 0 {
			require.NotContains(t, r.Text(), fmt.Sprintf("line %d.", line-1))
		}
		require.Contains(t, r.Text(), fmt.Sprintf("line %d.", line))
	}
}

func TestCatalogActions(t *testing.T) {
	uitest.TestActions(t, CatalogActions(nil, nil), catalogTests, func(t *testing.T, test catalogTest) { inCatalog(t, nil, test) })
}

var catalogTests = map[string]catalogTest{
	"catalog": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		defer func() {
			r.Do("catalog-close")
			r.lookUp()
			r.Write("rmv")
			r.Do("catalog-open")
			require.Equal(t, []string{"remove"}, r.composed)
			r.Close(r.catalog) // as the composer does
			r.Do("catalog")
			require.Equal(t, "remove", r.top().Item().Key, "it is where it was left")
			require.Regexp(t, `name +needs +optional +hints `, r.Text())
			require.Regexp(t, `> remove +path `, r.Text())
			r.Write("e")
			require.Equal(t, "echo", r.top().Item().Key, "typing narrows from the top")
			r.Do("catalog-close")
			require.Empty(t, r.Opened)
		}()
		r.Do("catalog")
		require.Contains(t, r.Text(), "[Tools 3]")
	},
	"catalog-reload": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.Do("catalog", "catalog-reload")
		r.Pull()
		require.Contains(t, r.Text(), "[Tools 3]")
		require.Contains(t, r.Text(), "sleep", "sleep is on the second page")
	},
	"catalog-open": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		r.Do("catalog-next-list")
		r.Do("catalog-reload")
		r.Pull()
		r.Do("catalog-open")
		r.Pull()
		r.Row(`"method":"resources/read","params":{"_meta":{"progressToken":"mcpdbg-7"},"uri":"res://logs/1"}`)
	},
	"catalog-close": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		r.Write("rmv")
		require.Equal(t, "remove", r.top().Item().Key)
		require.NotContains(t, r.Text(), "> echo")
		r.Do("catalog-close")
		require.Empty(t, r.Opened)
	},
	"catalog-next-list": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		r.Do("catalog-next-list")
		require.Contains(t, r.Text(), "[Resources 1]")
	},
	"catalog-previous-list": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		r.Do("catalog-previous-list")
		require.Contains(t, r.Text(), "[Server]")
	},
	"catalog-side": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		r.Do("catalog-side")
		require.Contains(t, r.Text(), "input schema")
		require.Contains(t, r.Text(), `minimum: 1`)
		r.Do("catalog-side")
		require.Contains(t, r.Text(), `readOnlyHint: true`, "there is no output schema")
		r.Do("catalog-side")
		require.Contains(t, r.Text(), "the server says: read-only, closed world")
		require.Contains(t, r.Text(), "read-only")
		require.NotContains(t, r.Text(), "last used")
		_, err := r.Context().Workspace.Session.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`))
		require.NoError(t, err)
		r.Pull()
		require.Regexp(t, `echo "Echo" +last used just now: text="hi"`, r.Text())
	},
	"catalog-subscribe": func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		r.Do("catalog-subscribe")
		require.Contains(t, r.Said(), "only a resource can be subscribed to")
		r.Do("catalog-next-list", "catalog-reload")
		r.Do("catalog-subscribe")
		require.Contains(t, r.Text(), "subscribed to changes")
		r.Row(`"resources/subscribe","params":{"uri":"res://logs/1"}`)
		r.Do("catalog-subscribe")
		require.NotContains(t, r.Text(), "subscribed to changes")
		r.Row(`"resources/unsubscribe","params":{"uri":"res://logs/1"}`)
	},
	"catalog-side-down":       scrollsItem(1, "catalog-side-down", "catalog-side-down", "catalog-side-down", "catalog-side-down"),
	"catalog-side-up":         scrollsItem(0, "catalog-side-down", "catalog-side-up"),
	"catalog-side-page-down":  scrollsItem(21, "catalog-side-page-down"),
	"catalog-side-page-up":    scrollsItem(0, "catalog-side-page-down", "catalog-side-page-up"),
	"catalog-" + kit.Down:     catalogMoves("catalog-"+kit.Down, "remove"),
	"catalog-" + kit.Up:       catalogMoves("catalog-"+kit.Up, "echo", "catalog-"+kit.Down),
	"catalog-" + kit.Top:      catalogMoves("catalog-"+kit.Top, "echo", "catalog-"+kit.Down),
	"catalog-" + kit.Bottom:   catalogMoves("catalog-"+kit.Bottom, "sleep"),
	"catalog-" + kit.PageDown: catalogMoves("catalog-"+kit.PageDown, "sleep"),
	"catalog-" + kit.PageUp:   catalogMoves("catalog-"+kit.PageUp, "echo", "catalog-"+kit.Bottom),
}

// TestUndeclaredList checks that the catalog does not request a list that the server
// did not declare, unless asked to.
func TestUndeclaredList(t *testing.T) {
	x := &uitest.Server{Serve: uitest.OffersAndEchoes, Capabilities: `{"prompts":{}}`}
	uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) {
		r := newCatalogRoom(h)
		r.Do("catalog")
		require.Contains(t, r.Text(), "not declared by the server")
		r.Do("catalog-reload")
		r.Pull()
		require.Contains(t, r.Text(), "[Tools 3]")
	})
}

// TestCatalogFollowsTheServer checks that a changed list is requested again
// while it is visible, and marked otherwise.
func TestCatalogFollowsTheServer(t *testing.T) {
	tools := 1
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method != "tools/list" {
			uitest.Offers(p, m)
			return
		}
		var list []string
		for i := range tools {
			list = append(list, fmt.Sprintf(`{"name":"tool-%d"}`, i))
		}
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, strings.Join(list, ","))
	}
	inCatalog(t, serve, func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.Do("catalog")
		r.Pull()
		require.Contains(t, r.Text(), "[Tools 1]")

		tools = 2
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		r.Pull()
		require.Contains(t, r.Text(), "[Tools 1*]")
		require.Contains(t, r.Text(), "the server reports a change")
		time.Sleep(workspace.ChangePause)
		r.Pull()
		require.Contains(t, r.Text(), "[Tools 2]")
		r.Do("catalog-close")
		tools = 4
		require.NoError(t, r.Context().Workspace.Session.Restart(t.Context()))
		r.Pull()
		time.Sleep(workspace.CatalogPause)
		r.Pull()
		r.Do("catalog")
		r.Pull()
		require.Contains(t, r.Text(), "[Tools 4]", "a new process has its own list")
	})
}

// TestCatalogIsQuiet checks when a list that the server reports to have changed is requested
// again: only if the screen had requested it, also while it is hidden, after a second
// without a further report, and at most once in five seconds.
func TestCatalogIsQuiet(t *testing.T) {
	asked := map[string]int{}
	serve := func(p *uitest.Process, m uitest.Message) {
		asked[m.Method]++
		uitest.OffersAndEchoes(p, m)
	}
	inCatalog(t, serve, func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		pass := func(wait time.Duration) {
			r.Arrive() // reports that were read start the clock
			time.Sleep(wait)
			for range 3 {
				r.Arrive()
			}
		}
		change := func(list string) {
			x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/%s/list_changed"}`, list)
			pass(0)
		}
		r.KeepTime()
		r.Send(`{"jsonrpc":"2.0","id":"by hand","method":"prompts/list"}`)
		pass(time.Second)
		change("tools")
		change("prompts")
		pass(time.Minute)
		require.Equal(t, []int{0, 1}, []int{asked["tools/list"], asked["prompts/list"]}, "the screen requested none")

		r.Do("catalog")
		pass(0)
		r.Do("catalog-close")
		require.Equal(t, 2, asked["tools/list"], "two pages")
		pass(time.Minute)
		change("tools")
		pass(900 * time.Millisecond)
		change("tools")
		pass(900 * time.Millisecond)
		require.Equal(t, 2, asked["tools/list"], "not before it is quiet")
		pass(100 * time.Millisecond)
		require.Equal(t, 4, asked["tools/list"], "while the catalog is closed")

		change("tools")
		pass(4900 * time.Millisecond)
		require.Equal(t, 4, asked["tools/list"], "not within five seconds")
		pass(100 * time.Millisecond)
		require.Equal(t, 6, asked["tools/list"])
		change("prompts")
		pass(time.Minute)
		require.Equal(t, []int{6, 1, 0}, []int{asked["tools/list"], asked["prompts/list"], asked["resources/list"]})

		r.Do("catalog", "catalog-next-list", "catalog-next-list", "catalog-next-list")
		pass(0)
		change("prompts")
		pass(time.Minute)
		require.Contains(t, r.Text(), "[Prompts 1*]")
		require.Contains(t, r.Text(), "the server reports a change; ctrl+r reloads")
		require.Equal(t, 1, asked["prompts/list"], "known by another request")
	})
}

// TestCatalogSaysWhatTheServerSaid checks that an error is shown, and the items
// received before it.
func TestCatalogSaysWhatTheServerSaid(t *testing.T) {
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method == "tools/list" && strings.Contains(string(m.Params), "two") {
			p.Out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"the second page is \u001b[2Jgone"}}`, m.ID)
			return
		}
		uitest.Offers(p, m)
	}
	inCatalog(t, serve, func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.Do("catalog")
		r.Pull()
		require.Contains(t, r.Text(), "> echo")
		require.Contains(t, r.Text(), `error -32603: the second`)
		require.Contains(t, r.Text(), "the list is incomplete")
	})
}

// TestCatalogOfRecording checks that the responses in a recording make a
// catalog too.
func TestCatalogOfRecording(t *testing.T) {
	inCatalog(t, nil, func(t *testing.T, live *catalogRoom, _ *uitest.Server) {
		live.lookUp()
		r := newCatalogRoom(uitest.NewHost(t, uitest.NewWorkspace(t, live.Context().Workspace.Shown.Source), 120, 36))
		r.Do("catalog")
		require.Contains(t, r.Text(), "[Tools 3]")
		r.Do("catalog-open")
		require.Contains(t, r.Said(), "this is a recording")
		r.Do("catalog-next-list")
		require.Contains(t, r.Text(), "no recorded response to resources/list")
	})
}

// TestCatalogTabs checks that a click chooses a tab, that the tab of the server takes no
// search, and that the catalog opens with the tools again.
func TestCatalogTabs(t *testing.T) {
	inCatalog(t, nil, func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.lookUp()
		at := strings.Index(strings.Split(r.Text(), "\n")[1], "Server")
		cmd, hit := r.catalog.Press(r.Context(), at, 1)
		require.True(t, hit)
		r.Run(cmd)
		require.Contains(t, r.Text(), "[Server]")
		require.Contains(t, r.Text(), "protocol  2025-11-25")
		r.Write("x")
		require.Empty(t, r.top().Picks().Query)
		r.Do("catalog-reload")
		require.Contains(t, r.Said(), "not a list")
		r.Do("catalog-close", "catalog")
		require.Contains(t, r.Text(), "[Tools 3]")
		require.Regexp(t, `echo +text `, r.Text(), "required arguments have a column")
	})
}

// TestHostileCatalog checks that the borders stay intact, whatever the names of
// the tools.
func TestHostileCatalog(t *testing.T) {
	t.Parallel()
	var list []map[string]any
	for _, text := range uitest.Hostile {
		list = append(list, map[string]any{
			"name": text, "title": text, "description": text + "\n" + text, "inputSchema": map[string]any{"properties": map[string]any{text: map[string]any{"type": text, "description": text}}},
		})
	}
	list = append(list, map[string]any{"name": 5, "inputSchema": 7, "annotations": []int{1}}, nil)
	answer, err := json.Marshal(map[string]any{"tools": list})
	require.NoError(t, err)
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method == "tools/list" {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
		}
	}
	inCatalog(t, serve, func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.Do("catalog")
		r.Pull()
		for range list {
			for range 5 { // all sides, and the first again
				for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
					r.Resize(size[0], size[1])
					uitest.RequireExact(t, r.Frame(), size[0], size[1])
				}
				r.Do("catalog-side")
			}
			r.Do("catalog-" + kit.Down)
		}
	})
}

// TestCatalogInBatches checks that a list whose response is in a batch is
// requested only once, and that the catalog reports that it cannot be read.
func TestCatalogInBatches(t *testing.T) {
	asked := 0
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method != "tools/list" {
			uitest.Echo(p, m)
			return
		}
		asked++
		p.Out(`[{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}]`, m.ID)
	}
	inCatalog(t, serve, func(t *testing.T, r *catalogRoom, x *uitest.Server) {
		r.Do("catalog")
		for range 5 {
			r.Pull()
			time.Sleep(workspace.CatalogPause)
			r.Pull()
		}
		require.Equal(t, 1, asked)
		require.Contains(t, r.Text(), "the log has no response")
	})
}

// TestListen checks that in the modern era a subscription is a long-running
// request.
func TestListen(t *testing.T) {
	x := &uitest.Server{Serve: func(p *uitest.Process, m uitest.Message) { uitest.Offers(p, m) }, Capabilities: uitest.AllCapabilities, Modern: true}
	uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) {
		r := newCatalogRoom(h)
		r.Do("catalog")
		require.Contains(t, r.Text(), "[Tools 3]")
		listen := func() {
			r.Begin(r.catalog.subscribe(r.Context()))
			r.Arrive()
		}
		listen()
		r.Row(`"toolsListChanged":true`)
		require.Contains(t, r.Text(), "subscribed to changes of the lists")
		require.Zero(t, host.PendingRequests(r.Context().Workspace), "a subscription lasts")

		listen()
		require.NotContains(t, r.Text(), "subscribed to changes of the lists")
		r.Row(`"method":"notifications/cancelled"`)

		r.Do("catalog-next-list")
		listen()
		require.Contains(t, r.Text(), "subscribed to changes")
		r.Row(`"resourceSubscriptions":["res://logs/1"]`)
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-6","result":{"resultType":"complete"}}`)
		r.Arrive()
		require.Contains(t, r.Said(), "subscription ended by the server")
		require.NotContains(t, r.Text(), "subscribed to changes")
	})
}
