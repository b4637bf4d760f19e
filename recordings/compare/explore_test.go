package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/match"
)

var (
	exploredA = []string{started,
		`> {"id":1,"method":"tools/list"}`,
		`< {"id":1,"result":{"tools":[{"name":"b","title":"B"},{"name":"a"}],"nextCursor":"x"}}`,
		`> {"id":2,"method":"tools/list","params":{"cursor":"x"}}`,
		`< {"id":2,"result":{"tools":[{"name":"c"}]}}`,
		`> {"id":3,"method":"tools/call","params":{"name":"t","arguments":{"n":1}}}`,
		`< {"id":3,"result":{"at":"2026-11-21T10:00:00Z","ok":true}}`,
		`> {"id":4,"method":"resources/read","params":{"uri":"x:1"}}`,
		`< {"id":4,"error":{"code":1,"message":"no"}}`,
	}
	exploredB = []string{started,
		`> {"id":1,"method":"tools/list"}`,
		`< {"id":1,"result":{"tools":[{"name":"b","title":"Bee"},{"name":"a"},{"name":"c"}]}}`,
		`> {"id":7,"method":"ping"}`,
		`< {"id":7,"result":{}}`,
		`> {"id":3,"method":"tools/call","params":{"name":"t","arguments":{"n":1}}}`,
		`< {"id":3,"result":{"at":"2026-11-22T10:00:00Z","ok":true,"ttlMs":1}}`,
	}
)

// TestExploreListsPairs checks that pairs are in the order of the first session.
func TestExploreListsPairs(t *testing.T) {
	c, err := Explore(t.Context(), written(t, exploredA...), written(t, exploredB...), Options{})
	require.NoError(t, err)
	var describe []string
	for n := range c.Len() {
		p := c.Pair(n)
		require.Equal(t, p.Kind, c.Kind(n))
		text := fmt.Sprint(p.Kind, p.HasIgnored, p.Method, p.Subject)
		for _, e := range []*End{p.A, p.B} {
			if e != nil {
				text += fmt.Sprintf(" %d-%d", e.Request, e.Response)
			}
		}
		describe = append(describe, text)
	}
	require.Equal(t, []string{
		"1 falsetools/list 1-2 1-2",
		"3 falseping 3-4",
		"0 truetools/callt 5-6 5-6",
		"2 falseresources/readx:1 7-8",
	}, describe)
	require.Equal(t, match.Pointer("/result/tools/b/title"), c.Pair(0).First.Pointer)
	require.Equal(t, ClassExtra, c.Pair(1).First.Class)
	require.Nil(t, c.Pair(2).First)
	require.Equal(t, time.Millisecond, c.Pair(0).A.Took)
	require.True(t, c.Pair(3).A.Failed)
	require.Equal(t, 2, c.Report.Compared)
	require.Equal(t, 1, c.Report.Equal)
}

// TestLookShowsBothSides checks that the pointers of differences refer to the documents of a Look.
func TestLookShowsBothSides(t *testing.T) {
	c, err := Explore(t.Context(), written(t, exploredA...), written(t, exploredB...), Options{})
	require.NoError(t, err)
	for range 2 { // looking changes nothing
		look, err := c.Look(t.Context(), 0, 1<<20)
		require.NoError(t, err)
		require.JSONEq(t, `{"params":{},"result":{"tools":{"a":{"name":"a"},"b":{"name":"b","title":"B"},"c":{"name":"c"}}}}`, string(look.A))
		require.Len(t, look.Differences, 1)
		at := look.Differences[0].Pointer
		require.Equal(t, match.Pointer("/result/tools/b/title"), at)
		require.Equal(t, `"B"`, string(match.At(look.A, at)))
		require.Equal(t, `"Bee"`, string(match.At(look.B, at)))
	}

	look, err := c.Look(t.Context(), 1, 1<<20)
	require.NoError(t, err)
	require.Nil(t, look.A)
	require.JSONEq(t, `{"params":{},"result":{}}`, string(look.B))
	require.Equal(t, ClassExtra, look.Differences[0].Class)

	look, err = c.Look(t.Context(), 2, 1<<20)
	require.NoError(t, err)
	require.Equal(t, match.Pointer("/result/at"), look.Masked[0].Pointer)
	require.Equal(t, ClassEnvelope, look.Differences[0].Class)

	look, err = c.Look(t.Context(), 3, 1<<20)
	require.NoError(t, err)
	require.JSONEq(t, `{"params":{"uri":"x:1"},"error":{"code":1,"message":"no"}}`, string(look.A))

	_, err = c.Look(t.Context(), 0, 100)
	require.ErrorIs(t, err, ErrTooLong)
	require.Len(t, c.Report.Differences, 4, "the report is unchanged")
}

// TestExploreReportsAsCompare checks that Explore and Compare return the same report.
func TestExploreReportsAsCompare(t *testing.T) {
	a, b := written(t, exploredA...), written(t, exploredB...)
	c, err := Explore(t.Context(), a, b, Options{})
	require.NoError(t, err)
	report, err := Compare(t.Context(), a, b, Options{})
	require.NoError(t, err)
	require.Equal(t, report, c.Report)
}

// TestPages: a difference of a list is placed at the page with the item, in the report and
// when its pair is opened.
func TestPages(t *testing.T) {
	const x, y, z = `{"name":"x"}`, `{"name":"y","title":"Y"}`, `{"name":"z"}`
	a := written(t, pages(x, y, z)...)                                                                     // responses are entries 3, 5, 7
	b := written(t, append(call(`"result":{}`), pages(z+","+x, `{"name":"y"}`, `{"name":"w"}`)[1:]...)...) // 5, 7, 9
	both, err := Explore(t.Context(), a, b, Options{Skip: nil})
	require.NoError(t, err)
	var got []string
	for _, d := range both.Report.Differences {
		if d.Method != "tools/list" {
			continue
		}
		got = append(got, fmt.Sprintf("%s %s %d %d", d.Class, d.Pointer, d.A.N, d.B.N))
		pair, ok := both.Find(&d)
		require.True(t, ok)
		require.Equal(t, "tools/list", both.Pair(pair).Method)
		if d.Pointer == "/result/tools/y/title" {
			row, ok := both.Page(pair, false, d.Pointer)
			require.True(t, ok)
			require.Equal(t, d.A.Row, row)
			row, ok = both.Page(pair, true, d.Pointer)
			require.True(t, ok)
			require.Equal(t, d.B.Row, row)
		}
	}
	require.Equal(t, []string{"result /result/tools/y/title 5 7", "result /result/tools/w 3 9", "order /result/tools 3 5"}, got)

	_, ok := both.Page(0, true, "/result/tools/missing")
	require.False(t, ok)
	_, ok = both.Find(&Difference{i: alone, j: alone})
	require.False(t, ok)
	broken := append(pages(x, y)[:4], `< {"id":1,"error":{"code":-1,"message":"no"}}`)
	r := compared(t, pages(x, y), broken, Options{})
	require.EqualValues(t, 3, r.First.A.N)
	require.EqualValues(t, 5, r.First.B.N, "the page that failed")
}

// TestNotCompared: the handshake and the lists that a part of a session lacks are counted.
func TestNotCompared(t *testing.T) {
	part := call(`"result":{}`)
	whole := slices.Concat([]string{started,
		`> {"id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
		`< {"id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
		`> {"id":"l","method":"tools/list"}`, `< {"id":"l","result":{"tools":[]}}`,
	}, part[1:])
	for _, r := range []*Report{compared(t, whole, part, Options{}), compared(t, part, whole, Options{})} {
		require.False(t, r.Differs)
		require.Equal(t, 2, r.NotCompared)
		var out strings.Builder
		require.NoError(t, r.WriteText(&out, TextOptions{}))
		require.Contains(t, out.String(), "1 call compared, 1 equal, 0 differ, 2 not compared (only one side has the handshake or the list): the same\n")
	}
}
