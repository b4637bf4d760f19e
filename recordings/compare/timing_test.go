package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waits returns lines of stderr; a line of a written session takes a millisecond.
func waits(n int) (lines []string) {
	for range n {
		lines = append(lines, `"k":"stderr","raw":"working"`)
	}
	return lines
}

// slowCall returns a session with tool calls that take the given
// milliseconds.
func slowCall(milliseconds ...int) []string {
	lines := []string{started}
	for _, ms := range milliseconds {
		lines = append(lines, `> {"id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}`)
		lines = append(lines, waits(ms-1)...)
		lines = append(lines, `< {"id":1,"result":{}}`)
	}
	return lines
}

func TestTimesCountOnlyWithALimit(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []int
		opts Options
		want []string
	}{
		{"no limit", []int{2}, []int{900}, Options{}, []string{}},
		{"within the limit", []int{2}, []int{30}, Options{MaxTime: map[string]time.Duration{"tools/call": 30 * time.Millisecond}}, []string{}},
		{"over the limit, once of three", []int{2, 2, 2}, []int{2, 31, 2}, Options{MaxTime: map[string]time.Duration{"tools/call": 30 * time.Millisecond}},
			[]string{"time: tools/call x /time changed nothing | 31ms, limit 30ms"}},
		{"the limit of a tool", []int{2}, []int{31}, Options{MaxTime: map[string]time.Duration{"tools/call": time.Second, "tools/call:x": 30 * time.Millisecond}},
			[]string{"time: tools/call x /time changed nothing | 31ms, limit 30ms"}},
		{"the limit of another tool", []int{2}, []int{31}, Options{MaxTime: map[string]time.Duration{"tools/call:y": time.Millisecond}}, []string{}},
		{"the limit of another method", []int{2}, []int{31}, Options{MaxTime: map[string]time.Duration{"tools/list": time.Millisecond}}, []string{}},
		{"a slow first session", []int{90}, []int{2}, Options{MaxTime: map[string]time.Duration{"tools/call": 30 * time.Millisecond}, MaxSlowdown: 1}, []string{}},
		{"within the slowdown", []int{10, 10, 10}, []int{20, 20, 90}, Options{MaxSlowdown: 2}, []string{}},
		{"over the slowdown", []int{10, 10, 10}, []int{10, 21, 21}, Options{MaxSlowdown: 2}, []string{"time: tools/call x /time changed median 10 ms | median 21 ms, 2.1x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := compared(t, slowCall(c.a...), slowCall(c.b...), c.opts)
			require.Equal(t, c.want, describe(r))
			require.Equal(t, len(c.want) > 0, r.Differs)
			require.Equal(t, len(c.opts.MaxTime) > 0 || c.opts.MaxSlowdown > 0, r.TimesCount)
		})
	}
}

// Exchanges, limits and notes are counted apart, each exchange once.
func TestLimitsAndNotesAreCountedApart(t *testing.T) {
	limit := map[string]time.Duration{"tools/call": 30 * time.Millisecond}
	noted := func(lines []string) []string {
		return append(lines, `< {"method":"notifications/message","params":{"level":"info"}}`)
	}
	changed := append(slowCall(2), `> {"id":2,"method":"ping"}`, `< {"id":2,"error":{"code":1}}`)
	for _, c := range []struct {
		name string
		a, b []string
		opts Options
		want string
	}{
		{"no limit", slowCall(2, 2), slowCall(2, 90), Options{}, "2 calls compared, 2 equal, 0 differ: the same"},
		{"limits that hold", slowCall(2, 2), slowCall(2, 2), Options{MaxTime: limit, MaxSlowdown: 2}, "2 calls compared, 2 equal, 0 differ: the same"},
		{"a response over the limit", slowCall(2, 2), slowCall(2, 90), Options{MaxTime: limit}, "2 calls compared, 2 equal, 0 differ; 1 time limit exceeded"},
		{"a slower tool", slowCall(2, 2), slowCall(20, 20), Options{MaxSlowdown: 2}, "2 calls compared, 2 equal, 0 differ; 1 time limit exceeded"},
		{"both limits", slowCall(2, 2), slowCall(90, 90), Options{MaxTime: limit, MaxSlowdown: 2}, "2 calls compared, 2 equal, 0 differ; 3 time limits exceeded"},
		{"a limit and a difference", changed, append(slowCall(90), `> {"id":2,"method":"ping"}`, `< {"id":2,"result":{}}`), Options{MaxTime: limit, MaxSlowdown: 2},
			"2 calls compared, 1 equal, 1 differ; 2 time limits exceeded"},
		{"notes", slowCall(2), noted(slowCall(2)), Options{Notes: true}, "1 call compared, 1 equal, 0 differ; a different count of notes"},
		{"notes that do not count", slowCall(2), noted(slowCall(2)), Options{}, "1 call compared, 1 equal, 0 differ: the same"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := compared(t, c.a, c.b, c.opts)
			var text, suite strings.Builder
			require.NoError(t, r.WriteText(&text, TextOptions{}))
			require.Equal(t, c.want, strings.Split(text.String(), "\n")[2])
			require.Equal(t, !strings.HasSuffix(c.want, "the same"), r.Differs)
			total, differ := 0, 0
			for _, call := range r.Calls {
				total, differ = total+call.Compared, differ+call.Differ
			}
			require.Equal(t, r.Compared, total)
			require.Equal(t, r.Compared-r.Equal, differ)
			require.NoError(t, r.WriteJUnit(&suite, "x"))
			require.Equal(t, r.Differs, strings.Contains(suite.String(), "<failure"))
		})
	}
}

// TestTimesOfAPersonDoNotCount checks that limits compare the time of the server: the
// 60 ms in which it waited for a person are not its own.
func TestTimesOfAPersonDoNotCount(t *testing.T) {
	asking := []string{started,
		`> {"id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}`,
		`< {"id":"q","method":"elicitation/create","params":{}}`}
	asking = append(asking, waits(59)...)
	asking = append(asking, `> {"id":"q","result":{"action":"accept"}}`, `< {"id":1,"result":{}}`)
	opts := Options{MaxTime: map[string]time.Duration{"tools/call": 30 * time.Millisecond}, MaxSlowdown: 2}
	r := compared(t, slowCall(2), asking, opts)
	for _, d := range r.Differences {
		require.NotEqual(t, ClassTime, d.Class, d)
	}
	for _, c := range r.Calls {
		if c.Method == "tools/call" {
			require.EqualValues(t, 62_000, c.Took, "the meaning of took_us stays")
			require.EqualValues(t, 60_000, c.Person)
		}
	}
}

// TestHandshakesAreTimedOnlyFromTheStart: after a probe, initialize has a server
// that runs already; as the first request it waits for the start.
func TestHandshakesAreTimedOnlyFromTheStart(t *testing.T) {
	const discover = `> {"id":"p","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	const initialize = `> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	const response = `< {"id":1,"result":{"protocolVersion":"2025-11-25"}}`
	probed := append([]string{started, discover}, `< {"id":"p","error":{"code":-32601,"message":"no"}}`, initialize, response)
	replayed := append(append([]string{started, initialize}, waits(600)...), response)
	r := compared(t, probed, replayed, Options{MaxSlowdown: 2})
	require.Empty(t, describe(r))
	require.Empty(t, r.Timing, "nothing to compare it with")

	for _, alike := range [][]string{probed, replayed} {
		r = compared(t, alike, alike, Options{})
		require.Len(t, r.Timing, 1)
		require.InDelta(t, 1, r.Timing[0].P50, 0)
	}
}

func TestDuplicateResponseIsADifference(t *testing.T) {
	once := append(call(`"result":{}`), slowCall(2)[1:]...)
	twice := append(append(call(`"result":{}`), `< {"id":1,"result":{"other":1}}`), slowCall(2)[1:]...)
	r := compared(t, once, twice, Options{})
	require.Equal(t, []string{"duplicate: tools/call x /duplicate changed 1 response | 2 responses"}, describe(r))
	require.True(t, r.Differs)
	require.Empty(t, describe(compared(t, twice, twice, Options{})))
	r = compared(t, twice, once, Options{})
	require.Equal(t, []string{"duplicate: tools/call x /duplicate changed 2 responses | 1 response"}, describe(r))
}

func TestTimesByTool(t *testing.T) {
	session := func(slow int) []string {
		lines := []string{started}
		for _, call := range []struct {
			tool string
			ms   int
		}{{"b", 3}, {"report", slow}, {"a", 3}, {"b", 3}} {
			lines = append(lines, `> {"id":1,"method":"tools/call","params":{"name":"`+call.tool+`"}}`)
			lines = append(append(lines, waits(call.ms-1)...), `< {"id":1,"result":{}}`)
		}
		return lines
	}
	r := compared(t, session(2), session(52), Options{})
	var rows []string
	for _, m := range r.Timing {
		rows = append(rows, fmt.Sprint(m.Method, " ", m.Subject, " ", m.A.Count, " ", FormatRatio(m.P95)))
	}
	require.Equal(t, []string{"tools/call  4 17", "tools/call report 1 26", "tools/call a 1 1", "tools/call b 2 1"}, rows)
	var out strings.Builder
	require.NoError(t, r.WriteText(&out, TextOptions{}))
	require.Contains(t, out.String(), "\n  tools/call  4          3 ms           1x   3 ms -> 52 ms  17x\n    report    1          2 ms -> 52 ms  26x  2 ms -> 52 ms  26x\n    a ")

	var many []string
	for i := range maxTimed + 2 {
		many = append(many, fmt.Sprintf(`> {"id":%d,"method":"tools/call","params":{"name":"t%d"}}`, i, i), fmt.Sprintf(`< {"id":%d,"result":{}}`, i))
	}
	r = compared(t, append([]string{started}, many...), append([]string{started}, many...), Options{})
	out.Reset()
	require.NoError(t, r.WriteText(&out, TextOptions{}))
	require.Len(t, r.Timing, 1+maxTimed+2)
	require.Equal(t, maxTimed, strings.Count(out.String(), "\n    t"))
	require.Contains(t, out.String(), "\n    and 2 more ")
}
