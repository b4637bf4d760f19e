package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/testhome"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// opensExport shows a recording with secrets and the dialog to export it.
func (d *driver) opensExport() {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), "20261121-100000-notes-abcdef.jsonl")
	require.NoError(d.t, os.WriteFile(path, []byte(`{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"local","argv":["notes"]}
{"n":1,"t":1000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter22"}}}}
{"n":2,"t":3000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ghp_aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1"}]}}}
`), 0o600))
	r, err := recordings.Open(path)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = r.Close() })
	d.add(workspace.Opened{Source: r, File: path, Title: filepath.Base(path)})
	d.do("export")
	require.Contains(d.t, d.plain(), "Export 20261121-100000-notes-abcdef.jsonl")
}

// planning opens the form of such a tool.
func planning(t *testing.T, w, h int, test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(uitest.LongTool))
		}
	}
	offering(t, w, h, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("catalog")
		d.do("catalog-open")
		test(t, d, x)
	})
}

var ctrlS = tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}

// asked makes the server send a request with an id.
func (d *driver) asked(x *fakeExecutor, id int, method, params string) {
	d.t.Helper()
	if d.visible.ws.Session.Policies()[mcp.MethodElicit].Mode != session.PolicyAsk {
		uitest.Person(d.t, d.visible.ws.Session)
	}
	x.Latest().Out(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	d.hear()
}

// opened makes the server send a request, and opens it.
func (d *driver) opened(x *fakeExecutor, method, params string) {
	d.t.Helper()
	d.asked(x, 0, method, params)
	d.do(host.ActAnswer)
	d.content()
}

// answeringAt runs a test with a server whose requests the user answers, in one
// of the eras.
func answeringAt(t *testing.T, w, h int, modern, noColor bool, serve func(*fakeProcess, message), test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), serve)
		uitest.Person(t, s)
		x.Modern = modern
		require.NoError(t, s.Open(t.Context()))
		test(t, drive(t, Options{Session: s, Title: "fake (local)", NoColor: noColor}, w, h), x)
	})
}

// call sends a call concurrently.
func (d *driver) call() <-chan session.Response {
	d.t.Helper()
	done := make(chan session.Response, 1)
	go func() {
		resp, err := d.visible.ws.Session.Request(d.t.Context(), mcp.MethodToolsCall, json.RawMessage(`{"name":"plan"}`), session.CallOptions{Timeout: time.Hour})
		if err != nil {
			d.t.Error(err)
		}
		done <- resp
	}()
	d.hear()
	return done
}

const (
	allCapabilities = uitest.AllCapabilities
	firstTools      = uitest.FirstTools
	secondTools     = uitest.SecondTools
)

// offering is inBubble with a server that has a catalog; by default it echoes calls.
func offering(t *testing.T, w, h int, serve func(*fakeProcess, message), test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	if serve == nil {
		serve = offersAndEchoes
	}
	inBubbleWith(t, w, h, &fakeExecutor{Capabilities: allCapabilities, Serve: serve}, test)
}

// offersAndEchoes answers the requests of a catalog, and others as echo does.
func offersAndEchoes(p *fakeProcess, m message) {
	if !offers(p, m) {
		echo(p, m)
	}
}

// except leaves the requests of a method unanswered.
func except(method string, serve func(*fakeProcess, message)) func(*fakeProcess, message) {
	return func(p *fakeProcess, m message) {
		if m.Method != method {
			serve(p, m)
		}
	}
}

// lookUp opens the catalog, with the tools that the server lists.
func (d *driver) lookUp() {
	d.t.Helper()
	d.do("catalog")
	if !d.visible.ws.Shown.Catalog.List("tools").Known() {
		d.do("catalog-reload")
	}
	d.hear()
	require.Contains(d.t, d.plain(), "echo")
}

// logs declares that the server sends log messages.
func (d *driver) logs() { d.visible.ws.Status.Server.Capabilities = []byte(`{"logging":{}}`) }

func TestMain(m *testing.M) { testhome.Main(m) }

type (
	message      = uitest.Message
	fakeProcess  = uitest.Process
	fakeExecutor = uitest.Server
)

var (
	newLog = uitest.NewLog
	offers = uitest.Offers
)

// newSession returns a session over a fake server.
func newSession(t testing.TB, log session.Log, serve func(*fakeProcess, message)) (*session.Session, *fakeExecutor) {
	t.Helper()
	return newSessionWith(t, log, serve, func(*session.Config) {})
}

// openSession returns an open session over a fake server and a log of its own.
func openSession(t testing.TB, serve func(*fakeProcess, message)) (*session.Session, *fakeExecutor) {
	t.Helper()
	s, x := newSession(t, newLog(t), serve)
	require.NoError(t, s.Open(t.Context()))
	return s, x
}

// newSessionWith is newSession with a changed config.
func newSessionWith(t testing.TB, log session.Log, serve func(*fakeProcess, message), configure func(*session.Config)) (*session.Session, *fakeExecutor) {
	t.Helper()
	x := &fakeExecutor{Serve: serve}
	return uitest.NewSessionWith(t, x, log, configure), x
}
