package session_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

func TestParseAnswersRejects(t *testing.T) {
	for _, tc := range []struct{ file, want string }{
		{``, `line 1: not valid JSON: it ends too early`},
		{`[]`, `line 1: the file must be an object, not []`},
		{`{} {}`, `line 1: something follows the object`},
		{`{"":{}}`, `line 1: the name of a method is empty`},
		{"{\n \"roots/list\": 1}", `line 2: roots/list: must be a result object, {"error": {...}}, "defaults" or a list, not 1`},
		{"{\n \"roots/list\":", `line 2: roots/list: not valid JSON: it ends too early`},
		{"{\"roots/list\":{},\n\"roots/list\":{}}", `line 2: "roots/list" is given twice`},
		{`{"roots/list":{"a":1,"a":2}}`, `line 1: roots/list: "a" is given twice`},
		{`{"roots/list":"defaults"}`, `line 1: roots/list: only elicitation/create has defaults`},
		{`{"roots/list":[]}`, `line 1: roots/list: the list is empty`},
		{`{"roots/list":[{"mode":"form","result":{}}]}`, `line 1: roots/list, entry 1: mode "form": roots/list has no modes`},
		{"{\"elicitation/create\":[\n\"defaults\",\n{\"action\":\"accept\"}]}", `line 3: elicitation/create, entry 2: unknown member "action": must be mode, key, result, error or defaults`},
		{"{\"elicitation/create\":[\n{\n\"mode\":\"page\"}]}", `line 3: elicitation/create, entry 1: mode "page": must be form or url`},
		{`{"elicitation/create":["accept"]}`, `line 1: elicitation/create, entry 1: must be an object or "defaults", not "accept"`},
		{`{"elicitation/create":[7]}`, `line 1: elicitation/create, entry 1: an entry must be an object, not 7`},
		{`{"elicitation/create":[{"key":1}]}`, `line 1: elicitation/create, entry 1: key must be a string, not 1`},
		{`{"elicitation/create":[{"defaults":1}]}`, `line 1: elicitation/create, entry 1: defaults must be true or false, not 1`},
		{`{"elicitation/create":[{"result":1}]}`, `line 1: elicitation/create, entry 1: result must be an object, not 1`},
		{`{"elicitation/create":[{}]}`, `line 1: elicitation/create, entry 1: the answer is missing: add result, error or defaults`},
		{`{"elicitation/create":[{"error":{},"result":{}}]}`, `line 1: elicitation/create, entry 1: error cannot be combined with result or defaults`},
		{`{"elicitation/create":[{"mode":"url","defaults":true}]}`, `line 1: elicitation/create, entry 1: mode url has no defaults: its answer has no content`},
		{`{"sampling/createMessage":[{"mode":"url","result":{}}]}`, `line 1: sampling/createMessage, entry 1: mode "url": must be tools or context`},
	} {
		_, err := session.ParseAnswers([]byte(tc.file))
		require.EqualError(t, err, tc.want, tc.file)
		require.ErrorAs(t, err, new(*session.AnswersError))
	}
}

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte(`{"roots/list":{"roots":[]},"elicitation/create":"defaults"}`))
	f.Add([]byte(`{"elicitation/create":[{"mode":"url","key":"k","result":{"action":"accept"}},"defaults",{"error":{"code":-1}}]}`))
	f.Add([]byte("{\"a\":[\n{\"key\":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		answers, err := session.ParseAnswers(data)
		if err != nil {
			require.ErrorAs(t, err, new(*session.AnswersError))
			return
		}
		for method, answer := range answers {
			require.True(t, json.Valid(answer))
			require.NoError(t, session.Policy{Mode: session.PolicyCanned, Answer: answer}.Check(method), "an answer is valid by itself")
		}
	})
}

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
					c.Answers, err = session.ParseAnswers([]byte(tc.file))
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
			c.Answers, err = session.ParseAnswers([]byte(`{"roots/list":[{"key":"","result":{"roots":["empty key"]}},{"result":{"roots":["any"]}}],
				"elicitation/create":[{"key":"who","result":{"action":"decline"}},{"key":"who","result":{"action":"cancel"}}]}`))
			require.NoError(t, err)
		})
		outcome := h.calling(t.Context(), `{"name":"x"}`)
		require.JSONEq(t, complete, (<-outcome).(string))
		require.Contains(t, string(seen[1].Params), `{"":{"roots":["empty key"]},"who":{"action":"decline"}}`)
		require.Contains(t, string(seen[2].Params), `{"":{"roots":["empty key"]},"who":{"action":"cancel"}}`)
	})
}
