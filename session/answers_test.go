package session_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/answers"
)

// A form with a required field that has no default.
const formWithDefaults = `{"mode":"form","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"cups":{"type":"integer","default":2},` +
	`"tea":{"type":"boolean","default":true}},"required":["name"]}}`

func TestAnswerLists(t *testing.T) {
	type ask struct{ method, params, want string }
	const form, page = "elicitation/create", `{"mode":"url","url":"https://example.com"}`
	for _, tc := range []struct {
		name, file, declares string
		asks                 []ask
	}{
		{
			"in order, and the last repeats", `{"roots/list":[{"result":{"roots":[1]}},{"error":{"code":-1,"message":"no"}},{"result":{"roots":[2]}}]}`,
			`{"roots":{"listChanged":true}}`,
			[]ask{
				{"roots/list", `{}`, `"result":{"roots":[1]}`}, {"roots/list", `{}`, `"error":{"code":-1,"message":"no"}`},
				{"roots/list", `{}`, `"result":{"roots":[2]}`}, {"roots/list", `{}`, `"result":{"roots":[2]}`},
			},
		},
		{
			"each mode has an order of its own",
			`{"elicitation/create":[{"mode":"url","result":{"action":"accept"}},{"result":{"action":"decline"}},{"mode":"url","result":{"action":"cancel"}}]}`,
			`{"elicitation":{"form":{},"url":{}}}`,
			[]ask{{form, page, `{"action":"accept"}`}, {form, `{}`, `{"action":"decline"}`}, {form, page, `{"action":"cancel"}`}, {form, page, `{"action":"cancel"}`}},
		},
		{
			"no entry for the mode", `{"elicitation/create":{"action":"accept","content":{}}}`, `{"elicitation":{"form":{}}}`,
			[]ask{{form, page, `"error":{"code":-32602,`}, {form, `{"mode":"form"}`, `{"action":"accept","content":{}}`}},
		},
		{
			"a refusal in any mode", `{"elicitation/create":{"action":"decline"}}`, `{"elicitation":{"form":{}}}`,
			[]ask{{form, page, `{"action":"decline"}`}, {form, `{"mode":"form"}`, `{"action":"decline"}`}},
		},
		{
			"defaults", `{"elicitation/create":["defaults",{"result":{"action":"accept","content":{"name":"Ada","cups":9}},"defaults":true},` +
				`{"result":{"action":"accept","content":{"name":"Ada"}}},{"result":{"action":"accept"}}]}`,
			`{"elicitation":{"form":{}}}`,
			[]ask{
				{form, formWithDefaults, `{"action":"accept","content":{"cups":2,"tea":true}}`},
				{form, formWithDefaults, `{"action":"accept","content":{"cups":9,"name":"Ada","tea":true}}`},
				{form, formWithDefaults, `{"action":"accept","content":{"name":"Ada"}}`},
				{form, formWithDefaults, `{"action":"accept","content":{"cups":2,"tea":true}}`},
			},
		},
		{
			"sampling with tools and context", `{"sampling/createMessage":[{"result":{"model":"plain"}},{"mode":"tools","result":{"model":"tools"}},{"mode":"context","result":{"model":"context"}}]}`,
			`{"sampling":{"context":{},"tools":{}}}`,
			[]ask{
				{"sampling/createMessage", `{"tools":[]}`, `"tools"`}, {"sampling/createMessage", `{"includeContext":"allServers"}`, `"context"`},
				{"sampling/createMessage", `{"includeContext":"none"}`, `"plain"`},
			},
		},
		{
			"a client may ignore the context", `{"sampling/createMessage":{"model":"plain"}}`, `{"sampling":{}}`,
			[]ask{{"sampling/createMessage", `{"includeContext":"thisServer"}`, `"plain"`}, {"sampling/createMessage", `{"tools":[]}`, `"code":-32602`}},
		},
		{
			"keys are of the modern era", `{"roots/list":[{"key":"a","result":{"roots":[]}}]}`, `{"roots":{"listChanged":true}}`,
			[]ask{{"roots/list", `{}`, `"code":-32601`}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answered := make(chan string, 1)
				h := open(t, legacy(func(p *fakeProcess, m message) {
					if m.Method == "go" {
						p.out(string(m.Params[len(`{"say":`):len(m.Params)-1]) + "\n")
					} else {
						answered <- m.raw
					}
				}), func(c *session.Config) {
					var err error
					c.Answers, err = answers.Parse([]byte(tc.file))
					require.NoError(t, err)
				})
				declared, _ := h.Declared()
				require.JSONEq(t, tc.declares, string(declared))
				for range 2 {
					for _, a := range tc.asks {
						line := `{"jsonrpc":"2.0","id":0,"method":"` + a.method + `","params":` + a.params + `}`
						require.NoError(t, h.Notify(t.Context(), "go", json.RawMessage(`{"say":`+line+`}`)))
						require.Contains(t, <-answered, a.want)
					}
					require.NoError(t, h.Restart(t.Context()), "a new process gets the first answers again")
				}
			})
		})
	}
}

func TestAnswersNoteMissingFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			if m.Method == "go" {
				p.out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":` + formWithDefaults + "}\n")
			}
		}), func(c *session.Config) {
			c.Answers = session.Answers{"elicitation/create": json.RawMessage(`"defaults"`)}
		})
		require.NoError(t, h.Notify(t.Context(), "go", nil))
		synctest.Wait()
		require.Contains(t, h.entries(session.KindNote)[0], " lacks the required name, which has no default - add it to the content of the answer")
	})
}

func TestAnswersByKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []message
		h := open(t, inRounds(&seen, askTwo, askTwo, complete), func(c *session.Config) {
			var err error
			c.Answers, err = answers.Parse([]byte(`{"roots/list":[{"key":"","result":{"roots":["empty key"]}},{"result":{"roots":["any"]}}],
				"elicitation/create":[{"key":"who","result":{"action":"decline"}},{"key":"who","result":{"action":"cancel"}}]}`))
			require.NoError(t, err)
		})
		outcome := h.calling(t.Context(), `{"name":"x"}`)
		require.JSONEq(t, complete, (<-outcome).(string))
		require.Contains(t, string(seen[1].Params), `{"":{"roots":["empty key"]},"who":{"action":"decline"}}`)
		require.Contains(t, string(seen[2].Params), `{"":{"roots":["empty key"]},"who":{"action":"cancel"}}`)
	})
}
