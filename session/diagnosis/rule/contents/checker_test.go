package contents

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A log passes messages to a checker, and keeps the problems.
type log struct {
	c        *Checker
	revision string
	rows     int
	requests map[string]*message.Request // by raw id
	found    []string
}

func newLog(revision string) *log {
	l := &log{revision: revision, requests: map[string]*message.Request{}}
	l.c = New(func(rule *diagnosis.Rule, severity diagnosis.Severity, _ message.Place, where diagnosis.Location, _ string) {
		l.found = append(l.found, fmt.Sprintf("%s %s %s", severity.Letter(), rule.ID, where))
	})
	return l
}

// pass checks a message of either side.
func (l *log) pass(fromServer bool, line string) {
	m := &message.Message{Message: framing.Scan([]byte(line)), FromServer: fromServer, Bytes: []byte(line), Revision: l.revision}
	m.At = message.Place{Row: l.rows, T: int64(l.rows) * 1000}
	l.rows++
	id := string(m.Of(m.ID))
	switch m.Kind {
	case framing.Request:
		l.requests[id] = &message.Request{At: m.At, Method: string(m.Of(m.Method)), Revision: l.revision, Name: "echo"}
		l.c.Request(m)
	case framing.Notification:
		l.c.Notification(m)
	case framing.Response, framing.ErrorResponse:
		if r := l.requests[id]; r != nil {
			delete(l.requests, id)
			l.c.Response(m, r)
		}
	}
	if l.c.Due() < m.At.T {
		l.c.Elapse(m.At.T)
	}
}

func (l *log) exchange(method, params, result string) {
	l.pass(false, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params))
	l.pass(true, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{%s}}`, result))
}

func (l *log) call(result string) { l.exchange("tools/call", `"name":"echo","arguments":{}`, result) }

// TestChecksAreLimited checks that of many calls only some are checked, and that the
// others are counted.
func TestChecksAreLimited(t *testing.T) {
	l := newLog(mcp.V20251125)
	l.exchange("tools/list", "", `"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["n"]}}]`)
	const good = `"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}`
	for range fullChecks/2 - 1 { // arguments are checked as well
		l.call(good)
	}
	require.Empty(t, l.found)
	require.Zero(t, l.c.Skipped())
	const bad = `"content":[{"type":"text","text":"{\"m\":1}"}],"structuredContent":{"m":1}`
	l.call(bad)
	require.Equal(t, []string{"E TOL06 tools/call: echo /structuredContent/n"}, l.found)
	for range checkEvery {
		l.call(bad)
	}
	require.Len(t, l.found, 3, "every hundredth of 200 arguments and values")
	require.Equal(t, 2*checkEvery-2, l.c.Skipped())
}

// TestSlowSchemaIsGivenUp checks that a schema that takes too long is not used again.
func TestSlowSchemaIsGivenUp(t *testing.T) {
	l := newLog(mcp.V20251125)
	doubling := `"$ref":"#/$defs/a0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	l.exchange("tools/list", "", `"tools":[{"name":"echo","inputSchema":{"type":"object",`+doubling+`"a40":{}}}}]`)
	for range 1000 {
		l.call(`"content":[]`)
	}
	require.Equal(t, 1000, l.c.Skipped())
	require.Empty(t, l.found)
}

// TestLimitsOfSchemas checks that schemas beyond the limits are counted and not
// reported.
func TestLimitsOfSchemas(t *testing.T) {
	l := newLog(mcp.V20251125)
	for i := range maxSchemas + 10 {
		l.exchange("tools/list", `"cursor":"x"`, fmt.Sprintf(`"tools":[{"name":"a%d","inputSchema":{"type":"object","title":"%d"}}]`, i, i))
	}
	require.Equal(t, 10, l.c.Skipped())
	long := newLog(mcp.V20251125)
	long.exchange("tools/list", "", `"tools":[{"name":"echo","inputSchema":{"type":"object","title":"`+strings.Repeat("x", 300<<10)+`"}}]`)
	require.Equal(t, 1, long.c.Skipped())
	require.Equal(t, []string{"I TOL13 tools/list: /tools"}, long.found)
}

// TestSizeOfList checks that a large list is reported with its last page.
func TestSizeOfList(t *testing.T) {
	l := newLog(mcp.V20251125)
	page := func(name string) string {
		return `"tools":[{"name":"` + name + `","description":"` + strings.Repeat("x", 60<<10) + `","inputSchema":{"type":"object"}}]`
	}
	l.exchange("tools/list", "", page("a")+`,"nextCursor":"2"`)
	require.Empty(t, l.found)
	l.exchange("tools/list", `"cursor":"2"`, page("b"))
	require.Equal(t, []string{"I TOL13 tools/list: /tools"}, l.found)
}

// TestUnknownRevision checks that rules of some revisions only are silent while the
// revision is unknown.
func TestUnknownRevision(t *testing.T) {
	for _, revision := range []string{"", "2099-01-01"} {
		l := newLog(revision)
		l.exchange("tools/list", `"_meta":{"a b":1}`, `"tools":[{"name":"a b","icons":[{"src":"x"}],"inputSchema":{"type":"object","properties":{"a":{"items":[{}]}}},"outputSchema":{"type":"array"}}]`)
		l.call(`"content":[],"structuredContent":[]`)
		require.Empty(t, l.found, revision)
	}
}

// TestModernSampling checks the messages of a sampling request in a result.
func TestModernSampling(t *testing.T) {
	l := newLog(mcp.V20260728)
	l.call(`"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[` +
		`{"role":"assistant","content":{"type":"tool_use","id":"c1","name":"t","input":{}}}]}}}`)
	require.Equal(t, []string{"E SRV07 tools/call: echo /inputRequests/a/params/messages/0/content"}, l.found)
}

func TestSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"password": "password", "dbPassword": "password", "API_KEY": "api key", "Your API key:": "api key", "apiKey": "api key", "APIKey": "api key",
		"token": "token", "access-token": "access token", "Credit card": "credit card", "cardNumber": "card number", "CVV": "cvv", "clientSecret": "client secret",
		"key": "", "issueKey": "", "keyboard": "", "tokenizer": "", "maxTokens": "", "next page token": "", "card": "", "password_hint": "", "secretary": "",
		"": "", "Passwordless": "", "phone number": "", "pin": "",
	} {
		require.Equal(t, want, secretIn(text), text)
	}
}

// FuzzChecker passes arbitrary messages to a checker.
func FuzzChecker(f *testing.F) {
	f.Add("tools/list", `"_meta":{"a":1},"cursor":"x"`, `"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"array"},"icons":[{"src":"x"}]}],"nextCursor":"y"`, uint8(4))
	f.Add("tools/call", `"name":"echo","arguments":{}`, `"content":[{"type":"image","data":"?"},{"type":"resource","resource":{"uri":"a b","blob":"="}}],"structuredContent":[1]`, uint8(5))
	f.Add("elicitation/create", `"requestedSchema":{"properties":{"a":{"type":"string","title":"password"},"b":1}}`, `"action":"accept","content":{"a":1}`, uint8(3))
	f.Add("tools/call", `"name":"echo","inputResponses":{"a":{"action":"accept"}},"requestState":"s"`, `"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","url":"%"}}},"requestState":"s"`, uint8(5))
	f.Add("sampling/createMessage", `"messages":[{"role":"user","content":[{"type":"tool_use","id":"1"}]},{}]`, `"content":{"type":"audio"}`, uint8(4))
	f.Add("roots/list", ``, `"roots":[{"uri":"/"}]`, uint8(4))
	revisions := []string{"", mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125, mcp.V20260728}
	f.Fuzz(func(t *testing.T, method, params, result string, revision uint8) {
		for _, fromServer := range []bool{false, true} {
			l := newLog(revisions[int(revision)%len(revisions)])
			for range 2 {
				l.pass(fromServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params))
				l.pass(!fromServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{%s}}`, result))
				l.pass(!fromServer, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, params))
			}
			l.c.End()
			for _, problem := range l.found {
				require.Less(t, len(problem), 2000)
			}
		}
	})
}

// BenchmarkChecker measures what the rules cost for small messages.
func BenchmarkChecker(b *testing.B) {
	const list = `"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}]`
	for _, bench := range []struct{ name, method, params, result string }{
		{"text", "tools/call", `"name":"other","arguments":{"message":"hello there"}`, `"content":[{"type":"text","text":"Echo: hello there"}]`},
		{"checked arguments", "tools/call", `"name":"echo","arguments":{"message":"hello there"}`, `"content":[{"type":"text","text":"Echo: hello there"}]`},
		{"structured", "tools/call", `"name":"other","arguments":{"message":"hello there"}`, `"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}`},
		{"ping", "ping", ``, ``},
	} {
		b.Run(bench.name, func(b *testing.B) {
			l := newLog(mcp.V20251125)
			l.exchange("tools/list", "", list)
			request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, bench.method, bench.params)
			response := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{%s}}`, bench.result)
			asked := &message.Message{Message: framing.Scan(request), Bytes: request, Revision: mcp.V20251125}
			answered := &message.Message{Message: framing.Scan(response), Bytes: response, Revision: mcp.V20251125, FromServer: true}
			kept := &message.Request{Method: bench.method, Revision: mcp.V20251125, Name: "other"}
			b.ReportAllocs()
			for b.Loop() {
				l.c.Request(asked)
				l.c.Response(answered, kept)
			}
			require.Empty(b, l.found)
		})
	}
}
