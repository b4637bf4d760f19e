package shape

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
)

// TestWalk compares messages with their shapes.
func TestWalk(t *testing.T) {
	for _, tc := range []struct {
		name, method, revision, params, result string
		want                                   []string
	}{
		{name: "fits", method: "tools/call", revision: mcp.V20250618, params: `{"name":"x","arguments":{"a":[1]}}`},
		{name: "missing", method: "tools/call", revision: mcp.V20250618, params: `{"arguments":{}}`, want: []string{"/name: name is missing"}},
		{name: "wrong type", method: "tools/call", revision: mcp.V20250618, params: `{"name":5,"arguments":null}`,
			want: []string{"/name: name is the number 5, not a string", "/arguments: arguments is null, not an object"}},
		{name: "escaped name", method: "tools/call", revision: mcp.V20250618, params: `{"n\u0061me":"x"}`},
		{name: "space", method: "tools/call", revision: mcp.V20250618, params: " { \"name\" :\t\"x\\\"}\" , \"arguments\" : { } } "},
		{name: "an element", method: "tools/list", revision: mcp.V20250618, result: `{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b"}]}`,
			want: []string{`/tools/*/inputSchema: inputSchema is missing in {"name":"b"}`}},
		{name: "newer member", method: "tools/list", revision: mcp.V20250326, result: `{"tools":[{"name":"a","title":"A","inputSchema":{"type":"object"}}]}`,
			want: []string{`/tools/*/title: title is new in 2025-06-18 in {"name":"a","title":"A","inputSchema":{"type":"object"}}`}},
		{name: "newer block", method: "tools/call", revision: mcp.V20250326, result: `{"content":[{"type":"resource_link","uri":"a:b","name":"x"}]}`,
			want: []string{`/content/*/type: type is "resource_link", which is new in 2025-06-18 in {"type":"resource_link","uri":"a:b","name":"x"}`}},
		{name: "unknown block", method: "tools/call", revision: mcp.V20250326, result: `{"content":[{"type":"video"}]}`,
			want: []string{`/content/*/type: type is "video", which no revision knows in {"type":"video"}`}},
		{name: "misspelled", method: "tools/call", revision: mcp.V20250326, result: `{"content":[],"is_error":true}`,
			want: []string{`/isError: is_error looks like a misspelled isError`}},
		{name: "not misspelled", method: "tools/call", revision: mcp.V20250326, result: `{"content":[],"is_error":true,"isError":true}`},
		{name: "text or blob", method: "resources/read", revision: mcp.V20250618, result: `{"contents":[{"uri":"a:b"}]}`,
			want: []string{`/contents/*/text: text or blob is missing in {"uri":"a:b"}`}},
		{name: "several levels", method: "prompts/get", revision: mcp.V20241105, result: `{"messages":[{"role":"system","content":{"type":"resource","resource":{}}}]}`,
			want: []string{
				`/messages/*/role: role is "system", not one of user, assistant in {"role":"system","content":{"type":"resource","resource":{}}}`,
				`/messages/*/content/resource/uri: uri is missing in {"role":"system","content":{"type":"resource","resource":{}}}`,
				`/messages/*/content/resource/text: text or blob is missing in {"role":"system","content":{"type":"resource","resource":{}}}`}},
		{name: "task", method: "tools/call", revision: mcp.V20251125, result: `{"task":{"taskId":"1","status":"working","createdAt":"x","lastUpdatedAt":"x","ttl":null}}`},
		{name: "task before tasks", method: "tools/call", revision: mcp.V20250618, result: `{"task":{}}`,
			want: []string{"/task: task is new in 2025-11-25", "/content: content is missing"}},
		{name: "modern", method: "tools/list", revision: mcp.V20260728, result: `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}`},
		{name: "modern, bad", method: "tools/list", revision: mcp.V20260728, result: `{"tools":[],"ttlMs":-1}`,
			want: []string{"/ttlMs: ttlMs is the number -1, not an integer of 0 or more", "/resultType: resultType is missing", "/cacheScope: cacheScope is missing"}},
		{name: "unknown resultType", method: "tools/list", revision: mcp.V20260728, result: `{"resultType":"later"}`,
			want: []string{`/resultType: resultType is "later", which no revision knows`}},
		{name: "input required", method: "tools/call", revision: mcp.V20260728,
			result: `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m"}},"b":{"method":"ping"}}}`,
			want:   []string{"/inputRequests/*/params/requestedSchema: requestedSchema is missing", `/inputRequests/*/method: method is "ping", which no revision knows`}},
		{name: "input", method: "tools/call", revision: mcp.V20260728,
			params: `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"x","inputResponses":{"a":{"action":"maybe"},"b":{}}}`,
			want:   []string{`/inputResponses/*/action: action is "maybe", not one of accept, decline, cancel`, "/inputResponses/*: action or roots or role is missing"}},
		{name: "slash", method: "tools/call", revision: mcp.V20260728, params: `{"name":"x","_meta":{"io.modelcontextprotocol/clientCapabilities":[]}}`,
			want: []string{"/_meta/io.modelcontextprotocol~1clientCapabilities: io.modelcontextprotocol/clientCapabilities is an array, not an object", "/_meta/io.modelcontextprotocol~1protocolVersion: io.modelcontextprotocol/protocolVersion is missing"}},
		{name: "one or more", method: "sampling/createMessage", revision: mcp.V20251125, result: `{"role":"user","model":"m","content":[{"type":"text"}]}`,
			want: []string{`/content/*/text: text is missing in {"type":"text"}`}},
		{name: "not yet more", method: "sampling/createMessage", revision: mcp.V20250618, result: `{"role":"user","model":"m","content":[]}`,
			want: []string{"/content: content is an array, not an object"}},
		{name: "unknown revision", method: "tools/call", revision: "2099-01-01", params: `{}`},
		{name: "unknown method", method: "x/y", revision: mcp.V20250618, params: `{}`},
		{name: "the pre-release", method: "tools/call", revision: mcp.V20241007, params: `{}`, want: []string{"/name: name is missing"}},
		{name: "not an object", method: "tools/call", revision: mcp.V20250618, params: `[]`, want: []string{": the value is an array, not an object"}},
		{name: "numbers", method: "notifications/progress", revision: mcp.V20250618, params: `{"progressToken":1.0,"progress":1e400,"total":-0.5}`},
		{name: "a broken token", method: "notifications/progress", revision: mcp.V20250618, params: `{"progressToken":1.5,"progress":1}`,
			want: []string{"/progressToken: progressToken is the number 1.5, not a string or an integer"}},
		{name: "deprecated", method: "tools/call", revision: mcp.V20260728,
			result: `{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"allServers"}}}}`,
			want:   []string{"/inputRequests/*/method: method sampling/createMessage is deprecated", "/inputRequests/*/params/includeContext: includeContext allServers is deprecated"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			shape, value := Params(tc.method), tc.params
			if tc.result != "" {
				shape, value = Result(tc.method, tc.revision), tc.result
			}
			var w Walker
			found, more := w.Walk(shape, []byte(value), tc.revision)
			require.False(t, more)
			var got []string
			for _, p := range found {
				line := p.Pointer + ": " + p.String()
				if item := p.Item.Of([]byte(value)); item != nil {
					line += " in " + string(item)
				}
				got = append(got, line)
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// TestTables checks that the tables cover every method, and what the walker takes for
// granted.
func TestTables(t *testing.T) {
	for _, m := range mcp.Methods("") {
		require.Contains(t, messages(), m.Name)
		require.NotNil(t, Params(m.Name), m.Name)
		for _, revision := range revisionNames[1:] {
			if m.IsNotification() || m.Name == mcp.MethodTasksResult {
				require.Nil(t, Result(m.Name, revision), m.Name)
			} else {
				require.NotNil(t, Result(m.Name, revision), m.Name)
			}
		}
	}
	for name, m := range messages() {
		require.NotEmpty(t, mcp.LookUp(name))
		for _, s := range []*Shape{m.params, m.result, m.modernResult} {
			if s != nil {
				require.LessOrEqual(t, checkTable(t, name, s), maxDepth)
			}
		}
	}
}

// checkTable checks a shape and returns how deep it is nested.
func checkTable(t *testing.T, where string, s *Shape) int {
	depth := 0
	deeper := func(name string, s *Shape) {
		require.Less(t, len(where), 500, "the tables must end")
		depth = max(depth, 1+checkTable(t, where+"/"+name, s))
	}
	require.LessOrEqual(t, len(s.members), 64, where)
	for revision := uint8(1); revision < uint8(len(revisionNames)); revision++ {
		names := map[string]bool{}
		for _, m := range s.members {
			if m.have(revision) {
				require.False(t, names[m.name], "%s has %s twice", where, m.name)
				names[m.name] = true
			}
		}
	}
	for _, m := range s.members {
		require.LessOrEqual(t, len(m.name), maxName-8)
		deeper(m.name, m.shape)
	}
	for _, c := range s.cases {
		require.LessOrEqual(t, len(c.name), maxName-8)
		deeper(c.name, c.shape)
	}
	for _, next := range []*Shape{s.elem, s.otherwise} {
		if next != nil {
			deeper("*", next)
		}
	}
	return depth
}

// TestLimits checks that a hostile value gets a bounded number of problems.
func TestLimits(t *testing.T) {
	var w Walker
	tools := []byte(`{"tools":[` + strings.Repeat(`{"name":1,"title":2,"description":3,"inputSchema":4,"annotations":5,"icons":6},`, 1000) + `{}]}`)
	found, more := w.Walk(Result("tools/list", mcp.V20251125), tools, mcp.V20251125)
	require.True(t, more)
	require.Len(t, found, 6*maxAlike+2)
	require.LessOrEqual(t, len(found), maxProblems)

	deep := []byte(`{"name":"x","arguments":` + strings.Repeat(`{"a":[`, 1_000_000) + strings.Repeat(`]}`, 1_000_000) + `}`)
	found, more = w.Walk(Params("tools/call"), deep, mcp.V20251125)
	require.False(t, more)
	require.Empty(t, found)
}

// smallMessages are the usual messages of a session.
var smallMessages = []struct {
	method, result, params, revision string
}{
	{method: "tools/call", revision: mcp.V20251125, params: `{"name":"echo","arguments":{"message":"hello"},"_meta":{"progressToken":1}}`},
	{method: "tools/call", revision: mcp.V20251125, result: `{"content":[{"type":"text","text":"Echo: hello"}],"isError":false}`},
	{method: "notifications/progress", revision: mcp.V20251125, params: `{"progressToken":1,"progress":0.5,"total":1,"message":"half \"done\""}`},
	{method: "tools/call", revision: mcp.V20260728, params: `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"echo"}`},
	{method: "tools/list", revision: mcp.V20260728, result: `{"resultType":"complete","ttlMs":1000,"cacheScope":"private","tools":[{"name":"a","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}},"annotations":{"readOnlyHint":true}}]}`},
}

// TestNoAllocations checks that a message that fits costs no memory.
func TestNoAllocations(t *testing.T) {
	var w Walker
	for _, m := range smallMessages {
		shape, value := Params(m.method), []byte(m.params)
		if m.result != "" {
			shape, value = Result(m.method, m.revision), []byte(m.result)
		}
		require.Zero(t, testing.AllocsPerRun(10, func() {
			found, _ := w.Walk(shape, value, m.revision)
			require.Empty(t, found)
		}))
	}
}

func BenchmarkWalk(b *testing.B) {
	var w Walker
	for _, m := range smallMessages {
		shape, value, what := Params(m.method), []byte(m.params), "params"
		if m.result != "" {
			shape, value, what = Result(m.method, m.revision), []byte(m.result), "result"
		}
		b.Run(m.method+" "+what+" "+m.revision, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(value)))
			for b.Loop() {
				w.Walk(shape, value, m.revision)
			}
		})
	}
}

func ExampleWalker_Walk() {
	var w Walker
	problems, _ := w.Walk(Params("tools/call"), []byte(`{"name":"echo","arguments":"hello"}`), mcp.V20250618)
	for _, p := range problems {
		fmt.Println(p.Pointer+":", p.String())
	}
	// Output: /arguments: arguments is a string, not an object
}
