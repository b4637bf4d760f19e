package ui

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// TestExchangeFrames shows exchanges in many states, at all widths at which the
// columns change.
func TestExchangeFrames(t *testing.T) {
	for _, tc := range []struct {
		w, h         int
		plain, ascii bool
	}{
		{w: 200, h: 60}, {w: 120, h: 36}, {w: 80, h: 24}, {w: 60, h: 20},
		{w: 120, h: 36, plain: true}, {w: 60, h: 20, plain: true},
		{w: 120, h: 36, plain: true, ascii: true}, {w: 60, h: 20, plain: true, ascii: true},
	} {
		name := fmt.Sprintf("exchanges-%dx%d", tc.w, tc.h)
		if tc.plain {
			name += "-nocolor"
		}
		if tc.ascii {
			name += "-ascii"
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, x := newSession(t, newLog(t), nil)
				require.NoError(t, s.Open(t.Context()))
				everything(t, s, x)
				d := driveAs(t, Options{Session: s, Title: "fake (local)", NoColor: tc.plain, Settings: Settings{ASCII: tc.ascii}}, tc.w, tc.h)
				requireExact(t, d.content(), tc.w, tc.h)
				uitest.Golden(t, name, d.content())
			})
		})
	}
}

// inExchanges runs a test on the exchanges of a session in many states.
func inExchanges(t *testing.T, test func(*testing.T, *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), nil)
		require.NoError(t, s.Open(t.Context()))
		everything(t, s, x)
		test(t, driveAs(t, Options{Session: s, Title: "fake (local)"}, 120, 36))
	})
}

// TestExchangeShowsItsResponse checks that the detail of an exchange is its
// response, and that the key for the partner goes to the request and back.
func TestExchangeShowsItsResponse(t *testing.T) {
	inExchanges(t, func(t *testing.T, d *driver) {
		d.do(kit.Top, kit.Down)
		require.Contains(t, d.plain(), "3 Detail response")
		d.do(actPartner)
		require.Contains(t, d.plain(), "3 Detail request")
		require.Equal(t, 1, d.visible.rows.Traffic.Listed().Position(d.cursor()), "the same exchange")
		d.do(actPartner)
		require.Contains(t, d.plain(), "3 Detail response")
		d.do(kit.Down, kit.Up)
		require.Contains(t, d.plain(), "3 Detail response")
	})
}

// TestFilterFindsExchanges checks that an exchange passes a filter if its request
// or its response does, and is listed once.
func TestFilterFindsExchanges(t *testing.T) {
	inExchanges(t, func(t *testing.T, d *driver) {
		for text, want := range map[string]int{
			"Unknown tool":          1, // only in a response
			"nope":                  1, // in both halves
			"tool:echo":             1,
			"err":                   6,
			"says it again":         1,
			"method:tools/call":     3,
			"kind:response":         9,
			"nothing contains this": 0,
		} {
			d.run(d.visible.rows.Traffic.SetFilter(parse(t, text)))
			require.Equal(t, want, d.visible.rows.Traffic.Len(), "%s\n%s", text, d.plain())
		}
	})
}

// TestSearchStopsOncePerExchange checks that the search for a text that both
// halves of an exchange contain goes on to the next exchange.
func TestSearchStopsOncePerExchange(t *testing.T) {
	inExchanges(t, func(t *testing.T, d *driver) {
		d.do(kit.Top)
		d.search1("nope", kit.Top)
		require.Regexp(t, `>✗ +0:00.01 tools/call nope`, d.plain())
		first := d.cursor()
		d.do(actNextMatch)
		require.Equal(t, first, d.cursor(), "there is no other")
		d.do(kit.Top, actNextError)
		require.Equal(t, first, d.cursor())
		d.do(actNextError)
		require.NotEqual(t, first, d.cursor())
	})
}

// TestViewsKeepTheSelection checks that the selected message stays selected while
// the view changes.
func TestViewsKeepTheSelection(t *testing.T) {
	inExchanges(t, func(t *testing.T, d *driver) {
		d.do(kit.Top, kit.Down)
		detail := d.visible.ws.Viewed.Number
		for _, title := range []string{"2 Wire ", "2 All ", "2 Exchanges "} {
			d.do("timeline")
			require.Contains(t, d.plain(), title)
			require.Equal(t, detail, d.visible.ws.Viewed.Number, title)
		}
		d.do(host.ActOpen)
		require.True(t, d.panes.zoom, "enter opens an exchange")
	})
}

// TestHandshakeRowFollows checks that the row of the handshake always shows its
// latest state, however many rows are between its messages.
func TestHandshakeRowFollows(t *testing.T) {
	for between := range 64 {
		log := newLog(t)
		d := driveAs(t, Options{Source: log}, 120, 36)
		write := func(kind session.Kind, payload string) {
			e := session.Entry{Kind: kind, EOL: framing.LF, Payload: []byte(payload), Msg: framing.Scan([]byte(payload))}
			require.NoError(t, log.Append([]session.Entry{e}))
			d.canvas.markAll()
			d.content() // before the index has the row
		}
		add := func(kind session.Kind, payload string) {
			write(kind, payload)
			d.pull()
			d.content()
		}
		add(session.KindStdin, `{"jsonrpc":"2.0","id":"mcpdbg-1","method":"server/discover","params":{}}`)
		for range between / 8 {
			add(session.KindStderr, "starting")
		}
		add(session.KindStdout, `{"jsonrpc":"2.0","id":"mcpdbg-1","error":{"code":-32601,"message":"Method not found"}}`)
		write(session.KindStdin, `{"jsonrpc":"2.0","id":"mcpdbg-2","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpdbg","version":"1"}}}`)
		for range between % 8 {
			write(session.KindStderr, "trying again")
		}
		add(session.KindStdout, `{"jsonrpc":"2.0","id":"mcpdbg-2","result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"}}}`)
		require.Contains(t, d.plain(), "2025-11-25 legacy", between)
	}
}
