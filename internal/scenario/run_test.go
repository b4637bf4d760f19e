package scenario_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

func tool(name, tool, args string) scenario.Step {
	return scenario.Step{Name: name, Do: scenario.Call, Method: "tools/call", Tool: tool,
		Params: json.RawMessage(`{"name":"` + tool + `","arguments":` + args + `}`)}
}

func jq(text string) []scenario.Expression { return []scenario.Expression{{Text: text}} }

// TestDemoPassesInBothEras runs every kind of step against the demo server.
func TestDemoPassesInBothEras(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				add := tool("add", "add", `{"a":"${a}","b":2}`)
				add.Expect.Result = json.RawMessage(`{"structuredContent":{"sum":3.0}}`)
				add.Expect.JQ = jq(`.structuredContent.sum == $a + 2`)
				add.Expect.Problems = "warning"
				add.Capture = []scenario.Capture{{Name: "sum", Expression: scenario.Expression{Text: ".structuredContent.sum"}}}
				echo := tool("echo", "echo", `{"message":"the sum is ${sum}"}`)
				echo.Expect.Schema = json.RawMessage(`{"properties":{"content":{"items":{"properties":{"text":{"const":"the sum is 3"}}}}}}`)
				ask := tool("ask", "ask", `{}`)
				ask.Background = true
				answer := scenario.Step{Name: "answer", Do: scenario.Answer, Method: "elicitation/create",
					Answer: json.RawMessage(`{"action":"accept","content":{"name":"Ada ${sum}"}}`)}
				answer.Expect.JQ = jq(`.message | contains("yourself")`)
				await := scenario.Step{Name: "await", Do: scenario.Await, Of: "ask"}
				await.Expect.JQ = jq(`.content[0].text | contains("Ada 3")`)
				slow := tool("slow", "slow", `{"seconds":60}`)
				slow.Background = true
				closing := scenario.Step{Name: "close", Do: scenario.CloseStdin}
				closing.Expect.Exit = new(int)
				s := &scenario.Scenario{
					Vars: []scenario.Var{{Name: "a", Default: json.RawMessage(`1`)}},
					Steps: []scenario.Step{add, echo, ask,
						{Name: "wait for the request", Do: scenario.Wait, For: scenario.Pattern{Request: "elicitation/create"}},
						answer, await, slow,
						{Name: "cancel", Do: scenario.Cancel, Of: "slow"},
						{Name: "await cancelled", Do: scenario.Await, Of: "slow"},
						{Name: "restart", Do: scenario.Restart},
						{Name: "tools", Do: scenario.Call, Method: "tools/list"},
						closing,
					}}
				vars, err := s.Bind(nil, nil)
				require.NoError(t, err)
				b := open(t, serveDemo, s, vars, func(c *session.Config) { c.Era = era })
				res := s.Run(t.Context(), b.Session, vars, nil)
				require.True(t, res.OK, outcomes(res))
				require.NoError(t, res.Err)
				require.Contains(t, b.notes(), "step 4 wait for the request")
			})
		})
	}
}
