package formats

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// A timedLog is a log of rows with given times and no other entries than requests.
type timedLog struct {
	session.Source
	rows []session.Row
}

func (l *timedLog) Len() int             { return len(l.rows) }
func (l *timedLog) Method(uint16) string { return `tools/call"><script>{{data}}%s` + "\x1b\u202e" }

func (l *timedLog) Rows(from int, dst []session.Row) int {
	return copy(dst, l.rows[min(max(from, 0), len(l.rows)):])
}

func (l *timedLog) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, fmt.Errorf("no entries")
}

// add adds a request at a time in milliseconds, and its response, if took is not
// negative.
func (l *timedLog) add(at, took int64) {
	request := session.Row{T: at * 1000, Kind: session.KindStdin, Msg: framing.Request, Method: 1, State: session.ReqPending}
	if took >= 0 {
		request.State, request.Related = session.ReqAnswered, uint32(len(l.rows)+2)
	}
	l.rows = append(l.rows, request)
	if took >= 0 {
		l.rows = append(l.rows, session.Row{T: (at + took) * 1000, Kind: session.KindStdout, Msg: framing.Response, Related: uint32(len(l.rows))})
	}
}

// picture returns the waterfall of a selection, which must be well-formed.
func picture(t *testing.T, s Selection) string {
	t.Helper()
	var b strings.Builder
	w := bufio.NewWriter(&b)
	require.NoError(t, s.waterfall(t.Context(), w))
	require.NoError(t, w.Flush())
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			require.NoError(t, err, b.String())
		}
	}
	return b.String()
}

func TestWaterfall(t *testing.T) {
	log := &timedLog{}
	log.add(0, 2000)
	log.add(1000, 1)
	log.add(100_000, 1000)
	log.add(100_500, -1)
	text := picture(t, Selection{Source: log})
	require.Contains(t, text, "Waterfall: 4 calls</summary>")
	require.Contains(t, text, "no response after 500 ms")
	require.Equal(t, 1, strings.Count(text, `class="idle"`))
	require.NotContains(t, text, "<script>")
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	var places []string
	for _, m := range regexp.MustCompile(`<rect x="([\d.]+)" y="\d+" width="([\d.]+)"`).FindAllStringSubmatch(text, -1) {
		places = append(places, m[1]+" "+m[2])
	}
	// 2 s, half a second of the pause, and 1 s share 650.
	require.Equal(t, []string{"330.00 371.43", "515.71 2.00", "794.29 185.71", "887.14 92.86"}, places)
}

func TestWaterfallIsLimited(t *testing.T) {
	require.Empty(t, picture(t, Selection{Source: &timedLog{}}))
	log := &timedLog{}
	for i := range int64(maxBars + 5) {
		log.add(i, 1)
	}
	text := picture(t, Selection{Source: log})
	require.Contains(t, text, "Waterfall: 2005 calls; the first 2000, 5 more are not shown")
	require.Equal(t, maxBars, strings.Count(text, "<rect"))
	text = picture(t, Selection{Source: log, Include: func(number int, _ session.Row) bool { return number < 2 }})
	require.Contains(t, text, "Waterfall: 1 call<")
}

// TestTimesWithoutThePerson checks that each format has the time of the server, and next to
// it that in which it waited for its client.
func TestTimesWithoutThePerson(t *testing.T) {
	lines := []string{rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}`,
		`< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`}
	for range 199 {
		lines = append(lines, `"k":"note","text":"a millisecond"`)
	}
	s := Selection{Source: rectest.Session(t, append(lines, `> {"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`)...)}

	text := picture(t, s)
	require.Contains(t, text, "<title>tools/call book: 2 ms, and 200 ms waiting for the client, at 0.00 s</title>")
	require.Contains(t, text, `>2 ms</text><rect x="330.00" y="4" width="650.00" height="10"/><rect class="err" x="333.22" y="4" width="643.56" height="10"/></g>`)
	require.Contains(t, text, "<title>elicitation/create: 200 ms, at 0.00 s</title>")

	page := write(t, "html", s)
	require.Regexp(t, `"w":"tools/call",[^}]*"l":2000,"y":200000,`, page)
	require.Regexp(t, `"w":"elicitation/create",[^}]*"l":200000,"p"`, page)
	s.Include = func(_ int, row session.Row) bool { return row.Kind.IsStream() }
	require.Contains(t, write(t, "md", s), "| book | ok | 2 ms, and 200 ms waiting for the client |")
	require.Regexp(t, `"timings":\{"blocked":200,"send":0,"wait":2,"receive":0\},"_entry":2,`, write(t, "har", s))
}

// TestWaterfallOfCancelledCalls checks that the bar of a call ends where it was cancelled.
func TestWaterfallOfCancelledCalls(t *testing.T) {
	const cancel = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	const late = `< {"jsonrpc":"2.0","id":1,"result":{}}`
	call, pass := `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`, `"k":"note","text":"a millisecond"`
	for name, lines := range map[string][]string{"no response": {call, pass, cancel, pass}, "late": {call, pass, cancel, pass, late}} {
		text := picture(t, Selection{Source: rectest.Session(t, append([]string{rectest.Started}, lines...)...)})
		require.Contains(t, text, "<title>tools/call slow: cancelled after 2 ms, at 0.00 s</title>", name)
		require.Contains(t, text, ">2 ms ⊘</text>", name)
	}
}
