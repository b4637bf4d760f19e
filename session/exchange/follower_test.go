package exchange_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
)

var stepNames = map[exchange.StepKind]string{
	exchange.Opens: "opens", exchange.Answers: "answers", exchange.Unreadable: "unreadable", exchange.Duplicate: "duplicate",
	exchange.Unmatched: "unmatched", exchange.Informs: "informs", exchange.Cancels: "cancels", exchange.GivesUp: "gives up",
	exchange.Starts: "starts", exchange.Ends: "ends",
}

// steps returns what each row did, from the current row of c on: with the request and its
// state so far. An exchange that got lost is in parentheses.
func steps(t *testing.T, c *session.Cursor, f *exchange.Follower) []string {
	t.Helper()
	var out []string
	for c.Next() {
		number, _ := c.Row()
		all, err := f.Add(c)
		require.NoError(t, err)
		text := ""
		for _, s := range all {
			if s.Kind == exchange.Nothing {
				continue
			}
			text += " " + stepNames[s.Kind]
			if s.Known && s.Kind != exchange.Opens {
				text += fmt.Sprintf(" %d.%d", s.Of.Row, s.Of.Member)
			}
			if s.X != nil && s.Kind != exchange.Opens {
				text += " " + s.X.State.String()
				if s.X.Late {
					text += " late"
				}
			}
		}
		for _, x := range f.Lost() {
			text += fmt.Sprintf(" (%d.%d %s)", x.Request.Row, x.Request.Member, x.State)
		}
		if text != "" {
			out = append(out, fmt.Sprint(number)+text)
		}
	}
	return out
}

func TestFollower(t *testing.T) {
	const closed = `"k":"closed","seq":91`
	for name, tc := range map[string]struct{ lines, want []string }{
		"a late response": {
			[]string{rectest.Started, `> {"id":1,"method":"a"}`, `> {"method":"notifications/cancelled","params":{"requestId":1}}`, `< {"id":1,"result":{}}`, `< {"id":1,"result":{}}`},
			[]string{"0 starts", "1 opens", "2 cancels 1.0 cancelled", "3 answers 1.0 cancelled late", "4 duplicate 1.0"},
		},
		"an id used again": {
			[]string{rectest.Started, `> {"id":1,"method":"a"}`, `> {"id":1,"method":"b"}`, `< {"id":1,"result":{}}`, `< {"id":1,"result":{}}`, closed},
			[]string{"0 starts", "1 opens", "2 opens (1.0 lost)", "3 answers 2.0 answered", "4 duplicate 2.0", "5 ends"},
		},
		"an id used again in a batch": {
			[]string{rectest.Started, `> {"id":1,"method":"a"}`, `"k":"stdin","raw":"[{\"id\":2,\"method\":\"b\"},{\"id\":1,\"method\":\"c\"}]"`, `"k":"stdout","seq":1,"raw":"[{\"id\":1,\"result\":{}},{\"id\":2,\"error\":{}}]"`},
			[]string{"0 starts", "1 opens", "2 opens opens (1.0 lost)", "3 answers 2.1 answered answers 2.0 failed"},
		},
		"no id": {
			[]string{rectest.Started, `> {"id":null,"method":"a"}`, `< {"id":null,"error":{}}`, closed},
			[]string{"0 starts", "1 opens", "2 unmatched", "3 ends (1.0 lost)"},
		},
		"a response that can't be read": {
			[]string{rectest.Started, `> {"id":1,"method":"a"}`, `"k":"stdout","seq":1,"more":true,"eol":"","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"`, `"k":"stdout","seq":2,"raw":"}}"`, closed},
			[]string{"0 starts", "1 opens", "2 unreadable 1.0 lost", "4 ends"},
		},
		"a response after the end": {
			[]string{rectest.Started, `> {"id":1,"method":"a"}`, `"k":"exited","seq":9,"code":1`, `> {"id":2,"method":"a"}`, `< {"id":1,"result":{}}`, closed, `< {"id":2,"result":{}}`},
			[]string{"0 starts", "1 opens", "3 opens", "4 answers 1.0 answered", "5 ends (3.0 lost)", "6 unmatched"},
		},
		"progress": {
			[]string{rectest.Started, `> {"id":1,"method":"a","params":{"_meta":{"progressToken":7}}}`, `< {"method":"notifications/progress","params":{"progressToken":7}}`, `< {"id":1,"result":{}}`, `< {"method":"notifications/progress","params":{"progressToken":7}}`, `< {"method":"notifications/message"}`},
			[]string{"0 starts", "1 opens", "2 informs 1.0 pending", "3 answers 1.0 answered", "4 informs 1.0"},
		},
		"the server ends a subscription, and cancels a call in vain": {
			[]string{rectest.Started, `> {"id":1,"method":"subscriptions/listen"}`, `> {"id":2,"method":"a"}`, `< {"method":"notifications/cancelled","params":{"requestId":1}}`, `< {"method":"notifications/cancelled","params":{"requestId":2}}`},
			[]string{"0 starts", "1 opens", "2 opens", "3 cancels 1.0 cancelled", "4 cancels 2.0 pending"},
		},
		"a failed write, answered": {
			[]string{rectest.Started, `> {"id":1,"method":"a"}`, `"k":"write","of":2,"status":"stdin-closed"`, `< {"id":1,"result":{}}`},
			[]string{"0 starts", "1 opens", "2 gives up 1.0 lost", "3 answers 1.0 answered"},
		},
		"a timeout": {
			[]string{rectest.Started, `> {"id":1,"method":"a"}`, `"k":"state","state":"timed-out","of":2,"id":1`, rectest.Started},
			[]string{"0 starts", "1 opens", "2 gives up 1.0 timed-out", "3 starts (1.0 timed-out)"},
		},
		"another response to a member of a batch": {
			[]string{rectest.Started, `"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"},{\"id\":2,\"method\":\"b\"}]"`, `< {"id":2,"result":{}}`, `< {"id":2,"result":{}}`},
			[]string{"0 starts", "1 opens opens", "2 answers 1.1 answered", "3 duplicate 1.1"},
		},
		"a line of several writes": {
			[]string{rectest.Started, `"k":"stdin","eol":"","raw":"{\"id\":1,"`, `< {"id":1,"method":"roots/list"}`, `"k":"stdin","raw":"\"method\":\"a\"}"`, `> {"id":1,"result":{}}`, `< {"id":1,"error":{}}`},
			[]string{"0 starts", "2 opens", "3 opens", "4 answers 2.0 answered", "5 answers 3.0 failed"},
		},
	} {
		src := rectest.Session(t, tc.lines...)
		require.Equal(t, tc.want, steps(t, session.NewCursor(src), exchange.NewFollower(src)), name)
	}
}

// TestFollowerOfAGrowingLog tests that a Follower of a log that grows row by row finds the
// same as one of the whole log.
func TestFollowerOfAGrowingLog(t *testing.T) {
	for seed := range uint64(100) {
		lines := fuzzed(rand.New(rand.NewPCG(seed, 7)))
		src := rectest.Session(t, lines...)
		whole := steps(t, session.NewCursor(src), exchange.NewFollower(src))
		past := session.NewPast(src)
		c, f := session.NewCursor(past), exchange.NewFollower(past)
		var growing []string
		for k := range src.Len() + 1 {
			past.To(k)
			growing = append(growing, steps(t, c, f)...)
		}
		if !strings.Contains(strings.Join(lines, ""), "initialize") { // which makes a probe of an earlier request
			require.Equal(t, whole, growing, strings.Join(lines, "\n"))
		}
	}
}

// TestFollowerIsBounded tests requests that get no response.
func TestFollowerIsBounded(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 20_000 {
		lines = append(lines, fmt.Sprintf(`> {"id":%d,"method":"a"}`, i), fmt.Sprintf(`> {"method":"notifications/cancelled","params":{"requestId":%d}}`, i))
	}
	src := rectest.Session(t, append(lines, `> {"id":"last","method":"a"}`)...)
	c, f := session.NewCursor(src), exchange.NewFollower(src)
	steps(t, c, f)
	require.Less(t, len(f.Rest()), 16_500)
	pending := 0
	for x := range f.Waiting(true) {
		if x.State == session.ReqPending {
			require.EqualValues(t, 40_001, x.Request.Row)
			pending++
		}
	}
	require.Equal(t, 1, pending)
}

// manyPairs are lines after which the log keeps no further pairs of batches.
func manyPairs() []string {
	var ask, answer []string
	for id := range 65_000 {
		ask = append(ask, fmt.Sprintf(`{\"id\":%d,\"method\":\"a\"}`, id))
		answer = append(answer, fmt.Sprintf(`{\"id\":%d,\"result\":{}}`, id))
	}
	lines := []string{rectest.Started}
	for range 5 {
		lines = append(lines, `"k":"stdin","raw":"[`+strings.Join(ask, ",")+`]"`, `"k":"stdout","seq":1,"raw":"[`+strings.Join(answer, ",")+`]"`)
	}
	return lines
}

// TestUnknownPairsOfBatches tests batches whose pairs the log does not keep: no response
// is unmatched, and none belongs to the first request.
func TestUnknownPairsOfBatches(t *testing.T) {
	src := rectest.Session(t, append(manyPairs(),
		`"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"},{\"id\":2,\"method\":\"b\"}]"`, `< {"id":2,"result":{}}`,
		`"k":"stdout","seq":1,"raw":"[{\"id\":1,\"result\":{}}]"`)...)
	c, f := session.NewCursor(src), exchange.NewFollower(src)
	for range 11 {
		c.Next()
		all, err := f.Add(c)
		require.NoError(t, err)
		for _, s := range all {
			require.NotEqual(t, exchange.Unmatched, s.Kind)
		}
	}
	require.Equal(t, []string{"11 opens opens", "12 answers", "13 answers"}, steps(t, c, f))
}

// TestMessagesBeyondTheLimitAreUnknown tests batches of more messages than are paired.
func TestMessagesBeyondTheLimitAreUnknown(t *testing.T) {
	var ask, answer []string
	for id := range session.MaxPaired + 3 {
		ask = append(ask, fmt.Sprintf(`{\"id\":%d,\"method\":\"a\"}`, id))
		answer = append(answer, fmt.Sprintf(`{\"id\":%d,\"result\":{}}`, id))
	}
	src := rectest.Session(t, rectest.Started, `"k":"stdin","raw":"[`+strings.Join(ask, ",")+`]"`, `"k":"stdout","seq":1,"raw":"[`+strings.Join(answer, ",")+`]"`)
	c, f := session.NewCursor(src), exchange.NewFollower(src)
	for c.Next() {
		all, err := f.Add(c)
		require.NoError(t, err)
		for member, s := range all {
			if s.Known {
				require.EqualValues(t, member, s.Of.Member)
			}
			require.NotEqual(t, exchange.Unmatched, s.Kind)
		}
	}
	require.Empty(t, f.Rest())
}

// TestDroppedExchangesAreLost tests that given-up requests beyond the limit are reported.
func TestDroppedExchangesAreLost(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 20_000 {
		lines = append(lines, fmt.Sprintf(`> {"id":%d,"method":"a"}`, i), fmt.Sprintf(`> {"method":"notifications/cancelled","params":{"requestId":%d}}`, i))
	}
	src := rectest.Session(t, lines...)
	c, f := session.NewCursor(src), exchange.NewFollower(src)
	lost := 0
	for c.Next() {
		_, err := f.Add(c)
		require.NoError(t, err)
		lost += len(f.Lost())
	}
	require.Equal(t, 20_000, lost+len(f.Rest()))
}
