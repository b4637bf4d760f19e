package filter

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// newLog returns a log with one entry for each line: "> " is stdin, "< "
// stdout, "! " stderr.
func newLog(t testing.TB, lines ...string) session.Log {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	kinds := map[byte]session.Kind{'>': session.KindStdin, '<': session.KindStdout, '!': session.KindStderr}
	for i, line := range lines {
		e := session.Entry{Kind: kinds[line[0]], Payload: []byte(line[2:])}
		if e.Kind != session.KindStdin {
			e.Seq = uint64(i)
		}
		if e.Kind != session.KindStderr {
			e.Msg = framing.Scan(e.Payload)
		}
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	return log
}

func rows(t testing.TB, log session.Source) []session.Row {
	t.Helper()
	rows := make([]session.Row, log.Len())
	require.Equal(t, len(rows), log.Rows(0, rows))
	return rows
}

// TestToolNames checks that tool: finds calls and responses whatever way the
// params name the tool, and for how many calls a name is remembered until the
// response comes.
func TestToolNames(t *testing.T) {
	calls := []string{
		`{"name":"echo"}`, `{"_meta":{"name":"x"},"arguments":{"name":"y"},"name":"echo"}`, `{"name":"\u0065cho"}`, `{"n\u0061me":"echo"}`,
		`{"name":"x","name":"echo"}`, `{"name":7}`, `{"name":"ech"}`, `[]`, `{}`,
	}
	var lines []string
	for i, params := range calls {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, i, params))
	}
	for i := range 300 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":"a%d","method":"tools/call","params":{"name":"other"}}`, i))
	}
	want := []int{0, 1, 2, 3, 4}
	for i := range calls {
		if i <= 4 {
			want = append(want, len(lines))
		}
		lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	log := newLog(t, lines...)
	f, err := Parse("tool:echo")
	require.NoError(t, err)
	m := f.Matcher(log)
	var got []int
	for i, row := range rows(t, log) {
		if m.Match(i, row) {
			got = append(got, i)
		}
	}
	require.Equal(t, want, got)
}

var traffic = []string{
	/* 0 */ `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	/* 1 */ `< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"Echo"}]}}`,
	/* 2 */ `> {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"echo"}}`,
	/* 3 */ `< {"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"no"}}`,
	/* 4 */ `< {"jsonrpc":"2.0","method":"notifications/progress","params":{}}`,
	/* 5 */ `< Server listening on stdio`,
	/* 6 */ `< {"jsonrpc":"2.0","id":"s-1","method":"ping"}`,
	/* 7 */ `> {"jsonrpc":"2.0","id":"s-1","result":{}}`,
	/* 8 */ `! warning: Größe`,
	/* 9 */ `< [{"jsonrpc":"2.0","method":"notifications/x"}]`,
	/* 10 */ `< {"jsonrpc":"2.0","id":77,"result":{"isError":true}}`,
}

func TestMatch(t *testing.T) {
	log := newLog(t, traffic...)
	for _, tc := range []struct {
		filter string
		want   []int
	}{
		{"", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{"method:tools/", []int{0, 1, 2, 3}},
		{"method:TOOLS/c*", []int{2, 3}},
		{"method:tools/?all", []int{2, 3}},
		{"method:ools", []int{0, 1, 2, 3}},
		{"method:ools*", nil},
		{"id:1", []int{0, 1, 2, 3}},
		{"id:s-1", []int{6, 7}},
		{"dir:out", []int{0, 2, 7}},
		{"dir:in !kind:stderr", []int{1, 3, 4, 5, 6, 9, 10}},
		{"kind:request", []int{0, 2, 6}},
		{"kind:request dir:in", []int{6}},
		{"kind:response", []int{1, 3, 7, 10}},
		{"kind:notification", []int{4}},
		{"kind:batch", []int{9}},
		{"kind:error", []int{3, 10}},
		{"kind:stray", []int{5}},
		{"kind:stderr", []int{8}},
		{"err", []int{2, 3, 5, 9, 10}},
		{"!err kind:response", []int{1, 7}},
		{"echo", []int{1, 2}},
		{"PING", []int{6, 7}},
		{"!ping id:s-1", nil},
		{`"listening on"`, []int{5}},
		{`"\"name\":\"Echo\""`, []int{1, 2}},
		{"größe", []int{8}},
		{"GRÖSSE", nil},
		{`/"name":"[Ee]cho"/`, []int{1, 2}},
		{`/tools\/call/`, []int{2, 3}},
		{"kind:stray or kind:notification or id:s-1 dir:out", []int{4, 5, 7}},
		{"or", nil},
		{"order", nil},
		{">0ms <1h method:tools", nil},
		{"<1h method:tools/list", []int{0, 1}},
		{">1h", nil},
		{"!!kind:stray", []int{5}},
		{"kind:stray and dir:in or kind:notification and !err", []int{4, 5}},
		{"tool:echo", []int{2, 3}},
		{"tool:ec*", []int{2, 3}},
		{"!tool:echo kind:request", []int{0, 6}},
		{"tool:ech", nil},
		{"n:3-5", []int{2, 3, 4}},
		{"n:-2 or n:11-", []int{0, 1, 10}},
		{"n:9", []int{8}},
		{"!n:2- kind:request", []int{0}},
		{"seq:4-5", []int{4, 5}},
		{"seq:1-", []int{1, 3, 4, 5, 6, 8, 9, 10}},
		{"run:0", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{"run:1-", nil},
		{"kind:event", nil},
	} {
		t.Run(tc.filter, func(t *testing.T) {
			f, err := Parse(tc.filter)
			if tc.filter == "or" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			m := f.Matcher(log)
			var got []int
			for i, r := range rows(t, log) {
				if m.Match(i, r) {
					got = append(got, i)
				}
			}
			if strings.HasPrefix(tc.filter, ">0ms") {
				return // depends on the clock; see TestLatency
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestLatency(t *testing.T) {
	src := &fixed{rows: []session.Row{
		{T: 1_000, Kind: session.KindStdin, Msg: framing.Request, Related: 2},
		{T: 151_000, Kind: session.KindStdout, Msg: framing.Response, Related: 1},
		{T: 151_000, Kind: session.KindStdin, Msg: framing.Request},
	}}
	for filter, want := range map[string][]bool{
		">100ms": {true, true, false},
		">150":   {false, false, false},
		">149":   {true, true, false},
		"<1s":    {true, true, false},
		"!<1s":   {false, false, true},
		"<0.1s":  {false, false, false},
	} {
		f, err := Parse(filter)
		require.NoError(t, err)
		for i, r := range src.rows {
			require.Equal(t, want[i], f.Matcher(src).Match(i, r), "%s row %d", filter, i)
		}
	}
}

// TestLatencyIsThatOfTheServer checks that a call that waited for a person is not slow,
// nor is the person.
func TestLatencyIsThatOfTheServer(t *testing.T) {
	src := rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`,
		`< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`,
		`"k":"note","text":"a millisecond"`, `"k":"note","text":"and another"`,
		`> {"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{}}`)
	for text, want := range map[string][]int{">1.5ms": {1, 6}, ">2.5ms": nil, "<2.5ms": {1, 6}} {
		f, err := Parse(text)
		require.NoError(t, err)
		var got []int
		m := f.Matcher(src)
		for number, row := range session.RowsFrom(src, 0) {
			if m.Match(number, row) {
				got = append(got, number)
			}
		}
		require.Equal(t, want, got, text)
	}
}

// fixed is a log of rows whose messages cannot be read.
type fixed struct {
	session.Source
	rows []session.Row
}

func (f *fixed) Rows(from int, dst []session.Row) int { return copy(dst, f.rows[from:]) }
func (f *fixed) Method(uint16) string                 { return "" }
func (f *fixed) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, errors.New("not kept")
}

func TestUnreadableHasNoText(t *testing.T) {
	src := &fixed{rows: []session.Row{{Kind: session.KindStdin, Msg: framing.Request}}}
	for filter, want := range map[string]bool{"x": false, "!x": true, "id:1": false, "/x/": false} {
		f, err := Parse(filter)
		require.NoError(t, err)
		require.Equal(t, want, f.Matcher(src).Match(0, src.rows[0]), filter)
	}
}

func TestQuickReadsNothing(t *testing.T) {
	log := newLog(t, traffic...)
	src := &counting{Source: log}
	f, err := Parse("method:tools err or kind:stray")
	require.NoError(t, err)
	m := f.Matcher(src)
	for i, r := range rows(t, log) {
		m.Match(i, r)
	}
	require.Zero(t, src.read)

	f, err = Parse("kind:stray listening")
	require.NoError(t, err)
	m = f.Matcher(src)
	for i, r := range rows(t, log) {
		m.Match(i, r)
	}
	require.Equal(t, 1, src.read, "only the stray line needs to be read")
}

// counting counts the messages that are read.
type counting struct {
	session.Source
	read int
}

func (c *counting) Entry(r session.Row, limit int) (session.Entry, error) {
	c.read++
	return c.Source.Entry(r, limit)
}

func TestIDOfLongMessages(t *testing.T) {
	long := strings.Repeat("x", 3*headRead)
	log := newLog(t,
		`> {"id":7,"method":"a"}`,
		`< {"result":"`+long+`","id":7}`,
		`< {"params":"`+long+`","id":8,"method":"b"}`,
	)
	for filter, want := range map[string][]bool{"id:7": {true, true, false}, "id:8": {false, false, true}} {
		f, err := Parse(filter)
		require.NoError(t, err)
		for i, r := range rows(t, log) {
			require.Equal(t, want[i], f.Matcher(log).Match(i, r), "%s row %d", filter, i)
		}
	}
}

func TestText(t *testing.T) {
	log := newLog(t, traffic...)
	for text, want := range map[string]int{
		"listening on": 5, "kind:stray": -1, "/on std.o/": 5, "TOOLS/CALL": 2, "/": 0,
	} {
		f, err := Text(text)
		require.NoError(t, err)
		got := -1
		for i, r := range rows(t, log) {
			if f.Matcher(log).Match(i, r) {
				got = i
				break
			}
		}
		require.Equal(t, want, got, text)
	}
	_, err := Text("/(/")
	require.ErrorContains(t, err, "column 2")
}

func TestTextOfEvents(t *testing.T) {
	log := newLog(t)
	require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: "Taken for a legacy server"})}))
	for text, want := range map[string]bool{"legacy": true, "modern": false} {
		f, err := Text(text)
		require.NoError(t, err)
		require.Equal(t, want, f.Matcher(log).Match(0, rows(t, log)[0]), text)
	}
}

// TestTextOfRows checks that text finds the words that a list shows in a row although
// its message lacks them.
func TestTextOfRows(t *testing.T) {
	log := newLog(t,
		`> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`< {"jsonrpc":"2.0","id":9,"result":{}}`,
		`< hello`)
	require.NoError(t, log.Append([]session.Entry{
		session.NewEntry(session.KindLagged, 0, session.LaggedBody{Events: 3}),
		session.NewEntry(session.KindClosed, 0, session.ClosedBody{}),
	}))
	const request, _, orphan, stray, lagged, closed = 0, 1, 2, 3, 4, 5
	for text, want := range map[string][]int{
		"lag": {lagged}, "/^lagged$/": {lagged}, "CLOSED": {closed},
		"cancelled": {request, 1}, "unknown": {orphan}, "stray": {stray}, "!lag stray": {stray}, "kind:event !lag": {closed},
	} {
		f, err := Parse(text)
		require.NoError(t, err)
		m := f.Matcher(log)
		all := rows(t, log)
		verdicts := make([]Verdict, len(all))
		m.Rows(0, all, verdicts)
		var got []int
		for i, row := range all {
			if verdicts[i] == Yes || verdicts[i] == Unread && m.Read(i, row) {
				got = append(got, i)
			}
		}
		require.Equal(t, want, got, text)
	}
}

// TestTextOfUnreadableResponses checks that text finds why a response can't be read, and
// the errors without an id.
func TestTextOfUnreadableResponses(t *testing.T) {
	deep := strings.Repeat("[", framing.MaxDepth+1) + strings.Repeat("]", framing.MaxDepth+1)
	log := newLog(t,
		`> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":1,"result":`+deep+`}`,
		`< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`,
		`< {"jsonrpc":"2.0","id":9,"result":{}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"ping"}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: []byte(`{"jsonrpc":"2.0","id":2,"result":"x`), More: true}}))
	const tooDeep, refusal, orphan, tooLong = 1, 2, 3, 5
	for text, want := range map[string][]int{
		`"nested too deep"`: {tooDeep}, `"longer than --line-limit"`: {tooLong}, `"without id"`: {refusal}, `"parse error"`: {refusal}, "unknown id:9": {orphan},
	} {
		f, err := Parse(text)
		require.NoError(t, err)
		m := f.Matcher(log)
		var got []int
		for i, row := range rows(t, log) {
			if m.Match(i, row) {
				got = append(got, i)
			}
		}
		require.Equal(t, want, got, text)
	}
}

// TestTextsOfShownWords checks that the lines of a recording are not skipped because
// they lack a text that their rows may show.
func TestTextsOfShownWords(t *testing.T) {
	for text, searched := range map[string]bool{"needle": true, "lagged": true, "cancel": false, "/time/": false, "k=3": true, "params": false} {
		f, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, searched, f.Texts(false) != nil, text)
	}
}

// TestTextsDecide checks that the bytes of a line decide if texts are exact.
func TestTextsDecide(t *testing.T) {
	for text, exact := range map[string]bool{"needle": true, "k=3": false, "/needle/": false} {
		f, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, exact, f.Texts(true) != nil, text)
	}
}

// TestEvents checks that events can be filtered too.
func TestEvents(t *testing.T) {
	log := newLog(t)
	require.NoError(t, log.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p-1"}),
		session.NewEntry(session.KindGap, 3, session.GapBody{}),
		session.NewEntry(session.KindExited, 4, session.ExitedBody{}),
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p-2"}),
		session.NewEntry(session.KindExited, 4, session.ExitedBody{}),
	}))
	for text, want := range map[string][]int{
		"kind:event": {0, 1, 2, 3, 4}, "kind:exited": {2, 4}, "err": {1}, "run:2": {3, 4}, "seq:4": {2, 4}, "seq:4 run:1": {2}, "n:2-3": {1, 2},
		"kind:request": nil, "kind:start p-2": {3},
	} {
		f, err := Parse(text)
		require.NoError(t, err)
		m := f.Matcher(log)
		var got []int
		for i, r := range rows(t, log) {
			if m.Match(i, r) {
				got = append(got, i)
			}
		}
		require.Equal(t, want, got, text)
	}
}

// TestNumbersWithGaps checks files from which entries were removed, where only
// the entry itself has the right number.
func TestNumbersWithGaps(t *testing.T) {
	src := &sparse{fixed{rows: make([]session.Row, 4)}}
	for i := range src.rows {
		src.rows[i].Off = int64(i)
	}
	f, err := Parse("n:4-6")
	require.NoError(t, err)
	m := f.Matcher(src)
	var got []int
	for i := range src.rows {
		if m.Match(i, src.rows[i]) {
			got = append(got, i)
		}
	}
	require.Equal(t, []int{1, 2}, got)
}

// sparse is a log with every second entry.
type sparse struct{ fixed }

func (s *sparse) Len() int { return len(s.rows) }
func (s *sparse) Entry(r session.Row, _ int) (session.Entry, error) {
	return session.Entry{N: 2 * uint64(r.Off+1)}, nil
}

// TestNear checks that a partner among the given rows is not looked up.
func TestNear(t *testing.T) {
	rows := []session.Row{
		{T: 1_000, Kind: session.KindStdin, Msg: framing.Request, Related: 12},
		{T: 151_000, Kind: session.KindStdout, Msg: framing.Response, Related: 11},
	}
	f, err := Parse(">100")
	require.NoError(t, err)
	alone := rows[1]
	alone.Related = 0 // no partner, but otherwise equal
	second := []session.Row{rows[0], rows[1]}
	second[0].Related, second[1].Related = 14, 13 // rows 12 and 13
	got := make([]Verdict, 5)
	f.Matcher(&fixed{}).Rows(9, append(append([]session.Row{alone}, rows...), second...), got)
	require.Equal(t, []Verdict{No, Yes, Yes, Yes, Yes}, got)
}

func TestIndexFold(t *testing.T) {
	for _, tc := range []struct {
		text, lower string
		want        int
	}{
		{"", "", 0}, {"abc", "", 0}, {"", "a", -1}, {"xABC", "abc", 1}, {"aab", "ab", 1}, {"AaB", "ab", 1},
		{"ab", "abc", -1}, {"1x2X3", "x3", 3}, {"@`", "`", 1}, {"[", "{", -1},
	} {
		require.Equal(t, tc.want, IndexFold([]byte(tc.text), []byte(tc.lower)), "%+v", tc)
	}
}

// TestRows checks that Rows decides like Match, row by row.
func TestRows(t *testing.T) {
	log := newLog(t, traffic...)
	all := rows(t, log)
	for _, text := range []string{"", "err", "method:tools/* or id:7", ">1h or kind:notification", "n:2-4 err or echo", "!<1h", "seq:3-"} {
		f, err := Parse(text)
		require.NoError(t, err)
		got := make([]Verdict, len(all))
		m, fresh := f.Matcher(log), f.Matcher(log)
		m.Rows(0, all, got)
		for i, r := range all {
			passes := got[i] == Yes || got[i] == Unread && m.Read(i, r)
			require.Equal(t, fresh.Match(i, r), passes, "%s: row %d", text, i)
		}
	}
}

// BenchmarkMillionRows matches a million rows by fields of the index.
func BenchmarkMillionRows(b *testing.B) {
	src := &fixed{rows: make([]session.Row, 1_000_000)}
	for i := range src.rows {
		src.rows[i] = session.Row{Kind: session.KindStdin + session.Kind(i%2)*2, Msg: framing.Kind(1 + i%4), Method: uint16(i % 20), Related: uint32(i ^ 1 + 1)}
	}
	for _, text := range []string{"err", "method:tools/* dir:in !kind:error", "kind:stray or method:ping", ">100ms"} {
		b.Run(text, func(b *testing.B) {
			f, err := Parse(text)
			require.NoError(b, err)
			b.ReportAllocs()
			var verdicts [512]Verdict
			for b.Loop() {
				m := f.Matcher(src)
				for from := 0; from < len(src.rows); from += len(verdicts) {
					block := src.rows[from:min(from+len(verdicts), len(src.rows))]
					m.Rows(from, block, verdicts[:])
				}
			}
		})
	}
}

// TestAlikeRowsWithEveryFlag checks that rows which differ in a flag, or in
// whether they have a partner, are not treated as equal.
func TestAlikeRowsWithEveryFlag(t *testing.T) {
	seen := map[uint64]session.Row{}
	for flags := range 256 {
		for _, pair := range []uint32{0, 1} {
			for _, state := range []session.ReqState{session.ReqNone, session.ReqDuplicate} {
				row := session.Row{Flags: session.RowFlags(flags), Related: pair, State: state}
				fields := fieldsOf(&row)
				require.NotContains(t, seen, fields, "%+v and %+v", seen[fields], row)
				seen[fields] = row
			}
		}
	}
}
