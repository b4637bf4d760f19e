package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/player"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/send"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/widget/keymap"
)

// echo answers every request with the result of a call: an empty one, except that of
// the tool remove, which has an output schema.
func echo(p *fakeProcess, m message) {
	if m.ID == nil || m.Method == "" {
		return
	}
	result := `{"content":[]}`
	if strings.Contains(string(m.Params), `"name":"remove"`) {
		result = `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`
	}
	p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// an actionTest carries out the action whose id it is listed under, and checks
// the effect.
type actionTest func(t *testing.T, d *driver, x *fakeExecutor)

// cursor returns the row under the cursor of the traffic pane.
func (d *driver) cursor() int {
	row, ok := d.visible.rows.Traffic.Cursor()
	require.True(d.t, ok)
	return row
}

// listed returns the row at a position of the traffic.
func (d *driver) listed(i int) int { return int(d.visible.rows.Traffic.Listed().All()[i]) }

// send sends a line as a user does, and updates the screen.
func (d *driver) send(line string) {
	d.t.Helper()
	_, err := d.visible.ws.Session.Send(d.t.Context(), []byte(line))
	require.NoError(d.t, err)
	d.hear()
}

// pings sends two requests that are answered.
func (d *driver) pings() {
	for id := range 2 {
		d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
	}
}

// fails sends a request that is answered with an error, and a notification, and
// returns the row of the error.
func (d *driver) fails(x *fakeExecutor) int {
	d.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	x.Latest().Out(`{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"too tired"}}`)
	x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	d.hear()
	return d.row("too tired")
}

// acts returns the actions recorded in the log.
func (d *driver) acts() []string { return uitest.ActsOf(d.t, d.visible.ws.Shown.Source) }

// allActionTests returns the tests of all actions; each file that adds actions
// adds its own tests.
func allActionTests() map[string]actionTest {
	all := map[string]actionTest{}
	for _, tests := range []map[string]actionTest{
		movementTests,
		dialogTests,
		sendTests,
		failedStartTests,
		trafficActionTests,
		playTests,
		splitTests,
		logTests,
		mouseTests,
		sessionTests,
		paletteTests,
		helpTests,
		gridTests,
		replayTests,
		verdictTests, overviewTests,
	} {
		maps.Copy(all, tests)
	}
	return all
}

// testedInRooms returns the actions whose tests, and those of all actions of their
// scopes, are in the packages of their screens. Additions of the shell may be tested here
// too.
func testedInRooms() []host.Action {
	return slices.Concat(
		server.CatalogActions(nil, nil),
		compare.Actions(nil),
		send.ComposerActions(),
		copies.CopyActions(),
		detail.Actions(nil),
		copies.ExportActions(),
		fleet.Actions(nil, nil, nil),
		help.Actions(),
		help.PaletteActions(),
		home.Actions(nil),
		home.InputActions(),
		server.LogLevelActions(),
		steer.Actions(nil, steer.Editors{}), // in TestHeldKeys
		copies.NoteActions(),
		player.Actions(nil),
		problems.Actions(nil),
		process.Actions(),
		replay.Actions(nil),
		send.RequestActions(nil),
		traffic.TimeActions(nil),
		watch.Actions(nil),
		traffic.Actions(nil, nil),
	)
}

func TestActions(t *testing.T) {
	tests := allActionTests()
	table := Actions()
	elsewhere := map[string]bool{}
	for _, a := range testedInRooms() {
		elsewhere[a.ID] = true
		elsewhere["scope "+a.Scope] = a.Scope != keymap.Global
	}
	ids := map[string]bool{}
	for _, scope := range append(scopes, keymap.Scope{ID: keymap.Global}) {
		for _, action := range table.Reachable(scope.ID) {
			if _, here := tests[action.ID]; here || !elsewhere[action.ID] && !elsewhere["scope "+action.Scope] {
				ids[action.ID] = true
			}
		}
	}
	for id := range ids {
		t.Run(id, func(t *testing.T) {
			test, ok := tests[id]
			require.True(t, ok, "the action has no test")
			inBubble(t, 160, 36, except("sleep", offersAndEchoes), func(t *testing.T, d *driver, x *fakeExecutor) { test(t, d, x) })
		})
	}
	for id := range tests {
		require.True(t, ids[id], "a test of the unknown action %s", id)
	}
}
