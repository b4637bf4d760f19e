package steps

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// written returns the scenario of a session as a file, after a round trip.
func written(t *testing.T, src session.Source, o Options) string {
	t.Helper()
	s, err := FromSession(t.Context(), src, o)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, scenario.WriteYAML(&out, s))
	back, err := scenario.Parse("made.yaml", out.Bytes())
	require.NoError(t, err, "%s", out.String())
	require.Len(t, back.Steps, len(s.Steps))
	for i := range back.Steps {
		require.Equal(t, s.Steps[i].Name, back.Steps[i].Name)
		require.Equal(t, string(s.Steps[i].Params), string(back.Steps[i].Params))
		require.Equal(t, string(s.Steps[i].Answer), string(back.Steps[i].Answer))
		require.Equal(t, string(s.Steps[i].Expect.Result), string(back.Steps[i].Expect.Result))
	}
	_, steps, ok := strings.Cut(out.String(), "\nsteps:\n")
	require.True(t, ok)
	head, _, _ := strings.Cut(out.String(), "\nsteps:\n")
	_, head, _ = strings.Cut(head, "Made from a recording of 2026-11-21 10:00.\n")
	return strings.TrimPrefix(head, "era: legacy\nprotocol: \"2025-11-25\"\n") + steps
}

// handshake is the beginning of a session.
var handshake = []string{
	rectest.Started,
	`> {"jsonrpc":"2.0","id":"mcpdbg-1","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
	`< {"jsonrpc":"2.0","id":"mcpdbg-1","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
	`> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
}

func TestOf(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		opts  Options
		want  string
	}{
		{"a call, and what a session does by itself", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
			`< {"jsonrpc":"2.0","id":0,"method":"ping"}`, `> {"jsonrpc":"2.0","id":0,"result":{}}`,
			`> {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":"a"},"arguments":{"n":1.50,"t":"${x} $${y}"},"name":"echo"}}`,
			`< {"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"ok":true,"n":null}}}`,
		}, Options{}, `
  - tool: echo
    arguments: {n: 1.50, t: '$${x} $$${y}'}
    expect:
      jq:
        - .content | map(.type) | unique == ["text"]
        - .structuredContent | map_values(type) | contains({"ok":"boolean"})
`},
		{"a call without arguments, errors", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, `< {"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}`,
			`> {"jsonrpc":"2.0","id":2,"method":"a/b","params":{"_meta":{"progressToken":"own"}}}`, `< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`,
			`> {"jsonrpc":"2.0","id":3,"method":"a/b","params":{"_meta":{"progressToken":3}}}`, `< {"jsonrpc":"2.0","id":3,"error":{"code":"x"}}`,
			`> {"jsonrpc":"2.0","id":4,"method":"a/b","params":{}}`, `< {"jsonrpc":"2.0","id":4,"result":{}}`,
		}, Options{Expect: OK}, `
  - call: tools/call
    params: {name: a}
    expect: {isError: true}

  - call: a/b
    params: {_meta: {progressToken: own}}
    expect: {error: -32601}

  - call: a/b
    expect: {error: any}

  - call: a/b
    params: {}
`},
		{"messages that did not reach the server", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
			`> {"jsonrpc":"2.0","id":2,"method":"b"}`, `"k":"write","of":7,"status":"stdin-closed"`,
			`> {"jsonrpc":"2.0","method":"notifications/c"}`, `"k":"write","of":9,"status":"stdin-closed"`,
			`"k":"stdin","raw":"bytes"`, `"k":"write","of":11,"status":"stdin-closed"`,
		}, Options{}, `
  - call: a
`},
		{"concurrent calls", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`, `> {"jsonrpc":"2.0","id":2,"method":"b"}`, `> {"jsonrpc":"2.0","method":"notifications/c"}`,
			`< {"jsonrpc":"2.0","id":2,"result":{}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
		}, Options{}, `
  - call: a

  - call: b

  - notify: notifications/c
`},
		{"a server request during a call", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}`,
			`< {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"name?"}}`,
			`> {"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"name":"${A}"}}}`,
			`< {"jsonrpc":"2.0","id":8,"method":"sampling/createMessage","params":{}}`,
			`> {"jsonrpc":"2.0","id":8,"error":{"code":-1,"message":"no"}}`,
			`< {"jsonrpc":"2.0","id":9,"method":"odd/one","params":{}}`,
			`> {"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"nobody here"}}`,
			`< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`,
		}, Options{Expect: Exact}, `
capabilities: {}
  - tool: ask
    background: true

  - answer: elicitation/create
    with: {action: accept, content: {name: '$${A}'}}
    expect: {result: {message: 'name?'}}

  - answer: sampling/createMessage
    error: {code: -1, message: "no"}

  - await: ask
    expect: {result: {content: []}}
`},
		{"a server request too long to be expected", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`,
			`< {"jsonrpc":"2.0","id":7,"method":"b","params":{"x":"` + strings.Repeat("x", maxExact) + `"}}`, `> {"jsonrpc":"2.0","id":7,"result":{}}`,
			`< {"jsonrpc":"2.0","id":1,"result":{}}`,
		}, Options{Expect: Exact}, `
  - call: a
    background: true

  - answer: b
    with: {}

  - await: a
`},
		{"a server request outside of a call", []string{
			`< {"jsonrpc":"2.0","id":7,"method":"roots/list"}`, `> {"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`,
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`, `< {"jsonrpc":"2.0","id":8,"method":"roots/list"}`,
			`> {"jsonrpc":"2.0","id":8,"result":{"roots":[]}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
		}, Options{}, `answers:
  roots/list: {roots: []}
capabilities: {}
  - call: a
`},
		{"a cancel, and an unanswered call", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{}}}`,
			`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			`< {"jsonrpc":"2.0","id":1,"result":{}}`,
			`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			`> {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen"}`,
		}, Options{}, `
  - tool: slow
    background: true

  - cancel: slow

  # It was never answered.
  - call: subscriptions/listen
    background: true
`},
		{"values that are carried", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b"},{"name":"a"}],"nextCursor":"p2"}}`,
			`> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"p2"}}`, `< {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`,
			`> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"new","arguments":{}}}`,
			`< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"note-id\":\"n0-12345678\"}"}]}}`,
			`> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read","arguments":{"id":"n0-12345678"}}}`, `< {"jsonrpc":"2.0","id":4,"result":{}}`,
			`> {"jsonrpc":"2.0","id":5,"method":"resources/list"}`, `< {"jsonrpc":"2.0","id":5,"result":{"resources":[{"uri":"file:///1"},{"uri":"file:///2"}]}}`,
			`> {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"file:///2"}}`, `< {"jsonrpc":"2.0","id":6,"result":{"contents":[{"mimeType":"text/plain"}]}}`,
		}, Options{}, `
  - call: tools/list
    expect:
      jq: .tools | map(.name) | ["a","b"] - . == []
    capture:
      cursor: .nextCursor

  - call: tools/list
    params: {cursor: '${cursor}'}

  - tool: new
    expect:
      jq: .content | map(.type) | unique == ["text"]
    capture:
      note_id: .content[0].text | fromjson | .["note-id"]

  - tool: read
    arguments: {id: '${note_id}'}

  - call: resources/list

  - call: resources/read
    params: {uri: 'file:///2'}
    expect:
      jq: .contents | map(.mimeType) | unique == ["text/plain"]
`},
		{"bytes, and how they are answered", []string{
			`"k":"stdin","raw":"{broken ${x}"`, `< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`,
			`"k":"stdin","eol":"","raw":"half"`, `"k":"stdin","raw":" a line"`,
			`"k":"stdin","b64":"//4="`,
			`> {"jsonrpc":"2.0","id":9,"method":"a","params":[1]}`, `< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"x"}}`,
			`> {"jsonrpc":"2.0","id":10,"method":"a","params":{"x":1,"x":2}}`,
		}, Options{}, `
  - send: '{broken $${x}'
    expect: {error: -32700}

  - send:
      text: half
      newline: false

  - send: ' a line'

  - send:
      base64: //4K

  - send: '{"jsonrpc":"2.0","id":9,"method":"a","params":[1]}'
    expect: {error: -32602}

  - send: '{"jsonrpc":"2.0","id":10,"method":"a","params":{"x":1,"x":2}}'
`},
		{"what no step can say", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`,
			`< {"jsonrpc":"2.0","id":7,"method":"b"}`, `> {"jsonrpc":"2.0","id":7,"error":{"code":1}}`,
			`< {"jsonrpc":"2.0","id":8,"method":"b"}`, `> {"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"x","why":"y"}}`,
			`< {"jsonrpc":"2.0","id":12,"method":"b"}`, `> {"jsonrpc":"2.0","id":12,"error":{"code":1,"message":5}}`,
			`< {"jsonrpc":"2.0","id":13,"method":"b"}`, `> {"jsonrpc":"2.0","id":13,"result":null}`,
			`< {"jsonrpc":"2.0","id":9,"method":"b"}`, `> {"jsonrpc":"2.0","id":9,"error":{"code":99999999999,"message":"x"}}`,
			`< {"jsonrpc":"2.0","id":10,"method":""}`, `> {"jsonrpc":"2.0","id":10,"result":{}}`,
			`< {"jsonrpc":"2.0","id":11,"method":"b"}`, `> {"jsonrpc":"2.0","id":11,"error":{"code":1,"message":"x","data":[1]}}`,
			`< {"jsonrpc":"2.0","id":1,"result":{"` + strings.Repeat("long", maxProgram) + `":"n0-12345678"}}`,
			`> {"jsonrpc":"2.0","id":2,"method":"","params":{"id":"n0-12345678"}}`,
			`> {"jsonrpc":"2.0","id":3,"method":"c","params":{"taskId":"n0-12345678"}}`, `< {"jsonrpc":"2.0","id":3,"result":{}}`,
			`"k":"stdin","eol":"","raw":""`, `"k":"act","act":"close-stdin"`, `"k":"exited","seq":20,"code":4294967296`,
		}, Options{}, `
  - call: a
    background: true

  - answer: b
    error: {code: 1, message: x, data: [1]}

  - await: a

  - send: '{"jsonrpc":"2.0","id":2,"method":"","params":{"id":"n0-12345678"}}'

  - call: c
    params: {taskId: n0-12345678}

  - close-stdin: true
`},
		{"restarts, and a closed stdin", append(append([]string{
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
			`"k":"exited","seq":3,"code":1`,
		}, handshake...), append([]string{`"k":"exited","seq":3,"code":1`}, append(handshake,
			`> {"jsonrpc":"2.0","id":1,"method":"b"}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
			`"k":"act","act":"close-stdin"`, `"k":"exited","seq":3,"code":7`)...)...), Options{}, `
  - call: a

  - restart: true

  - call: b

  - close-stdin: true
    expect: {exit: 7}
`},
		{"one process", append(append([]string{
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
		}, handshake...), `> {"jsonrpc":"2.0","id":1,"method":"b"}`), Options{Process: 2}, `
  # It was never answered.
  - call: b
    background: true
`},
		{"what was redacted", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"a","params":{"key":"[redacted:token:1]","again":"[redacted:token:1]"}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
		}, Options{}, `vars:
  redacted: {secret: true}
  - call: a
    params: {key: '${redacted}', again: '${redacted}'}
`},
		{"what is another one in each run", []string{
			`> {"jsonrpc":"2.0","id":1,"method":"a"}`,
			`< {"jsonrpc":"2.0","id":1,"result":{"at":"2026-11-21T10:00:00Z","pid":12,"port":"x","list":[{"id":"0123456789abcdef01"},1],"ids":["0123456789abcdef01",1],"_meta":{"x":1},"nextCursor":"q","text":"${x}"}}`,
		}, Options{Expect: Exact}, `
  - call: a
    expect: {result: {port: x, list: [{}, 1], text: '$${x}'}}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := rectest.Session(t, append(handshake[:len(handshake):len(handshake)], test.lines...)...)
			require.Equal(t, strings.TrimPrefix(test.want, "\n"), written(t, src, test.opts))
		})
	}
}

// TestRounds checks the modern era, where server requests are in results, and
// responses come with the next round of the request.
func TestRounds(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	src := rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{},`+meta+`}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s1","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"name?"}}}}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{},"requestState":"s1","inputResponses":{"k":{"action":"decline"}},`+meta+`}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"no"}]}}`)
	require.Equal(t, strings.TrimPrefix(`
era: modern
protocol: "2026-07-28"
capabilities: {}
  - tool: ask
    background: true

  - answer: elicitation/create
    with: {action: decline}

  - await: ask
    expect:
      jq: .content | map(.type) | unique == ["text"]
`, "\n"), written(t, src, Options{}))
}

// A session with the scenario requests and declares what the recorded client did.
func TestClient(t *testing.T) {
	initialize := func(version, caps string) string {
		return `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + caps + `,"clientInfo":{"name":"x","version":"1"}}}`
	}
	const call = `> {"jsonrpc":"2.0","id":1,"method":"a/b"}`
	const modern = `> {"jsonrpc":"2.0","id":1,"method":"a/b","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"older revision":       {[]string{initialize("2025-03-26", `{}`), call}, "legacy 2025-03-26 "},
		"capabilities":         {[]string{initialize("2025-11-25", `{"sampling":{}}`), call}, `legacy 2025-11-25 {"sampling":{}}`},
		"before the steps":     {[]string{initialize("2025-03-26", `{"roots":{}}`), rectest.Started, initialize("2025-11-25", `{}`), call, rectest.Started, initialize("2024-11-05", `{}`)}, "legacy 2025-11-25 "},
		"modern":               {[]string{modern}, "modern 2026-07-28 {}"},
		"no handshake":         {[]string{call}, "  "},
		"invalid capabilities": {[]string{initialize("2025-11-25", `[{"a":1}]`), call}, "legacy 2025-11-25 "},
		"duplicate members":    {[]string{initialize("2025-11-25", `{"a":{},"a":{}}`), call}, "legacy 2025-11-25 "},
		"hostile revision":     {[]string{initialize(`a\u001b[2J`, `{}`), call}, "legacy  "},
	} {
		t.Run(name, func(t *testing.T) {
			src := rectest.Session(t, append([]string{rectest.Started}, test.lines...)...)
			written(t, src, Options{})
			s, err := FromSession(t.Context(), src, Options{})
			require.NoError(t, err)
			require.Equal(t, test.want, fmt.Sprintf("%s %s %s", string(s.Era), s.Protocol, s.Capabilities))
		})
	}
}

func TestNothing(t *testing.T) {
	src := rectest.Session(t, handshake...)
	_, err := FromSession(t.Context(), src, Options{})
	require.ErrorIs(t, err, ErrNothing)
	_, err = FromSession(t.Context(), src, Options{Process: 2})
	require.ErrorContains(t, err, "the recording has no process 2, it has 1")

	many := handshake[:len(handshake):len(handshake)]
	for range scenario.MaxSteps + 1 {
		many = append(many, `> {"jsonrpc":"2.0","method":"notifications/a"}`)
	}
	src = rectest.Session(t, many...)
	_, err = FromSession(t.Context(), src, Options{})
	require.ErrorIs(t, err, ErrTooMany)
	s, err := FromSession(t.Context(), src, Options{Include: func(number int, _ session.Row) bool { return number < 10 }})
	require.NoError(t, err)
	require.Len(t, s.Steps, 6)
}
