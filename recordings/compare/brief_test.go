package compare_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/rectest"
)

func TestBrief(t *testing.T) {
	response := func(result string, more ...string) []string {
		return append([]string{
			rectest.Started,
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}`,
			`< {"jsonrpc":"2.0","id":1,` + result + `}`,
		}, more...)
	}
	ask := []string{`> {"jsonrpc":"2.0","id":2,"method":"prompts/list"}`, `< {"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}`}
	for _, c := range []struct {
		name string
		a, b []string
		want []string
	}{
		{"the same", response(`"result":{"sum":3}`), response(`"result":{"sum":3}`), nil},
		{"a value", response(`"result":{"sum":3}`), response(`"result":{"sum":4}`), []string{"~ tools/call add: /result/sum 3 -> 4"}},
		{"more and less", response(`"result":{"old":"x"}`), response(`"result":{"young":{"y":1}}`), []string{`- tools/call add: /result/old "x"`, `+ tools/call add: /result/young {"y":1}`}},
		{"an error", response(`"result":{}`), response(`"error":{"code":-32602,"message":"no"}`), []string{`~ tools/call add: result -> error -32602 "no"`}},
		{"one side", response(`"result":{}`), response(`"result":{}`, ask...), []string{"+ prompts/list: newly requested"}},
		{"the other side", response(`"result":{}`, ask...), response(`"result":{}`), []string{"- prompts/list: no longer requested"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := compare.Compare(t.Context(), rectest.Session(t, c.a...), rectest.Session(t, c.b...), compare.Options{})
			require.NoError(t, err)
			require.Equal(t, c.want, report.Brief(10))
		})
	}
	var a, b string
	for i := range 9 {
		a += fmt.Sprintf(`,"m%d":1`, i)
		b += fmt.Sprintf(`,"m%d":2`, i)
	}
	report, err := compare.Compare(t.Context(), rectest.Session(t, response(`"result":{"x":1`+a+`}`)...), rectest.Session(t, response(`"result":{"x":1`+b+`}`)...), compare.Options{})
	require.NoError(t, err)
	lines := report.Brief(3)
	require.Len(t, lines, 4)
	require.Equal(t, "and changes in 6 places more", lines[3])
}
