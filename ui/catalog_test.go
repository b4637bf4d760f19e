package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/catalog"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/uritemplate"
	"mcpdbg/ui/workspace"
)

// catalogTools are two pages of tools.
const (
	firstTools = `{"tools":[
		{"name":"echo","title":"Echo","description":"Says it again.\nAs often as you like.","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"what to say"},"times":{"type":"integer","minimum":1,"default":1},"how":{"type":"string","enum":["loud","low"]}},"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}},
		{"name":"remove","description":"Removes a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"outputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}
	],"nextCursor":"two"}`
	secondTools = `{"tools":[{"name":"sleep","inputSchema":{"type":"object","properties":{"seconds":{"type":"number"}}}}]}`
	allPrompts  = `{"prompts":[{"name":"greet","title":"Greeting","description":"Greets somebody","arguments":[{"name":"who","description":"a name","required":true},{"name":"how"}]}]}`
	allRes      = `{"resources":[{"uri":"res://logs/1","name":"log","mimeType":"text/plain"}]}`
	allTemplate = `{"resourceTemplates":[{"uriTemplate":"res://{kind}/{id}","name":"any","description":"one of them"}]}`
)

// offers answers the requests of a catalog, and reports whether it did.
func offers(p *fakeProcess, m message) bool {
	var params struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &params)
	answer := map[string]string{
		"tools/list": firstTools, "prompts/list": allPrompts, "resources/list": allRes, "resources/templates/list": allTemplate,
	}[m.Method]
	if m.Method == "tools/list" && params.Cursor == "two" {
		answer = secondTools
	}
	if answer == "" {
		return false
	}
	answer = strings.NewReplacer("\n", "", "\t", "").Replace(answer)
	p.out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
	return true
}

// allCapabilities are the capabilities of a server that supports everything.
const allCapabilities = `{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}`

// offering is inBubble with a server that has a catalog.
func offering(t *testing.T, w, h int, noColor bool, serve func(*fakeProcess, message), test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) {
			if serve != nil {
				serve(p, m)
			} else if !offers(p, m) {
				echo(p, m)
			}
		})
		x.capabilities = allCapabilities
		require.NoError(t, s.Open(t.Context()))
		test(t, drive(t, Options{Session: s, Title: "fake (local)", NoColor: noColor}, w, h), x)
	})
}

// lookUp opens the catalog, with the tools that the server lists.
func (d *driver) lookUp() {
	d.t.Helper()
	d.do("catalog")
	if !d.visible.ws.Shown.Catalog.List("tools").Known() {
		d.do("catalog-reload")
	}
	synctest.Wait()
	d.pull()
	require.Contains(d.t, d.plain(), "echo")
}

func (d *driver) catalogTop() *catalog.View {
	v, ok := d.front.top().(*catalog.View)
	require.True(d.t, ok)
	return v
}

func catalogMoves(id, want string, before ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(before...)
		d.do(id)
		require.Equal(t, want, d.catalogTop().Item().Key)
	}
}

// scrollsItem returns a test that actions scroll to a line of a long
// description.
func scrollsItem(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		item := d.catalogTop().Item()
		item.Description = ""
		for i := range 100 {
			item.Description += fmt.Sprintf("line %d.\n", i)
		}
		d.canvas.stale = true
		require.Contains(t, d.plain(), "line 0.")
		d.do(actions...)
		if line > 0 {
			require.NotContains(t, d.plain(), fmt.Sprintf("line %d.", line-1))
		}
		require.Contains(t, d.plain(), fmt.Sprintf("line %d.", line))
	}
}

var catalogTests = map[string]actionTest{
	"catalog": func(t *testing.T, d *driver, _ *fakeExecutor) {
		defer func() {
			d.do("catalog-close")
			d.lookUp()
			d.write("rmv")
			d.do("catalog-open", "form-close-composer", "catalog")
			require.Equal(t, "remove", d.catalogTop().Item().Key, "it is where it was left")
			require.Regexp(t, `> remove +\(last used\)  path\*`, d.plain())
			require.Equal(t, 1, strings.Count(d.plain(), "last used"))
			d.write("e")
			require.Equal(t, "echo", d.catalogTop().Item().Key, "typing narrows from the top")
			d.do("catalog-close")
			require.Empty(t, d.catalogTop().Picks().Query)
		}()
		d.do("catalog")
		require.Contains(t, d.plain(), "[Tools 3]")
	},
	"catalog-reload": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("catalog", "catalog-reload")
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), "[Tools 3]")
		require.Contains(t, d.plain(), "sleep", "sleep is on the second page")
	},
	"catalog-open": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-next-list")
		d.do("catalog-reload")
		synctest.Wait()
		d.pull()
		d.do("catalog-open")
		synctest.Wait()
		d.pull()
		d.row(`"method":"resources/read","params":{"_meta":{"progressToken":"mcpdbg-7"},"uri":"res://logs/1"}`)
	},
	"catalog-close": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.write("rmv")
		require.Equal(t, "remove", d.catalogTop().Item().Key)
		require.NotContains(t, d.plain(), "> echo")
		d.do("catalog-close")
		require.Contains(t, d.plain(), "> echo")
		d.do("catalog-close")
		require.Nil(t, d.front.top())
	},
	"catalog-next-list": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-next-list")
		require.Contains(t, d.plain(), "[Resources 1]")
	},
	"catalog-previous-list": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-previous-list")
		require.Contains(t, d.plain(), "[Server]")
	},
	"catalog-side": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-side")
		require.Contains(t, d.plain(), "input schema")
		require.Contains(t, d.plain(), `minimum: 1`)
		d.do("catalog-side")
		require.Contains(t, d.plain(), `readOnlyHint: true`, "there is no output schema")
		d.do("catalog-side")
		require.Contains(t, d.plain(), "the server says: read-only, closed world")
	},
	"catalog-subscribe": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-subscribe")
		require.Contains(t, d.rows()[35], "only a resource can be subscribed to")
		d.do("catalog-next-list", "catalog-reload")
		d.do("catalog-subscribe")
		require.Contains(t, d.plain(), "subscribed to changes")
		d.row(`"resources/subscribe","params":{"uri":"res://logs/1"}`)
		d.do("catalog-subscribe")
		require.NotContains(t, d.plain(), "subscribed to changes")
		d.row(`"resources/unsubscribe","params":{"uri":"res://logs/1"}`)
	},
	"catalog-side-down":       scrollsItem(1, "catalog-side-down", "catalog-side-down", "catalog-side-down", "catalog-side-down"),
	"catalog-side-up":         scrollsItem(0, "catalog-side-down", "catalog-side-up"),
	"catalog-side-page-down":  scrollsItem(27, "catalog-side-page-down"),
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
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) { offers(p, m) })
		x.capabilities = `{"prompts":{}}`
		require.NoError(t, s.Open(t.Context()))
		d := drive(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		d.do("catalog")
		require.Contains(t, d.plain(), "not declared by the server")
		d.do("catalog-reload")
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), "[Tools 3]")
	})
}

// TestCatalogFollowsTheServer checks that a changed list is requested again
// while it is visible, and marked otherwise.
func TestCatalogFollowsTheServer(t *testing.T) {
	tools := 1
	serve := func(p *fakeProcess, m message) {
		if m.Method != "tools/list" {
			offers(p, m)
			return
		}
		var list []string
		for i := range tools {
			list = append(list, fmt.Sprintf(`{"name":"tool-%d"}`, i))
		}
		p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, strings.Join(list, ","))
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("catalog")
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), "[Tools 1]")

		tools = 2
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), "[Tools 1*]")
		require.Contains(t, d.plain(), "the server reports a change")
		time.Sleep(workspace.ChangePause)
		d.pull()
		require.Contains(t, d.plain(), "[Tools 2]")
		d.do("catalog-close")
		tools = 4
		d.do("catalog-close", host.ActRestart, actYes)
		time.Sleep(workspace.CatalogPause)
		d.pull()
		d.do("catalog")
		d.pull()
		require.Contains(t, d.plain(), "[Tools 4]", "a new process has its own list")
	})
}

// TestCatalogIsQuiet checks when a list that the server reports to have changed is requested
// again: only if the screen had requested it, also while it is hidden, after a second
// without a further report, and at most once in five seconds.
func TestCatalogIsQuiet(t *testing.T) {
	asked := map[string]int{}
	serve := func(p *fakeProcess, m message) {
		asked[m.Method]++
		if !offers(p, m) {
			echo(p, m)
		}
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		pass := func(wait time.Duration) {
			d.arrive() // reports that were read start the clock
			time.Sleep(wait)
			for range 3 {
				d.arrive()
			}
		}
		change := func(list string) {
			x.latest().out(`{"jsonrpc":"2.0","method":"notifications/%s/list_changed"}`, list)
			pass(0)
		}
		d.keepTime()
		d.send(`{"jsonrpc":"2.0","id":"by hand","method":"prompts/list"}`)
		pass(time.Second)
		change("tools")
		change("prompts")
		pass(time.Minute)
		require.Equal(t, []int{0, 1}, []int{asked["tools/list"], asked["prompts/list"]}, "the screen requested none")

		d.do("catalog")
		pass(0)
		d.do("catalog-close")
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

		d.do("catalog", "catalog-next-list", "catalog-next-list", "catalog-next-list")
		pass(0)
		change("prompts")
		pass(time.Minute)
		require.Contains(t, d.plain(), "[Prompts 1*]")
		require.Contains(t, d.plain(), "the server reports a change; ctrl+r reloads")
		require.Equal(t, 1, asked["prompts/list"], "known by another request")
	})
}

// TestCatalogSaysWhatTheServerSaid checks that an error is shown, and the items
// received before it.
func TestCatalogSaysWhatTheServerSaid(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" && strings.Contains(string(m.Params), "two") {
			p.out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"the second page is \u001b[2Jgone"}}`, m.ID)
			return
		}
		offers(p, m)
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("catalog")
		d.pull()
		require.Contains(t, d.plain(), "> echo")
		require.Contains(t, d.plain(), `error -32603: the second`)
		require.Contains(t, d.plain(), "the list is incomplete")
	})
}

// TestCatalogOfRecording checks that the responses in a recording make a
// catalog too.
func TestCatalogOfRecording(t *testing.T) {
	offering(t, 120, 36, false, nil, func(t *testing.T, live *driver, _ *fakeExecutor) {
		live.lookUp()
		d := drive(t, Options{Source: live.visible.ws.Shown.Source, Title: "demo.rec"}, 120, 36)
		d.do("catalog")
		require.Contains(t, d.plain(), "[Tools 3]")
		d.do("catalog-open")
		require.Contains(t, d.rows()[35], "this is a recording")
		d.do("catalog-next-list")
		require.Contains(t, d.plain(), "no recorded response to resources/list")
	})
}

// TestCatalogTabs checks that a click chooses a tab, that the tab of the server takes no
// search, and that the catalog opens with the tools again.
func TestCatalogTabs(t *testing.T) {
	offering(t, 120, 36, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		at := strings.Index(d.rows()[1], "Server")
		d.take(tea.MouseClickMsg{X: at, Y: 1, Button: tea.MouseLeft})
		require.Contains(t, d.plain(), "[Server]")
		require.Contains(t, d.plain(), "protocol  2025-11-25 legacy")
		d.write("x")
		require.Empty(t, d.catalogTop().Picks().Query)
		d.do("catalog-reload")
		require.Contains(t, d.front.notice.text, "not a list")
		d.do("catalog-close", "catalog")
		require.Contains(t, d.plain(), "[Tools 3]")
		require.Regexp(t, `echo +text\*`, d.plain(), "required arguments are marked")
	})
}

// TestHostileCatalog checks that the borders stay intact, whatever the names of
// the tools.
func TestHostileCatalog(t *testing.T) {
	t.Parallel()
	var list []map[string]any
	for _, text := range hostile {
		list = append(list, map[string]any{
			"name": text, "title": text, "description": text + "\n" + text, "inputSchema": map[string]any{"properties": map[string]any{text: map[string]any{"type": text, "description": text}}},
		})
	}
	list = append(list, map[string]any{"name": 5, "inputSchema": 7, "annotations": []int{1}}, nil)
	answer, err := json.Marshal(map[string]any{"tools": list})
	require.NoError(t, err)
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
		}
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("catalog")
		d.pull()
		for range list {
			for range 5 { // all sides, and the first again
				for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
					d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					requireExact(t, d.content(), size[0], size[1])
				}
				d.do("catalog-side")
			}
			d.do("catalog-" + kit.Down)
		}
	})
}

func TestTemplates(t *testing.T) {
	values := map[string]string{"var": "value", "hello": "Hello World!", "path": "/foo/bar", "empty": "", "x": "1024", "y": "768"}
	for template, want := range map[string]string{ // of RFC 6570, 1.2 and 3.2
		"{var}": "value", "{hello}": "Hello%20World%21", "{+hello}": "Hello%20World!", "{+path}/here": "/foo/bar/here", "here?ref={+path}": "here?ref=/foo/bar",
		"X{#var}": "X#value", "map?{x,y}": "map?1024,768", "{/var,x}/here": "/value/1024/here", "{;x,y,empty}": ";x=1024;y=768;empty",
		"{?x,y,empty}": "?x=1024&y=768&empty=", "?fixed=yes{&x}": "?fixed=yes&x=1024", "X{.var}": "X.value", "{var:3}": "val", "{undef}": "", "{?undef,x}": "?x=1024",
		"no{": "no{", "{}": "", "a}b": "a}b",
	} {
		require.Equal(t, want, uritemplate.Expand(template, values), template)
	}
	require.Equal(t, []string{"a", "b", "c"}, uritemplate.Variables("x{a}{/b,a*}{?c:3}"))
}

// TestCatalogBytes checks that the memory of a list is bounded, and that
// omitted items are counted.
func TestCatalogBytes(t *testing.T) {
	run := &workspace.PageRun{Bytes: workspace.MaxCatalogBytes - 30}
	run.Decode([]byte(`{"tools":[{"name":"fits"},{"name":"does not fit any more"},{"name":"x"}]}`), workspace.MemberTools)
	require.Len(t, run.Items, 2)
	require.Equal(t, 1, run.LeftOut)
	require.True(t, run.Last)
}

// TestCatalogUnread checks that the latest responses are read if there are more
// than are kept.
func TestCatalogUnread(t *testing.T) {
	c := workspace.NewCatalog()
	c.Methods = []workspace.MethodMeaning{workspace.MeansNothing, 1}
	row := session.Row{Kind: session.KindStdout, Msg: framing.Response, Method: 1}
	for number := range uint32(workspace.MaxCatalogPages + 1) {
		c.Notice(nil, number, &row)
	}
	unread := c.Lists[0].Unread
	require.Len(t, unread, workspace.MaxCatalogPages/2+1)
	require.EqualValues(t, workspace.MaxCatalogPages, unread[len(unread)-1])
}

// TestCatalogInBatches checks that a list whose response is in a batch is
// requested only once, and that the catalog reports that it cannot be read.
func TestCatalogInBatches(t *testing.T) {
	asked := 0
	serve := func(p *fakeProcess, m message) {
		if m.Method != "tools/list" {
			echo(p, m)
			return
		}
		asked++
		p.out(`[{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}]`, m.ID)
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("catalog")
		for range 5 {
			synctest.Wait()
			d.pull()
			time.Sleep(workspace.CatalogPause)
			d.take(tick{})
		}
		require.Equal(t, 1, asked)
		require.Contains(t, d.plain(), "the log has no response")
	})
}
