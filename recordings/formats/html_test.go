package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// data returns the embedded data of a page.
func data(t testing.TB, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	require.True(t, ok)
	text, _, ok := strings.Cut(rest, "</script>")
	require.True(t, ok)
	require.True(t, json.Valid([]byte(text)), "%s", text)
	return text
}

// embedded returns the data of a page of about most bytes.
func embedded(t testing.TB, s Selection, most int) (page struct {
	pageData
	Rows []pageRow
}) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, s.page(t.Context(), &b, most))
	require.NoError(t, json.Unmarshal([]byte(data(t, b.String())), &page))
	return page
}

// TestPolicy checks that the page can only run its own script.
func TestPolicy(t *testing.T) {
	page := write(t, "html", recorded(t))
	require.Contains(t, page, `content="default-src 'none'; script-src 'sha256-`)
	require.NotRegexp(t, `(?i)\s(src|href|action|on\w+)\s*=\s*["']`, strings.ReplaceAll(page, "id=\"data\"", ""))
	require.NotContains(t, pageScript(), "innerHTML")
	require.NotContains(t, page, "http:")
	require.NotContains(t, page, "https:")
	require.Contains(t, page, "<style>"+pageStyle+"</style>")
	require.Contains(t, page, "<script>"+pageScript()+"</script>", "the hash is that of all between the tags")
}

// TestContrast checks that each color of a text can be read on each background, as in
// WCAG 2.2 AA, and that marks differ from theirs.
func TestContrast(t *testing.T) {
	colors := map[string][2]float64{}
	for _, m := range regexp.MustCompile(`--(\w+):light-dark\(#(\w+),#(\w+)\)`).FindAllStringSubmatch(pageStyle, -1) {
		colors[m[1]] = [2]float64{luminance(t, m[2]), luminance(t, m[3])}
	}
	require.Len(t, colors, 14)
	for i, scheme := range []string{"light", "dark"} {
		for _, back := range []string{"bg", "bar", "sel"} {
			for _, front := range []string{"fg", "dim", "out", "in", "err", "bad", "key"} {
				require.GreaterOrEqual(t, contrast(colors[front][i], colors[back][i]), 4.5, "%s: %s on %s", scheme, front, back)
			}
			for _, mark := range []string{"fill", "mark", "wait"} {
				require.GreaterOrEqual(t, contrast(colors[mark][i], colors[back][i]), 2.3, "%s: %s on %s", scheme, mark, back)
			}
		}
	}
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func luminance(t *testing.T, hex string) (sum float64) {
	if len(hex) == 3 {
		hex = strings.Repeat(hex[:1], 2) + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:], 2)
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// TestFailuresFirst checks that a page with too little room has the failures, the stray
// lines and the slowest calls, with both messages of each, and describes what it omits.
func TestFailuresFirst(t *testing.T) {
	lines := []string{rectest.Started}
	call := func(id int, response string) {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a","arguments":{"k":%d}}}`, id, id))
		if response != "" {
			lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,%s}`, id, response))
		}
	}
	for id := range 1000 {
		call(id, `"result":{"content":[{"type":"text","text":"`+strings.Repeat("x", 1000)+`"}]}`)
	}
	call(2000, `"error":{"code":-1,"message":"no"}`)
	call(2001, `"result":{"isError":true,"content":[]}`)
	call(2002, "")
	lines = append(lines, `"k":"stdout","seq":5000,"raw":"not a message"`, `< {"jsonrpc":"2.0","id":9,"result":{}}`)
	s := Selection{Source: rectest.Session(t, lines...)}

	const most = 100 << 10
	page := embedded(t, s, most)
	on := map[uint64]pageRow{}
	for _, row := range page.Rows {
		on[row.N] = row
	}
	first := uint64(2002) // entry of call 2000
	for n := first; n <= first+6; n++ {
		require.True(t, on[n].Bad, n)
	}
	require.Equal(t, uint64(1), page.Rows[0].N)
	require.NotContains(t, slices.Collect(maps.Keys(on)), uint64(1999))
	require.Equal(t, s.Source.Len(), len(page.Rows)+page.Left)
	require.Contains(t, page.Omitted, fmt.Sprintf("This page has %d of 2,008 entries", len(page.Rows)))
	require.Contains(t, page.Omitted, "--filter")
	require.NotContains(t, page.Omitted, "lacks room")
	for _, row := range page.Rows {
		if row.Pair > 0 {
			require.NotZero(t, on[uint64(row.Pair)].N, row.N) // rows begin at 0, entries at 1
		}
	}

	page = embedded(t, s, 1<<10)
	require.Contains(t, page.Omitted, "lacks room for")
	require.Empty(t, embedded(t, s, maxPage).Omitted)
}

// TestPageIsBounded checks that a page does not exceed its size when texts get longer by
// their escapes.
func TestPageIsBounded(t *testing.T) {
	var lines []string
	for range 200 {
		lines = append(lines, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`+strings.Repeat("<", 1000)+`"}}`)
	}
	s := recorded(t, lines...)
	const most = 300 << 10 // more than the messages have, less than with escapes
	var b bytes.Buffer
	require.NoError(t, s.page(t.Context(), &b, most))
	require.Less(t, b.Len(), most+100<<10)
	page := embedded(t, s, most)
	require.Positive(t, page.Left)
	require.Equal(t, s.Source.Len(), len(page.Rows)+page.Left)
}

// slowed returns a session in which a tool becomes slow at entry 122, and then
// slower with each call.
func slowed(t *testing.T) Selection {
	lines := []string{rectest.Started}
	for k := range 100 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"report","arguments":{"k":%d}}}`, k, k))
		for range k / 60 * (k - 52) {
			lines = append(lines, `"k":"note","text":"a millisecond"`)
		}
		lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{}}`, k))
	}
	return Selection{Source: rectest.Session(t, lines...)}
}

// TestSlowerTools checks that a page names the tools that became slow, and has their first
// slow call, also if there is no room for all.
func TestSlowerTools(t *testing.T) {
	for _, most := range []int{maxPage, 4 << 10} {
		page := embedded(t, slowed(t), most)
		require.Equal(t, most < maxPage, page.Left > 0)
		require.Len(t, page.Slower, 1)
		require.Len(t, page.Tools[0].Medians, 100/8)
		require.Equal(t, uint64(122), page.Slower[0].N)
		require.Equal(t, remark{Severity: "warning", Text: "report became slower at 121 ms: p50 1 ms → 28 ms", Evidence: page.Slower[0].Evidence, Row: 121}, page.Facts.Causes[0])
		require.True(t, slices.ContainsFunc(page.Rows, func(r pageRow) bool { return r.N == 122 && r.Tool == "report" }))
	}
}

// TestRowsNameTheirCall checks that a response has the tool and the arguments of its
// request, wherever that is.
func TestRowsNameTheirCall(t *testing.T) {
	s := Selection{Source: rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book","arguments":{"k":3333}}}`,
		`< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"backend gone"}}`)}
	page := embedded(t, s, maxPage)
	require.Equal(t, "book k=3333", page.Rows[1].Said)
	require.Equal(t, "book", page.Rows[1].Tool)
	require.Equal(t, "-32000: backend gone", page.Rows[2].Said)
	require.Empty(t, page.Rows[2].Call, "the page has the request")

	s.Include = func(_ int, row session.Row) bool { return row.Kind == session.KindStdout }
	page = embedded(t, s, maxPage)
	require.Len(t, page.Rows, 1)
	require.Equal(t, "book k=3333", page.Rows[0].Call)
	require.Equal(t, "book", page.Rows[0].Tool)
}

// TestWaits checks that a request has the times in which the server waited for its client,
// and each format the time of the server next to it.
func TestWaits(t *testing.T) {
	lines := []string{rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}`,
		`< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`}
	for range 199 {
		lines = append(lines, `"k":"note","text":"a millisecond"`)
	}
	s := Selection{Source: rectest.Session(t, append(lines, `> {"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`)...)}

	page := embedded(t, s, maxPage)
	call, asked := page.Rows[1], page.Rows[2]
	require.Equal(t, []int64{2000, 200_000, 202_000}, []int64{*call.Took, *call.Waited, *call.Until})
	require.Equal(t, [][2]int64{{1000, 201_000}}, call.Waits)
	require.Equal(t, int64(200_000), *asked.Took)
	require.Nil(t, asked.Waited)
	require.Nil(t, asked.Until)
	require.Empty(t, asked.Waits)
	s.Include = func(_ int, row session.Row) bool { return row.Kind.IsStream() }
	require.Contains(t, write(t, "md", s), "| book | ok | 2 ms, and 200 ms waiting for the client |")
	require.Regexp(t, `"timings":\{"blocked":200,"send":0,"wait":2,"receive":0\},"_entry":2,`, write(t, "har", s))
}

// TestCancelledCallsEnd checks that a call ends where it was cancelled.
func TestCancelledCallsEnd(t *testing.T) {
	const cancel = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	const late = `< {"jsonrpc":"2.0","id":1,"result":{}}`
	call, pass := `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`, `"k":"note","text":"a millisecond"`
	for name, lines := range map[string][]string{"no response": {call, pass, cancel, pass}, "late": {call, pass, cancel, pass, late}} {
		row := embedded(t, Selection{Source: rectest.Session(t, append([]string{rectest.Started}, lines...)...)}, maxPage).Rows[1]
		require.Equal(t, "cancelled", row.State, name)
		require.Equal(t, int64(2000), *row.Took, name)
		require.False(t, row.Bad, name)
	}
}

// TestTruncatedTextIsText checks that a long text stays text wherever it is cut.
func TestTruncatedTextIsText(t *testing.T) {
	var lines []string
	for shift := range 3 {
		lines = append(lines, strings.Repeat("x", shift)+strings.Repeat("長", maxContent/3+10))
	}
	var page struct{ Rows []pageRow }
	require.NoError(t, json.Unmarshal([]byte(data(t, write(t, "html", recorded(t, lines...)))), &page))
	cut := 0
	for _, row := range page.Rows {
		require.Empty(t, row.Base64)
		if row.Cut {
			cut++
			require.Equal(t, lines[(row.Seq-1)/2][:len(row.Text)], row.Text)
			require.Greater(t, len(row.Text), maxContent-utf8.UTFMax)
		}
	}
	require.Equal(t, 6, cut)
}
