package ui

import (
	"regexp"
	"strings"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// changedServer is like the usual test server, but for one schema and one
// number in a response.
func changedServer(p *fakeProcess, m message) {
	switch m.Method {
	case "tools/list":
		if strings.Contains(string(m.Params), "two") {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, secondTools)
			return
		}
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.NewReplacer("\n", "", "\t", "", `"minimum":1`, `"minimum":2`).Replace(firstTools))
	case "sleep":
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"at":"2026-11-22T10:00:00Z","n":2}}`, m.ID)
	default:
		echo(p, m)
	}
}

// pairOf opens a second session, with another build of the server, and compares
// both.
func (d *driver) pairOf(x *fakeExecutor) {
	d.t.Helper()
	first := d.visible
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
	x.Latest().Out(`{"jsonrpc":"2.0","id":3,"result":{"at":"2026-11-21T10:00:00Z","n":1}}`)
	synctest.Wait()
	d.send(`{"jsonrpc":"2.0","id":4,"method":"gone"}`)
	s, _ := newSession(d.t, newLog(d.t), changedServer)
	require.NoError(d.t, s.Open(d.t.Context()))
	synctest.Wait()
	d.open(workspace.Opened{Session: s, Title: "changed (local)"})
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
	d.show(first)
	d.do(host.ActCompare, "compare-with-pick")
	require.Contains(d.t, d.plain(), " calls: ")
}

var linesAtCursor = regexp.MustCompile(`(?m)>[x~+ -] *(.*?) *[│┃]>[x~+ -] *(.*?) *$`)

// besides returns the line under the cursor of a comparison in both messages, on
// a screen that has them next to each other.
func (d *driver) besides() string {
	found := linesAtCursor.FindStringSubmatch(d.plain())
	require.NotNil(d.t, found, d.plain())
	return found[1] + " | " + found[2]
}

// compares reports whether a comparison has the focus.
func (d *driver) compares() bool {
	return d.front.top() != nil && d.front.top().Scope() == compare.Scope
}
