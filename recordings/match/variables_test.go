package match

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVariables(t *testing.T) {
	src := written(t,
		started,
		`> {"id":1,"method":"tools/list"}`,
		`< {"id":1,"result":{"tools":[{"name":"tool-number-1"}],"nextCursor":"c1"}}`,
		`> {"id":2,"method":"tools/list","params":{"cursor":"c1"}}`,
		`< {"id":2,"result":{"tools":[],"nextCursor":""}}`,
		`> {"id":3,"method":"tools/call","params":{"name":"tool-number-1","arguments":{"mine":"my-own-12345","word":"something"}}}`,
		`< {"id":3,"result":{"content":[{"type":"text","text":"{\"job\":\"job-000077\",\"echo\":\"my-own-12345 something\"}"}],"x":"my-own-12345"}}`,
		`> {"id":4,"method":"tools/call","params":{"name":"poll","arguments":{"job":"job-000077","mine":"my-own-12345"},"_meta":{"progressToken":"job-000077"}}}`,
		`< {"id":4,"result":{}}`,
		`> {"id":5,"method":"prompts/list"}`,
		`< {"id":5,"result":{"nextCursor":"c1"}}`,
		`> {"id":6,"method":"prompts/list","params":{"cursor":"c1"}}`,
		`> {"id":7,"method":"resources/read","params":{"uri":"x:/"}}`,
	)
	found, err := Variables(t.Context(), src)
	require.NoError(t, err)
	type variable struct {
		value, source  string
		row, responses int
		uses           []string
	}
	var got []variable
	for _, v := range found {
		g := variable{v.Value, v.Method + " " + string(v.Pointer), v.Source.Row, v.RespondsTo.Row, nil}
		for _, u := range v.Uses {
			g.uses = append(g.uses, u.Method+" "+string(u.Pointer))
		}
		got = append(got, g)
	}
	require.Equal(t, []variable{
		{"c1", "tools/list /result/nextCursor", 2, 1, []string{"tools/list /params/cursor"}},
		{"job-000077", "tools/call /result/content/0/text/job", 6, 5, []string{"tools/call /params/arguments/job"}},
		{"c1", "prompts/list /result/nextCursor", 10, 9, []string{"prompts/list /params/cursor"}},
	}, got)
}

func TestVariableLive(t *testing.T) {
	job := Variable{Value: "job-1", Pointer: "/result/content/0/text/job"}
	value, ok := job.LiveValue([]byte(`{"id":9,"result":{"content":[{"text":"{\"job\":\"job-2\"}"}]}}`))
	require.True(t, ok)
	require.Equal(t, "job-2", value)

	uri := Variable{Value: "demo://a", Pointer: "/result/resources/0/uri"}
	value, ok = uri.LiveValue([]byte(`{"result":{"resources":[{"uri":"demo://0"},{"uri":"demo://a"}]}}`))
	require.True(t, ok)
	require.Equal(t, "demo://a", value, "still there, further down")

	for _, line := range []string{`{"result":{"resources":[]}}`, `{"result":{"resources":[{"uri":7}]}}`, `{`} {
		_, ok = uri.LiveValue([]byte(line))
		require.False(t, ok, line)
	}
}

func TestReplaceStringKeepsOtherBytes(t *testing.T) {
	for _, c := range []struct {
		value   string
		pointer Pointer
		want    string
	}{
		{`{ "a" : 1.10, "cursor":"x" ,"a":2}`, "/cursor", `{ "a" : 1.10, "cursor":"<\n" ,"a":2}`},
		{`{"a":[1, {"b~/":"x"} ]}`, "/a/1/b~0~1", `{"a":[1, {"b~/":"<\n"} ]}`},
		{`{"a":"{\"b\":[\"x\"]}"}`, "/a/b/0", `{"a":"{\"b\":[\"<\\n\"]}"}`},
		{`{"a":1}`, "/a", ""},
		{`{"a":"x"}`, "/b", ""},
		{`{"a":["x"]}`, "/a/1", ""},
		{`{"a"`, "/a", ""},
	} {
		got, ok := ReplaceString([]byte(c.value), c.pointer, "<\n")
		require.Equal(t, c.want != "", ok, c.value)
		if ok {
			require.Equal(t, c.want, string(got))
		}
	}
}
