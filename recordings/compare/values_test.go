package compare

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCarriedValuesAreNotADifference(t *testing.T) {
	session := func(made, asked, response string) []string {
		return []string{started,
			`> {"id":1,"method":"tools/call","params":{"name":"make"}}`, `< {"id":1,"result":{"structuredContent":{"job":"` + made + `"}}}`,
			`> {"id":2,"method":"tools/call","params":{"name":"poll","arguments":{"job":"` + asked + `"}}}`, `< {"id":2,"result":{"state":"` + response + `"}}`,
		}
	}
	of := func(r *Report) []string {
		var out []string
		for _, m := range r.Masked {
			out = append(out, m.Type+" "+m.Subject+" "+string(m.Pointer))
		}
		return out
	}
	const ignored = "ignore tools/call:make /result/structuredContent/job"
	a := session("job-00001", "job-00001", "done")
	r := compared(t, a, session("job-00002", "job-00002", "failed"), Options{Rules: rulesOf(t, ignored)})
	require.Equal(t, []string{`result: tools/call poll /result/state changed "done" | "failed"`}, describe(r))
	require.Equal(t, []string{"carried poll /params/arguments/job"}, of(r))

	r = compared(t, a, session("job-00002", "job-99999", "failed"), Options{Rules: rulesOf(t, ignored)})
	require.Equal(t, []string{`params: tools/call poll /params/arguments/job changed "job-00001" | "job-99999"`}, describe(r), "its own")
}

// TestExact checks that all values of a result count, and that those of params, such as
// tokens, do not.
func TestExact(t *testing.T) {
	session := func(token, at string) []string {
		return []string{started, `> {"id":1,"method":"tools/call","params":{"name":"now","_meta":{"progressToken":"` + token + `"}}}`,
			`< {"id":1,"result":{"structuredContent":{"at":"` + at + `"},"content":[{"type":"text","text":"it is ` + at + `"}]}}`}
	}
	a, b := session("t-1", "2026-11-21T10:00:00Z"), session("t-2", "2026-11-21T11:00:00Z")
	require.Empty(t, describe(compared(t, a, b, Options{})))
	require.Equal(t, []string{
		`result: tools/call now /result/content/0/text changed "it is 2026-11-21T10:00:00Z" | "it is 2026-11-21T11:00:00Z"`,
		`result: tools/call now /result/structuredContent/at changed "2026-11-21T10:00:00Z" | "2026-11-21T11:00:00Z"`,
	}, describe(compared(t, a, b, Options{Exact: true})))
	require.Empty(t, describe(compared(t, session("t", "[redacted:12]"), session("t", "s3cret"), Options{Exact: true})), "an unknown value")
}

func TestPagesOfAListAreOneExchange(t *testing.T) {
	a := []string{started,
		`> {"id":1,"method":"tools/list"}`, `< {"id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"one"}}`,
		`> {"id":2,"method":"tools/list","params":{"cursor":"one"}}`, `< {"id":2,"result":{"tools":[{"name":"b"}]}}`,
	}
	b := []string{started,
		`> {"id":1,"method":"tools/list"}`, `< {"id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"two"}}`,
		`> {"id":2,"method":"tools/list","params":{"cursor":"two"}}`, `< {"id":2,"result":{"tools":[{"name":"c"}]}}`,
	}
	require.Equal(t, []string{
		`result: tools/list /result/tools/b removed {"name":"b"} | nothing`, `result: tools/list /result/tools/c added nothing | {"name":"c"}`,
	}, describe(compared(t, a, b, Options{})))
	failing := append(b[:4:4], `< {"id":2,"error":{"code":-32602,"message":"no such cursor"}}`)
	require.Equal(t, []string{
		`outcome: tools/list /outcome changed result | a further page: error -32602 "no such cursor"`, `result: tools/list /result/tools/b removed {"name":"b"} | nothing`,
	}, describe(compared(t, a, failing, Options{})))
}
