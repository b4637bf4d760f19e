package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/server"
	"mcpdbg/ui/uitest"
)

// viewFrames open the views that have no frames at all sizes in tests of their own.
// show compares the frames of what a driver shows.
var viewFrames = map[string]func(t *testing.T, show func(d *driver)){
	"wire": inStates(func(*driver, *fakeExecutor) {}),
	"all":  inStates(func(d *driver, _ *fakeExecutor) { d.do("timeline") }),

	"detail-content": inDetail(`"says it again"`, "view-content"),
	"detail-tree":    inDetail(`"says it again"`, "view-tree"),
	"detail-text":    inDetail(`"says it again"`, "view-text"),
	"detail-bytes":   inDetail(`"says it again"`, "view-bytes"),
	"detail-both":    inDetail(`"says it again"`, "view-pair"),
	"detail-stderr":  inDetail(`"says it again"`, "view-stderr"),

	"overview": func(t *testing.T, show func(d *driver)) {
		offering(t, 120, 36, false, nil, func(_ *testing.T, d *driver, _ *fakeExecutor) {
			d.asOpened()
			d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
			d.do(server.ActOverview)
			show(d)
		})
	},
	"cause": func(t *testing.T, show func(d *driver)) {
		inBubble(t, 120, 36, func(*fakeProcess, message) {}, func(_ *testing.T, d *driver, x *fakeExecutor) {
			d.crashes(x)
			d.do(host.ActCauses)
			show(d)
		})
	},

	"catalog":           inCatalog(),
	"catalog-server":    inCatalog("catalog-previous-list"),
	"catalog-resources": inCatalog("catalog-next-list"),
	"catalog-templates": inCatalog("catalog-next-list", "catalog-next-list"),
	"catalog-prompts":   inCatalog("catalog-next-list", "catalog-next-list", "catalog-next-list"),

	"composer-form":    inComposer("form-next"),
	"composer-json":    inComposer("form-compose-view"),
	"composer-message": inComposer("form-compose-whole"),
	"composer-raw":     inComposer("form-compose-whole", "compose-view"),

	"palette":     inStates(func(d *driver, _ *fakeExecutor) { d.do(help.ActPalette); d.write("another") }),
	"palette-all": inStates(func(d *driver, _ *fakeExecutor) { d.do(help.ActPalette); d.write("the") }),
	"card":        inStates(func(d *driver, _ *fakeExecutor) { d.do(help.ActCard) }),
	"help":        inStates(func(d *driver, _ *fakeExecutor) { d.do(help.ActList); d.write("pane full") }),
	"home":        inEcho(func(d *driver, _ *fakeExecutor) { d.do("open-session", home.Scope+"-down") }),
	"inputs":      inEcho(func(d *driver, _ *fakeExecutor) { d.asksInputs() }),
	"sessions":    inEcho(func(d *driver, _ *fakeExecutor) { d.another("second server (local)"); d.do(actSessions) }),

	"compare":         inEcho(func(d *driver, x *fakeExecutor) { d.pairOf(x) }),
	"compare-unified": inEcho(func(d *driver, x *fakeExecutor) { d.pairOf(x); d.do("compare-view") }),
	"replay":          inEcho(func(d *driver, _ *fakeExecutor) { d.planned(d.t.(*testing.T)); d.goToCall("remove") }),
	"export":          inEcho(func(d *driver, _ *fakeExecutor) { d.opensExport() }),
	"process":         inEcho(func(d *driver, _ *fakeExecutor) { d.do(host.ActProcess) }),
	"stop":            inEcho(func(d *driver, _ *fakeExecutor) { d.do(host.ActKill) }),
	"copy-menu":       inStates(func(d *driver, _ *fakeExecutor) { d.do(actCopyMenu) }),
	"problems":        inEcho(func(d *driver, x *fakeExecutor) { guilty(d, x); d.do(host.ActProblems) }),
	"policies":        inEcho(func(d *driver, _ *fakeExecutor) { d.do("policies") }),
	"log-level":       inEcho(func(d *driver, _ *fakeExecutor) { d.logs(); d.do("set-log-level") }),
	"request-form":    inRequest("form"),
	"request-model":   inRequest("sampling"),

	"player": func(t *testing.T, show func(d *driver)) { show(playedAt(t, record(t, everything), "n:31", 120, 36)) },
	"fleet": func(t *testing.T, show func(d *driver)) {
		show(drive(t, Options{Grid: uitest.Halfway(t).Grid()}, 120, 36))
	},
	"watch": func(t *testing.T, show func(d *driver)) {
		inBubble(t, 120, 36, adds(1), func(_ *testing.T, d *driver, x *fakeExecutor) {
			w := d.watches(x, "add")
			x.serve = adds(7)
			d.changesFile(w)
			show(d)
		})
	},
}

// TestViewFrames compares each of these views with a file that holds its frames at all
// sizes at which the layout changes, with colours, and with ASCII only at two of them.
func TestViewFrames(t *testing.T) {
	for name, view := range viewFrames {
		t.Run(name, func(t *testing.T) {
			var frames strings.Builder
			for _, kind := range []string{"color", asciiTest} {
				t.Run(kind, func(t *testing.T) {
					view(t, func(d *driver) {
						for _, tc := range frameSizes {
							if tc.plain != (kind == asciiTest) {
								continue
							}
							d.take(tea.WindowSizeMsg{Width: tc.w, Height: tc.h})
							requireExact(t, d.content(), tc.w, tc.h)
							if tc.plain {
								require.NotRegexp(t, `[^\x00-\x7e]`, d.content())
							}
							fmt.Fprintf(&frames, "-- %s --\n%s\n", tc, d.content())
						}
					})
				})
			}
			uitest.Golden(t, "views/"+name, strings.TrimSuffix(frames.String(), "\n"))
		})
	}
}

// inStates returns a view of a session in many states.
func inStates(open func(d *driver, x *fakeExecutor)) func(*testing.T, func(*driver)) {
	return func(t *testing.T, show func(d *driver)) {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			everything(t, d.visible.ws.Session, x)
			d.pull()
			open(d, x)
			show(d)
		})
	}
}

// inDetail returns a view of the row with a text.
func inDetail(what, action string) func(*testing.T, func(*driver)) {
	return inStates(func(d *driver, _ *fakeExecutor) {
		d.visible.rows.Traffic.Select(d.row(what))
		d.do(actTraffic, actDetail, action)
	})
}

// inEcho returns a view of a session with a server that responds.
func inEcho(open func(d *driver, x *fakeExecutor)) func(*testing.T, func(*driver)) {
	return func(t *testing.T, show func(d *driver)) {
		serve := func(p *fakeProcess, m message) {
			if m.Method != "sleep" && !offers(p, m) {
				echo(p, m)
			}
		}
		inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
			open(d, x)
			show(d)
		})
	}
}

// inCatalog returns a view of the catalog.
func inCatalog(actions ...string) func(*testing.T, func(*driver)) {
	return func(t *testing.T, show func(d *driver)) {
		offering(t, 120, 36, false, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.lookUp()
			d.do(actions...)
			show(d)
		})
	}
}

// inComposer returns a view of a call that is being written.
func inComposer(actions ...string) func(*testing.T, func(*driver)) {
	return func(t *testing.T, show func(d *driver)) {
		planning(t, 120, 36, false, func(_ *testing.T, d *driver, _ *fakeExecutor) {
			d.write("Bern")
			d.do(actions...)
			show(d)
		})
	}
}

// inRequest returns a view of a request of the server.
func inRequest(kind string) func(*testing.T, func(*driver)) {
	return func(t *testing.T, show func(d *driver)) {
		answeringAt(t, 120, 36, false, false, nil, func(_ *testing.T, d *driver, x *fakeExecutor) {
			d.opened(x, questions[kind][0], questions[kind][1])
			show(d)
		})
	}
}
