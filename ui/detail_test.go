package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// longLog holds n messages that take longer to read than the time between two
// keys.
func longLog(t testing.TB, n int) session.Log {
	t.Helper()
	log := newLog(t)
	for i := range n {
		payload := fmt.Appendf(nil, `{"method":"m%d","params":["%s","needle %d"]}`, i, strings.Repeat("x", 2*workspace.InlineLimit), i)
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Seq: 1, Payload: payload, Msg: framing.Scan(payload)}}))
	}
	return log
}

// TestLongMessagesAreReadAside checks that only one of many long messages is
// read at a time, and that the selected one is shown in the end.
func TestLongMessagesAreReadAside(t *testing.T) {
	log := longLog(t, 5)
	d := drive(t, Options{Source: log}, 120, 36)
	d.visible.rows.Traffic.Select(0)
	_, first := d.Update(nil)
	require.Contains(t, d.repainted(), "reading 128.1K ...")
	for row := 1; row < 5; row++ {
		d.visible.rows.Traffic.Select(row)
		_, cmd := d.Update(nil)
		require.Nil(t, cmd, "a message is being read")
	}
	d.run(first)
	require.Contains(t, d.repainted(), `method: "m4"`)
	require.Contains(t, d.repainted(), "3 Detail notification")
	require.Contains(t, d.plain(), "\n m4 ")
}

func TestSearchInDetail(t *testing.T) {
	log := newLog(t)
	payload := []byte(`{"a":[{"deep":{"deeper":{"deepest":["needle",1]}}}],"b":["another needle"]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	d := drive(t, Options{Source: log}, 160, 20)
	d.do(actDetail, actCollapseAll)
	require.NotContains(t, d.plain(), `0: "`)
	d.search1("needle", kit.Top)
	require.Contains(t, d.plain(), `0: "needle"`)
	d.do(actNextMatch)
	require.Contains(t, d.plain(), `0: "another needle"`)
	d.search1("nowhere", kit.Top)
	require.Contains(t, d.rows()[19], "not found: nowhere")
}

// TestSearchInLongDetail checks that a search in a long message runs in the
// background.
func TestSearchInLongDetail(t *testing.T) {
	const long = 8 << 20 // longer messages are searched in a command
	log := newLog(t)
	payload := []byte(`{"a":["` + strings.Repeat("x", long) + `","the needle"]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	d := drive(t, Options{Source: log}, 120, 36)
	d.do(actDetail, actCollapseAll)
	d.do(actSearch)
	d.write("needle")
	d.do(actAccept)
	require.Contains(t, d.repainted(), "the needle")
	d.do(actNextMatch)
	require.Contains(t, d.rows()[35], "no more matches")
}

// TestLongTreeIsMadeInACommand checks that a search and a query that were begun in
// the content of a long result go on when its tree is there.
func TestLongTreeIsMadeInACommand(t *testing.T) {
	log := newLog(t)
	for i, payload := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 2<<20) + `"}],"structuredContent":{"a":["needle"]}}}`,
	} {
		e := session.Entry{Kind: []session.Kind{session.KindStdin, session.KindStdout}[i], Payload: []byte(payload), Msg: framing.Scan([]byte(payload))}
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	d := drive(t, Options{Source: log}, 120, 36)
	require.Contains(t, d.plain(), "[content]")
	d.do(actDetail, actSearch)
	d.write("needle")
	d.do(actAccept)
	require.Contains(t, d.repainted(), `0: "needle"`)
	require.Contains(t, d.plain(), "[tree]")
	d.do(actSearch)
	d.write("nowhere")
	d.do(actAccept)
	require.Contains(t, d.rows()[35], "not found: nowhere")

	d.do(actView, actView, actView, actView, actView)
	require.Contains(t, d.plain(), "[content]")
	d.do(actJQ)
	require.Equal(t, scopeJQ, d.visible.scope())
}

// TestDetailOfEverything checks that each kind of row has content to show.
func TestDetailOfEverything(t *testing.T) {
	log := newLog(t)
	add := func(kind session.Kind, payload string) {
		e := session.Entry{Kind: kind, Payload: []byte(payload), Msg: framing.Scan([]byte(payload))}
		e.Why = e.Msg.Problems.String()
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	add(session.KindStdin, `{"id":1,"method":"ping"}`)
	add(session.KindStdout, `{"id":1,"result":{"pong":true}}`)
	add(session.KindStdout, "\ufeffServer listening")
	add(session.KindStderr, "a warning")
	require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindHeld, 0, session.HeldBody{Begin: 1, Streams: []string{"stdout"}})}))
	d := drive(t, Options{Source: log}, 160, 36)
	for row, want := range [][]string{
		{"3 Detail request ", "│ 1 ping ", `method: "ping"`},
		{"3 Detail response ", "│ 1 ping ", "pong: true"},
		{"3 Detail not-json not-json,bom", "│ (not-json) ", `\ufeffServer listening`},
		{"3 Detail stderr", "a warning"},
		{"3 Detail held", `0: "stdout"`},
	} {
		switch row {
		case 3:
			d.do(actStderr)
		case 4:
			d.do(actEvents)
		default:
			d.visible.rows.Traffic.Select(row)
			d.do(actTraffic)
		}
		for _, text := range want {
			require.Contains(t, d.repainted(), text)
		}
	}
}

func TestNotKept(t *testing.T) {
	d := drive(t, Options{Source: &unreadable{longLog(t, 1)}}, 120, 36)
	d.take(changed{})
	require.Contains(t, d.repainted(), "(not kept) m0")
	require.Contains(t, d.repainted(), "the bytes are gone")
	d.do(actCopy)
	require.Contains(t, d.rows()[35], "x copy: the bytes are gone")
}

// unreadable is a log whose messages cannot be read.
type unreadable struct{ session.Source }

func (u *unreadable) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, errors.New("the bytes are gone")
}

func TestHexView(t *testing.T) {
	log := newLog(t)
	payload := []byte(strings.Repeat("0123456789abcde\n", 100) + "\x00\xff")
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	d := drive(t, Options{Source: log}, 80, 24)
	d.do(host.ActOpen, actView)
	require.Contains(t, d.rows()[3], "00000000 30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 0a 0123456789abcde.")
	d.do(kit.Bottom)
	require.Contains(t, d.plain(), "00000640 00 ff")
	d.do(kit.Top, kit.Down)
	require.Contains(t, d.rows()[3], "00000010 ")
	d.take(tea.WindowSizeMsg{Width: 60, Height: 20})
	require.Contains(t, d.plain(), "00000010 30 31 32 33  34 35 36 37 01234567", "the position is kept with fewer bytes per line")
}
