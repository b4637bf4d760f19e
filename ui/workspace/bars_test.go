package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
)

// TestBars checks how long exchanges took, and which parts of that were not the
// server's work.
func TestBars(t *testing.T) {
	log := &fakeLog{}
	log.add("start >initialize =1 >tools/call <elicitation/create ~ =4 =3 >tools/call ~ exit")
	ws := &Workspace{Shown: NewProjection(log), Clock: -1}
	for ws.Shown.Index.Pull(log) {
	}
	bars := NewBars(ws)
	shake, ok := bars.Of(1)
	require.True(t, ok)
	require.EqualValues(t, 1, shake.To-shake.From)
	call, _ := bars.Of(3)
	require.EqualValues(t, 2_000_004, call.To-call.From)
	took := ws.Times(3, exchange.Span(call.Span))
	require.EqualValues(t, 2_000_002, took.Person)
	require.EqualValues(t, 2, took.Server, "without the time until our response")
	require.EqualValues(t, 2, ws.Shown.Index.Latencies.All().Max)
	asked, ok := bars.Of(4)
	require.True(t, ok)
	require.EqualValues(t, 2_000_002, asked.To-asked.From)
	open, _ := bars.Of(7)
	require.True(t, open.Open)
	_, ok = bars.Of(5)
	require.False(t, ok, "a response")
	_, ok = bars.Of(99)
	require.False(t, ok)
	log.rows[7].State = session.ReqLost
	lost, _ := bars.Of(7)
	require.True(t, lost.Failed)
	require.EqualValues(t, 2_000_002, lost.To-lost.From, "until the process ended")
}

const (
	question  = `< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`
	withdrawn = `< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`
)

// TestTimesOfAPerson checks the times that a call waits for a person, in all the ways in
// which it can.
func TestTimesOfAPerson(t *testing.T) {
	const pass = `"k":"note","text":"a millisecond"`
	const reply = `> {"jsonrpc":"2.0","id":"q","result":{}}`
	for name, tc := range map[string]struct {
		lines    []string
		from, to int
		person   int64
	}{
		"question":  {[]string{call(1, "a", ""), question, pass, reply, done(1)}, 0, 4, 2000},
		"withdrawn": {[]string{call(1, "a", ""), question, pass, withdrawn, pass, done(1)}, 0, 5, 2000},
		"never":     {[]string{call(1, "a", ""), question, pass, pass, done(1)}, 0, 4, 3000},
		"rounds":    {[]string{call(1, "a", ""), asks(1, `"s"`), pass, call(2, "a", with(`"s"`)), pass, done(2)}, 0, 5, 2000},
		"one round": {[]string{call(1, "a", ""), asks(1, `"s"`), pass, call(2, "a", with(`"s"`)), pass, done(2)}, 3, 5, 0},
		"no input":  {[]string{call(1, "a", ""), asks(1, `"s"`), pass, pass}, 0, 3, 2000},
	} {
		t.Run(name, func(t *testing.T) {
			log := rectest.Session(t, append(append([]string{}, modern...), tc.lines...)...)
			ws := &Workspace{Shown: NewProjection(log), Clock: -1}
			for ws.Shown.Index.Pull(log) {
			}
			n := len(modern)
			end, _ := ws.Shown.Rows.At(n + tc.to)
			require.Equal(t, tc.person, ws.Took(n+tc.from, end).Person)
		})
	}
}

// TestCancelledCallsHaveATime checks that the bar of a call that was given up ends there,
// whatever arrives later, and that latencies count it, once, with that length.
func TestCancelledCallsHaveATime(t *testing.T) {
	const pass = `"k":"note","text":"a millisecond"`
	for name, tc := range map[string]struct {
		lines               []string
		took                int64
		cancelled, answered uint64
		failed              bool
	}{
		"cancelled":            {[]string{call(1, "a", ""), pass, cancel("1"), pass}, 2000, 1, 0, false},
		"cancelled twice":      {[]string{call(1, "a", ""), pass, cancel("1"), pass, cancel("1")}, 2000, 1, 0, false},
		"answered late":        {[]string{call(1, "a", ""), pass, cancel("1"), pass, done(1)}, 2000, 1, 0, false},
		"answered before":      {[]string{call(1, "a", ""), pass, pass, done(1), cancel("1")}, 3000, 0, 1, false},
		"second round":         {[]string{call(1, "a", ""), asks(1, `"s"`), call(2, "a", with(`"s"`)), pass, cancel("2")}, 4000, 1, 0, false},
		"asks, then cancelled": {[]string{call(1, "a", ""), question, pass, cancel("1")}, 3000, 1, 0, false},
		"by the server":        {[]string{question, pass, withdrawn, pass}, 2000, 0, 0, false},
		"timed out":            {[]string{call(1, "a", ""), pass, `"k":"state","state":"timed-out","of":4,"id":1`, pass}, 2000, 0, 0, true},
		"unreadable":           {[]string{call(1, "a", ""), pass, `"k":"stdout","more":true,"raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"`, `"k":"stdout","raw":"}}"`}, 2000, 0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			log := rectest.Session(t, append(append([]string{}, modern...), tc.lines...)...)
			ws := &Workspace{Shown: NewProjection(log), Clock: -1}
			for ws.Shown.Index.Pull(log) {
			}
			bar, ok := NewBars(ws).Of(len(modern))
			require.True(t, ok)
			require.Equal(t, tc.took, bar.To-bar.From)
			require.Equal(t, tc.failed, bar.Failed)
			require.False(t, bar.Open)
			all := ws.Shown.Index.Latencies.All()
			require.Equal(t, []uint64{tc.cancelled, tc.cancelled + tc.answered}, []uint64{all.Cancelled, all.N})
			if tc.cancelled > 0 {
				require.Equal(t, tc.took, all.Max+all.Person)
				require.Equal(t, all.Max, all.Median())
			}
			if named := ws.Shown.Index.Latencies.TakeUnnamed(10); tc.cancelled+tc.answered > 0 {
				read := ReadAnswered(log, &ws.Shown.Index.Exchanges.Links, named)
				require.Len(t, read, 1)
				require.Equal(t, "a", read[0].Tool)
				require.Equal(t, tc.cancelled > 0, read[0].Cancelled)
			}
		})
	}
}
