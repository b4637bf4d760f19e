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
)

// longLog holds n messages that are too long to be read between two keys.
func longLog(t testing.TB, n int) session.Log {
	t.Helper()
	log := newLog(t)
	for i := range n {
		payload := fmt.Appendf(nil, `{"method":"m%d","params":["%s","needle %d"]}`, i, strings.Repeat("x", 2*loadInline), i)
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Seq: 1, Payload: payload, Msg: framing.Scan(payload)}}))
	}
	return log
}

// TestLongMessagesAreReadAside: on the way through long messages only one is
// read at a time, and in the end the one that is selected is shown.
func TestLongMessagesAreReadAside(t *testing.T) {
	log := longLog(t, 5)
	d := drive(t, Options{Source: log}, 120, 36)
	d.traffic.Select(0)
	_, first := d.Update(nil)
	require.Contains(t, d.repainted(), "reading 128.1K ...")
	for row := 1; row < 5; row++ {
		d.traffic.Select(row)
		_, cmd := d.Update(nil)
		require.Nil(t, cmd, "one is being read")
	}
	d.run(first)
	require.Contains(t, d.repainted(), `method: "m4"`)
	require.Contains(t, d.repainted(), "3 Detail < m4")
}

func TestSearchInDetail(t *testing.T) {
	log := newLog(t)
	payload := []byte(`{"a":[{"deep":{"deeper":{"deepest":["needle",1]}}}],"b":["another needle"]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	d := drive(t, Options{Source: log}, 120, 20)
	d.do(actDetail, actCollapseAll)
	require.NotContains(t, d.plain(), "needle\"")
	d.search1("needle", actTop)
	require.Contains(t, d.plain(), `"needle"`)
	d.do(actNextMatch)
	require.Contains(t, d.plain(), `another needle`)
	d.search1("nowhere", actTop)
	require.Contains(t, d.rows()[19], "not found: nowhere")
}

// TestSearchInLongDetail: a search in a long message runs aside.
func TestSearchInLongDetail(t *testing.T) {
	log := newLog(t)
	payload := []byte(`{"a":["` + strings.Repeat("x", searchInline) + `","the needle"]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	d := drive(t, Options{Source: log}, 120, 36)
	d.do(actDetail, actCollapseAll)
	d.do(actSearch)
	d.write("needle")
	d.do(actAccept)
	require.Contains(t, d.repainted(), "the needle")
	d.do(actNextMatch)
	require.Contains(t, d.rows()[35], "no further match")
}

// TestDetailOfEverything: each kind of row has something to show.
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
		{"3 Detail > 1 ping", `method: "ping"`},
		{"3 Detail < 1 ping", "pong: true"},
		{"3 Detail < (not-json) not-json,bom", `\ufeffServer listening`},
		{"3 Detail !", "a warning"},
		{"3 Detail held", `0: "stdout"`},
	} {
		switch row {
		case 3:
			d.do(actStderr)
		case 4:
			d.do(actEvents)
		default:
			d.traffic.Select(row)
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

// unreadable is a log whose messages are lost.
type unreadable struct{ session.Source }

func (u *unreadable) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, errors.New("the bytes are gone")
}

func TestHexView(t *testing.T) {
	log := newLog(t)
	payload := []byte(strings.Repeat("0123456789abcde\n", 100) + "\x00\xff")
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	d := drive(t, Options{Source: log}, 80, 24)
	d.do(actOpen, actView, actView)
	require.Contains(t, d.rows()[3], "00000000 30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 0a 0123456789abcde.")
	d.do(actBottom)
	require.Contains(t, d.plain(), "00000640 00 ff")
	d.do(actTop, actDown)
	require.Contains(t, d.rows()[3], "00000010 ")
	d.take(tea.WindowSizeMsg{Width: 60, Height: 20})
	require.Contains(t, d.plain(), "00000010 30 31 32 33  34 35 36 37 01234567", "the place is kept, with fewer bytes a line")
}
