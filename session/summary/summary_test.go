package summary_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session/summary"
)

// request is a request or notification with params; none if they are "".
func request(method, params string) []byte {
	if params != "" {
		params = `,"params":` + params
	}
	return []byte(`{"jsonrpc":"2.0","id":7,"method":"` + method + `"` + params + `}`)
}

func response(result string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":7,"result":` + result + `}`)
}

func failed(failure string) []byte { return []byte(`{"jsonrpc":"2.0","id":7,"error":` + failure + `}`) }

// A requestCase is a request or a notification.
type requestCase struct{ method, params, call, want string }

var requestCases = []requestCase{
	{"tools/call", `{"name":"echo","arguments":{"message":"hello"}}`, "echo", `message="hello"`},
	{"tools/call", `{"arguments":{"a":1,"b":"x"},"name":"add"}`, "add", `a=1 b="x"`},
	{"tools/call", `{"name":"find","arguments":{"filter":{"from":1,"to":2,"by":"day"}}}`, "find", `filter={from: 1, to: 2, …}`},
	{"tools/call", `{"name":"find","arguments":{"ids":[1,2,3,4,5],"deep":{"a":{"b":1}},"none":{},"no":[]}}`, "find", `ids=[1, 2, 3, … 2 more] deep={a: {…}} none={} no=[]`},
	{"tools/call", `{"name":"find","arguments":{"yes":true,"nil":null,"f":1.50,"s":"a\"b\\c\u00e9"}}`, "find", `yes=true nil=null f=1.50 s="a"b\cé"`},
	{"tools/call", `{"name":"now"}`, "now", ""},
	{"tools/call", `{"name":"now","arguments":{}}`, "now", ""},
	{"tools/call", `{"name":"now","arguments":null}`, "now", ""},
	{"tools/call", `{"name":"now","arguments":[1]}`, "now", "[1]"},
	{"tools/call", `{"name":5}`, "5", ""},
	{"tools/call", `{"name":"render","arguments":{"scene":"a"},"task":{"ttl":60000}}`, "render", `scene="a" as task`},
	{"tools/call", `{"name":"a\nb","_meta":{"progressToken":1},"arguments":{"text":"one\ntwo"}}`, "a b", `text="one two"`},
	{"tools/call", `{"name":"quote","arguments":{"symbol":"ACME"},"inputResponses":{"q":{"action":"accept","content":{"confirm":true}}},"requestState":"x"}`, "quote", "confirm=true"},
	{"tools/call", `{"name":"quote","inputResponses":{"q":{"action":"decline"},"r":{"roots":[]}}}`, "quote", "q=decline r"},
	{"tools/call", "", "", ""},
	{"tools/call", `[]`, "", ""},
	{"prompts/get", `{"name":"review","arguments":{"code":"x"}}`, "review", `code="x"`},
	{"resources/read", `{"uri":"note://r"}`, "note://r", ""},
	{"resources/subscribe", `{"uri":"note://r"}`, "note://r", ""},
	{"tools/list", `{}`, "", ""},
	{"tools/list", `{"cursor":"abc"}`, "", `cursor "abc"`},
	{"tools/list", `{"cursor":""}`, "", `cursor ""`},
	{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"version":"1.0","name":"mcpdbg"}}`, "", "2025-11-25 client mcpdbg 1.0"},
	{"server/discover", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"mcpdbg","version":"1.0"}}}`, "",
		"2026-07-28 client mcpdbg 1.0"},
	{"notifications/initialized", "", "", ""},
	{"ping", "", "", ""},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"trip"},"argument":{"name":"city","value":"Ber"}}`, "trip", `argument city="Ber"`},
	{"completion/complete", `{"ref":{"type":"ref/resource","uri":"file:///{path}"},"argument":{"name":"path","value":""}}`, "file:///{path}", `argument path=""`},
	{"logging/setLevel", `{"level":"debug"}`, "", "debug"},
	{"subscriptions/listen", `{"notifications":{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["note://r"]}}`, "", "tools, note://r"},
	{"notifications/subscriptions/acknowledged", `{"notifications":{"toolsListChanged":true}}`, "", "tools"},
	{"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":100}`, "", `user "Hi" max 100 tokens`},
	{"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}},{"role":"assistant","content":[{"type":"tool_use","name":"add","input":{}},{"type":"text","text":"x"}]}]}`,
		"", `2 messages: assistant tool_use add + 1 more`},
	{"elicitation/create", `{"message":"Which date?","requestedSchema":{"type":"object","properties":{"date":{"type":"string"},"late":{"type":"boolean"}},"required":["date"]}}`,
		"", `"Which date?" date*, late`},
	{"elicitation/create", `{"mode":"url","message":"Log in","url":"https://example.org/x"}`, "", `"Log in" https://example.org/x`},
	{"roots/list", "", "", ""},
	{"tasks/get", `{"taskId":"7f3a"}`, "7f3a", ""},
	{"tasks/update", `{"taskId":"7f3a","inputResponses":{"q":{"action":"accept","content":{"n":1}}}}`, "7f3a", "n=1"},
	{"notifications/message", `{"level":"info","data":"Roots updated"}`, "", "info: Roots updated"},
	{"notifications/message", `{"level":"info","logger":"db","data":{"rows":3,"table":"t"}}`, "", `info db: {rows: 3, table: "t"}`},
	{"notifications/progress", `{"progressToken":"x","progress":3,"total":5,"message":"step 3"}`, "", "3/5 step 3"},
	{"notifications/progress", `{"progress":0.5}`, "", "0.5"},
	{"notifications/cancelled", `{"requestId":4,"reason":"timed out"}`, "", "4: timed out"},
	{"notifications/cancelled", `{"requestId":"mcpdbg-4"}`, "", "4"},
	{"notifications/cancelled", `{"requestId":"a4"}`, "", `"a4"`},
	{"notifications/resources/updated", `{"uri":"note://r"}`, "note://r", ""},
	{"notifications/tools/list_changed", "", "", ""},
	{"notifications/tasks/status", `{"taskId":"7f3a","status":"working","statusMessage":"frame 3","createdAt":"x"}`, "7f3a", "working: frame 3"},
	{"notifications/elicitation/complete", `{"elicitationId":"e1"}`, "e1", ""},
	{"acme/run", `{"name":"echo","title":"Echo tool","in":{"a":1,"b":2,"c":3},"_meta":{},"d":4,"e":5,"f":6}`, "", `{name: "echo", title: "Echo tool", in: {a: 1, b: 2, …}, d: 4, e: 5, …}`},
	{"acme/run", `{}`, "", ""},
	{"acme/run", `[1,"x"]`, "", `[1, "x"]`},
	{"acme/run", `null`, "", "null"},
}

func TestRequests(t *testing.T) {
	for _, tc := range requestCases {
		msg := request(tc.method, tc.params)
		require.Equal(t, tc.call, summary.Call(tc.method, msg), "%s", msg)
		require.Equal(t, tc.want, summary.Request(tc.method, msg), "%s", msg)
	}
}

// A resultCase is a result of a request.
type resultCase struct{ method, result, want string }

var resultCases = []resultCase{
	{"tools/call", `{"content":[{"type":"text","text":"Echo: hello"}]}`, "Echo: hello"},
	{"tools/call", `{"isError":true,"content":[{"text":"b must be a number","type":"text"}]}`, "failed: b must be a number"},
	{"tools/call", `{"content":[],"isError":true}`, "failed"},
	{"tools/call", `{"content":[{"type":"text","text":"Echo: hello"},{"type":"image","data":"` + strings.Repeat("AAAA", 3400) + `","mimeType":"image/png"}],"isError":false}`,
		`"Echo: hello" + image/png 10K`},
	{"tools/call", `{"content":[{"type":"audio","data":"AAA="},{"type":"resource_link","uri":"note://a","name":"a"},` +
		`{"type":"resource","resource":{"uri":"note://b","mimeType":"text/plain","text":"abc"}},{"type":"text","text":"x"},{"type":"x"}]}`,
		`audio 2 B + link note://a + resource note://b text/plain 3 B + 2 more`},
	{"tools/call", `{"content":[],"structuredContent":{"temp":12,"unit":"C"}}`, `{temp: 12, unit: "C"}`},
	{"tools/call", `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`, "{}"},
	{"tools/call", `{"content":[]}`, "no content"},
	{"tools/call", `{}`, "ok"},
	{"tools/call", `{"content":[{"type":"text","text":"a first line that is long enough\n` + strings.Repeat("more ", 20) + `"}]}`, "a first line that is long enough…"},
	{"tools/call", `{"content":[{"type":"text","text":"{\n  \"temp\": 12,\n  \"unit\": \"C\"\n}"}]}`, `{ "temp": 12, "unit": "C" }`},
	{"tools/call", `{"resultType":"input_required","inputRequests":{"confirm":{"method":"elicitation/create"}},"requestState":"s"}`, "input required: confirm"},
	{"tools/call", `{"resultType":"input_required","requestState":"s"}`, "input required"},
	{"tools/call", `{"task":{"taskId":"7f3a","status":"working","ttl":1}}`, "task 7f3a working"},
	{"tools/call", `{"resultType":"task","taskId":"7f3ab1c2-0000-4000-8000-000000000000","status":"working","statusMessage":"go"}`, "task 7f3ab1c2… working: go"},
	{"tools/call", `{"resultType":"complete","content":[{"type":"text","text":"ok"}]}`, "ok"},
	{"tools/list", `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"description":"x","name":"add"}]}`, "2 tools: echo, add"},
	{"tools/list", `{"nextCursor":"p2","tools":[{"name":"echo"}]}`, "1 tool · next page · echo"},
	{"tools/list", `{"tools":[]}`, "no tools"},
	{"resources/list", `{"resources":[{"uri":"note://a","name":"a"}]}`, "1 resource: a"},
	{"resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"note://{a}","name":"note"}]}`, "1 template: note"},
	{"prompts/list", `{"prompts":[{"name":"a"},{"name":"b"}],"nextCursor":null}`, "2 prompts: a, b"},
	{"tasks/list", `{"tasks":[{"taskId":"7f3a","status":"working"}]}`, "1 task: 7f3a"},
	{"resources/read", `{"contents":[{"uri":"note://r","mimeType":"text/plain","text":"` + strings.Repeat("x", 1600) + `\u00e9"}]}`, "text/plain 1.6K"},
	{"resources/read", `{"contents":[{"uri":"a","text":"a\nb"},{"uri":"b","mimeType":"image/png","blob":"AAAA"}]}`, "text 3 B + blob image/png 3 B"},
	{"resources/read", `{"contents":[]}`, "no contents"},
	{"prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":"Write code"}},{"role":"assistant","content":{"type":"text","text":"x"}}]}`,
		`2 messages: user "Write code"`},
	{"prompts/get", `{"messages":[]}`, "no messages"},
	{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"everything","version":"2.0.0"}}`,
		"everything 2.0.0 · 2025-11-25 · tools, resources, prompts"},
	{"server/discover", `{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":""}}}`,
		"s · 2026-07-28, 2025-11-25 · tools"},
	{"completion/complete", `{"completion":{"values":["Berlin","Bern"]}}`, "2 values: Berlin, Bern"},
	{"completion/complete", `{"completion":{"values":["Berlin"],"total":40,"hasMore":true}}`, "1 of 40 values: Berlin"},
	{"completion/complete", `{"completion":{"values":["Berlin"],"hasMore":true}}`, "1+ values: Berlin"},
	{"completion/complete", `{"completion":{"values":[]}}`, "no values"},
	{"elicitation/create", `{"action":"accept","content":{"date":"2026-11-23","late":true}}`, `accept {date: "2026-11-23", late: true}`},
	{"elicitation/create", `{"action":"decline"}`, "decline"},
	{"sampling/createMessage", `{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"m1"}`, `"Hi" by m1`},
	{"roots/list", `{"roots":[{"uri":"file:///x","name":"x"}]}`, "1 root: file:///x"},
	{"tasks/get", `{"taskId":"7f3a","status":"completed"}`, "completed"},
	{"tasks/get", `{"taskId":"7f3a","status":"input_required","inputRequests":{"q":{}}}`, "input required: q"},
	{"tasks/cancel", `{"resultType":"complete"}`, "ok"},
	{"tasks/result", `{"content":[{"type":"text","text":"done"}]}`, "done"},
	{"ping", `{}`, "ok"},
	{"logging/setLevel", `{"_meta":{},"resultType":"complete"}`, "ok"},
	{"acme/run", `{"a":1}`, "{a: 1}"},
	{"acme/run", `null`, "null"},
	{"", `"text"`, `"text"`},
}

func TestResults(t *testing.T) {
	for _, tc := range resultCases {
		msg := response(tc.result)
		require.Equal(t, tc.want, summary.Response(tc.method, msg, int64(len(msg))), "%s %.200s", tc.method, msg)
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct{ failure, want string }{
		{`{"code":-32602,"message":"Invalid params: b must be a number"}`, "-32602: Invalid params: b must be a number"},
		{`{"message":"MCP error -32602: Tool x not found","code":-32602}`, "-32602: invalid params: Tool x not found"},
		{`{"code":-32021,"message":"Needs more","data":{"requiredCapabilities":{"elicitation":{"url":{}},"sampling":{}}}}`,
			"-32021: missing client capability: elicitation.url, sampling"},
		{`{"code":-32021,"message":"Needs more","data":{"requiredCapabilities":{}}}`, "-32021: missing required client capability: Needs more: {requiredCapabilities: {}}"},
		{`{"code":-32601}`, "-32601: method not found"},
		{`{"code":-32603,"message":"Internal error","data":"disk full"}`, "-32603: Internal error: disk full"},
		{`{"code":-32603,"message":"Internal error: disk full","data":"disk full"}`, "-32603: Internal error: disk full"},
		{`{"code":-32002,"message":"Resource not found","data":{"uri":"note://x"}}`, `-32002: Resource not found: {uri: "note://x"}`},
		{`{"code":1,"message":"no","data":{}}`, "1: no"},
		{`{"code":1,"message":"no","data":null}`, "1: no"},
		{`{"code":"E1"}`, "E1"},
		{`{"message":"two\nlines"}`, "two lines"},
		{`{}`, ""},
	} {
		msg := failed(tc.failure)
		require.Equal(t, tc.want, summary.Response("tools/call", msg, int64(len(msg))), "%s", msg)
	}
}

// TestCut checks the summaries of messages whose wanted part is missing.
func TestCut(t *testing.T) {
	const full = 102 << 20
	long := strings.Repeat("x", 2*summary.Limit)
	for _, tc := range []struct{ method, result, want string }{
		{"tools/call", `{"content":[{"type":"text","annotations":{"x":"` + long, "text, 102 MB"},
		{"tools/call", `{"content":[{"type":"text","text":"first line of many\nsecond` + long, "first line of many…"},
		{"tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"` + long, "image/png, 102 MB"},
		{"tools/call", `{"content":[{"type":"text","text":"a"},{"type":"image","data":"` + long, `"a" + image, 102 MB`},
		{"tools/call", `{"_meta":{"x":"` + long, "102 MB"},
		{"tools/call", `{"structuredContent":{"a":1,"b":"` + long, `{a: 1, b: "` + strings.Repeat("x", 60) + `…", …}`},
		{"resources/read", `{"contents":[{"uri":"a","mimeType":"text/plain","text":"` + long, "text/plain, 102 MB"},
		{"resources/read", `{"contents":[{"uri":"a","blob":"` + long, "blob, 102 MB"},
		{"tools/list", `{"tools":[{"name":"a"},{"name":"b","inputSchema":{"x":"` + long, "2+ tools: a, b, …"},
		{"tools/list", `{"x":"` + long, "tools, 102 MB"},
		{"prompts/get", `{"description":"` + long, "messages, 102 MB"},
		{"prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":"` + long, `1+ messages: user "` + strings.Repeat("x", 100) + `…"`},
		{"completion/complete", `{"completion":{"values":["a","` + long, `2+ values: a, ` + strings.Repeat("x", 60) + "…"},
		{"initialize", `{"instructions":"` + long, "102 MB"},
		{"acme/run", `{"a":"` + long, `{a: "` + strings.Repeat("x", 60) + `…", …}`},
		{"acme/run", `{"_meta":{"a":"` + long, "102 MB"},
	} {
		require.Equal(t, tc.want, summary.Response(tc.method, response(tc.result), full), "%s %.80s", tc.method, tc.result)
	}
	require.Equal(t, "102 MB", summary.Response("tools/call", []byte(`{"jsonrpc":"2.0","x":"`+long), full))
	require.Empty(t, summary.Response("tools/call", []byte(`{"jsonrpc":"2.0"}`), 17))
	require.Empty(t, summary.Call("tools/call", request("tools/call", `{"arguments":{"x":"`+long+`"},"name":"echo"}`)))
	require.Equal(t, `x="`+strings.Repeat("x", 100)+`…" …`, summary.Request("tools/call", request("tools/call", `{"arguments":{"x":"`+long+`"},"name":"echo"}`)))
}

// TestNotMessages checks that anything else has no summary.
func TestNotMessages(t *testing.T) {
	for _, text := range []string{"", "x", "5", "null", `"text"`, `[{"method":"tools/call","params":{"name":"x"}}]`, "{", `{"a`, `{"params"`, `{"params":`, "\xff"} {
		require.Empty(t, summary.Call("tools/call", []byte(text)), text)
		require.Empty(t, summary.Request("tools/call", []byte(text)), text)
		require.Empty(t, summary.Response("tools/call", []byte(text), 0), text)
	}
}

func TestMessage(t *testing.T) {
	call := request("tools/call", `{"name":"echo","arguments":{"message":"hello"}}`)
	result := response(`{"content":[{"type":"text","text":"Echo: hello"}]}`)
	for _, tc := range []struct {
		kind   framing.Kind
		method string
		msg    []byte
		want   string
	}{
		{framing.Request, "tools/call", call, `echo message="hello"`},
		{framing.Request, "tools/call", request("tools/call", `{"name":"now"}`), "now"},
		{framing.Notification, "notifications/message", request("notifications/message", `{"level":"info","data":"x"}`), "info: x"},
		{framing.Response, "tools/call", result, "Echo: hello"},
		{framing.ErrorResponse, "tools/call", failed(`{"code":-32602,"message":"no"}`), "-32602: invalid params: no"},
		{framing.Batch, "", []byte(`[{"id":1,"method":"ping"},{"id":2,"method":"tools/call","params":{"name":"echo"}},{"method":"notifications/initialized"},{"id":"a","result":{}},7]`), "ping, echo, initialized, response \"a\", other"},
		{framing.Batch, "", []byte(`[{"id":1,"method":"ping"},{"id":2,"met`), "ping"},
		{framing.Batch, "", []byte("[" + strings.Repeat("1,", 20) + "1]"), "other, other, other, other, other, other, other, other, other, other, other, other, …"},
		{framing.NotJSON, "", []byte("x"), ""},
	} {
		require.Equal(t, tc.want, summary.Message(tc.kind, tc.method, tc.msg, 5000), "%s", tc.msg)
	}
	long := request("tools/call", `{"name":"`+strings.Repeat("x", 240)+`","arguments":{"a":"`+strings.Repeat("x", 240)+`"}}`)
	require.Len(t, summary.Message(framing.Request, "tools/call", long, 5000), 300)
}

func TestShort(t *testing.T) {
	require.Equal(t, "tools/list_changed", summary.Short("notifications/tools/list_changed"))
	require.Equal(t, "tools/list", summary.Short("tools/list"))
	require.Empty(t, summary.Short(""))
}

// TestCutAnywhere cuts every message of the tables at every byte.
func TestCutAnywhere(t *testing.T) {
	for _, tc := range requestCases {
		msg := request(tc.method, tc.params)
		for n := range msg {
			check(t, tc.method, msg[:n])
		}
	}
	for _, tc := range resultCases {
		msg := response(tc.result)
		for n := range min(len(msg), 1000) {
			check(t, tc.method, msg[:n])
		}
	}
}

// TestLongTexts checks that no text of a message can make a summary too long, or
// cut a rune.
func TestLongTexts(t *testing.T) {
	for _, text := range []string{"é", "日本", "🙂", `\u65e5`, `\ud83d\ude42`, `\n`, `a\n`, `\\`} {
		for _, n := range []int{50, 60, 99, 100, 239, 240, 241, 300, 1000} {
			long := `"` + strings.Repeat(text, n) + `"`
			for _, tc := range requestCases {
				msg := request(tc.method, longer(tc.params, long))
				require.True(t, utf8.ValidString(check(t, tc.method, msg)), "%s", msg)
			}
			for _, tc := range resultCases {
				msg := response(longer(tc.result, long))
				require.True(t, utf8.ValidString(check(t, tc.method, msg)), "%s", msg)
			}
		}
	}
}

// longer replaces each string value in a document.
func longer(doc, long string) string {
	var b strings.Builder
	for {
		head, rest, ok := strings.Cut(doc, `:"`)
		b.WriteString(head)
		if !ok {
			return b.String()
		}
		b.WriteString(":" + long)
		_, doc, _ = strings.Cut(rest, `"`)
	}
}

// check makes all summaries of a message, and checks what always holds.
func check(t *testing.T, method string, msg []byte) string {
	all := ""
	for _, s := range []string{summary.Call(method, msg), summary.Request(method, msg), summary.Response(method, msg, 5000)} {
		require.LessOrEqual(t, len(s), 300, "%s of %s", s, msg)
		require.NotContains(t, s, "\n")
		require.NotContains(t, s, "\r")
		all += s
	}
	return all
}

func FuzzSummary(f *testing.F) {
	for _, tc := range requestCases {
		f.Add(tc.method, request(tc.method, tc.params))
	}
	for _, tc := range resultCases {
		f.Add(tc.method, response(tc.result))
	}
	f.Add("tools/call", failed(`{"code":-32602,"message":"no","data":{"a":[1]}}`))
	f.Add("tools/call", []byte(`{"id":1,"result":{"resultType":"input_required","requestState":"a"},"params":{"_meta":{"progressToken":1}}}`))
	f.Fuzz(func(t *testing.T, method string, msg []byte) {
		summary.AsksForInput(msg)
		summary.GoesOn(method, msg)
		summary.TaskStatus(msg)
		for _, member := range [][]byte{
			summary.AskedState(msg), summary.ResentState(msg), summary.ProgressToken(msg), summary.ProgressOf(msg), summary.CancelledID(msg), summary.IDOf(msg),
			summary.TaskOf(msg), summary.TaskID(msg), summary.RelatedTask(msg),
		} {
			require.LessOrEqual(t, len(member), summary.Limit)
			require.True(t, member == nil || len(member) > 0)
		}
		check(t, method, msg)
		if all := check(t, method, msg); utf8.Valid(msg) {
			require.True(t, utf8.ValidString(all), "%q of %q", all, msg)
		}
	})
}

func Example() {
	call := []byte(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`)
	result := []byte(`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}`)
	const method = "tools/call"
	fmt.Println(summary.Short(method), summary.Call(method, call), summary.Request(method, call))
	fmt.Println(summary.Response(method, result, int64(len(result))))
	// Output:
	// tools/call echo message="hello"
	// Echo: hello
}

func TestID(t *testing.T) {
	for raw, want := range map[string]string{
		`"mcpdbg-4"`: "4", `4`: "4", `"a4"`: `"a4"`, `"mcpdbg-"`: `"mcpdbg-"`, `"mcpdbg-4`: `"mcpdbg-4`, `"mcpdbg-4x"`: `"mcpdbg-4x"`, "": "",
	} {
		require.Equal(t, want, summary.ID(raw))
	}
}
