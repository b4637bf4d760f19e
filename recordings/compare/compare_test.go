package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/match"
)

func compared(t *testing.T, a, b []string, opts Options) *Report {
	t.Helper()
	r, err := Compare(t.Context(), written(t, a...), written(t, b...), opts)
	require.NoError(t, err)
	return r
}

// describe formats the differences of a report.
func describe(r *Report) []string {
	out := []string{}
	for _, d := range r.Differences {
		name := strings.TrimSpace(d.Method + " " + d.Subject)
		text := fmt.Sprintf("%s: %s %s %s", d.Class, name, d.Pointer, d.Change)
		if d.A != nil && d.A.Value != "" || d.B != nil && d.B.Value != "" {
			value := func(s *Side) string {
				if s == nil || s.Value == "" {
					return "nothing"
				}
				return s.Value
			}
			text += " " + value(d.A) + " | " + value(d.B)
		}
		if !d.Counts {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return out
}

// call returns a session with one tool call and its response.
func call(response string) []string {
	return []string{started,
		`> {"id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}`,
		`< {"id":1,` + response + `}`,
	}
}

func TestResponsesAreComparedByValue(t *testing.T) {
	const none = ""
	for _, c := range []struct{ name, a, b, want string }{
		{"spelling", `"result":{"a":1,"b":[1.0]}`, `"result":{ "b":[1],"a":1e0}`, none},
		{"a value", `"result":{"a":{"b":[1,2]}}`, `"result":{"a":{"b":[1,3]}}`, "result: tools/call x /result/a/b/1 changed 2 | 3"},
		{"another type", `"result":{"a":1}`, `"result":{"a":"1"}`, `result: tools/call x /result/a changed 1 | "1"`},
		{"an element more", `"result":{"a":[{"i":1},{"i":2},{"i":3}]}`, `"result":{"a":[{"i":0},{"i":1},{"i":2},{"i":3}]}`, `result: tools/call x /result/a/0 added nothing | {"i":0}`},
		{"an element less", `"result":{"a":[1,2,3,4]}`, `"result":{"a":[1,3,4]}`, `result: tools/call x /result/a/1 removed 2 | nothing`},
		{"elements less, and redacted ones", `"result":{"a":["a","b","c","s3cret",{"k":"s3cret"}]}`, `"result":{"a":["c","[redacted:aaaaaaaa]",{"k":"[redacted:bbbbbbbb]"}]}`, `result: tools/call x /result/a/0 removed "a" | nothing` + "\n" + `result: tools/call x /result/a/1 removed "b" | nothing`},
		{"an element less at the end", `"result":{"a":[1,2]}`, `"result":{"a":[1]}`, `result: tools/call x /result/a/1 removed 2 | nothing`},
		{"an element less, another one changed", `"result":{"a":[1,2,3]}`, `"result":{"a":[2,4]}`, "result: tools/call x /result/a/0 removed 1 | nothing\nresult: tools/call x /result/a/1 changed 3 | 4"},
		{"an element more among times", `"result":{"a":[{"i":1,"at":"2026-11-21T10:00:00Z"},{"i":2,"at":"2026-11-21T10:00:01Z"}]}`,
			`"result":{"a":[{"i":1,"at":"2026-11-22T10:00:00Z"},{"i":0,"at":"2026-11-22T10:00:01Z"},{"i":2,"at":"2026-11-22T10:00:02Z"}]}`, `result: tools/call x /result/a/1 added nothing | {"at":"2026-11-22T10:00:01Z","i":0}`},
		{"an element less among times", `"result":{"a":[{"i":0,"at":"2026-11-21T10:00:00Z"},{"i":2,"at":"2026-11-21T10:00:01Z"}]}`,
			`"result":{"a":[{"i":2,"at":"2026-11-22T10:00:00Z"}]}`, `result: tools/call x /result/a/0 removed {"at":"2026-11-21T10:00:00Z","i":0} | nothing`},
		{"only times more", `"result":{"a":["2026-11-21T10:00:00Z"]}`, `"result":{"a":["2026-11-22T10:00:00Z","2026-11-22T10:00:01Z"]}`,
			`result: tools/call x /result/a/1 added nothing | "2026-11-22T10:00:01Z"`},
		{"added", `"result":{}`, `"result":{"a":1}`, "result: tools/call x /result/a added nothing | 1"},
		{"removed", `"result":{"a":null}`, `"result":{}`, "result: tools/call x /result/a removed null | nothing"},
		{"result and error", `"result":{}`, `"error":{"code":1}`, "outcome: tools/call x /outcome changed result | error 1"},
		{"errors", `"error":{"code":1,"message":"no"}`, `"error":{"code":2,"message":"no"}`, "error: tools/call x /error/code changed 1 | 2"},
		{"isError", `"result":{}`, `"result":{"isError":true}`, "result: tools/call x /result/isError added nothing | true"},
		{"isError false", `"result":{}`, `"result":{"isError":false}`, none},
		{"time", `"result":{"at":"2026-11-21T10:00:00Z"}`, `"result":{"at":"2025-01-02T00:00:00.123+01:00"}`, none},
		{"not a time", `"result":{"at":"2026-11-21T10:00:00Z"}`, `"result":{"at":"noon"}`, `result: tools/call x /result/at changed "2026-11-21T10:00:00Z" | "noon"`},
		{"epoch", `"result":{"at":1763719200}`, `"result":{"at":1795255200}`, none},
		{"uuid", `"result":{"id":"7d444840-9dc0-11d1-b245-5ffdce74fad2"}`, `"result":{"id":"00000000-9dc0-11d1-b245-5ffdce74fad2"}`, none},
		{"pid", `"result":{"pid":12}`, `"result":{"pid":13}`, none},
		{"JSON in text with a redacted member", `"result":{"a":"{\"token\":\"[redacted:aaaaaaaa]\",\"ok\":\"good\"}"}`, `"result":{"a":"{\"token\":\"[redacted:bbbbbbbb]\",\"ok\":\"BAD\"}"}`, `result: tools/call x /result/a/ok changed "good" | "BAD"`},
		{"text with a redacted part", `"result":{"a":"token [redacted:aaaaaaaa] is good"}`, `"result":{"a":"token s3cret is BAD"}`, `result: tools/call x /result/a changed "token [redacted:aaaaaaaa] is good" | "token s3cret is BAD"`},
		{"text with a redacted part and a time", `"result":{"a":"10:00:01 token [redacted:aaaaaaaa] is good"}`, `"result":{"a":"10:00:05 token s3cret is good"}`, none},
		{"redacted", `"result":{"a":"[redacted:12]"}`, `"result":{"a":"s3cret"}`, none},
		{"JSON in text", `"result":{"content":[{"text":"{\"a\":1,\"at\":\"2026-11-21T10:00:00Z\"}"}]}`, `"result":{"content":[{"text":"{ \"at\":\"2026-11-22T10:00:00Z\", \"a\":2}"}]}`,
			`result: tools/call x /result/content/0/text/a changed 1 | 2`},
		{"text that repeats the structured content", `"result":{"content":[{"text":"{\"sum\":1}"}],"structuredContent":{"sum":1}}`, `"result":{"content":[{"text":"{\"sum\":2}"}],"structuredContent":{"sum":2}}`,
			`result: tools/call x /result/structuredContent/sum changed 1 | 2`},
		{"text that differs from the structured content", `"result":{"content":[{"text":"{\"sum\":1}"}],"structuredContent":{"sum":1}}`, `"result":{"content":[{"text":"{\"sum\":2}"}],"structuredContent":{"sum":1}}`,
			`result: tools/call x /result/content/0/text/sum changed 1 | 2`},
		{"volatile parts of a text", `"result":{"content":[{"text":"pid 12 began 10:00:00 in /tmp/x1"}]}`, `"result":{"content":[{"text":"pid 99 began 11:30:12 in /tmp/y2/z"}]}`, none},
		{"other parts of a text", `"result":{"content":[{"text":"pid 12 is well"}]}`, `"result":{"content":[{"text":"pid 12 is ill"}]}`,
			`result: tools/call x /result/content/0/text changed "pid 12 is well" | "pid 12 is ill"`},
		{"an item of content", `"result":{"content":[{"type":"text"}]}`, `"result":{"content":[{"type":"text"},{"type":"image"}]}`,
			`result: tools/call x /result/content/1 added nothing | {"type":"image"}`},
		{"_meta on one side", `"result":{}`, `"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"version":"2"},"mine":1}}`,
			`(envelope: tools/call x /result/_meta/io.modelcontextprotocol~1serverInfo added nothing | {"version":"2"})` + "\n" + `result: tools/call x /result/_meta/mine added nothing | 1`},
		{"envelope", `"result":{"ttlMs":1,"_meta":{"io.modelcontextprotocol/serverInfo":{"version":"1"}}}`, `"result":{"ttlMs":2,"_meta":{"io.modelcontextprotocol/serverInfo":{"version":"2"}}}`,
			`(envelope: tools/call x /result/_meta/io.modelcontextprotocol~1serverInfo/version changed "1" | "2")` + "\n" + `(envelope: tools/call x /result/ttlMs changed 1 | 2)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := compared(t, call(c.a), call(c.b), Options{})
			require.Equal(t, c.want, strings.Join(describe(r), "\n"))
			require.Equal(t, strings.Contains("\n"+c.want, "\nresult: ") || strings.Contains("\n"+c.want, "\nerror: ") || strings.Contains(c.want, "outcome: "), r.Differs)
			require.Equal(t, r.Differs, r.First != nil)
			require.Equal(t, 1, r.Compared)
			require.Equal(t, !r.Differs, r.Equal == 1)
		})
	}
}

func TestOptionsMakeMoreCount(t *testing.T) {
	r := compared(t, call(`"result":{"ttlMs":1}`), call(`"result":{"ttlMs":2}`), Options{Envelope: true})
	require.True(t, r.Differs)
	log := func(level string) []string {
		return []string{started, `< {"method":"notifications/message","params":{"level":"` + level + `","logger":"db"}}`}
	}
	r = compared(t, log("info"), log("error"), Options{})
	require.False(t, r.Differs)
	require.Len(t, r.Groups, 2)
	r = compared(t, []string{started}, []string{started, `"k":"stdout","seq":1,"raw":"Listening"`}, Options{})
	require.Equal(t, []string{"(notes: (stray lines) /notes changed 0 | 1)"}, describe(r))
	r = compared(t, log("info"), log("error"), Options{Notes: true})
	require.True(t, r.Differs)
	require.Equal(t, []string{"notes: notifications/message error db /notes changed 0 | 1", "notes: notifications/message info db /notes changed 1 | 0"}, describe(r))
}

func TestExchangesAreAlignedByKeyAndOrder(t *testing.T) {
	say := func(id int, word string) string {
		return fmt.Sprintf(`> {"id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"w":%q}}}`, id, word)
	}
	response := func(id int, text string) string { return fmt.Sprintf(`< {"id":%d,"result":{"t":%q}}`, id, text) }
	a := []string{started, say(1, "a"), response(1, "1"), say(2, "b"), response(2, "2"), say(3, "a"), response(3, "3"), `> {"id":4,"method":"ping"}`, `< {"id":4,"result":{}}`}
	b := []string{started, say(7, "b"), say(8, "a"), response(8, "1"), response(7, "2"), say(9, "a"), response(9, "other"), `> {"id":4,"method":"x/new"}`}
	r := compared(t, a, b, Options{})
	require.Equal(t, []string{
		`result: tools/call echo /result/t changed "3" | "other"`,
		`extra: x/new /extra added nothing | {}`, // after its neighbour in b
		`missing: ping /missing removed {} | nothing`,
	}, describe(r))
	require.Equal(t, "tools/call", r.First.Method)
	require.Equal(t, &Side{Run: 1, Process: "mcp-stdio-1", N: 7, Seq: 3, T: 6000, Request: 6, Row: 6, Value: `"3"`}, r.First.A)
	require.Equal(t, uint64(7), r.First.B.N)
	require.Equal(t, uint64(6), r.First.B.Request)
}

func TestEqualRequestsArePairedInOrder(t *testing.T) {
	ask := func(responses ...string) []string {
		lines := []string{started}
		for i, v := range responses {
			lines = append(lines, fmt.Sprintf(`> {"id":%d,"method":"x/next"}`, i), fmt.Sprintf(`< {"id":%d,"result":{"v":%s}}`, i, v))
		}
		return lines
	}
	require.Equal(t, []string{"extra: x/next /extra added nothing | {}"}, describe(compared(t, ask("1", "2"), ask("1", "2", "3"), Options{})))
	require.Equal(t, []string{"missing: x/next /missing removed {} | nothing"}, describe(compared(t, ask("1", "2"), ask("1"), Options{})))
	require.Len(t, describe(compared(t, ask("1", "2"), ask("2", "1"), Options{})), 2)
}

func TestDifferentRequestsArePaired(t *testing.T) {
	ask := func(params, response string) []string {
		return []string{started, `> {"id":1,"method":"tools/call","params":` + params + `}`, `< {"id":1,"result":` + response + `}`}
	}
	r := compared(t, ask(`{"name":"x","arguments":{"a":1}}`, `1`), ask(`{"name":"x","arguments":{"a":2}}`, `2`), Options{})
	require.Equal(t, []string{"params: tools/call x /params/arguments/a changed 1 | 2"}, describe(r), "the response is not compared then")
	r = compared(t, ask(`{"name":"x","arguments":{"at":"2026-11-21T10:00:00Z"}}`, `1`), ask(`{"name":"x","arguments":{"at":"2026-11-22T10:00:00Z"}}`, `2`), Options{})
	require.Equal(t, []string{"result: tools/call x /result changed 1 | 2"}, describe(r), "the time is masked")
	r = compared(t, ask(`{"name":"x"}`, `1`), ask(`{"name":"y"}`, `2`), Options{})
	require.Equal(t, []string{`missing: tools/call x /missing removed {"name":"x"} | nothing`, `extra: tools/call y /extra added nothing | {"name":"y"}`}, describe(r))
}

func TestExchangesWithoutResponse(t *testing.T) {
	ask := `> {"id":1,"method":"tools/list"}`
	r := compared(t, []string{started, ask, `< {"id":1,"result":{"tools":[]}}`}, []string{started, ask, `"k":"closed","seq":1`}, Options{})
	require.Equal(t, []string{"outcome: tools/list /outcome changed result | no response (lost)"}, describe(r))
	r = compared(t, []string{started, ask}, []string{started, ask, `"k":"closed","seq":1`}, Options{})
	require.Equal(t, []string{"outcome: tools/list /outcome changed no response (pending) | no response (lost)"}, describe(r))
}

// pages returns a session that requests the pages of a list.
func pages(pages ...string) []string {
	lines := []string{started}
	for i, items := range pages {
		params, next := "", ""
		if i > 0 {
			params = fmt.Sprintf(`,"params":{"cursor":"%d"}`, i)
		}
		if i < len(pages)-1 {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, i+1)
		}
		lines = append(lines, fmt.Sprintf(`> {"id":%d,"method":"tools/list"%s}`, i, params), fmt.Sprintf(`< {"id":%d,"result":{"tools":[%s]%s}}`, i, items, next))
	}
	return lines
}

func TestListsAreComparedByNameOverAllPages(t *testing.T) {
	const x, y, z = `{"name":"x","inputSchema":{"type":"object","required":["a"]}}`, `{"name":"y","title":"Y"}`, `{"name":"z"}`
	require.Empty(t, describe(compared(t, pages(x, y, z), pages(x+","+y+","+z), Options{})))
	r := compared(t, pages(x, y+","+z), pages(z+","+strings.Replace(x, "object", "array", 1), `{"name":"new"}`, strings.Replace(y, `"Y"`, `"why"`, 1)), Options{})
	require.Equal(t, []string{
		"result: tools/list /result/tools/x/inputSchema schema",
		`result: tools/list /result/tools/y/title changed "Y" | "why"`,
		`result: tools/list /result/tools/new added nothing | {"name":"new"}`,
		"(order: tools/list /result/tools changed x | z)",
	}, describe(r))
	require.Equal(t, []string{`/type: "object" -> "array"`}, r.Differences[0].Detail)
	require.Equal(t, 1, r.Compared, "all pages are one exchange")

	r = compared(t, pages(x+","+x), pages(x), Options{})
	require.Equal(t, []string{"result: tools/list /result/tools/x#2 removed " + `{"inputSchema":{"required":["a"],"type":"object"},"name":"x"} | nothing`}, describe(r))
}

func TestServerRequestsAreCompared(t *testing.T) {
	ask := func(message string) []string {
		return []string{started, `< {"id":0,"method":"elicitation/create","params":{"message":"` + message + `"}}`, `> {"id":0,"result":{"action":"accept"}}`}
	}
	r := compared(t, ask("Who?"), ask("What?"), Options{})
	require.Equal(t, []string{`params: elicitation/create /params/message changed "Who?" | "What?"`}, describe(r))
	require.Equal(t, "server", r.First.From)
	require.Equal(t, []string{`missing: elicitation/create /missing removed {"message":"Who?"} | nothing`}, describe(compared(t, ask("Who?"), []string{started}, Options{})))
}

func TestProgressIsComparedByLastValue(t *testing.T) {
	tell := func(values ...string) []string {
		lines := []string{started, `> {"id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"t"}}}`}
		for _, v := range values {
			lines = append(lines, `< {"method":"notifications/progress","params":{"progressToken":"t","progress":`+v+`}}`)
		}
		return append(lines, `< {"id":1,"result":{}}`)
	}
	require.Empty(t, describe(compared(t, tell("1", "2", "10"), tell("5", "10"), Options{})))
	for _, c := range []struct {
		b    []string
		want string
	}{{nil, "none"}, {[]string{"1", "5"}, "up to 5"}, {[]string{"5", "1", "10"}, "not rising"}, {[]string{`"x"`}, "not rising"}} {
		require.Equal(t, []string{"progress: tools/call x /progress changed up to 10 | " + c.want}, describe(compared(t, tell("1", "10"), tell(c.b...), Options{})))
	}
}

// A task makes progress after its call has a response, which may overtake the first notifications.
func TestProgressOfTask(t *testing.T) {
	call := `> {"id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"t"}}}`
	created := `< {"id":1,"result":{"task":{"taskId":"k","status":"working"}}}`
	progress := `< {"method":"notifications/progress","params":{"progressToken":"t","progress":4}}`
	require.Empty(t, describe(compared(t, []string{started, call, progress, created}, []string{started, call, created, progress}, Options{})))
	require.Equal(t, []string{"progress: tools/call x /progress changed up to 4 | none"},
		describe(compared(t, []string{started, call, created, progress}, []string{started, call, created}, Options{})))
	require.Empty(t, describe(compared(t, []string{started, call, `< {"id":1,"result":{}}`, progress}, []string{started, call, `< {"id":1,"result":{}}`}, Options{})))
}

func TestHandshakesOfTwoErasAreOneDifference(t *testing.T) {
	const modern = `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	legacy := []string{started,
		`> {"id":0,"method":"server/discover",` + modern + `}`, `< {"id":0,"error":{"code":-32601}}`,
		`> {"id":1,"method":"initialize","params":{"clientInfo":{"name":"a"}}}`, `< {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
		`> {"id":2,"method":"tools/list"}`, `< {"id":2,"result":{"tools":[]}}`}
	r := compared(t, legacy, []string{started,
		`> {"id":1,"method":"server/discover",` + modern + `}`, `< {"id":1,"result":{"supportedVersions":["2026-07-28"]}}`,
		`> {"id":2,"method":"tools/list",` + modern + `}`, `< {"id":2,"result":{"tools":[],"resultType":"complete"}}`}, Options{})
	require.Equal(t, []string{"era: initialize /era changed legacy | modern", `(envelope: tools/list /result/resultType added nothing | "complete")`}, describe(r))

	other := strings.NewReplacer(`"a"`, `"b"`, `2025-11-25`, `2025-06-18`, `"capabilities":{}`, `"capabilities":{"tools":{}}`)
	var b []string
	for _, line := range append(legacy[:1:1], legacy[3:]...) { // without the probe
		b = append(b, other.Replace(line))
	}
	require.Equal(t, []string{
		"result: initialize /result/capabilities/tools added nothing | {}",
		`(envelope: initialize /result/protocolVersion changed "2025-11-25" | "2025-06-18")`,
	}, describe(compared(t, legacy, b, Options{})))
}

func rulesOf(t *testing.T, text string) *match.Rules {
	t.Helper()
	r, err := match.ReadRules(strings.NewReader(text), "rules")
	require.NoError(t, err)
	return r
}

func TestUserRules(t *testing.T) {
	a, b := call(`"result":{"a":1,"b":{"c":2,"d":3},"at":"2026-11-21T10:00:00Z"}`), call(`"result":{"a":9,"b":{"c":9,"d":9},"at":"2026-11-22T10:00:00Z"}`)
	rules := func(text string) Options { return Options{Rules: rulesOf(t, text)} }
	r := compared(t, a, b, rules("ignore * /result/a\nignore tools/call:x /result/b\nkeep * /result/b/d\nkeep * /result/at"))
	require.Equal(t, []string{
		`result: tools/call x /result/at changed "2026-11-21T10:00:00Z" | "2026-11-22T10:00:00Z"`,
		`result: tools/call x /result/b/d changed 3 | 9`,
	}, describe(r))
	require.Equal(t, []Ignored{{"ignore * /result/a", 1}, {"ignore tools/call:x /result/b", 1}}, r.Ignored)
	r = compared(t, a, b, rules("mask * /result any"))
	require.Empty(t, describe(r))
	require.Equal(t, "any", r.Masked[0].Type)
}

func TestAcceptRules(t *testing.T) {
	a := []string{started,
		`> {"id":1,"method":"tools/call","params":{"name":"x","arguments":{"v":1}}}`, `< {"id":1,"result":{"l":[{"v":1},{"v":2}]}}`,
		`> {"id":2,"method":"tools/call","params":{"name":"y"}}`, `< {"id":2,"result":{}}`,
		`> {"id":3,"method":"ping"}`, `< {"id":3,"result":{}}`,
		`> {"id":4,"method":"tools/list"}`, `< {"id":4,"result":{"tools":[{"name":"a"}]}}`,
		`< {"id":5,"method":"roots/list"}`,
	}
	b := []string{started,
		`> {"id":1,"method":"tools/call","params":{"name":"x","arguments":{"v":1}}}`, `< {"id":1,"result":{"l":[{"v":8},{"v":9}]}}`,
		`> {"id":2,"method":"tools/call","params":{"name":"y"}}`, `< {"id":2,"error":{}}`,
		`> {"id":4,"method":"tools/list"}`, `< {"id":4,"result":{"tools":[{"name":"b"}]}}`,
	}
	r := compared(t, a, b, Options{Notes: true})
	require.True(t, r.Differs)
	accepted := r.Accept()
	var lines []string
	for _, rule := range accepted {
		lines = append(lines, rule.String())
	}
	require.Equal(t, []string{
		"ignore ping /missing", "ignore roots/list /missing", "ignore tools/call:x /result/l/*/v", "ignore tools/call:y /outcome",
		"ignore tools/list /result/tools/a", "ignore tools/list /result/tools/b",
	}, lines)
	again := compared(t, a, b, Options{Notes: true, Rules: &match.Rules{List: accepted}})
	require.Empty(t, describe(again))
	require.False(t, again.Differs)

	lines = nil
	for _, rule := range Learn(r, r) {
		lines = append(lines, rule.String())
	}
	require.Equal(t, []string{"ignore tools/call:x /result/l/*/v", "ignore tools/list /result/tools/a", "ignore tools/list /result/tools/b"}, lines)
}

func TestReportsAreBounded(t *testing.T) {
	a, b := []string{started}, []string{started}
	for i := range maxDifferences + 50 {
		ask := fmt.Sprintf(`> {"id":%d,"method":"tools/call","params":{"name":"x","arguments":{"i":%d}}}`, i, i)
		a = append(a, ask, fmt.Sprintf(`< {"id":%d,"result":{"v":1,"long":%q}}`, i, strings.Repeat("x", 1000)))
		b = append(b, ask, fmt.Sprintf(`< {"id":%d,"result":{"v":2,"long":"y"}}`, i))
	}
	r := compared(t, a, b, Options{})
	require.Len(t, r.Differences, maxDifferences)
	require.Equal(t, maxDifferences+100, r.More)
	require.Len(t, r.Groups, 2)
	require.Equal(t, maxDifferences+50, r.Groups[0].Count)
	require.Less(t, len(r.First.A.Value), 2*maxValue)
}

func TestResponsesNestedTooDeepAreComparedAsText(t *testing.T) {
	deep := func(inner string) string {
		return strings.Repeat(`{ "a" : [ `, 150) + inner + strings.Repeat(" ] } ", 150)
	}
	session := func(inner string) []string {
		quote := func(line string) string { return strings.ReplaceAll(line, `"`, `\"`) }
		return []string{started,
			`"k":"stdin","raw":"` + quote(`{"id":1,"method":"x/y","params":`+deep("1")+`}`) + `"`,
			`"k":"stdout","seq":1,"raw":"` + quote(`{"id":1,"result":`+deep(inner)+`}`) + `"`,
			`"k":"stdin","raw":"` + quote(`{"id":2,"method":"x/z","params":`+deep(inner)+`}`) + `"`,
		}
	}
	require.Empty(t, describe(compared(t, session("1"), session("1"), Options{})))
	r := compared(t, session("1"), session("2"), Options{})
	require.Equal(t, []string{"result /result", "params /params"}, []string{
		string(r.Differences[0].Class) + " " + string(r.Differences[0].Pointer), string(r.Differences[1].Class) + " " + string(r.Differences[1].Pointer),
	})
}

func TestSkippedRequestsAreNotMissing(t *testing.T) {
	a := call(`"result":{}`)
	r := compared(t, a, []string{started}, Options{Skip: func(at match.Ref) bool { return at.Row == 1 }})
	require.Empty(t, describe(r))
}

func TestSessionEqualsItself(t *testing.T) {
	for _, lines := range [][]string{{}, {started}, call(`"result":{"at":1}`), pages(`{"name":"a"}`, `{"name":"b"}`)} {
		r := compared(t, lines, lines, Options{Notes: true, Envelope: true})
		require.False(t, r.Differs)
		require.Empty(t, r.Differences)
	}
}

func TestFormatRatio(t *testing.T) {
	for ratio, want := range map[float64]string{0.0123: "0.012", 0.98: "0.98", 1: "1", 4.66: "4.7", 12.4: "12", 471.3: "471"} {
		require.Equal(t, want, FormatRatio(ratio))
	}
}

// TestArraysWithManyDifferences checks the note about elements that are not aligned.
func TestArraysWithManyDifferences(t *testing.T) {
	array := func(from, n int) string {
		text := ""
		for i := range n {
			text += fmt.Sprintf(",%d", from+i)
		}
		return `"result":{"a":[` + text[1:] + `]}`
	}
	r := compared(t, call(array(0, 300)), call(array(1000, 301)), Options{})
	require.Equal(t, "elements of /result/a are compared by index: too many differ to align them", r.Differences[0].Note)
	require.Empty(t, r.Differences[1].Note)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text, TextOptions{Clean: strings.Clone}))
	require.Contains(t, text.String(), "compared by index")
	r = compared(t, call(array(0, 300)), call(array(1, 301)), Options{})
	require.Len(t, r.Differences, 3)
	require.Empty(t, r.Differences[0].Note)
	another := func(response string) []string {
		return []string{`> {"id":2,"method":"tools/call","params":{"name":"y","arguments":{}}}`, `< {"id":2,` + response + `}`}
	}
	r = compared(t, append(call(array(0, 300)), another(array(0, 1))...), append(call(array(1000, 301)), another(array(5, 1))...), Options{Rules: rulesOf(t, "ignore tools/call:x /result/a/*")})
	require.Equal(t, []string{"result: tools/call y /result/a/0 changed 0 | 5"}, describe(r))
	require.Empty(t, r.Differences[0].Note, "of the call before")
}
