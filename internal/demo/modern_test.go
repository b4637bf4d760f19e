package demo

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// modern returns a modern request. Capabilities are JSON; params are members,
// each with a leading comma.
func modern(id, method, capabilities, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, id, method, modernMeta(capabilities, ""), params)
}

func TestModernResponses(t *testing.T) {
	for _, test := range []struct {
		name, method, params string
		path                 []any
		want                 any
	}{
		{"discover", "server/discover", ``, []any{"result", "supportedVersions"}, []any{"2026-07-28"}},
		{"discover is cacheable", "server/discover", ``, []any{"result", "cacheScope"}, "private"},
		{"any request first", "tools/list", ``, []any{"result", "resultType"}, "complete"},
		{"lists are cacheable", "tools/list", ``, []any{"result", "ttlMs"}, 0.0},
		{"calls are not", "tools/call", `,"name":"echo","arguments":{"message":"a"}`, []any{"result", "ttlMs"}, nil},
		{"empty cursor", "tools/list", `,"cursor":""`, []any{"result", "tools", 0, "name"}, "add"},
		{"server identity", "tools/list", ``, []any{"result", "_meta", "io.modelcontextprotocol/serverInfo", "name"}, "mcpdbg-demo"},
		{"no more than needed", "tools/list", ``, []any{"result", "_meta", "io.modelcontextprotocol/serverInfo", "icons"}, nil},
		{"full identity", "server/discover", ``, []any{"result", "_meta", "io.modelcontextprotocol/serverInfo", "title"}, "mcpdbg demo server"},
		{"structured content", "tools/call", `,"name":"add","arguments":{"a":1,"b":2}`, []any{"result", "structuredContent", "sum"}, 3.0},
		{"big result type", "tools/call", `,"name":"big","arguments":{"bytes":1}`, []any{"result", "resultType"}, "complete"},
		{"initialize is gone", "initialize", `,"protocolVersion":"2025-11-25"`, []any{"error", "code"}, -32601.0},
		{"ping is gone", "ping", ``, []any{"error", "code"}, -32601.0},
		{"setLevel is gone", "logging/setLevel", `,"level":"info"`, []any{"error", "code"}, -32601.0},
		{"subscribe is gone", "resources/subscribe", `,"uri":"demo://clock"`, []any{"error", "code"}, -32601.0},
		{"read unknown", "resources/read", `,"uri":"demo://nope"`, []any{"error", "code"}, -32602.0},
		{"listen for nothing", "subscriptions/listen", ``, []any{"error", "code"}, -32602.0},
		{"ask undeclared", "tools/call", `,"name":"ask"`, []any{"error", "data", "requiredCapabilities"}, map[string]any{"elicitation": map[string]any{}}},
		{"sample undeclared", "tools/call", `,"name":"sample"`, []any{"error", "code"}, -32021.0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := talk(t)
			answer := d.ask(modern(`"m-1"`, test.method, `{}`, test.params))
			require.Equal(t, "m-1", answer["id"])
			require.Equal(t, test.want, at(t, answer, test.path...))
			require.Equal(t, 0, d.end())
		})
	}
}

func TestModernMetaIsChecked(t *testing.T) {
	d := talk(t)
	answer := d.ask(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	require.Equal(t, -32022.0, at(t, answer, "error", "code"))
	require.Equal(t, []any{"2026-07-28"}, at(t, answer, "error", "data", "supported"))
	require.Equal(t, "2027-01-01", at(t, answer, "error", "data", "requested"))
	answer = d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	require.Equal(t, -32602.0, at(t, answer, "error", "code"))
	answer = d.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + modernMeta(`{}`, `,"io.modelcontextprotocol/logLevel":"loud"`) + `}}`)
	require.Equal(t, -32602.0, at(t, answer, "error", "code"))
	require.Equal(t, 0, d.end())
}

// TestErasMix checks that one process serves both eras, request by request.
func TestErasMix(t *testing.T) {
	d := talk(t)
	require.NotNil(t, d.ask(modern(`1`, "server/discover", `{}`, ""))["result"])
	d.initialize("2025-06-18", `{}`)
	require.Nil(t, at(t, d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), "result", "resultType"))
	require.Equal(t, "complete", at(t, d.ask(modern(`3`, "tools/list", `{}`, "")), "result", "resultType"))
	require.Equal(t, 0, d.end())
}

// TestModernQuestions checks that a question is a result in the modern era, and
// that the client can repeat the request with the answer and the given state.
func TestModernQuestions(t *testing.T) {
	for _, test := range []struct {
		tool, args, capabilities, method, reply, says string
	}{
		{"ask", `{}`, `{"elicitation":{}}`, "elicitation/create", `{"action":"accept","content":{"name":"Ada"}}`, `the person chose accept: {"name":"Ada"}`},
		{"ask", `{}`, `{"elicitation":{"form":{}}}`, "elicitation/create", `{"action":"decline"}`, `the person chose decline`},
		{"ask", `{"mode":"url"}`, `{"elicitation":{"url":{}}}`, "elicitation/create", `{"action":"accept"}`, `the person chose accept`},
		{"sample", `{}`, `{"sampling":{}}`, "sampling/createMessage", `{"role":"assistant","model":"m","content":{"type":"text","text":"hi"}}`, `m said: {"type":"text","text":"hi"}`},
		{"roots", `{}`, `{"roots":{}}`, "roots/list", `{"roots":[{"uri":"file:///a"}]}`, `1 roots: [{file:///a}]`},
	} {
		t.Run(test.tool+test.reply, func(t *testing.T) {
			d := talk(t)
			call := `,"name":"` + test.tool + `","arguments":` + test.args
			answer := d.ask(modern(`1`, "tools/call", test.capabilities, call))
			require.Equal(t, "input_required", at(t, answer, "result", "resultType"))
			require.Equal(t, test.method, at(t, answer, "result", "inputRequests", questionKey, "method"))
			state := at(t, answer, "result", "requestState").(string)

			again := call + `,"inputResponses":{"` + questionKey + `":` + test.reply + `},"requestState":`
			answer = d.ask(modern(`2`, "tools/call", test.capabilities, again+`"forged"`))
			require.Equal(t, -32602.0, at(t, answer, "error", "code"))
			answer = d.ask(modern(`3`, "tools/call", test.capabilities, again+`"`+state+`"`))
			require.Equal(t, "complete", at(t, answer, "result", "resultType"))
			require.Equal(t, test.says, at(t, answer, "result", "content", 0, "text"))
			answer = d.ask(modern(`4`, "tools/call", test.capabilities, call+`,"inputResponses":{},"requestState":"`+state+`"`))
			require.Equal(t, -32602.0, at(t, answer, "error", "code"))
			require.Equal(t, 0, d.end())
		})
	}
}

func TestModernURLModeMustBeDeclared(t *testing.T) {
	d := talk(t)
	answer := d.ask(modern(`1`, "tools/call", `{"elicitation":{}}`, `,"name":"ask","arguments":{"mode":"url"}`))
	require.Equal(t, -32021.0, at(t, answer, "error", "code"))
	answer = d.ask(modern(`2`, "tools/call", `{"elicitation":{"url":{}}}`, `,"name":"ask"`))
	require.Equal(t, -32021.0, at(t, answer, "error", "code"), "url alone does not include form")
	require.Equal(t, 0, d.end())
}

func TestModernLogsOnlyOnRequest(t *testing.T) {
	d := talk(t)
	call := `,"name":"log","arguments":{"level":"warning"}`
	require.Equal(t, "sent 0 log messages, skipped 1",
		at(t, d.ask(modern(`1`, "tools/call", `{}`, call)), "result", "content", 0, "text"))
	note := d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + modernMeta(`{}`, `,"io.modelcontextprotocol/logLevel":"warning"`) + call + `}}`)
	require.Equal(t, "notifications/message", note["method"])
	require.Equal(t, 2.0, d.next()["id"])
	require.Equal(t, 0, d.end())
}

func TestListen(t *testing.T) {
	d := talk(t)
	const key = "io.modelcontextprotocol/subscriptionId"
	ack := d.ask(modern(`"sub"`, "subscriptions/listen", `{}`, `,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://clock"]}`))
	require.Equal(t, "notifications/subscriptions/acknowledged", ack["method"])
	require.Equal(t, "sub", at(t, ack, "params", "_meta", key))
	require.Equal(t, map[string]any{"toolsListChanged": true, "resourceSubscriptions": []any{"demo://clock"}}, at(t, ack, "params", "notifications"))

	other := d.ask(modern(`"other"`, "subscriptions/listen", `{}`, `,"notifications":{"resourceSubscriptions":["demo://readme"]}`))
	require.Equal(t, "other", at(t, other, "params", "_meta", key), "not notified of the clock")

	touch := func(id, what string) string {
		return modern(id, "tools/call", `{}`, `,"name":"touch","arguments":{"what":"`+what+`"}`)
	}
	note := d.ask(touch(`1`, "clock"))
	require.Equal(t, "notifications/resources/updated", note["method"])
	require.Equal(t, clockURI, at(t, note, "params", "uri"))
	require.Equal(t, "sub", at(t, note, "params", "_meta", key))
	require.Equal(t, 1.0, d.next()["id"])

	note = d.ask(touch(`2`, "tools"))
	require.Equal(t, "notifications/tools/list_changed", note["method"])
	require.Equal(t, "sub", at(t, note, "params", "_meta", key))
	require.Equal(t, 2.0, d.next()["id"])

	require.Equal(t, 3.0, d.ask(touch(`3`, "prompts"))["id"], "not subscribed")
	require.Equal(t, -32600.0, at(t, d.ask(modern(`"sub"`, "subscriptions/listen", `{}`, `,"notifications":{}`)), "error", "code"), "the id is in use")

	d.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}`)
	require.Equal(t, 4.0, d.ask(touch(`4`, "clock"))["id"], "ended without a response")
	require.Equal(t, 0, d.end())
}

const jobCall = `,"method":"tools/call","params":{"name":"job","arguments":{"seconds":0}`

// asJob is the beginning of a request with an id.
func asJob(id string) string { return `{"jsonrpc":"2.0","id":` + id + jobCall }

// TestJobInBothEras checks a task from its announcement to its result.
func TestJobInBothEras(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	require.Equal(t, -32601.0, at(t, d.ask(asJob(`10`)+`}}`), "error", "code"), "required, but called plainly")
	require.Equal(t, -32601.0, at(t, d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","task":{}}}`), "error", "code"), "forbidden")
	created := d.ask(asJob(`11`) + `,"task":{"ttl":60000}}}`)
	require.Equal(t, "working", at(t, created, "result", "task", "status"))
	require.Equal(t, 60000.0, at(t, created, "result", "task", "ttl"))
	id := at(t, created, "result", "task", "taskId").(string)
	result := d.ask(`{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"` + id + `"}}`)
	require.Equal(t, "the job took 0 seconds", at(t, result, "result", "content", 0, "text"))
	require.Equal(t, id, at(t, result, "result", "_meta", metaRelatedTask, "taskId"))
	require.Equal(t, "completed", at(t, d.ask(`{"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"`+id+`"}}`), "result", "status"))
	require.Equal(t, -32602.0, at(t, d.ask(`{"jsonrpc":"2.0","id":5,"method":"tasks/cancel","params":{"taskId":"`+id+`"}}`), "error", "code"), "it is over")
	require.Equal(t, 0, d.end())
}

func TestModernJobNeedsTheExtension(t *testing.T) {
	const meta = `,"_meta":{"` + metaVersion + `":"` + modernRevision + `","` + metaCapabilities + `":`
	d := talk(t)
	require.Equal(t, -32021.0, at(t, d.ask(asJob(`12`)+meta+`{}}}}`), "error", "code"))
	with := meta + `{"extensions":{"` + tasksExtension + `":{}}}}`
	created := d.ask(asJob(`13`) + with + `}}`)
	require.Equal(t, "task", at(t, created, "result", "resultType"))
	id := at(t, created, "result", "taskId").(string)
	require.Nil(t, at(t, created, "result", "ttlMs"))
	require.Equal(t, "complete", at(t, d.ask(`{"jsonrpc":"2.0","id":2,"method":"tasks/cancel","params":{"taskId":"`+id+`"`+with+`}}`), "result", "resultType"))
	require.Equal(t, -32601.0, at(t, d.ask(`{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"`+id+`"`+with+`}}`), "error", "code"))
	require.Equal(t, 0, d.end())
}
