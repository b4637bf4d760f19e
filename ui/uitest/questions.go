package uitest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Requests of a server: for a form, an address and an answer of a model.
const (
	AskName = `{"mode":"form","message":"Who are you?\nIt stays here.","requestedSchema":{"type":"object","required":["name"],"properties":{` +
		`"name":{"type":"string","title":"Name","minLength":2},"cups":{"type":"integer","default":2},"colour":{"type":"string","enum":["red","green"]}}}}`
	AskPage  = `{"mode":"url","message":"Confirm there, please","url":"https://user@example.com:8443/confirm?request=1","elicitationId":"c-1"}`
	AskModel = `{"messages":[{"role":"user","content":{"type":"text","text":"Write a haiku about pipes."}},{"role":"assistant","content":[{"type":"text","text":"No."},{"type":"image","data":"AAAA","mimeType":"image/png"}]}],` +
		`"systemPrompt":"You are terse.","modelPreferences":{"hints":[{"name":"small"}],"speedPriority":0.8},"maxTokens":100,"stopSequences":["END"],"tools":[{"name":"look","description":"Looks.","inputSchema":{"type":"object"}}]}`
)

// LongTool is a tool whose schema has a bit of everything.
const LongTool = `{"name":"plan","description":"Plans a trip.","inputSchema":{"type":"object","required":["city","days"],"properties":{
	"city":{"type":"string","minLength":2,"description":"Where to."},"days":{"type":"integer","minimum":1,"maximum":14},"budget":{"type":"number"},
	"class":{"type":"string","enum":["first","second"]},"direct":{"type":"boolean","default":true},"stops":{"type":"array","items":{"type":"string"}},
	"who":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}}}}`

// Person sets the policies so that the user answers all server requests.
func Person(t testing.TB, s *session.Session) {
	t.Helper()
	for _, method := range []string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots} {
		require.NoError(t, s.SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
	}
}

// Questions has one server request of each kind.
var Questions = map[string][2]string{
	"form":     {mcp.MethodElicit, AskName},
	"address":  {mcp.MethodElicit, AskPage},
	"sampling": {mcp.MethodSample, AskModel},
	"roots":    {mcp.MethodRoots, `{}`},
	"other":    {"tasks/get", `{"taskId":"t-1"}`},
}

// InRounds returns a modern server whose calls require one or more answers.
func InRounds(requests string) func(*Process, Message) {
	return func(p *Process, m Message) {
		var params struct {
			Answers json.RawMessage `json:"inputResponses"`
		}
		_ = json.Unmarshal(m.Params, &params) // each message is a call
		if params.Answers == nil {
			p.Out(`{"jsonrpc":"2.0","id":%s,"result":{`+ModernMeta+`,"resultType":"input_required","inputRequests":{%s},"requestState":"s"}}`, m.ID, requests)
			return
		}
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":{`+ModernMeta+`,"resultType":"complete","content":[],"got":%s}}`, m.ID, params.Answers)
	}
}
