package filter

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
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
	for _, line := range lines {
		e := session.Entry{Kind: kinds[line[0]], Payload: []byte(line[2:])}
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
	} {
		t.Run(tc.filter, func(t *testing.T) {
			f, err := Parse(tc.filter)
			if tc.filter == "or" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			m := f.Over(log)
			var got []int
			for i, r := range rows(t, log) {
				if m.Match(r) {
					got = append(got, i)
				}
			}
			if strings.HasPrefix(tc.filter, ">0ms") {
				return // depends on the clock; TestLatency has one of its own
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestLatency(t *testing.T) {
	src := &fixed{rows: []session.Row{
		{T: 1_000, Kind: session.KindStdin, Msg: framing.Request, Pair: 2},
		{T: 151_000, Kind: session.KindStdout, Msg: framing.Response, Pair: 1},
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
			require.Equal(t, want[i], f.Over(src).Match(r), "%s row %d", filter, i)
		}
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
		require.Equal(t, want, f.Over(src).Match(src.rows[0]), filter)
	}
}

func TestQuickReadsNothing(t *testing.T) {
	log := newLog(t, traffic...)
	src := &counting{Source: log}
	f, err := Parse("method:tools err or kind:stray")
	require.NoError(t, err)
	m := f.Over(src)
	for _, r := range rows(t, log) {
		m.Match(r)
	}
	require.Zero(t, src.read)

	f, err = Parse("kind:stray listening")
	require.NoError(t, err)
	m = f.Over(src)
	for _, r := range rows(t, log) {
		m.Match(r)
	}
	require.Equal(t, 1, src.read, "only the stray line needs to be read")
}

// counting counts the messages that were read.
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
			require.Equal(t, want[i], f.Over(log).Match(r), "%s row %d", filter, i)
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
			if f.Over(log).Match(r) {
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
		require.Equal(t, want, f.Over(log).Match(rows(t, log)[0]), text)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for text, want := range map[string]string{
		`methd:x`:                        `column 1: no key "methd"`,
		`a id:`:                          `column 6: id: needs a value`,
		`a dir:up`:                       `column 7: dir: is in or out`,
		`kind:x`:                         `column 6: kind: is request`,
		`>fast`:                          `column 2: a time such as`,
		`>`:                              `column 2: a time such as`,
		`a "b`:                           `column 3: this quote is not closed`,
		`"a"b`:                           `column 4: a space must follow the closing quote`,
		`id:"a"b`:                        `column 7: a space must follow`,
		`/a`:                             `column 1: this regular expression has no closing slash`,
		`/a/b`:                           `column 4: a space must follow the closing slash`,
		`/(/`:                            `column 2: missing closing )`,
		`! a`:                            `column 2: "!" needs a word after it`,
		`or a`:                           `column 1: "or" needs a word before it`,
		`a or or b`:                      `column 6: "or" needs a word before it`,
		"ab\xff":                         `column 3: this is not UTF-8`,
		`a or`:                           `column 3: "or" needs a word after it`,
		strings.Repeat("x", MaxLength+1): `column 1025: a filter may have 1024 bytes`,
	} {
		f, err := Parse(text)
		require.Nil(t, f, text)
		require.ErrorContains(t, err, want, text)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, text)
	}
}

func TestStderr(t *testing.T) {
	for text, want := range map[string]bool{"kind:stderr": true, "!kind:stderr x": true, "stderr": false, "": false} {
		f, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, want, f.Stderr(), text)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`method:tools/* id:"a b" !ping or /x\/y/ >100ms`, `"\"" dir:in kind:stray err`, "ö:", "!", "<1e9s", `/(?i)[/`,
	} {
		f.Add(seed, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	}
	f.Fuzz(func(t *testing.T, text, payload string) {
		parsed, err := Parse(text)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.GreaterOrEqual(t, syntax.Column, 1)
			require.LessOrEqual(t, syntax.Column, len(text)+1)
			return
		}
		if parsed == nil {
			require.Empty(t, strings.Trim(text, " "))
			return
		}
		again, err := Parse(parsed.String())
		require.NoError(t, err)
		src := &one{payload: []byte(payload)}
		src.row = session.Row{Kind: session.KindStdout, Msg: framing.Scan(src.payload).Kind, Method: 1, Pair: 1}
		require.Equal(t, parsed.Over(src).Match(src.row), again.Over(src).Match(src.row))
	})
}

// one is a log of one message, which answers itself.
type one struct {
	session.Source
	row     session.Row
	payload []byte
}

func (o *one) Rows(_ int, dst []session.Row) int { return copy(dst, []session.Row{o.row}) }
func (o *one) Method(uint16) string              { return "tools/call" }
func (o *one) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{Kind: o.row.Kind, Payload: o.payload, Msg: framing.Scan(o.payload)}, nil
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

// BenchmarkMillionRows matches a million rows by what the index knows.
func BenchmarkMillionRows(b *testing.B) {
	src := &fixed{rows: make([]session.Row, 1_000_000)}
	for i := range src.rows {
		src.rows[i] = session.Row{Kind: session.KindStdin + session.Kind(i%2)*2, Msg: framing.Kind(1 + i%4), Method: uint16(i % 20)}
	}
	for _, text := range []string{"err", "method:tools/* dir:in !kind:error", "kind:stray or method:ping"} {
		b.Run(text, func(b *testing.B) {
			f, err := Parse(text)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				m := f.Over(src)
				n := 0
				for i := range src.rows {
					if m.Match(src.rows[i]) {
						n++
					}
				}
				if n > len(src.rows) {
					b.Fatal(fmt.Sprint(n))
				}
			}
		})
	}
}
