package filter_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
)

// plain hides from a filter that its source can search.
type plain struct{ session.Source }

// texts are the building blocks of messages, and some of the texts that are
// searched for in them.
var texts = []string{"needle", "NEEDLE", "nee", "dle", `\"`, `"quoted"`, "kiosk", "KIOS\u212a", "\u017fTOP", "stop", "a\\b", "ü", "Ü", "id", "42", "}", ",\"m\":", "m", " ", "error"}

// randomLog records entries of all kinds with payloads made of texts.
func randomLog(t *testing.T, random *rand.Rand, entries int) *recordings.File {
	t.Helper()
	f, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()); require.NoError(t, f.Release()) })
	words := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString(texts[random.IntN(len(texts))])
		}
		return b.String()
	}
	for i := range entries {
		e := session.Entry{Kind: []session.Kind{session.KindStdin, session.KindStdout, session.KindStdout, session.KindStderr}[random.IntN(4)]}
		switch random.IntN(10) {
		case 0:
			e = session.NewEntry(session.KindNote, 0, session.NoteBody{Text: words(9)})
		case 1:
			e.Payload = []byte(words(9) + "\xff" + words(9))
		case 2:
			e.Payload = []byte(words(9))
		case 3:
			e.Payload = []byte(words(9))
			e.EOL, e.More = framing.NoEOL, e.Kind != session.KindStdin
		case 4:
			e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"call/%d","params":{"x":%q}}`, i, i%3, words(9))
		case 5:
			e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"x":%q}}`, i-1, words(9))
		case 6:
			e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"call/%d","params":{"x":"%s%s"}}`, i%3, strings.Repeat("pad ", random.IntN(20_000)), "needle")
		default:
			e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"call/%d","params":{"x":%q}}`, i%3, words(9))
		}
		if e.Kind.IsStream() {
			e.Msg = framing.Scan(e.Payload)
		}
		require.NoError(t, f.Append([]session.Entry{e}))
	}
	return f
}

// matches returns the rows that match a filter.
func matches(f *filter.Filter, source session.Source, block int) (numbers []int, read int) {
	m := f.Matcher(source)
	rows, verdicts := make([]session.Row, block), make([]filter.Verdict, block)
	for from := 0; ; {
		n := source.Rows(from, rows)
		if n == 0 {
			return numbers, read
		}
		m.Rows(from, rows[:n], verdicts)
		for i, v := range verdicts[:n] {
			if v == filter.Unread {
				read++
			}
			if v == filter.Yes || v == filter.Unread && m.Read(from+i, rows[i]) {
				numbers = append(numbers, from+i)
			}
		}
		from += n
	}
}

// TestSearchEqualsReading compares searching in the log with reading
// every message.
func TestSearchEqualsReading(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	log := randomLog(t, random, 300)
	found := 0
	for _, text := range []string{
		"needle", "}}}", "NeedleNEEDLE", "dlenee", "!needle", "kiosk", "stop", "s", "ü", `"\"quoted\""`, `"a\\b"`, "id:7", "id:42", "}", `",\"m\":"`,
		"/need.e/", "/(?i)needle.*stop/", "/(?i)kiosk/", "/^x/", "/(needle|stop)/", "/(stop)+ü/", "needle stop", "needle or stop", "!needle kind:notification",
		"method:call/1 needle", "call/2", "nothing-of-it", "id:1 or needle >1us", "er", "error",
	} {
		f, err := filter.Parse(text)
		require.NoError(t, err, text)
		want, all := matches(f, plain{log}, 64)
		for _, block := range []int{1, 64, 1024} {
			got, read := matches(f, log, block)
			require.Equal(t, want, got, "%s in blocks of %d", text, block)
			require.LessOrEqual(t, read, all)
		}
		found += len(want)
	}
	require.Greater(t, found, 500)
}

// TestSearchReadsNoMessages checks that plain text is decided without reading
// the messages.
func TestSearchReadsNoMessages(t *testing.T) {
	log := randomLog(t, rand.New(rand.NewPCG(3, 4)), 200)
	rows := make([]session.Row, 200)
	require.Equal(t, 200, log.Rows(0, rows))
	bodies := 0
	for _, row := range rows {
		if !row.Kind.IsStream() {
			bodies++
		}
	}
	f, err := filter.Text("needle")
	require.NoError(t, err)
	_, read := matches(f, log, 64)
	require.Equal(t, bodies, read)
	_, read = matches(f, plain{log}, 64)
	require.Equal(t, 200, read)
}

// FuzzSearch searches for a text in a log of one message.
func FuzzSearch(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","method":"needle"}`), "need")
	f.Add([]byte("a \"needle\"\\"), `"\`)
	f.Fuzz(func(t *testing.T, payload []byte, text string) {
		filters, err := filter.Text(text)
		if err != nil || bytes.IndexByte(payload, '\n') >= 0 {
			return
		}
		log, err := recordings.Create(recordings.Options{NoRecord: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, log.Close()); require.NoError(t, log.Release()) }()
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
		want, _ := matches(filters, plain{log}, 8)
		got, _ := matches(filters, log, 8)
		require.Equal(t, want, got)
	})
}
