package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/server"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A view opens something, at 120x36, and shows the driver.
type view = func(t *testing.T, show func(d *driver))

// viewFrames are the views without a test of their own.
var viewFrames = map[string]view{
	"all": inStates(func(d *driver, _ *fakeExecutor) { d.wire(); d.do("timeline") }),

	"detail-content": inDetail(`"says it again"`, "view-content"),
	"detail-tree":    inDetail(`"says it again"`, "view-tree"),
	"detail-text":    inDetail(`"says it again"`, "view-text"),
	"detail-bytes":   inDetail(`"says it again"`, "view-bytes"),
	"detail-both":    inDetail(`"says it again"`, "view-pair"),
	"detail-stderr":  inDetail(`"says it again"`, "view-stderr"),

	"overview": func(t *testing.T, show func(d *driver)) {
		offering(t, 120, 36, nil, func(_ *testing.T, d *driver, _ *fakeExecutor) {
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
	"composer-message": inComposer("form-compose-view", "compose-view"),
	"composer-raw":     inComposer("form-compose-view", "compose-view", "compose-view"),

	"palette-all":  inStates(func(d *driver, _ *fakeExecutor) { d.do(help.ActPalette); d.write("the") }),
	"menu":         inStates(func(d *driver, _ *fakeExecutor) { d.do(help.ActMenu) }),
	"inputs":       inEcho(func(d *driver, _ *fakeExecutor) { d.asksInputs() }),
	"sessions":     inEcho(func(d *driver, _ *fakeExecutor) { d.another("second server (local)"); d.do(actSessions) }),
	"secret-input": inEcho(func(d *driver, _ *fakeExecutor) { d.asksInputs(); d.do("input-next"); d.write("secret") }),
	"sessions-of-all-kinds": inEcho(func(d *driver, _ *fakeExecutor) {
		d.another("second server (local)")
		d.add(workspace.Opened{Source: workspace.NoSource(), Title: "20261121-114750-files"})
		d.do(actSessions, kit.Top)
	}),

	"compare":         inEcho(func(d *driver, x *fakeExecutor) { d.pairOf(x) }),
	"compare-unified": inEcho(func(d *driver, x *fakeExecutor) { d.pairOf(x); d.do("compare-view") }),
	"replay":          inEcho(func(d *driver, _ *fakeExecutor) { d.planned(d.t.(*testing.T)); d.goToCall("remove") }),
	"export":          inEcho(func(d *driver, _ *fakeExecutor) { d.opensExport() }),
	"process":         inEcho(func(d *driver, _ *fakeExecutor) { d.do(host.ActProcess) }),
	"copy-menu":       inStates(func(d *driver, _ *fakeExecutor) { d.do(kit.Bottom, "copy-menu") }),
	"problems":        inEcho(func(d *driver, x *fakeExecutor) { guilty(d, x); d.do(host.ActProblems) }),
	"policies":        inEcho(func(d *driver, _ *fakeExecutor) { d.do("policies") }),
	"log-level":       inEcho(func(d *driver, _ *fakeExecutor) { d.logs(); d.do("set-log-level") }),
	"request-form":    inRequest("form"),
	"request-model":   inRequest("sampling"),

	"fleet": func(t *testing.T, show func(d *driver)) {
		show(drive(t, Options{Grid: uitest.Halfway(t).Grid()}, 120, 36))
	},
	"watch": func(t *testing.T, show func(d *driver)) {
		inBubble(t, 120, 36, uitest.Adds(1), func(_ *testing.T, d *driver, x *fakeExecutor) {
			w := d.watches(x, "add")
			x.Serve = uitest.Adds(7)
			d.changesFile(w)
			show(d)
		})
	},
}

// TestViewFrames checks the frames of these views.
func TestViewFrames(t *testing.T) {
	for name, view := range viewFrames {
		t.Run(name, func(t *testing.T) { requireFrames(t, name, false, view) })
	}
}

// ownLines are the views whose content has lines that end within their box: rules of ours,
// or text of a server.
var ownLines = map[string]bool{"challenge": true, "detail-both": true, "detail-stderr": true, "inputs": true, "request-form": true, "request-model": true}

// frameSizes are those at which the layout changes.
var frameSizes = [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {160, 40}, {100, 30}, {40, 10}, {39, 9}}

// compared reports whether frames of a size are compared with files.
func compared(size [2]int) bool { return size == [2]int{120, 36} || size == [2]int{80, 24} }

// requireFrames checks the frames of a view at all sizes, with colours, without, and in
// ASCII only. It compares two of the frames with a file, or for one view of each layout
// all those with colours and some others.
func requireFrames(t *testing.T, name string, all bool, view view) {
	t.Helper()
	var frames uitest.Sheet
	for _, look := range []string{"colors", "nocolor", asciiTest} {
		t.Run(look, func(t *testing.T) {
			view(t, func(d *driver) {
				for _, size := range frameSizes {
					d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					d.requireSound()
					switch {
					case look == "colors" && (all || compared(size)):
						frames.Add(fmt.Sprintf("%dx%d", size[0], size[1]), d.content())
					case look != "colors" && all && (size[0] == 120 || size[0] == 60):
						frames.Add(fmt.Sprintf("%dx%d-%s", size[0], size[1], look), d.content())
					}
				}
			})
		})
	}
	frames.Golden(t, "views/"+name)
}

// compare checks the frame, and adds it to those of a file if its size has one.
func (d *driver) compare(frames *uitest.Sheet) {
	d.t.Helper()
	d.requireSound()
	if size := [2]int{d.screen.Width, d.screen.Height}; compared(size) {
		frames.Add(fmt.Sprintf("%dx%d", size[0], size[1]), d.plain())
	}
}

// requireSound checks the frame, in the look that the name of the test asks for.
func (d *driver) requireSound() {
	t, w, h := d.t, d.screen.Width, d.screen.Height
	t.Helper()
	frame := d.content()
	requireExact(t, frame, w, h)
	d.requireHints()
	switch look := t.Name()[strings.LastIndex(t.Name(), "/")+1:]; look {
	case "nocolor", asciiTest:
		require.NotRegexp(t, `\x1b\[([0-9;]*;)?([34][0-8]|9[0-7]|10[0-7])[;m]`, frame, "%dx%d has colors", w, h)
		if look == asciiTest && !strings.Contains(t.Name(), "/challenge/") {
			require.NotRegexp(t, `[^\x00-\x7e]`, frame, "%dx%d", w, h)
		}
	default:
		uitest.RequireBorders(t, d.rows())
		if view, _, _ := strings.Cut(t.Name()[strings.Index(t.Name(), "/")+1:], "/"); !ownLines[view] {
			requireConnected(d, d.beneath(), fmt.Sprintf("%dx%d", w, h))
		}
	}
}

// beneath returns the frame without the topmost overlay.
func (d *driver) beneath() string {
	front := d.front
	composer := d.panes.layout.pane[composerID]
	switch n := len(d.front.views); {
	case d.front.menu != nil:
		d.front.menu = nil
	case d.front.ask != nil:
		d.front.ask = nil
	case d.front.dialog != nil:
		d.front.dialog = nil
	case n > 0:
		d.front.views = d.front.views[:n-1]
	default:
		d.panes.layout.pane[composerID] = paint.Rect{}
	}
	d.canvas.markAll()
	below := d.plain()
	d.front, d.panes.layout.pane[composerID] = front, composer
	d.canvas.markAll()
	return below
}

// requireHints checks that each hint of the last line names keys of enabled actions.
func (d *driver) requireHints() {
	d.t.Helper()
	scope, c := d.focused().scope(), d.focused().context()
	last := d.lastLine()
	for _, binding := range d.actions.keys.Footer(nil, scope, c, d.screen.Width-1) {
		hint := binding.Help()
		if !strings.Contains(last, hint.Key+" "+hint.Desc) {
			continue // covered by a message
		}
		keys := []string{hint.Key}
		if _, one := d.actions.keys.Lookup(scope, hint.Key); !one {
			keys = strings.FieldsFunc(hint.Key, func(r rune) bool { return r == '/' || r == ' ' })
		}
		for _, key := range keys {
			action, ok := d.actions.keys.Lookup(scope, key)
			if name, isCommand := strings.CutPrefix(key, ":"); isCommand && name != "" {
				action, ok = d.actions.keys.ByID(name)
			}
			require.True(d.t, ok, "the key %s does nothing: %s", key, last)
			possible, why := action.State(c)
			require.True(d.t, possible, "%s: %s", last, why)
		}
	}
}

// inStates returns a view of a session in many states.
func inStates(open func(d *driver, x *fakeExecutor)) view {
	return func(t *testing.T, show func(d *driver)) {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			uitest.Busy(t, d.visible.ws.Session, x)
			d.pull()
			open(d, x)
			show(d)
		})
	}
}

// inDetail returns a view of the row with a text.
func inDetail(what, action string) view {
	return inStates(func(d *driver, _ *fakeExecutor) {
		d.selects(what)
		d.do(actDetail, action)
	})
}

// inEcho returns a view of a session with a server that responds.
func inEcho(open func(d *driver, x *fakeExecutor)) view {
	return func(t *testing.T, show func(d *driver)) {
		inBubble(t, 120, 36, except("sleep", offersAndEchoes), func(t *testing.T, d *driver, x *fakeExecutor) {
			open(d, x)
			show(d)
		})
	}
}

// inCatalog returns a view of the catalog.
func inCatalog(actions ...string) view {
	return func(t *testing.T, show func(d *driver)) {
		offering(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.lookUp()
			d.do(actions...)
			show(d)
		})
	}
}

// inComposer returns a view of a call that is being written.
func inComposer(actions ...string) view {
	return func(t *testing.T, show func(d *driver)) {
		planning(t, 120, 36, func(_ *testing.T, d *driver, _ *fakeExecutor) {
			d.write("Bern")
			d.do(actions...)
			show(d)
		})
	}
}

// inRequest returns a view of a request of the server.
func inRequest(kind string) view {
	return func(t *testing.T, show func(d *driver)) {
		answeringAt(t, 120, 36, false, false, nil, func(_ *testing.T, d *driver, x *fakeExecutor) {
			d.opened(x, uitest.Questions[kind][0], uitest.Questions[kind][1])
			show(d)
		})
	}
}
