package mock

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
)

// legacy is the beginning of sessions in these tests.
const legacy = `
	0 {"k":"start","process":"mcp-stdio-1","pid":1}
	> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{}}}
	< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{}}}
	> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

func TestRespondsByMethodAndParams(t *testing.T) {
	t.Parallel()
	rec := record(t, legacy+`
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"b":[true]}}}
	< {"result":{"content":["one"]},"jsonrpc":"2.0","id":1}
	> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
	< {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
	> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fail"}}
	< {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no"}}
	`)
	s := serve(t, rec, Options{}, `
	{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"protocolVersion":"2024-11-05","clientInfo":{"name":"other","version":"9"}}}
	{"jsonrpc":"2.0","method":"notifications/initialized"}
	{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list","params":{"_meta":{"progressToken":7}}}
	{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"arguments":{"b":[true],"a":1.0},"name":"echo"}}
	{"id":"3","jsonrpc":"2.0","method":"tools/call","params":{"name":"fail"}}
	{"jsonrpc":"2.0","id":"p","method":"ping"}
	`)
	require.Equal(t, lines(`
	{"jsonrpc":"2.0","id":"x","result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{}}}
	{"jsonrpc":"2.0","id":9007199254740993,"result":{"tools":[]}}
	{"result":{"content":["one"]},"jsonrpc":"2.0","id":1.0}
	{"jsonrpc":"2.0","id":"3","error":{"code":-32603,"message":"no"}}
	{"jsonrpc":"2.0","id":"p","result":{}}
	`), s.out)
	require.Empty(t, s.told)
	require.Equal(t, Report{Run: 1, Requests: 5, Answered: 4}, s.report)
	require.True(t, s.report.Good())
}

const thrice = legacy + `
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}
	< {"jsonrpc":"2.0","id":1,"result":1}
	> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"other"}}
	< {"jsonrpc":"2.0","id":2,"result":"other"}
	> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count"}}
	< {"jsonrpc":"2.0","id":3,"result":2}
`

// responses returns the results or error codes in the lines of an output.
func responses(t *testing.T, out string) (all []any) {
	t.Helper()
	for line := range strings.Lines(out) {
		var m struct {
			Result any
			Error  *struct{ Code int }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		if m.Error != nil {
			m.Result = m.Error.Code
		}
		all = append(all, m.Result)
	}
	return all
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}` + "\n"
	for repeat, want := range map[Repeat][]any{
		RepeatLast:  {1.0, 2.0, 2.0, 2.0, 2.0},
		RepeatCycle: {1.0, 2.0, 1.0, 2.0, 1.0},
		RepeatError: {1.0, 2.0, CodeMiss, CodeMiss, CodeMiss},
	} {
		s := serve(t, record(t, thrice), Options{Repeat: repeat}, strings.Repeat(call, 5))
		require.Equal(t, want, responses(t, s.out), repeat)
		if repeat == RepeatError {
			require.Contains(t, s.told[0], "tools/call count was recorded fewer times; the closest recorded request is entry 5, answered with seq 2, which is equal")
			require.EqualValues(t, 3, s.report.Misses)
		} else {
			require.EqualValues(t, 3, s.report.Repeated)
		}
	}
}

// TestRepeatedWithWhatFollows checks that messages after a response follow each
// repetition of it.
func TestRepeatedWithWhatFollows(t *testing.T) {
	t.Parallel()
	rec := record(t, legacy+`
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grow"}}
	< {"jsonrpc":"2.0","id":1,"result":"grown"}
	< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
	`)
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"grow"}}` + "\n"
	s := serve(t, rec, Options{}, call+call+call)
	require.Equal(t, strings.Repeat(lines(`
	{"jsonrpc":"2.0","id":7,"result":"grown"}
	{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
	`), 3), s.out)
}

func TestStrictOrder(t *testing.T) {
	t.Parallel()
	count := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}` + "\n"
	other := strings.ReplaceAll(count, "count", "other")
	s := serve(t, record(t, thrice), Options{Strict: true}, count+count+other+count+other)
	require.Equal(t, []any{1.0, CodeMiss, "other", 2.0, CodeMiss}, responses(t, s.out))
	require.Equal(t, []string{
		"tools/call count is not the next recorded request; the closest recorded request is entry 7, answered with seq 3, which differs at /name",
		"tools/call other comes after the last recorded request",
	}, s.told)
}

// numbered returns calls of the tool other with different arguments.
func numbered(n int) (lines string) {
	for k := range n {
		lines += fmt.Sprintf("\n"+`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"other","arguments":{"k":%d}}}`, 20+k, k)
	}
	return lines
}

// TestMissNamesTheClosest checks that the error names the recorded request with the
// fewest differences.
func TestMissNamesTheClosest(t *testing.T) {
	t.Parallel()
	rec := record(t, legacy+`
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}
	< {"jsonrpc":"2.0","id":1,"result":3}
	> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":5,"b":6}}}
	< {"jsonrpc":"2.0","id":2,"result":11}
	`)
	s := serve(t, rec, Options{}, `
	{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"add","arguments":{"a":5,"b":7}}}
	{"jsonrpc":"2.0","id":9,"method":"prompts/list"}
	`)
	require.Equal(t, lines(`
	{"jsonrpc":"2.0","id":8,"error":{"code":-32010,"message":"tools/call add a=5 b=7 was not recorded; recorded: a=1 b=2, a=5 b=6; the closest recorded request is entry 7, answered with seq 3, which differs at /arguments/b","data":{"closest":{"method":"tools/call","n":7,"seq":3,"differs":["/arguments/b"]}}}}
	{"jsonrpc":"2.0","id":9,"error":{"code":-32010,"message":"prompts/list was not recorded; recorded methods: initialize, tools/call","data":{"recorded":["initialize","tools/call"]}}}
	`), s.out)
	require.Len(t, s.told, 2)
	require.EqualValues(t, 2, s.report.Misses)
	require.False(t, s.report.Good())

	many := record(t, thrice+strings.Repeat("\n"+`> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"other","arguments":{"k":0}}}`, 2)+numbered(9))
	s = serve(t, many, Options{}, `
	{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments":{"k":"`+strings.Repeat("x", 100)+`"}}}
	{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"other","arguments":{"k":7.5}}}
	`)
	require.Contains(t, s.told[0], "tools/call sum k=\""+strings.Repeat("x", 40))
	require.Contains(t, s.told[0], " was not recorded; recorded: count, other; the closest")
	require.Contains(t, s.told[1], "tools/call other k=7.5 was not recorded; recorded: no arguments, k=0, k=1, k=2, k=3, k=4, ...; the closest")
}

// TestProgressAndNotesAtTheirPlace checks that progress has the client's current
// token, and only that of its own request.
func TestProgressAndNotesAtTheirPlace(t *testing.T) {
	t.Parallel()
	rec := record(t, `
	{"k":"start","process":"mcp-stdio-1","pid":1}
	< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"at the start"}}
	`+strings.Replace(legacy, `0 {"k":"start","process":"mcp-stdio-1","pid":1}`, "", 1)+`
	< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"initialized"}}
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"one"}}}
	< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"one","progress":1}}
	> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quick","_meta":{"progressToken":"two"}}}
	< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"of quick, which was sent last"}}
	< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"one","progress":2}}
	< {"jsonrpc":"2.0","id":2,"result":"quick"}
	< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"of slow, which is open"}}
	< {"jsonrpc":"2.0","id":1,"result":"slow"}
	< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
	> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
	< {"jsonrpc":"2.0","id":3,"result":"list"}
	`)
	const slow = `
	{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":1}}
	{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":2}}
	{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"of slow, which is open"}}
	{"jsonrpc":"2.0","id":"a","result":"slow"}
	{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
	`
	out := serveInTurn(t, rec, Options{}, `
	{"jsonrpc":"2.0","method":"notifications/initialized"}
	{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"slow","_meta":{"progressToken":77}}}
	{"jsonrpc":"2.0","method":"notifications/initialized"}
	{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"quick","_meta":{"progressToken":88}}}
	{"jsonrpc":"2.0","id":"c","method":"tools/list"}
	{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"slow","_meta":{"progressToken":77}}}
	`)
	require.Equal(t, lines(`
	{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"at the start"}}
	{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"initialized"}}
	`+slow+`
	{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"of quick, which was sent last"}}
	{"jsonrpc":"2.0","id":"b","result":"quick"}
	{"jsonrpc":"2.0","id":"c","result":"list"}
	`+slow), out)
}

const asking = legacy + `
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}
	< {"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"your name?"}}
	> {"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"name":"Ada"}}}
	< {"jsonrpc":"2.0","id":1,"method":"roots/list"}
	> {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no roots"}}
	< {"jsonrpc":"2.0","id":1,"result":"hello Ada"}
`

// TestServerRequestsAreSentAndCompared checks that the server's requests have new
// ids, and that what followed the recorded response follows the client's.
func TestServerRequestsAreSentAndCompared(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}` + "\n"
	const serverRequests = `
	{"jsonrpc":"2.0","id":"mock-1","method":"elicitation/create","params":{"message":"your name?"}}
	{"jsonrpc":"2.0","id":"mock-2","method":"roots/list"}
	{"jsonrpc":"2.0","id":1,"result":"hello Ada"}
	`
	s := serve(t, record(t, asking), Options{}, call+`
	{"jsonrpc":"2.0","id":"mock-1","result":{"content":{"name":"Ada"},"action":"accept"}}
	{"jsonrpc":"2.0","id":"mock-2","error":{"message":"no roots","code":-32601}}
	`)
	require.Equal(t, lines(serverRequests), s.out)
	require.Equal(t, Report{Run: 1, Requests: 1, Answered: 1}, s.report)

	s = serve(t, record(t, asking), Options{}, call+`
	{"jsonrpc":"2.0","id":"mock-1","result":{"action":"accept","content":{"name":"Bob"}}}
	{"jsonrpc":"2.0","id":"mock-2","result":{"roots":[]}}
	{"jsonrpc":"2.0","id":"mock-3","result":{}}
	`)
	require.Equal(t, lines(serverRequests), s.out, "the recording continues")
	require.Equal(t, Report{Run: 1, Requests: 1, Answered: 1, Differences: 2, Bad: 1}, s.report)
	require.Contains(t, s.told[0], "elicitation/create")
	require.Contains(t, s.told[0], "differs from the recorded one at /result/content/name")
	require.Contains(t, s.told[1], "/result /error")

	s = serve(t, record(t, asking), Options{}, call)
	require.Equal(t, lines(serverRequests), s.out)
	require.EqualValues(t, 2, s.report.Silent)
	require.Equal(t, "the client ended without a response to the server's elicitation/create", s.told[0])
}

// TestServerRequestBelongsToPendingRequest checks that a request of the server
// belongs to one that is pending until the client has responded, and not to a later
// one that is not.
func TestServerRequestBelongsToPendingRequest(t *testing.T) {
	t.Parallel()
	rec := record(t, legacy+`
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}
	> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}
	> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
	< {"jsonrpc":"2.0","id":0,"method":"roots/list"}
	< {"jsonrpc":"2.0","id":3,"result":"list"}
	> {"jsonrpc":"2.0","id":0,"result":{"roots":[]}}
	< {"jsonrpc":"2.0","id":2,"result":"asked"}
	< {"jsonrpc":"2.0","id":1,"result":"slow"}
	`)
	s := serve(t, rec, Options{}, `
	{"jsonrpc":"2.0","id":3,"method":"tools/list"}
	{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}
	{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}
	{"jsonrpc":"2.0","id":"mock-1","result":{"roots":[]}}
	`)
	require.Equal(t, lines(`
	{"jsonrpc":"2.0","id":3,"result":"list"}
	{"jsonrpc":"2.0","id":1,"result":"slow"}
	{"jsonrpc":"2.0","id":"mock-1","method":"roots/list"}
	{"jsonrpc":"2.0","id":2,"result":"asked"}
	`), s.out)
	require.True(t, s.report.Good())
}

// TestCancelled checks that a request that waits for the client gets no response
// once it is cancelled.
func TestCancelled(t *testing.T) {
	t.Parallel()
	s := serve(t, record(t, asking), Options{}, `
	{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask"}}
	{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}
	{"jsonrpc":"2.0","id":"mock-1","result":{"action":"accept","content":{"name":"Ada"}}}
	`)
	require.Equal(t, lines(`{"jsonrpc":"2.0","id":"mock-1","method":"elicitation/create","params":{"message":"your name?"}}`), s.out)
	require.Equal(t, Report{Run: 1, Requests: 1, Unanswered: 1}, s.report)
}

const modern = `
	{"k":"start","process":"mcp-stdio-1","pid":1}
	> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
	< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"be kind","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"2"}}}}
	> {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{}}}
	< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{}}}
	> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"grow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
	< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
	< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}}
	< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}
`

func TestClientOfOtherEra(t *testing.T) {
	t.Parallel()
	const discover = `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{"x":1}}}` + "\n"
	const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}` + "\n"
	s := serve(t, record(t, thrice), Options{}, discover)
	require.Equal(t, []any{mcp.CodeMethodNotFound}, responses(t, s.out))
	require.True(t, s.report.Good(), "a client that probes the era does nothing wrong")

	s = serve(t, record(t, modern), Options{}, initialize+discover)
	require.Equal(t, mcp.CodeUnsupportedVersion, responses(t, s.out)[0])
	require.Contains(t, s.out, `"data":{"requested":"2025-06-18","supported":["2026-07-28"]}`)
	require.Contains(t, s.out, `{"jsonrpc":"2.0","id":"d","result":{"resultType":"complete","supportedVersions"`)
	require.EqualValues(t, 1, s.report.Misses)

	s = serve(t, record(t, modern), Options{Bridge: true}, initialize)
	require.Equal(t, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"m","version":"2"},"instructions":"be kind"}}`+"\n", s.out)
	require.True(t, s.report.Good())
}

// TestSubscriptions checks that messages of a subscription have the id of the
// client's request, and are skipped for a client without one.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"grow"}}` + "\n"
	s := serve(t, record(t, modern), Options{}, `{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`+"\n"+call)
	require.Equal(t, lines(`
	{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"},"notifications":{}}}
	{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}
	{"jsonrpc":"2.0","id":"c","result":{"resultType":"complete","content":[]}}
	{"jsonrpc":"2.0","id":"L","result":{"resultType":"complete"}}
	`), s.out)
	require.Empty(t, s.told)

	s = serve(t, record(t, modern), Options{}, call)
	require.Equal(t, lines(`{"jsonrpc":"2.0","id":"c","result":{"resultType":"complete","content":[]}}`), s.out)
}

func TestRunThatIsServed(t *testing.T) {
	t.Parallel()
	text := `
	{"k":"start","process":"mcp-stdio-1","pid":1}
	> {"jsonrpc":"2.0","id":1,"method":"server/discover"}
	{"k":"exited","seq":1,"code":1}
	{"k":"closed","seq":2}
	` + thrice + `{"k":"start","process":"mcp-stdio-3","pid":1}` + strings.ReplaceAll(thrice, `"result":2`, `"result":"in run 4"`)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}` + "\n"
	s := serve(t, record(t, text), Options{}, call+call)
	require.Equal(t, 2, s.report.Run)
	require.Equal(t, []any{1.0, 2.0}, responses(t, s.out))
	s = serve(t, record(t, text), Options{Run: 4}, call+call)
	require.Equal(t, []any{1.0, "in run 4"}, responses(t, s.out))
	_, err := New(t.Context(), record(t, text), Options{Run: 5})
	require.ErrorIs(t, err, ErrNoRun)
	require.ErrorContains(t, err, "run 5 of 4")
}

// TestRedactedRequests checks that redacted text equals any text.
func TestRedactedRequests(t *testing.T) {
	t.Parallel()
	rec := record(t, legacy+`
	> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"key":"[redacted:key-1]"}}}
	< {"jsonrpc":"2.0","id":1,"result":"first"}
	> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":{"key":"[redacted:key-1]"}}}
	< {"jsonrpc":"2.0","id":2,"result":"second"}
	`)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"key":"sk-123"}}}` + "\n"
	s := serve(t, rec, Options{}, call+call+call+strings.Replace(call, "login", "logout", 1))
	require.Equal(t, []any{"first", "second", "second", CodeMiss}, responses(t, s.out))
	require.EqualValues(t, 1, s.report.Repeated)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}` + "\n"
	faults := make([]Fault, 0, 4)
	for _, text := range []string{"drop:ping", "garbage:2", "cut:3", "exit:4:7"} {
		f, err := ParseFault(text)
		require.NoError(t, err)
		faults = append(faults, f)
	}
	s := serve(t, record(t, thrice), Options{Faults: faults}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+strings.Repeat(call, 5))
	require.Equal(t, lines(`
	{"jsonrpc":"2.0","id":1,"result":1}
	garbage: this line is not JSON {
	{"jsonrpc":"2.0","id":1,"result":2}
	{"jsonrpc":"2.0",
	`), s.out)
	require.Equal(t, Ending{Code: 7}, s.ending)
	for _, text := range []string{"", "drop", "drop:", "cut:0", "cut:x", "exit:1", "exit:1:256", "delay:1s"} {
		_, err := ParseFault(text)
		require.ErrorContains(t, err, "fault \""+text+"\"", text)
	}
}

// TestReplacedProcessIsNotServed checks that of a server that was started again, to use
// the other era, the process is served that was used.
func TestReplacedProcessIsNotServed(t *testing.T) {
	t.Parallel()
	const replaced = `
	{"k":"start","process":"mcp-stdio-1","pid":1}
	> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}
	> {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
	< {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
	{"k":"exited","seq":2,"code":0}
	{"k":"closed","seq":3}
	{"k":"start","process":"mcp-stdio-2","pid":2}
	> {"jsonrpc":"2.0","id":3,"method":"server/discover","params":{}}
	< {"jsonrpc":"2.0","id":3,"result":{"supportedVersions":["2026-07-28"]}}
	`
	for name, used := range map[string]string{
		"ready":         `{"k":"state","state":"ready","era":"modern"}`,
		"a response":    "> {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}\n< {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}",
		"only requests": "",
	} {
		server, err := New(t.Context(), record(t, replaced+used), Options{})
		require.NoError(t, err, name)
		want := 2
		if used == "" {
			want = 1 // nothing shows that any was used
		}
		require.Equal(t, want, server.Report().Run, name)
	}
}
