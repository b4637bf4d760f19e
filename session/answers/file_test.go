package answers_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/answers"
)

func TestParseRejects(t *testing.T) {
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
		_, err := answers.Parse([]byte(tc.file))
		require.EqualError(t, err, tc.want, tc.file)
		require.ErrorAs(t, err, new(*answers.Error))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"roots/list":{"roots":[]},"elicitation/create":"defaults"}`))
	f.Add([]byte(`{"elicitation/create":[{"mode":"url","key":"k","result":{"action":"accept"}},"defaults",{"error":{"code":-1}}]}`))
	f.Add([]byte("{\"a\":[\n{\"key\":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := answers.Parse(data)
		if err != nil {
			require.ErrorAs(t, err, new(*answers.Error))
			return
		}
		for method, answer := range all {
			require.True(t, json.Valid(answer))
			_, err := answers.ReadList(method, answer)
			require.NoError(t, err, "an answer is valid by itself")
		}
	})
}
