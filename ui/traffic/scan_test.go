package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/filter"
)

// passing returns the rows that the traffic lists under a filter.
func (s *stage) passing() []uint32 { return append([]uint32{}, s.traffic.Listed().All()...) }

// passing applies a filter to a whole log, row by row.
func passing(log session.Source, f *filter.Filter) []uint32 {
	rows := make([]session.Row, log.Len())
	log.Rows(0, rows)
	m := f.Matcher(log)
	want := []uint32{}
	for i, row := range rows {
		if (row.Kind == session.KindStdin || row.Kind == session.KindStdout || f.NamesKind(row.Kind)) && m.Match(i, row) {
			want = append(want, uint32(i))
		}
	}
	return want
}

// TestFilterInSteps checks that a filter shows what it has found so far, the newest rows
// first, and its progress.
func TestFilterInSteps(t *testing.T) {
	log := uitest.NewLog(t)
	uitest.AppendTraffic(t, log, 3*stepRows)
	s := onLog(t, log, Wire)
	f := parsed(t, "kind:error")
	cmd := s.traffic.SetFilter(f)
	require.Contains(t, s.Text(), "filter kind:error 0%")

	next := cmd().(host.Message).Deliver(s.Context())
	want := passing(log, f)
	got := s.passing()
	require.Contains(t, s.Text(), " 33%")
	require.NotEmpty(t, got)
	require.Less(t, len(got), len(want))
	require.Equal(t, want[len(want)-len(got):], got, "the newest rows")

	uitest.AppendTraffic(t, log, 100) // during the scan
	s.grown()
	s.Run(next)
	require.Equal(t, passing(log, f), s.passing())
	require.NotContains(t, s.line(1), "%")
}

// TestFilterFindsAll checks that the filter lists the same rows as a brute-force search,
// for any number of rows.
func TestFilterFindsAll(t *testing.T) {
	path := rectest.Calls(t, 3*stepRows/4, 2)
	var want []uint32
	for _, n := range rectest.SlowErrors(t, path, 100*time.Millisecond) {
		want = append(want, uint32(n-1))
	}
	require.Greater(t, len(want), stepRows/4)
	log, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	s := onLog(t, log, Wire)
	s.Run(s.traffic.SetFilter(parsed(t, "err >100ms")))
	require.Equal(t, want, s.passing())
	require.Contains(t, s.Text(), fmt.Sprintf("2 Messages %s of %s rows  filter err >100ms", wording.Thousands(len(want)), wording.Thousands(len(s.ws.Shown.Index.Traffic.All()))))
}

// TestFilterGivenUp checks that results of a replaced filter are dropped.
func TestFilterGivenUp(t *testing.T) {
	log := uitest.NewLog(t)
	uitest.AppendTraffic(t, log, 2*stepRows)
	s := onLog(t, log, Wire)
	old := s.traffic.SetFilter(parsed(t, "method:ping"))
	now := parsed(t, "kind:error")
	cmd := s.traffic.SetFilter(now)
	require.Nil(t, old().(host.Message).Deliver(s.Context()))
	require.Empty(t, s.passing())
	s.Run(cmd)
	require.Equal(t, passing(log, now), s.passing())
	require.Nil(t, s.traffic.SetFilter(nil))
	require.Equal(t, len(s.ws.Shown.Index.Traffic.All()), s.traffic.Len())
}

// TestFilterFollowsStates checks that the outcome of a request changes whether it passes.
func TestFilterFollowsStates(t *testing.T) {
	for name, end := range map[string]func(p *uitest.Process){
		"failed": func(p *uitest.Process) { p.Out(`{"id":5,"error":{"code":1,"message":""}}`) },
		"lost":   func(p *uitest.Process) { p.Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{"err", "!err"} {
				x := &uitest.Server{}
				live(t, x, Wire, func(t *testing.T, s *stage) {
					f := parsed(t, text)
					s.Run(s.traffic.SetFilter(f))
					s.send(`{"id":5,"method":"sleep"}`)
					s.send(`{"method":"notifications/x"}`)
					request := uint32(s.Row(`"sleep"`))
					require.Equal(t, text == "!err", slices.Contains(s.passing(), request))
					end(x.Latest())
					synctest.Wait()
					s.grown()
					require.Equal(t, text == "err", slices.Contains(s.passing(), request))
					require.Equal(t, passing(s.ws.Shown.Source, f), s.passing())
				})
			}
		})
	}
}

// TestFilterProperty checks that, however a log grows during a scan, in the end exactly
// the matching rows are listed.
func TestFilterProperty(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 7))
		texts := []string{"err", "!err", "kind:request", "method:m1", "id:3", "kind:stderr or err", "<1h", "text"}
		f := parsed(t, texts[random.IntN(len(texts))])
		log := uitest.NewLog(t)
		s := onLog(t, log, Wire)
		refresh := func() tea.Cmd {
			s.traffic.Keep()
			s.Panes(s.ws).Refresh()
			return s.lists.Grown()
		}
		var steps []tea.Cmd
		for i := range 300 {
			require.NoError(t, log.Append([]session.Entry{randomEntry(random)}))
			if i == 100 {
				steps = append(steps, s.traffic.SetFilter(f))
			}
			if random.IntN(4) == 0 {
				steps = append(steps, refresh())
			}
			if random.IntN(3) == 0 { // messages arrive at random
				for _, cmd := range steps {
					s.Run(cmd)
				}
				steps = nil
			}
		}
		for _, cmd := range append(steps, refresh()) {
			s.Run(cmd)
		}
		require.Equal(t, passing(log, f), s.passing(), "seed %d: %s", seed, f)
	}
}

func randomEntry(random *rand.Rand) session.Entry {
	id := random.IntN(12)
	e := session.Entry{Kind: session.KindStdin, EOL: framing.LF}
	switch random.IntN(9) {
	case 0, 1, 2:
		e.Payload = fmt.Appendf(nil, `{"id":%d,"method":"m%d"}`, id, id%3)
	case 3, 4:
		e.Kind, e.Payload = session.KindStdout, fmt.Appendf(nil, `{"id":%d,"result":{}}`, id)
	case 5:
		e.Kind, e.Payload = session.KindStdout, fmt.Appendf(nil, `{"id":%d,"error":{}}`, id)
	case 6:
		e.Payload = fmt.Appendf(nil, `{"method":"notifications/cancelled","params":{"requestId":%d}}`, id)
	case 7:
		return session.Entry{Kind: session.KindStderr, Payload: []byte("some text"), EOL: framing.LF}
	default:
		if random.IntN(10) == 0 {
			return session.NewEntry(session.KindClosed, 0, session.ClosedBody{})
		}
		return session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", ID: fmt.Appendf(nil, "%d", id)})
	}
	e.Msg = framing.Scan(e.Payload)
	return e
}

// TestSearchIsCounted checks that the title shows the number of matches and which one is
// selected.
func TestSearchIsCounted(t *testing.T) {
	log := uitest.NewLog(t)
	uitest.AppendTraffic(t, log, 2*stepRows)
	s := onLog(t, log, Wire)
	s.act(kit.Top)
	require.NoError(t, s.lists.SetSearch("no such tool"))
	cmd := s.lists.Start(TrafficList)
	require.Contains(t, s.line(1), "/no such tool ? of 0+")
	s.Run(cmd)
	s.settle()
	require.Contains(t, s.line(1), "/no such tool 1 of 3,312 ")
	for range 2 {
		s.Run(s.lists.FindNext(TrafficList, 1))
		s.settle()
	}
	require.Contains(t, s.line(1), " 3 of 3,312 ")
	s.act(kit.Down)
	require.NotContains(t, s.line(1), " of ")

	before := len(s.lists.Search.Count.Rows)
	uitest.AppendTraffic(t, log, 100)
	s.grown()
	require.Greater(t, len(s.lists.Search.Count.Rows), before, "new rows are counted too")
	s.Run(s.lists.SetFilter(parsed(t, "method:ping")))
	require.Less(t, len(s.lists.Search.Count.Rows), before, "only shown rows are counted")
	require.NoError(t, s.lists.SetSearch(""))
	require.Nil(t, s.lists.Search)
	require.NotContains(t, s.line(1), "no such tool")
}

// TestHighlight checks that search text is marked wherever lists show it, until the
// search ends.
func TestHighlight(t *testing.T) {
	log := uitest.NewLog(t)
	uitest.Append(t, log, `< {"jsonrpc":"2.0","id":1,"method":"Needle in hay, needle"}`, `< {"jsonrpc":"2.0","id":2,"method":"x"}`)
	h := uitest.NewHost(t, uitest.NewWorkspace(t, log), 160, 36)
	h.Colours()
	s := newStage(t, h, Wire)
	match := s.Screen().Theme.Match
	require.NoError(t, s.lists.SetSearch("needle"))
	s.act(kit.Bottom)
	for _, text := range []string{"Needle", "needle"} {
		require.Contains(t, s.Frame(), match.On+text+match.Off, "row other than the selected one")
	}
	require.NoError(t, s.lists.SetSearch(""))
	require.NotContains(t, s.Frame(), match.On)
	require.NoError(t, s.lists.SetSearch("größe"))
	require.NotContains(t, s.Frame(), match.On, "text that is not ASCII is found but not marked")
}

// TestFilterFindsExchanges checks that an exchange passes a filter if its request or its
// response does, and is listed once.
func TestFilterFindsExchanges(t *testing.T) {
	s := onLog(t, uitest.Everything(t), Exchanges)
	for text, want := range map[string]int{
		"Unknown tool":          1, // only in a response
		"nope":                  1, // in both halves
		"tool:echo":             1,
		"err":                   7, // one was pending when the server ended
		"says it again":         1,
		"method:tools/call":     3,
		"kind:response":         9,
		"nothing contains this": 0,
	} {
		s.Run(s.traffic.SetFilter(parsed(t, text)))
		require.Equal(t, want, s.traffic.Len(), "%s\n%s", text, s.Text())
	}
}

// TestFilterCountsExchanges checks that the title counts the exchanges that pass, not the
// rows of them, while the log grows and requests end.
func TestFilterCountsExchanges(t *testing.T) {
	const call = `> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":%d}}}`
	const progress = `< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`
	for text, want := range map[string][2]int{
		"kind:request":                          {1, 3},
		"kind:notification":                     {1, 3},
		"kind:request or kind:notification":     {1, 3},
		"kind:stderr":                           {0, 0},
		"kind:stderr or method:tools/call":      {0, 2},
		"!err and !kind:notification":           {1, 2}, // the second call fails
		"err or kind:notification":              {1, 3},
		"!err or method:notifications/progress": {1, 3},
	} {
		log := uitest.NewLog(t)
		s := onLog(t, log, Exchanges)
		add := func(lines ...string) {
			uitest.Append(t, log, lines...)
			s.grown()
		}
		title := func(passing, all int) {
			require.Contains(t, s.Text(), fmt.Sprintf("2 Calls %d of %d rows  filter %s", passing, all, text), s.Text())
		}
		add(`> {"jsonrpc":"2.0","id":"a","method":"server/discover"}`, `< {"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}`,
			`> {"jsonrpc":"2.0","id":"b","method":"initialize"}`, `< {"jsonrpc":"2.0","id":"b","result":{"protocolVersion":"2025-11-25"}}`,
			`> {"jsonrpc":"2.0","method":"notifications/initialized"}`, `! ready`)
		s.Run(s.traffic.SetFilter(parsed(t, text)))
		title(want[0], 1)
		for id := range 2 {
			add(fmt.Sprintf(call, id, id))
			for range 3 {
				add(fmt.Sprintf(progress, id))
			}
		}
		add(`< {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, `< {"jsonrpc":"2.0","id":0,"result":{}}`)
		title(want[1], 3)
		s.Run(s.traffic.SetFilter(parsed(t, text)))
		title(want[1], 3)
	}
}

// TestSearchStopsOncePerExchange checks that the search for a text that both halves of an
// exchange contain goes on to the next exchange.
func TestSearchStopsOncePerExchange(t *testing.T) {
	s := onLog(t, uitest.Everything(t), Exchanges)
	s.act(kit.Top)
	require.NoError(t, s.lists.SetSearch("nope"))
	s.Run(s.lists.Start(TrafficList))
	s.settle()
	require.Regexp(t, `>✗ +0:00.01  nope +failed -32602: `, s.Text())
	first := s.cursor()
	s.Run(s.lists.FindNext(TrafficList, 1))
	s.settle()
	require.Equal(t, first, s.cursor(), "there is no other")
	s.act(kit.Top)
	s.Run(s.lists.FindError(1))
	s.settle()
	require.Equal(t, first, s.cursor())
	s.Run(s.lists.FindError(1))
	s.settle()
	require.NotEqual(t, first, s.cursor())
}

// TestFailedCalls checks that e stops at calls that failed or have no answer, and not at
// bytes that the user sent or answers that belong to no call.
func TestFailedCalls(t *testing.T) {
	for _, view := range []View{Exchanges, Wire} {
		s := onLog(t, rectest.Session(t, rectest.Started,
			`> {"jsonrpc":"2.0","id":0,"method":"ping"}`, `< {"jsonrpc":"2.0","id":0,"result":{}}`,
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, `< {"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}`,
			`"k":"act","act":"raw"`, `> {"jsonrpc":"2.0","id":2,"method":"nope"}`, `< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`,
			`< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`,
			`> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"b"}}`, `"k":"exited","code":1`, `"k":"closed"`), view)
		failed, lost := s.Row(`"isError"`), s.Row(`"name":"b"`)
		if view == Exchanges {
			failed = s.Row(`"name":"a"`)
		}
		s.grown()
		s.act(kit.Top)
		for _, step := range []struct {
			by, row int
			says    string
		}{{1, failed, ""}, {1, lost, ""}, {1, failed, "continued at the top"}, {-1, lost, "continued at the bottom"}, {-1, failed, ""}} {
			s.Run(s.lists.FindError(step.by))
			s.settle()
			require.Equal(t, step.row, s.cursor(), "%v %v", view, step)
			if step.says != "" {
				require.Equal(t, step.says, s.Said())
			}
		}
	}
}

// TestHandshakeRowFollows checks that the row of the handshake always shows its latest
// state, however many rows are between its messages.
func TestHandshakeRowFollows(t *testing.T) {
	for between := range 64 {
		log := uitest.NewLog(t)
		s := onLog(t, log, Exchanges)
		write := func(line string) {
			uitest.Append(t, log, line)
			s.Text() // before the index has the row
		}
		add := func(line string) {
			write(line)
			s.grown()
			s.Text()
		}
		add(`> {"jsonrpc":"2.0","id":"mcpdbg-1","method":"server/discover","params":{}}`)
		for range between / 8 {
			add("! starting")
		}
		add(`< {"jsonrpc":"2.0","id":"mcpdbg-1","error":{"code":-32601,"message":"Method not found"}}`)
		write(`> {"jsonrpc":"2.0","id":"mcpdbg-2","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpdbg","version":"1"}}}`)
		for range between % 8 {
			write("! trying again")
		}
		add(`< {"jsonrpc":"2.0","id":"mcpdbg-2","result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"}}}`)
		require.Regexp(t, `handshake +2025-11-25 +x 1 `, s.Text(), strings.Repeat("|", between))
	}
}

// TestFilterListsALineOnce checks that a filter lists a line in parts once, whichever part
// it finds, also if that arrives later.
func TestFilterListsALineOnce(t *testing.T) {
	log := uitest.NewLog(t)
	part := func(seq uint64, text string, more bool) session.Entry {
		return session.Entry{Kind: session.KindStdout, Seq: seq, Payload: []byte(text), More: more}
	}
	add := func(entries ...session.Entry) { require.NoError(t, log.Append(entries)) }
	add(part(1, "one needle", true), part(2, "two needle", true), part(3, "end", false), part(4, "other", true))
	s := onLog(t, log, Exchanges)
	s.Run(s.traffic.SetFilter(parsed(t, "needle")))
	require.Equal(t, []uint32{0}, s.passing())
	add(part(5, "needle", true), part(6, "needle", false))
	s.grown()
	require.Equal(t, []uint32{0, 3}, s.passing())
	s.Run(s.traffic.SetFilter(parsed(t, "end")))
	require.Equal(t, []uint32{0}, s.passing())
}

// countedReads counts the messages that are read to apply a filter.
type countedReads struct {
	session.Source
	read int
}

func (c *countedReads) Entry(r session.Row, limit int) (session.Entry, error) {
	if limit != 1 { // of session.LineParts
		c.read++
	}
	return c.Source.Entry(r, limit)
}

// TestFilterReadsAPartOnce checks that a part which arrives is matched alone, without the
// earlier parts of its line.
func TestFilterReadsAPartOnce(t *testing.T) {
	log := uitest.NewLog(t)
	src := &countedReads{Source: log}
	const parts = 50
	s := newScan(0, src, listing{view: Exchanges, filter: parsed(t, "needle")}, 0)
	for i := range parts {
		text := "hay"
		if i == parts-1 {
			text = "needle"
		}
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Seq: uint64(i + 1), Payload: []byte(text), More: true}}))
		found := s.step(log.Len())().(scanned)
		require.Empty(t, found.back)
		require.Equal(t, i == parts-1, len(found.changed) == 1 && found.changed[0] == verdict{0, true})
	}
	require.LessOrEqual(t, src.read, 2*parts)
}
