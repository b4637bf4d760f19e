package digest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/digest"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

func call(id int, tool string) string {
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"k":%d}}}`, id, tool, id)
}

func result(id int, rest string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,%s}`, id, rest)
}

const (
	ok   = `"result":{"content":[]}`
	gone = `"error":{"code":-32000,"message":"backend gone"}`
)

func late(shard int) string {
	return fmt.Sprintf(`"result":{"isError":true,"content":[{"type":"text","text":"timeout after %d ms, shard s%d"}]}`, 1000+shard, shard)
}

// TestFailures checks that failures have groups by message, in which numbers differ, and
// that codes are never mixed.
func TestFailures(t *testing.T) {
	lines := []string{rectest.Started}
	add := func(id int, tool, answer string) { lines = append(lines, call(id, tool), result(id, answer)) }
	add(1, "search", ok)
	add(2, "search", gone)
	add(3, "sum", late(1))
	add(4, "sum", late(2))
	add(5, "report", gone)
	add(6, "search", gone)
	add(7, "search", `"error":{"code":-32001,"message":"backend gone"}`)
	lines = append(lines, `> {"jsonrpc":"2.0","id":8,"method":"no/such"}`, result(8, `"error":{"code":-32601,"message":"what?"}`), result(8, gone))
	d := digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Equal(t, 7, d.Failures.Count())
	var got []string
	for _, f := range d.Failures.Groups {
		text := fmt.Sprintf("%dx %s: %v", f.Count, f.Message, f.ByTool())
		for _, c := range f.Calls {
			text += fmt.Sprintf(", %d %s %s", c.N, c.Name(), c.Arguments)
		}
		got = append(got, text)
	}
	require.Equal(t, []string{
		"3x -32000: backend gone: search 2, report 1, 4 search k=2, 10 report k=5, 12 search k=6",
		"2x timeout after … ms, shard …: sum, 6 sum k=3, 8 sum k=4",
		"1x -32001: backend gone: search, 14 search k=7",
		"1x -32601: method not found: what?: no/such, 16 no/such ",
	}, got)
	require.EqualValues(t, 12, d.Failures.Groups[0].Last)
}

// TestMostMessages checks that messages beyond the limit are counted.
func TestMostMessages(t *testing.T) {
	lines := []string{rectest.Started}
	const messages = 1100
	for i := range messages {
		name := ""
		for n := i; n > 0; n /= 26 {
			name += string(rune('a' + n%26))
		}
		lines = append(lines, call(i, "x"), result(i, `"error":{"code":1,"message":"no `+name+`"}`))
	}
	d := digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Len(t, d.Failures.Groups, 1000)
	require.Equal(t, messages, d.Failures.Count())
}

// TestUnanswered checks which requests count as never answered.
func TestUnanswered(t *testing.T) {
	lines := []string{rectest.Started,
		call(1, "search"),
		call(2, "sum"), `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{}}`,
		`< {"jsonrpc":"2.0","id":9,"method":"roots/list"}`,
		call(4, "search"), result(4, ok),
	}
	for i := range 120 {
		lines = append(lines, call(10+i, "report"))
	}
	d := digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Len(t, d.Unanswered, 100)
	require.Equal(t, 22, d.MoreUnanswered)
	require.Equal(t, "search k=1", d.Unanswered[0].Name()+" "+d.Unanswered[0].Arguments)
	require.Equal(t, "roots/list", d.Unanswered[1].Method)
	require.Equal(t, "server", d.Unanswered[1].From)
	require.Equal(t, "report", d.Unanswered[2].Tool)
	require.Len(t, d.Slowest, 1)
	require.Equal(t, "search k=4", d.Slowest[0].Name()+" "+d.Slowest[0].Arguments)
}

// TestLines checks the counts by tool and by method, also of requests in batches.
func TestLines(t *testing.T) {
	d := digest.Read(t.Context(), rectest.Session(t, rectest.Started,
		call(1, "a"), result(1, ok), call(2, "a"), result(2, gone), call(3, "b"),
		`> {"jsonrpc":"2.0","id":4,"method":"tools/list"}`, result(4, `"result":{"tools":[]}`),
		`"k":"stdin","raw":"[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\"}]"`, result(5, `"result":{"tools":[]}`),
		`< {"jsonrpc":"2.0","id":9,"method":"roots/list"}`))
	text := func(lines []digest.Line) (all []string) {
		for i := range lines {
			l := &lines[i]
			all = append(all, fmt.Sprintf("%s %s: %d, %d failed, %d unanswered", l.From, l.Name(), l.Requests, l.Errors, l.Unanswered))
		}
		return all
	}
	require.Equal(t, []string{
		"client a: 2, 1 failed, 0 unanswered", "client tools/list: 2, 0 failed, 0 unanswered",
		"client b: 1, 0 failed, 1 unanswered", "server roots/list: 1, 0 failed, 1 unanswered",
	}, text(d.Lines))
	require.Equal(t, []string{
		"client tools/call: 3, 1 failed, 1 unanswered", "client tools/list: 2, 0 failed, 0 unanswered", "server roots/list: 1, 0 failed, 1 unanswered",
	}, text(d.ByMethod()))
}

// TestBatches checks that calls in batches, and those that are answered in one, count like
// others.
func TestBatches(t *testing.T) {
	batch := func(kind string, messages ...string) string {
		for i := range messages {
			messages[i] = messages[i][2:]
		}
		return fmt.Sprintf(`"k":%s,"raw":%q`, kind, "["+strings.Join(messages, ",")+"]")
	}
	d := digest.Read(t.Context(), rectest.Session(t, rectest.Started,
		call(1, "search"), batch(`"stdout","seq":1`, result(1, gone)),
		batch(`"stdin"`, call(2, "sum"), call(3, "search"), call(4, "report"), call(5, "sum")),
		result(2, gone), batch(`"stdout","seq":3`, result(3, late(1)), result(5, ok)),
	))
	var got []string
	for _, l := range d.Lines {
		got = append(got, fmt.Sprintf("%s: %d, %d failed, %d unanswered", l.Name(), l.Requests, l.Errors, l.Unanswered))
	}
	for _, f := range d.Failures.Groups {
		for _, c := range f.Calls {
			got = append(got, fmt.Sprintf("%s: %s %s %s took %d", f.Message, c.Entry(), c.Name(), c.Arguments, c.Took))
		}
	}
	for _, c := range d.Unanswered {
		got = append(got, fmt.Sprintf("open: %s %s %s", c.Entry(), c.Name(), c.Arguments))
	}
	require.Equal(t, []string{
		"search: 2, 2 failed, 0 unanswered", "sum: 2, 1 failed, 0 unanswered", "report: 1, 0 failed, 1 unanswered",
		"-32000: backend gone: 2 search k=1 took 1000", "-32000: backend gone: 4 (1st in batch) sum k=2 took 1000",
		"timeout after 1001 ms, shard s1: 4 (2nd in batch) search k=3 took 2000",
		"open: 4 (3rd in batch) report k=4",
	}, got)
}

// TestFirstCallsOfFailures checks that the first calls of a failure are those that were sent
// first, also if some are in batches or were answered in another order.
func TestFirstCallsOfFailures(t *testing.T) {
	batch := `"k":"stdin","raw":"[` + strings.ReplaceAll(call(2, "b")[2:]+","+call(3, "c")[2:], `"`, `\"`) + `]"`
	d := digest.Read(t.Context(), rectest.Session(t, rectest.Started,
		call(1, "a"), batch, call(4, "d"), call(5, "e"), result(5, gone), result(4, gone), result(3, gone), result(2, gone), result(1, gone)))
	require.Len(t, d.Failures.Groups, 1)
	var got []string
	for _, c := range d.Failures.Groups[0].Calls {
		got = append(got, c.Entry()+" "+c.Words())
	}
	require.Equal(t, []string{"2 a k=1", "3 (1st in batch) b k=2", "3 (2nd in batch) c k=3"}, got)
	require.EqualValues(t, 5, d.Failures.Groups[0].Last)
}

// TestSlowerInOneBatch checks that tools that became slower with calls of one batch are in
// the order of their names.
func TestSlowerInOneBatch(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 40 {
		var calls, results []string
		for tool := range 4 {
			calls, results = append(calls, call(4*i+tool, string(rune('d'-tool)))[2:]), append(results, result(4*i+tool, ok)[2:])
		}
		lines = append(lines, fmt.Sprintf(`"k":"stdin","raw":%q`, "["+strings.Join(calls, ",")+"]"))
		if i >= 20 {
			for range 8 {
				lines = append(lines, `"k":"stderr","raw":"wait"`)
			}
		}
		lines = append(lines, fmt.Sprintf(`"k":"stdout","seq":%d,"raw":%q`, i+1, "["+strings.Join(results, ",")+"]"))
	}
	for range 5 {
		var got []string
		for _, s := range digest.Read(t.Context(), rectest.Session(t, lines...)).Slower {
			got = append(got, s.Name())
		}
		require.Equal(t, []string{"a", "b", "c", "d"}, got)
	}
}

// TestSlower checks that the moment of slowing is that of the first slow call of its tool.
func TestSlower(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 40 {
		lines = append(lines, call(1000+i, "sum"), result(1000+i, ok), call(i, "report"))
		if i >= 20 {
			for range 8 {
				lines = append(lines, `"k":"stderr","raw":"wait"`)
			}
		}
		lines = append(lines, result(i, ok))
	}
	d := digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Len(t, d.Slower, 1)
	require.Equal(t, "report became slower at 83 ms: p50 1 ms → 9 ms", d.Slower[0].String())
	require.EqualValues(t, 84, d.Slower[0].N)
	require.Equal(t, 20, d.Slower[0].Calls)
	require.Equal(t, []string{
		"20 calls before it, 20 from it on", "the median size of the responses hardly changed: 48 bytes → 49 bytes", "not clearly slower then: sum p50 1 ms → 1 ms",
	}, d.Slower[0].Evidence)
	require.Equal(t, d.Slower[0].Evidence, d.Causes(rectest.Session(t, lines...), nil)[0].Evidence)
	require.Equal(t, "report", d.Lines[0].Tool)
	require.Equal(t, []int64{1000, 1000, 9000, 9000}, d.Lines[0].Medians(4))
	require.Equal(t, []int64{1000, 1000, 1000, 9000, 9000}, d.Lines[0].Medians(100), "of eight calls each")
	for i := range 20 {
		lines = append(lines, call(3000+i, "report"), result(3000+i, ok))
	}
	d = digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Equal(t, "report became slower at 83 ms: p50 1 ms → 9 ms, until entry 312", d.Slower[0].String())
	require.Equal(t, "20 calls before it, 20 while slow, 20 after that", d.Slower[0].Evidence[0])
	d = digest.Read(t.Context(), withoutResults{rectest.Session(t, lines...)})
	require.Equal(t, "not clearly slower then: sum p50 1 ms → 1 ms", d.Slower[0].Evidence[1], "placeholders have no size")
}

// withoutResults is a recording with placeholders for results.
type withoutResults struct{ session.Source }

func (s withoutResults) Header() session.Header {
	return session.Header{Imported: &session.Imported{From: "mcp-remote log"}}
}

// TestSlowerOfMany checks that of many responses and tools some are compared.
func TestSlowerOfMany(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 1600 {
		tool := "report"
		if i%2 == 1 {
			tool = fmt.Sprintf("t%02d", i/2%20)
		}
		lines = append(lines, call(1000+i, tool))
		if i%2 == 0 && i >= 400 {
			for range 8 {
				lines = append(lines, `"k":"stderr","raw":"wait"`)
			}
		}
		lines = append(lines, result(1000+i, ok))
	}
	slower := digest.Read(t.Context(), rectest.Session(t, lines...)).Slower
	require.Len(t, slower, 1)
	require.Equal(t, []string{
		"200 calls before it, 600 from it on", "the median size of the responses did not change: 51 bytes (of 200 and 300 responses)",
		"not clearly slower then: t00 p50 1 ms → 1 ms, t01 p50 1 ms → 1 ms, t02 p50 1 ms → 1 ms, 7 more",
	}, slower[0].Evidence)
}

// TestSlowerAll checks that only the first moments have evidence.
func TestSlowerAll(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 240 {
		lines = append(lines, call(i, fmt.Sprint("t", i%6)))
		if i >= 120 {
			for range 8 {
				lines = append(lines, `"k":"stderr","raw":"wait"`)
			}
		}
		lines = append(lines, result(i, ok))
	}
	slower := digest.Read(t.Context(), rectest.Session(t, lines...)).Slower
	require.Len(t, slower, 6)
	for i, s := range slower {
		require.Equal(t, i < 5, s.Evidence != nil, s.Tool)
	}
}

// TestSlowerTogether checks that other tools that became slower then, and responses that grew,
// are named.
func TestSlowerTogether(t *testing.T) {
	lines := []string{rectest.Started}
	for i := range 80 {
		body := ok
		lines = append(lines, call(i, []string{"a", "b"}[i%2]))
		if i >= 40 {
			body = strings.Replace(ok, "{", `{"_meta":{"pad":"`+strings.Repeat("x", 100)+`"},`, 1)
			for range 9 {
				lines = append(lines, `"k":"stderr","raw":"wait"`)
			}
		}
		lines = append(lines, result(i, body))
	}
	slower := digest.Read(t.Context(), rectest.Session(t, lines...)).Slower
	require.Len(t, slower, 2)
	require.Equal(t, "the median size of the responses changed: 49 bytes → 168 bytes", slower[0].Evidence[1])
	require.Equal(t, "clearly slower then, too: b p50 1 ms → 10 ms", slower[0].Evidence[2])
}

// TestNamesAfterLongArguments checks that the tool of a call is known if its arguments come
// first.
func TestNamesAfterLongArguments(t *testing.T) {
	long := `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"text":"` + strings.Repeat("x", 6<<10) + `"},"name":"write_file"}}`
	d := digest.Read(t.Context(), rectest.Session(t, rectest.Started, long, result(1, gone)))
	require.Equal(t, "write_file", d.Lines[0].Tool)
	require.Equal(t, []digest.ToolCount{{Name: "write_file", Count: 1}}, d.Failures.Groups[0].Tools)
}

// TestReadStops checks that a digest of a cancelled context is one of no rows.
func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Empty(t, digest.Read(ctx, rectest.Session(t, rectest.Started, call(1, "a"))).Lines)
}
