package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dialogue is a client of a server in this process.
type dialogue struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	errw *bytes.Buffer // must not be read before end
	code chan int
}

func talk(t *testing.T) *dialogue {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	d := &dialogue{t: t, in: inW, out: bufio.NewReader(outR), errw: &bytes.Buffer{}, code: make(chan int, 1)}
	go func() {
		code := Serve(context.Background(), inR, outW, d.errw, Options{Version: "1.2.3"})
		_ = outW.Close()
		_ = inR.Close()
		d.code <- code
	}()
	return d
}

// send writes one line.
func (d *dialogue) send(line string) {
	d.t.Helper()
	_, err := io.WriteString(d.in, line+"\n")
	require.NoError(d.t, err)
}

// line reads one line.
func (d *dialogue) line() string {
	d.t.Helper()
	line, err := d.out.ReadString('\n')
	require.NoError(d.t, err)
	return line
}

// next reads one message.
func (d *dialogue) next() map[string]any {
	d.t.Helper()
	var m map[string]any
	require.NoError(d.t, json.Unmarshal([]byte(d.line()), &m))
	require.Equal(d.t, "2.0", m["jsonrpc"])
	return m
}

// ask sends a request and reads the next message, which must be its response.
func (d *dialogue) ask(line string) map[string]any {
	d.t.Helper()
	d.send(line)
	return d.next()
}

// end closes the server's stdin and returns its exit code.
func (d *dialogue) end() int {
	d.t.Helper()
	require.NoError(d.t, d.in.Close())
	_, _ = io.Copy(io.Discard, d.out)
	return <-d.code
}

// initialize opens a legacy session.
func (d *dialogue) initialize(revision, capabilities string) map[string]any {
	d.t.Helper()
	answer := d.ask(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":` + capabilities + `,"clientInfo":{"name":"test","version":"1"}}}`)
	d.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// modernMeta returns the _meta of a modern request, with the given capabilities
// and further members.
func modernMeta(capabilities, more string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + more + `}`
}

// at walks into decoded JSON by keys (string) and indices (int).
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			require.IsType(t, map[string]any{}, value, "at %v of %v", step, path)
			value = value.(map[string]any)[step]
		case int:
			require.IsType(t, []any{}, value, "at %v of %v", step, path)
			require.Greater(t, len(value.([]any)), step)
			value = value.([]any)[step]
		}
	}
	return value
}

func TestInitializeNegotiatesRevision(t *testing.T) {
	for _, test := range []struct{ asked, agreed string }{
		{"2024-11-05", "2024-11-05"},
		{"2025-03-26", "2025-03-26"},
		{"2025-06-18", "2025-06-18"},
		{"2025-11-25", "2025-11-25"},
		{"2026-07-28", "2025-11-25"}, // has no initialize
		{"1999-01-01", "2025-11-25"},
	} {
		t.Run(test.asked, func(t *testing.T) {
			d := talk(t)
			answer := d.initialize(test.asked, `{}`)
			require.Equal(t, test.agreed, at(t, answer, "result", "protocolVersion"))
			require.Equal(t, "init", answer["id"])
			require.Equal(t, "1.2.3", at(t, answer, "result", "serverInfo", "version"))
			completions := at(t, answer, "result", "capabilities", "completions")
			require.Equal(t, test.agreed >= "2025-03-26", completions != nil)
			require.Equal(t, 0, d.end())
		})
	}
}

func TestLegacyResponses(t *testing.T) {
	for _, test := range []struct {
		name, method, params string
		path                 []any
		want                 any
	}{
		{"ping", "ping", `{}`, []any{"result"}, map[string]any{}},
		{"unknown method", "no/such", `{}`, []any{"error", "code"}, -32601.0},
		{"discover without _meta", "server/discover", `{}`, []any{"error", "code"}, -32602.0},
		{"tools first page", "tools/list", `{}`, []any{"result", "tools", 0, "name"}, "add"},
		{"tools first cursor", "tools/list", `{}`, []any{"result", "nextCursor"}, "after-6"},
		{"tools second page", "tools/list", `{"cursor":"after-6"}`, []any{"result", "tools", 0, "name"}, "fail"},
		{"tools last page", "tools/list", `{"cursor":"after-12"}`, []any{"result", "nextCursor"}, nil},
		{"bad cursor", "tools/list", `{"cursor":"after-99"}`, []any{"error", "code"}, -32602.0},
		{"foreign cursor", "tools/list", `{"cursor":"x"}`, []any{"error", "code"}, -32602.0},
		{"echo", "tools/call", `{"name":"echo","arguments":{"message":"<hi>"}}`, []any{"result", "content", 0, "text"}, "<hi>"},
		{"echo upper", "tools/call", `{"name":"echo","arguments":{"message":"hi","upper":true}}`, []any{"result", "content", 0, "text"}, "HI"},
		{"add", "tools/call", `{"name":"add","arguments":{"a":1.5,"b":2}}`, []any{"result", "structuredContent", "sum"}, 3.5},
		{"add text", "tools/call", `{"name":"add","arguments":{"a":1.5,"b":2}}`, []any{"result", "content", 0, "text"}, `{"sum":3.5}`},
		{"add string", "tools/call", `{"name":"add","arguments":{"a":"1","b":2}}`, []any{"result", "isError"}, true},
		{"add one", "tools/call", `{"name":"add","arguments":{"a":1}}`, []any{"result", "isError"}, true},
		{"add out of range", "tools/call", `{"name":"add","arguments":{"a":1e308,"b":1e308}}`, []any{"result", "isError"}, true},
		{"unknown argument", "tools/call", `{"name":"echo","arguments":{"message":"a","x":1}}`, []any{"result", "isError"}, true},
		{"unknown tool", "tools/call", `{"name":"nope"}`, []any{"error", "code"}, -32602.0},
		{"surprise is hidden", "tools/call", `{"name":"surprise"}`, []any{"error", "code"}, -32602.0},
		{"params no object", "tools/call", `[1]`, []any{"error", "code"}, -32602.0},
		{"fail isError", "tools/call", `{"name":"fail"}`, []any{"result", "isError"}, true},
		{"fail error", "tools/call", `{"name":"fail","arguments":{"kind":"error"}}`, []any{"error", "data", "kind"}, "error"},
		{"book", "tools/call", `{"name":"book","arguments":{"passengers":[{"name":"Ada"}],"trip":{"from":"A","to":"B"}}}`, []any{"result", "structuredContent", "price"}, 49.5},
		{"book nothing", "tools/call", `{"name":"book"}`, []any{"result", "isError"}, true},
		{"big", "tools/call", `{"name":"big","arguments":{"bytes":100}}`, []any{"result", "content", 0, "text"}, bigText(100).text()},
		{"big nothing", "tools/call", `{"name":"big","arguments":{"bytes":0}}`, []any{"result", "content", 0, "text"}, ""},
		{"media", "tools/call", `{"name":"media"}`, []any{"result", "content", 4, "type"}, "resource_link"},
		{"ask undeclared", "tools/call", `{"name":"ask"}`, []any{"result", "isError"}, true},
		{"sample undeclared", "tools/call", `{"name":"sample"}`, []any{"result", "isError"}, true},
		{"roots undeclared", "tools/call", `{"name":"roots"}`, []any{"result", "isError"}, true},
		{"prompts", "prompts/list", `{}`, []any{"result", "prompts", 0, "arguments", 0, "required"}, true},
		{"prompts second page", "prompts/list", `{"cursor":"after-2"}`, []any{"result", "prompts", 0, "name"}, "story"},
		{"prompt", "prompts/get", `{"name":"greet","arguments":{"name":"Ada","language":"french"}}`, []any{"result", "messages", 0, "content", "text"}, "Say this to me: Bonjour, Ada!"},
		{"prompt without argument", "prompts/get", `{"name":"greet"}`, []any{"error", "code"}, -32602.0},
		{"unknown prompt", "prompts/get", `{"name":"nope"}`, []any{"error", "code"}, -32602.0},
		{"complete prompt", "completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"D"}}`, []any{"result", "completion", "values"}, []any{"danish", "dutch"}},
		{"complete template", "completion/complete", `{"ref":{"type":"ref/resource","uri":"demo://notes/{id}"},"argument":{"name":"id","value":""}}`, []any{"result", "completion", "total"}, 8.0},
		{"complete nothing", "completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"x","value":""}}`, []any{"error", "code"}, -32602.0},
		{"resources", "resources/list", `{}`, []any{"result", "resources", 0, "uri"}, "demo://clock"},
		{"resources page", "resources/list", `{}`, []any{"result", "nextCursor"}, "after-5"},
		{"templates", "resources/templates/list", `{}`, []any{"result", "resourceTemplates", 0, "uriTemplate"}, "demo://notes/{id}"},
		{"read text", "resources/read", `{"uri":"demo://clock"}`, []any{"result", "contents", 0, "text"}, "touched 0 times"},
		{"read blob", "resources/read", `{"uri":"demo://pixel.png"}`, []any{"result", "contents", 0, "blob"}, pixelPNG},
		{"read by template", "resources/read", `{"uri":"demo://greetings/german/Ada"}`, []any{"result", "contents", 0, "text"}, "Guten Tag, Ada!"},
		{"read note 0", "resources/read", `{"uri":"demo://notes/0"}`, []any{"error", "code"}, -32002.0},
		{"read unknown", "resources/read", `{"uri":"demo://nope"}`, []any{"error", "data", "uri"}, "demo://nope"},
		{"subscribe unknown", "resources/subscribe", `{"uri":"demo://nope"}`, []any{"error", "code"}, -32002.0},
		{"bad level", "logging/setLevel", `{"level":"loud"}`, []any{"error", "code"}, -32602.0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := talk(t)
			d.initialize("2025-11-25", `{}`)
			answer := d.ask(`{"jsonrpc":"2.0","id":7,"method":"` + test.method + `","params":` + test.params + `}`)
			require.Equal(t, 7.0, answer["id"])
			require.Equal(t, test.want, at(t, answer, test.path...))
			require.Equal(t, 0, d.end())
		})
	}
}

// TestOldRevisionsGetNothingNewer checks that fields newer than the negotiated
// revision are omitted.
func TestOldRevisionsGetNothingNewer(t *testing.T) {
	d := talk(t)
	d.initialize("2024-11-05", `{}`)
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	list := d.line()
	for _, newer := range []string{`"annotations"`, `"outputSchema"`, `"resultType"`, `"ttlMs"`} {
		require.NotContains(t, list, newer)
	}
	answer := d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`)
	require.Nil(t, at(t, answer, "result", "structuredContent"))
	answer = d.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add"}}`)
	require.Equal(t, -32602.0, at(t, answer, "error", "code"))
	require.Len(t, at(t, d.ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"media"}}`), "result", "content"), 3)
	require.Equal(t, 0, d.end())
}

func TestIDsKeepTheirBytes(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `1.0`, `0`, `9007199254740993`, `"a\u0062"`} {
		d := talk(t)
		d.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		require.Contains(t, d.line(), `"id":`+id+`,`)
		require.Equal(t, 0, d.end())
	}
}

func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		name, line string
		code       float64
	}{
		{"not JSON", `hello`, -32700},
		{"not an object", `42`, -32700},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{"before anything", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, -32602},
		{"initialize without version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, -32602},
		{"too long", strings.Repeat(" ", maxLine+2), -32700},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := talk(t)
			require.Equal(t, test.code, at(t, d.ask(test.line), "error", "code"))
			require.Equal(t, map[string]any{}, at(t, d.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), "result"))
			require.Equal(t, 0, d.end())
		})
	}
}

func TestBatchesOf20250326(t *testing.T) {
	d := talk(t)
	d.initialize("2025-03-26", `{}`)
	d.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},` +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"big","arguments":{"bytes":3}}}]`)
	var answers []map[string]any
	require.NoError(t, json.Unmarshal([]byte(d.line()), &answers))
	require.Len(t, answers, 2)
	require.Equal(t, 1.0, answers[0]["id"])
	require.Equal(t, "The", at(t, answers[1], "result", "content", 0, "text"))
	require.Equal(t, 0, d.end())
}

func TestStartLineOnStderr(t *testing.T) {
	d := talk(t)
	require.Equal(t, 0, d.end())
	require.Equal(t, "demo: mcpdbg demo server on stdio, speaking 2025-11-25 and 2026-07-28\n", d.errw.String())
}

func TestCancelledContextEndsServe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, _ := io.Pipe() // never ends
	defer func() { _ = in.Close() }()
	cancel()
	require.Equal(t, 0, Serve(ctx, in, io.Discard, io.Discard, Options{}))
}

// TestCannedAnswers checks that every answer is valid JSON and fits its server
// request.
func TestCannedAnswers(t *testing.T) {
	var answers map[string]map[string]any
	require.NoError(t, json.Unmarshal(CannedAnswers(), &answers))
	require.Len(t, answers, 3)
	require.Equal(t, "accept", answers["elicitation/create"]["action"])
	require.Equal(t, "assistant", answers["sampling/createMessage"]["role"])
	require.Len(t, answers["roots/list"]["roots"], 1)
}

func TestChangedServer(t *testing.T) {
	requests := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"after-6"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"after-12"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"prompts/list"}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
	}, "\n") + "\n"
	answers := func(opts Options) []string {
		var out, errw bytes.Buffer
		Serve(context.Background(), strings.NewReader(requests), &out, &errw, opts)
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	healthy, changed := answers(Options{}), answers(Options{Changed: true})
	require.Len(t, changed, len(healthy))
	var differ []string
	for i := range healthy {
		if healthy[i] != changed[i] {
			differ = append(differ, changed[i])
		}
	}
	require.Len(t, differ, 2)
	require.Contains(t, differ[0], `"maximum":100,`)
	require.Contains(t, differ[1], `"structuredContent":{"sum":4}`)
}
