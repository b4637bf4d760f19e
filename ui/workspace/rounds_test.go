package workspace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// The lines of a modern server from row 3 on; the handshake is rows 1 and 2.
var modern = []string{
	rectest.Started,
	`> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{}}`,
	`< {"jsonrpc":"2.0","id":0,"result":{"supportedVersions":["2026-07-28"]}}`,
}

// call is a request of a tool with further params.
func call(id int, tool, more string) string {
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s"%s}}`, id, tool, more)
}

// asks is a result that asks for input, with a requestState as JSON.
func asks(id int, state string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"resultType":"input_required","inputRequests":{"confirm":{"method":"elicitation/create"}},"requestState":%s}}`, id, state)
}

// with are the params of a request that is sent again.
func with(state string) string {
	return `,"inputResponses":{"confirm":{"action":"accept"}},"requestState":` + state
}

func done(id int) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","content":[]}}`, id)
}

func progress(token string) string {
	return `< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}`
}

func cancel(id string) string {
	return `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// again is the act before the request that continues the one of an entry.
func again(entry int) string {
	return fmt.Sprintf(`"k":"act","act":"again","of":%d,"detail":"tools/call"`, entry)
}

// TestRounds checks which requests are rounds of one exchange. The rows of the
// messages begin at 3, those of entries at 4.
func TestRounds(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		lines      []string
	}{
		{"by the state", "1 3", []string{call(1, "a", ""), asks(1, `"s"`), call(2, "a", with(`"s"`)), done(2)}},
		{"three rounds", "1 3", []string{call(1, "a", ""), asks(1, `"s"`), call(2, "a", with(`"s"`)), asks(2, `"t"`), call(3, "a", with(`"t"`)), done(3)}},
		{"an escaped state", "1 3", []string{call(1, "a", ""), asks(1, `"s<1>"`), call(2, "a", with(`"s\u003c1>"`)), done(2)}},
		{"a state that is an object", "1 3", []string{call(1, "a", ""), asks(1, `{"n":1.0}`), call(2, "a", with(`{"n":1.0}`)), done(2)}},
		{"another state", "1 3 5", []string{call(1, "a", ""), asks(1, `"s"`), call(2, "a", with(`"t"`)), done(2)}},
		{"another tool", "1 3 5", []string{call(1, "a", ""), asks(1, `"s"`), call(2, "b", with(`"s"`)), done(2)}},
		{"another method", "1 3 5", []string{call(1, "a", ""), asks(1, `"s"`), `> {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"a","requestState":"s"}}`}},
		{"no state", "1 3 5", []string{call(1, "a", ""), asks(1, `null`), call(2, "a", ""), done(2)}},
		{"a result that only mentions it", "1 3 5", []string{call(1, "a", ""), `< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","requestState":"s","x":"input_required"}}`, call(2, "a", with(`"s"`))}},
		{"recorded by the session", "1 3", []string{call(1, "a", ""), asks(1, `null`), again(4), call(2, "a", ""), done(2)}},
		{"recorded for another method", "1 3 6", []string{call(1, "a", ""), asks(1, `null`), again(4), `> {"jsonrpc":"2.0","id":2,"method":"ping"}`}},
		{"recorded for a result that does not ask", "1 3 6", []string{call(1, "a", ""), done(1), again(4), call(2, "a", "")}},
		{"recorded for an unknown entry", "1 3 6", []string{call(1, "a", ""), asks(1, `null`), again(400), call(2, "a", "")}},
		{"not before the answer", "1 3 4", []string{call(1, "a", ""), call(2, "a", with(`"s"`)), asks(1, `"s"`)}},
		{"two calls with one state", "1 3 4 7", []string{call(1, "a", ""), call(2, "a", ""), asks(1, `"s"`), asks(2, `"t"`), call(3, "a", ""), call(4, "a", with(`"t"`)), call(5, "a", with(`"s"`)), done(5), done(4)}},
		{"another process", "1 3 5 6", []string{call(1, "a", ""), asks(1, `"s"`), rectest.Started, call(2, "a", with(`"s"`))}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := rectest.Session(t, append(append([]string{}, modern...), tc.lines...)...)
			x := NewIndex()
			for x.Pull(log) {
			}
			require.Equal(t, tc.want, listed(x.Exchanges))
		})
	}
}

// threeRounds is a call with two further rounds, of which it waits for the last.
func threeRounds(t *testing.T, more ...string) *recordings.Recording {
	return rectest.Session(t, append(append(append([]string{}, modern...), call(1, "a", ""), asks(1, `"s"`), call(2, "a", with(`"s"`)), asks(2, `"t"`), call(3, "a", with(`"t"`)+`,"_meta":{"progressToken":3}`)), more...)...)
}

// TestRoundsOfAPendingCall checks that rounds are listed until the call is over,
// and what their rows are.
func TestRoundsOfAPendingCall(t *testing.T) {
	pending := threeRounds(t)
	x := NewIndex()
	x.Pull(pending)
	require.Equal(t, "1 3 4 5 7", listed(x.Exchanges))
	require.Equal(t, 2, x.Exchanges.Len(), "the title counts exchanges")
	for number, want := range map[int]int{3: 0, 4: 1, 5: 2, 6: 0, 7: 3} {
		row, _ := x.Exchanges.rows.At(number)
		n, ok := x.Exchanges.Round(number, &row)
		require.Equal(t, want, n, number)
		require.Equal(t, want > 0, ok, number)
		require.Equal(t, 3, x.Exchanges.Of(number))
	}
	last, n := x.Exchanges.LastRound(3)
	require.Equal(t, [2]int{7, 3}, [2]int{last, n})

	for _, end := range []string{done(3), `"k":"exited","code":1`} {
		over := threeRounds(t, end)
		x = NewIndex()
		x.Pull(over)
		require.Equal(t, "1 3", listed(x.Exchanges)[:3], end)
		require.Zero(t, x.Exchanges.parted)
		require.True(t, x.Exchanges.HasParts(3))
		require.True(t, x.Exchanges.Fold(3) || !x.Exchanges.Unfolded(3))
	}
}

// TestRoundsGrow checks that a log that grows has the same exchanges, row by row,
// as one that is read at once.
func TestRoundsGrow(t *testing.T) {
	log := threeRounds(t, progress("3"), done(3), call(4, "a", `,"_meta":{"progressToken":4}`), cancel("4"), progress("4"), done(4))
	live := grown(log)
	recorded := NewIndex()
	recorded.Pull(log)
	require.Equal(t, listed(recorded.Exchanges), listed(live.Exchanges))
	require.Equal(t, "1 3 10", listed(live.Exchanges))
	require.Equal(t, recorded.Exchanges.Links, live.Exchanges.Links)
	require.Equal(t, recorded.Exchanges.whole, live.Exchanges.whole)

	past := recorded.UpTo(&upTo{log, 7}, 7, 0)
	_, n := past.Exchanges.LastRound(3)
	require.Equal(t, 2, n, "an earlier moment has the rounds until then")
}

// upTo is the beginning of a recording.
type upTo struct {
	*recordings.Recording
	rows int
}

func (u *upTo) Len() int { return u.rows }

func (u *upTo) Rows(from int, dst []session.Row) int {
	return u.Recording.Rows(from, dst[:max(min(len(dst), u.rows-from), 0)])
}

// grown returns the index of a log that grows row by row.
func grown(log *recordings.Recording) *Index {
	x, until := NewIndex(), &upTo{log, 0}
	for until.rows < log.Len() {
		until.rows++
		x.Pull(until)
	}
	return x
}

// TestRoundsAreOneAnsweredCall checks that an exchange with several rounds counts
// once among the latencies, with the time that the server took.
func TestRoundsAreOneAnsweredCall(t *testing.T) {
	log := threeRounds(t, "\"k\":\"note\",\"text\":\"later\"", done(3))
	x := NewIndex()
	x.Pull(log)
	all := x.Latencies.Lines()[0]
	require.EqualValues(t, 1, all.N)
	require.EqualValues(t, 4000, all.Max, "1 ms, 1 ms and 2 ms")
	require.Equal(t, 3, all.Slowest)
	require.EqualValues(t, 3000, ReadAnswered(log, &x.Exchanges.Links, []uint32{4, 6, 9})[0].At)
}
