package exchange_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
)

func TestTimesOf(t *testing.T) {
	whole := exchange.Span{From: 100, To: 200}
	for name, tc := range map[string]struct {
		waits  []exchange.Span
		person int64
	}{
		"none":         {nil, 0},
		"inside":       {[]exchange.Span{{120, 150}}, 30},
		"overlap":      {[]exchange.Span{{140, 160}, {120, 150}}, 40},
		"contained":    {[]exchange.Span{{120, 180}, {130, 140}}, 60},
		"open":         {[]exchange.Span{{190, exchange.Open}}, 10},
		"around":       {[]exchange.Span{{0, 1000}}, 100},
		"elsewhere":    {[]exchange.Span{{0, 50}, {300, 400}}, 0},
		"back in time": {[]exchange.Span{{150, 120}}, 0},
	} {
		require.Equal(t, exchange.Times{Total: 100, Person: tc.person, Server: 100 - tc.person}, exchange.TimesOf(whole, tc.waits), name)
	}
	require.Equal(t, exchange.Times{}, exchange.TimesOf(exchange.Span{From: 5, To: 3}, nil), "a clock that goes back")
}

// The lines of a log, one each millisecond.
const (
	call1   = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	call2   = `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`
	result1 = `< {"jsonrpc":"2.0","id":1,"result":{}}`
	result2 = `< {"jsonrpc":"2.0","id":2,"result":{}}`
	asks    = `< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`
	asks2   = `< {"jsonrpc":"2.0","id":"r","method":"elicitation/create","params":{}}`
	answer  = `> {"jsonrpc":"2.0","id":"q","result":{}}`
	answer2 = `> {"jsonrpc":"2.0","id":"r","result":{}}`
	pass    = `"k":"note","text":"a millisecond"`
	cancel2 = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	task1   = `< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"T","status":"working"}}`
	poll    = `> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"T"}}`
	needs   = `< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":"T","status":"input_required","inputRequests":{}}}`
	update  = `> {"jsonrpc":"2.0","id":4,"method":"tasks/update","params":{"taskId":"T"}}`
	updated = `< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete"}}`
	about   = `< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}}}`
	input1  = `< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s","inputRequests":{}}}`
	closed  = `"k":"closed"`
	round2  = `> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a","requestState":"s","inputResponses":{}}}`
	cancel1 = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	late1   = `"k":"state","state":"timed-out","of":2,"id":1`
	// withdraw cancels the question with an id that is escaped in another way.
	withdraw = `< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0071"}}`
)

func TestTable(t *testing.T) {
	for name, tc := range map[string]struct {
		lines    []string
		requests []int // rows
		want     exchange.Times
	}{
		"a call":              {[]string{call1, pass, result1}, []int{1}, exchange.Times{Total: 2000, Server: 2000}},
		"waits for a person":  {[]string{call1, asks, pass, pass, answer, result1}, []int{1}, exchange.Times{Total: 5000, Person: 3000, Server: 2000}},
		"two at once":         {[]string{call1, asks, asks2, answer, answer2, result1}, []int{1}, exchange.Times{Total: 5000, Person: 3000, Server: 2000}},
		"never answered":      {[]string{call1, asks, pass, result1}, []int{1}, exchange.Times{Total: 3000, Person: 2000, Server: 1000}},
		"of the server":       {[]string{call1, asks, pass, answer, result1}, []int{2}, exchange.Times{Total: 2000, Person: 2000}},
		"two calls":           {[]string{call1, call2, asks, answer, result1, result2}, []int{1}, exchange.Times{Total: 4000, Server: 4000}},
		"the other cancelled": {[]string{call1, call2, cancel2, asks, answer, result1}, []int{1}, exchange.Times{Total: 5000, Person: 1000, Server: 4000}},
		"the other lost":      {[]string{call2, closed, rectest.Started, call1, asks, answer, result1}, []int{4}, exchange.Times{Total: 3000, Person: 1000, Server: 2000}},
		"rounds":              {[]string{call1, input1, pass, pass, call2, pass, result2}, []int{1, 5}, exchange.Times{Total: 6000, Person: 3000, Server: 3000}},
		"a task that needs input": {
			[]string{call1, task1, pass, poll, needs, pass, update, updated}, []int{1, 4, 7}, exchange.Times{Total: 7000, Person: 2000, Server: 5000},
		},
		"withdrawn":     {[]string{call1, asks, pass, withdraw, pass, result1}, []int{1}, exchange.Times{Total: 5000, Person: 2000, Server: 3000}},
		"of a task":     {[]string{call1, task1, call2, poll, about, pass, answer, needs, result2}, []int{4}, exchange.Times{Total: 4000, Person: 2000, Server: 2000}},
		"beside a task": {[]string{call1, task1, call2, poll, about, pass, answer, needs, result2}, []int{3}, exchange.Times{Total: 6000, Server: 6000}},
	} {
		t.Run(name, func(t *testing.T) {
			src := rectest.Session(t, append([]string{rectest.Started}, tc.lines...)...)
			if len(tc.requests) > 1 {
				require.Equal(t, tc.want, exchange.NewTable(src).TimesOfRounds(tc.requests))
				return
			}
			request, _ := session.RowAt(src, tc.requests[0])
			response, ok := session.PartnerOf(src, request)
			require.True(t, ok)
			require.Equal(t, tc.want, exchange.NewTable(src).Times(tc.requests[0], request, response))
		})
	}
}

// TestGivenUpLater checks that the end of a call does not change what was known when the
// server asked: rows show only the last state of a request.
func TestGivenUpLater(t *testing.T) {
	for name, end := range map[string]string{"cancelled": cancel1, "timed out": late1} {
		src := rectest.Session(t, rectest.Started, call1, asks, pass, answer, end)
		table := exchange.NewTable(src)
		_, ok := table.GivenUp(2)
		require.False(t, ok, "another row")
		at, ok := table.GivenUp(1)
		require.True(t, ok, name)
		require.EqualValues(t, 5000, at, name)
		require.Equal(t, exchange.Times{Total: 4000, Person: 2000, Server: 2000}, table.Between(1, 5, exchange.Span{From: 1000, To: at}), name)

		src = rectest.Session(t, rectest.Started, call2, call1, asks, answer, result1, cancel2)
		require.Equal(t, exchange.Times{Total: 3000, Server: 3000}, exchange.NewTable(src).TimesOfRounds([]int{2}), "two were in flight")
	}
}

// TestManyCallsAtOnce checks that a request of the server belongs to no call while there
// are many, and to the only one that is left.
func TestManyCallsAtOnce(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 200 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":"p%d","method":"tools/call","params":{}}`, i))
	}
	lines = append(lines, call1, asks, answer)
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":"p%d","result":{}}`, i),
			fmt.Sprintf(`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"p%d"}}`, 100+i))
	}
	lines = append(lines, asks2, pass, answer2, result1)
	src := rectest.Session(t, lines...)
	require.Equal(t, exchange.Times{Total: 206_000, Person: 2000, Server: 204_000}, exchange.NewTable(src).TimesOfRounds([]int{201}))
}

// TestRunning checks which exchanges are in flight at the end of a log: a call until its
// answer, cancellation or the end of the process, with all that belongs to it.
func TestRunning(t *testing.T) {
	for name, tc := range map[string]struct {
		lines []string
		want  []int // rows
	}{
		"none":                       {nil, nil},
		"two calls":                  {[]string{call1, call2}, []int{1, 2}},
		"answered":                   {[]string{call1, call2, result1}, []int{2}},
		"cancelled":                  {[]string{call1, call2, cancel2}, []int{1}},
		"timed out":                  {[]string{pass, call1, late1}, nil},
		"its process ended":          {[]string{call1, closed}, nil},
		"asks during it":             {[]string{call1, asks}, []int{1}},
		"asked by the server alone":  {[]string{asks}, []int{1}},
		"asked during one of two":    {[]string{call1, call2, asks}, []int{1, 2, 3}},
		"waits for its second round": {[]string{call1, input1}, nil},
		"in its second round":        {[]string{call1, input1, round2}, []int{1}},
		"a task":                     {[]string{call1, task1, call2, poll}, []int{1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			src := rectest.Session(t, append([]string{rectest.Started}, tc.lines...)...)
			table := exchange.NewTable(src)
			require.NoError(t, table.Follow(t.Context(), src.Len()-1))
			require.Equal(t, tc.want, table.Running())
			require.Empty(t, table.At(src, src.Len()).Running(), "follows nothing")
		})
	}

	lines := []string{rectest.Started}
	for i := range 200 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	src := rectest.Session(t, lines...)
	table := exchange.NewTable(src)
	require.NoError(t, table.Follow(t.Context(), src.Len()-1))
	running := table.Running()
	require.Len(t, running, 64)
	require.Equal(t, 1, running[0], "the oldest")
	require.Equal(t, 64, running[63])
}

// TestFollowEnds checks that a long log is read only until the context ends.
func TestFollowEnds(t *testing.T) {
	lines := []string{rectest.Started}
	for range 5000 {
		lines = append(lines, pass)
	}
	src := &rowsRead{Source: rectest.Session(t, lines...)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	table := exchange.NewTable(src)
	require.ErrorIs(t, table.Follow(ctx, src.Len()-1), context.Canceled)
	require.Less(t, src.rows, 2000)
	require.NoError(t, table.Follow(t.Context(), src.Len()-1))
	require.Equal(t, src.Len(), src.rows)
}

// rowsRead counts the rows that are read.
type rowsRead struct {
	session.Source
	rows int
}

func (s *rowsRead) Rows(from int, dst []session.Row) int {
	n := s.Source.Rows(from, dst)
	s.rows += n
	return n
}
