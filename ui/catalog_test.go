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

// offers answers what a catalog asks for, and tells whether it did.
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

// allCapabilities is what a server declares that has everything.
const allCapabilities = `{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}`

// offering is inBubble with a server that has something to offer.
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
	d.do(actCatalog)
	if !d.catalog.list("tools").known() {
		d.do(actCatalogReload)
	}
	synctest.Wait()
	d.pull()
	require.Contains(d.t, d.plain(), "echo")
}

func (d *driver) catalogTop() *catalogView {
	v, ok := d.top().(*catalogView)
	require.True(d.t, ok)
	return v
}

func catalogMoves(id, want string, before ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(before...)
		d.do(id)
		require.Equal(t, want, d.catalogTop().item().key)
	}
}

// scrollsItem returns a test that actions move to a line of a long description.
func scrollsItem(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		item := d.catalogTop().item()
		item.description = ""
		for i := range 100 {
			item.description += fmt.Sprintf("line %d.\n", i)
		}
		d.stale = true
		require.Contains(t, d.plain(), "line 0.")
		d.do(actions...)
		if line > 0 {
			require.NotContains(t, d.plain(), fmt.Sprintf("line %d.", line-1))
		}
		require.Contains(t, d.plain(), fmt.Sprintf("line %d.", line))
	}
}

var catalogTests = map[string]actionTest{
	actCatalog: func(t *testing.T, d *driver, _ *fakeExecutor) {
		defer func() {
			d.do(actCatalogClose)
			d.lookUp()
			d.write("rmv")
			d.do(actCatalogOpen, inForm+actCloseComposer, actCatalog)
			require.Equal(t, "remove", d.catalogTop().item().key, "it is where it was left")
			require.Empty(t, d.catalogTop().picker.query)
		}()
		d.do(actCatalog)
		require.Contains(t, d.plain(), "the server has not declared that it has any")
	},
	actCatalogReload: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCatalog, actCatalogReload)
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), "[tools 3]")
		require.Contains(t, d.plain(), "sleep", "it is on the second page")
	},
	actCatalogOpen: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(actCatalogNext)
		d.do(actCatalogReload)
		synctest.Wait()
		d.pull()
		d.do(actCatalogOpen)
		synctest.Wait()
		d.pull()
		d.row(`"method":"resources/read","params":{"_meta":{"progressToken":"mcpdbg-6"},"uri":"res://logs/1"}`)
	},
	actCatalogClose: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.write("rmv")
		require.Equal(t, "remove", d.catalogTop().item().key)
		require.NotContains(t, d.plain(), "> echo")
		d.do(actCatalogClose)
		require.Contains(t, d.plain(), "> echo")
		d.do(actCatalogClose)
		require.Nil(t, d.top())
	},
	actCatalogNext: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(actCatalogNext)
		require.Contains(t, d.plain(), "[resources]")
	},
	actCatalogPrev: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(actCatalogPrev)
		require.Contains(t, d.plain(), "[prompts]")
	},
	actCatalogSide: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(actCatalogSide)
		require.Contains(t, d.plain(), "input schema")
		require.Contains(t, d.plain(), `minimum: 1`)
		d.do(actCatalogSide)
		require.Contains(t, d.plain(), `readOnlyHint: true`, "there is no output schema")
		d.do(actCatalogSide)
		require.Contains(t, d.plain(), "the server says: read-only, closed world")
	},
	actCatalogSubscribe: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do(actCatalogSubscribe)
		require.Contains(t, d.rows()[35], "only a resource can be subscribed to")
		d.do(actCatalogNext, actCatalogReload)
		d.do(actCatalogSubscribe)
		require.Contains(t, d.plain(), "subscribed: the server tells")
		d.row(`"resources/subscribe","params":{"uri":"res://logs/1"}`)
		d.do(actCatalogSubscribe)
		require.NotContains(t, d.plain(), "subscribed: the server tells")
		d.row(`"resources/unsubscribe","params":{"uri":"res://logs/1"}`)
	},
	actCatalogSideDown:       scrollsItem(1, actCatalogSideDown, actCatalogSideDown, actCatalogSideDown, actCatalogSideDown),
	actCatalogSideUp:         scrollsItem(0, actCatalogSideDown, actCatalogSideUp),
	actCatalogPageDown:       scrollsItem(27, actCatalogPageDown),
	actCatalogPageUp:         scrollsItem(0, actCatalogPageDown, actCatalogPageUp),
	"catalog-" + actDown:     catalogMoves("catalog-"+actDown, "remove"),
	"catalog-" + actUp:       catalogMoves("catalog-"+actUp, "echo", "catalog-"+actDown),
	"catalog-" + actTop:      catalogMoves("catalog-"+actTop, "echo", "catalog-"+actDown),
	"catalog-" + actBottom:   catalogMoves("catalog-"+actBottom, "sleep"),
	"catalog-" + actPageDown: catalogMoves("catalog-"+actPageDown, "sleep"),
	"catalog-" + actPageUp:   catalogMoves("catalog-"+actPageUp, "echo", "catalog-"+actBottom),
}

// TestCatalogFollowsTheServer: a list that has changed is asked for again while
// it is looked at, and marked otherwise.
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
		d.do(actCatalog)
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), "[tools 1]")

		tools = 2
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), "[tools 1*]", "not more often than once a second")
		require.Contains(t, d.plain(), "the server says that it has changed")
		time.Sleep(catalogPause)
		d.pull()
		require.Contains(t, d.plain(), "[tools 2]")

		d.do(actCatalogClose)
		tools = 3
		time.Sleep(catalogPause)
		before := d.source.Stats().Out
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		synctest.Wait()
		d.pull()
		require.Equal(t, before, d.source.Stats().Out, "nobody looks")
		d.do(actCatalog)
		d.pull()
		require.Contains(t, d.plain(), "[tools 3]")

		tools = 4
		d.do(actCatalogClose, actRestart, actYes)
		time.Sleep(catalogPause)
		d.pull()
		d.do(actCatalog)
		d.pull()
		require.Contains(t, d.plain(), "[tools 4]", "another process has another list")
	})
}

// TestCatalogSaysWhatTheServerSaid: an error, and what came before it.
func TestCatalogSaysWhatTheServerSaid(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" && strings.Contains(string(m.Params), "two") {
			p.out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"the second page is \u001b[2Jgone"}}`, m.ID)
			return
		}
		offers(p, m)
	}
	offering(t, 120, 36, false, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCatalog)
		d.pull()
		require.Contains(t, d.plain(), "> echo")
		require.Contains(t, d.plain(), `error -32603: the second`)
		require.Contains(t, d.plain(), "this is not the whole list")
	})
}

// TestCatalogOfRecording: the answers in a log are a catalog too.
func TestCatalogOfRecording(t *testing.T) {
	offering(t, 120, 36, false, nil, func(t *testing.T, live *driver, _ *fakeExecutor) {
		live.lookUp()
		d := drive(t, Options{Source: live.source, Title: "demo.rec"}, 120, 36)
		d.do(actCatalog)
		require.Contains(t, d.plain(), "[tools 3]")
		d.do(actCatalogOpen)
		require.Contains(t, d.rows()[35], "this is a recording")
		d.do(actCatalogNext)
		require.Contains(t, d.plain(), "the recording has no answer to resources/list")
	})
}

func TestCatalogFrames(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
		for _, noColor := range []bool{false, true} {
			name := fmt.Sprintf("catalog-%dx%d", size[0], size[1])
			if noColor {
				name += "-nocolor"
			}
			t.Run(name, func(t *testing.T) {
				offering(t, size[0], size[1], noColor, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
					d.lookUp()
					requireExact(t, d.screen(), size[0], size[1])
					golden(t, name, d.screen())
				})
			})
		}
	}
}

// TestHostileCatalog: whatever a server calls its tools, the borders stay.
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
		d.do(actCatalog)
		d.pull()
		for range list {
			for range sideCount + 1 {
				for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
					d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					requireExact(t, d.screen(), size[0], size[1])
				}
				d.do(actCatalogSide)
			}
			d.do("catalog-" + actDown)
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
		require.Equal(t, want, expand(template, values), template)
	}
	require.Equal(t, []string{"a", "b", "c"}, templateVariables("x{a}{/b,a*}{?c:3}"))
}

// TestCatalogBytes: what a list takes in memory is bounded, and what is left out
// is counted.
func TestCatalogBytes(t *testing.T) {
	run := &pageRun{bytes: maxCatalogBytes - 30}
	run.decode([]byte(`{"tools":[{"name":"fits"},{"name":"does not fit any more"},{"name":"x"}]}`), memberTools)
	require.Len(t, run.items, 2)
	require.Equal(t, 1, run.leftOut)
	require.True(t, run.last)
}

// TestCatalogUnread: of more answers than are kept the latest are read.
func TestCatalogUnread(t *testing.T) {
	c := newCatalog()
	c.methods = []methodMeaning{meansNothing, 1}
	row := session.Row{Kind: session.KindStdout, Msg: framing.Response, Method: 1}
	for number := range uint32(maxCatalogPages + 1) {
		c.notice(nil, number, &row)
	}
	unread := c.lists[0].unread
	require.Len(t, unread, maxCatalogPages/2+1)
	require.EqualValues(t, maxCatalogPages, unread[len(unread)-1])
}

// TestCatalogInBatches: a list that comes in a batch is asked for once, and that
// it can't be read is told.
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
		d.do(actCatalog)
		for range 5 {
			synctest.Wait()
			d.pull()
			time.Sleep(catalogPause)
			d.take(tick{})
		}
		require.Equal(t, 1, asked)
		require.Contains(t, d.plain(), "no row of the log is an answer")
	})
}
