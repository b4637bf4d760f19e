package detail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// longLog holds n messages that take longer to read than the time between two
// keys.
func longLog(t testing.TB, n int) session.Log {
	t.Helper()
	log := uitest.NewLog(t)
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
	r := ofLog(t, log, 120, 36)
	r.SelectRow(0)
	first := r.pane.Show(r.Context().Workspace.Viewed)
	require.Contains(t, r.Text(), "reading 128.1K ...")
	for row := 1; row < 5; row++ {
		r.SelectRow(row)
		require.Nil(t, r.pane.Show(r.Context().Workspace.Viewed), "a message is being read")
	}
	r.Run(first)
	require.Contains(t, r.Text(), `method: "m4"`)
	require.Contains(t, r.Text(), "━━ 3 m4 ")
}

func TestSearchInDetail(t *testing.T) {
	log := uitest.NewLog(t)
	payload := []byte(`{"a":[{"deep":{"deeper":{"deepest":["needle",1]}}}],"b":["another needle"]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	r := ofLog(t, log, 160, 20)
	r.show(log.Len() - 1)
	r.Do(actCollapseAll)
	require.NotContains(t, r.Text(), `0: "`)
	r.Do(kit.Top)
	r.search("needle", 0)
	require.Contains(t, r.Text(), `0: "needle"`)
	r.search("needle", 1)
	require.Contains(t, r.Text(), `0: "another needle"`)
	r.Do(kit.Top)
	r.search("nowhere", 0)
	require.Contains(t, r.Said(), "no match")
}

// TestSearchInLongDetail checks that a search in a long message runs in the
// background.
func TestSearchInLongDetail(t *testing.T) {
	const long = 8 << 20 // longer messages are searched in a command
	log := uitest.NewLog(t)
	payload := []byte(`{"a":["` + strings.Repeat("x", long) + `","the needle"]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	r := ofLog(t, log, 120, 36)
	r.show(log.Len() - 1)
	r.Do(actCollapseAll)
	r.search("needle", 0)
	require.Contains(t, r.Text(), "the needle")
	r.search("needle", 1)
	require.Contains(t, r.Said(), "no more matches")
}

// TestLongTreeIsMadeInACommand checks that a search and a query that were begun in
// the content of a long result go on when its tree is there.
func TestLongTreeIsMadeInACommand(t *testing.T) {
	log := uitest.NewLog(t)
	for i, payload := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 2<<20) + `"}],"structuredContent":{"a":["needle"]}}}`,
	} {
		e := session.Entry{Kind: []session.Kind{session.KindStdin, session.KindStdout}[i], Payload: []byte(payload), Msg: framing.Scan([]byte(payload))}
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	r := ofLog(t, log, 120, 36)
	r.show(log.Len() - 1)
	require.Contains(t, r.Text(), "[content]")
	r.search("needle", 0)
	require.Contains(t, r.Text(), `0: "needle"`)
	require.Contains(t, r.Text(), "[tree]")
	r.search("nowhere", 0)
	require.Contains(t, r.Said(), "no match")

	r.Do(actView, actView, actView, actView, actView)
	require.Contains(t, r.Text(), "[content]")
	r.Do(actJQ)
	require.Equal(t, ScopeJQ, r.Context().View.Scope())
}

// TestDetailOfEverything checks that each kind of row has content to show.
func TestDetailOfEverything(t *testing.T) {
	log := uitest.NewLog(t)
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
	r := ofLog(t, log, 160, 36)
	for row, want := range [][]string{
		{"━━ 3 ping · request · 24 B · id 1", `method: "ping"`},
		{"━━ 3 ping · ", "pong: true"},
		{"━━ 3 noise on stdout · ", "not-json,bom", `\ufeffServer listening`},
		{"━━ 3 stderr ", "a warning"},
		{"━━ 3 stall ", `0: "stdout"`},
	} {
		r.show(row)
		for _, text := range want {
			require.Contains(t, r.Text(), text)
		}
	}
}

func TestHexView(t *testing.T) {
	log := uitest.NewLog(t)
	payload := []byte(strings.Repeat("0123456789abcde\n", 100) + "\x00\xff")
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	r := ofLog(t, log, 80, 24)
	r.show(log.Len() - 1)
	r.Do(actView)
	require.Contains(t, r.rows()[2], "00000000 30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 0a 0123456789abcde.")
	r.Do(kit.Bottom)
	require.Contains(t, r.Text(), "00000640 00 ff")
	r.Do(kit.Top, kit.Down)
	require.Contains(t, r.rows()[2], "00000010 ")
	r.resize(60, 20)
	require.Contains(t, r.Text(), "00000010 30 31 32 33  34 35 36 37 01234567", "the position is kept with fewer bytes per line")
}
