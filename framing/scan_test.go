package framing

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScanFindsTheEnvelope(t *testing.T) {
	tests := []struct {
		name, line                         string
		kind                               Kind
		id, method, params, result, errMem string
	}{
		{
			name: "request", line: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":[1,{"b":"}"}]}}`,
			kind: Request, id: `1`, method: `tools/list`, params: `{"a":[1,{"b":"}"}]}`,
		},
		{name: "request without params", line: `{"id":"x","method":"ping"}`, kind: Request, id: `"x"`, method: `ping`},
		{name: "request with id null", line: `{"id":null,"method":"ping"}`, kind: Request, id: `null`, method: `ping`},
		{name: "notification", line: `{"method":"notifications/initialized"}`, kind: Notification, method: `notifications/initialized`},
		{
			name: "response, result first", line: `{"result":{"tools":[]},"jsonrpc":"2.0","id":0}`,
			kind: Response, id: `0`, result: `{"tools":[]}`,
		},
		{name: "response with result null", line: `{"id":7,"result":null}`, kind: Response, id: `7`, result: `null`},
		{
			name: "error response", line: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`,
			kind: ErrorResponse, id: `null`, errMem: `{"code":-32700,"message":"x"}`,
		},
		{name: "result wins over error", line: `{"id":1,"error":null,"result":2}`, kind: Response, id: `1`, result: `2`, errMem: `null`},
		{name: "method wins over result", line: `{"id":1,"result":2,"method":"m"}`, kind: Request, id: `1`, method: `m`, result: `2`},
		{name: "method that is not a string", line: `{"method":[1],"id":2}`, kind: Request, id: `2`, method: `[1]`},
		{name: "method with escapes stays raw", line: `{"method":"a\/b\u0063"}`, kind: Notification, method: `a\/b\u0063`},
		{name: "id of an odd type", line: `{"id":{"a":1},"method":"m"}`, kind: Request, id: `{"a":1}`, method: `m`},
		{name: "params of an odd type", line: `{"method":"m","params":true}`, kind: Notification, method: `m`, params: `true`},
		{name: "id keeps its fraction", line: `{"id":1.0,"result":1}`, kind: Response, id: `1.0`, result: `1`},
		{name: "id beyond 2^53", line: `{"id":9007199254740993,"result":1}`, kind: Response, id: `9007199254740993`, result: `1`},
		{name: "id with exponent", line: `{"id":-0.1E+5,"result":1}`, kind: Response, id: `-0.1E+5`, result: `1`},
		{
			name: "names in escapes", line: `{"\u0069d":1,"\u006d\u0065thod":"m","p\u0061r\u0061ms":[]}`,
			kind: Request, id: `1`, method: `m`, params: `[]`,
		},
		{name: "names are case sensitive", line: `{"ID":1,"Method":"m"}`, kind: Other},
		{name: "names that only look alike", line: `{"id\u0000":1,"method ":"m","\nid":2,"idx":3,"resul":4,"errors":5}`, kind: Other},
		{name: "escaped backslash is not an escape", line: `{"\\u0069d":1,"\u005cu0069d":2}`, kind: Other},
		{name: "nested members are not the envelope's", line: `{"a":{"id":1,"method":"m"},"b":[{"result":1}]}`, kind: Other},
		{
			name: "space between all tokens", line: ` { "id" : 1 , "method" : "m" , "params" : [ 1 , { } , [ ] ] } `,
			kind: Request, id: `1`, method: `m`, params: `[ 1 , { } , [ ] ]`,
		},
		{name: "the last duplicate counts", line: `{"id":1,"id":2,"method":"a","method":"b"}`, kind: Request, id: `2`, method: `b`},
		{name: "empty object", line: `{}`, kind: Other},
		{name: "empty method", line: `{"method":""}`, kind: Notification, method: ``},
		{name: "batch", line: `[{"id":1,"method":"m"}]`, kind: Batch},
		{name: "empty batch", line: `[]`, kind: Batch},
		{name: "number", line: `12`, kind: Other},
		{name: "string", line: `"x"`, kind: Other},
		{name: "true", line: `true`, kind: Other},
		{name: "false", line: `false`, kind: Other},
		{name: "null", line: `null`, kind: Other},
		{name: "not JSON has no members", line: `{"id":1,"method":"m"`, kind: NotJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line := []byte(tt.line)
			m := Scan(line)
			require.Equal(t, tt.kind, m.Kind, m.Problems.String())
			require.Equal(t, tt.kind != NotJSON, m.Valid())
			require.Equal(t, tt.id, string(m.ID.Of(line)), "id")
			require.Equal(t, tt.method, string(m.Method.Of(line)), "method")
			require.Equal(t, tt.params, string(m.Params.Of(line)), "params")
			require.Equal(t, tt.result, string(m.Result.Of(line)), "result")
			require.Equal(t, tt.errMem, string(m.Error.Of(line)), "error")
		})
	}
}

func TestSpanOfDistinguishesAbsentFromEmpty(t *testing.T) {
	line := []byte(`{"method":"","jsonrpc":"2.0"}`)
	m := Scan(line)
	require.NotNil(t, m.Method.Of(line))
	require.Empty(t, m.Method.Of(line))
	require.Nil(t, m.ID.Of(line))
	require.Equal(t, `"2.0"`, string(m.JSONRPC.Of(line)))
}

func TestScanFindsProblems(t *testing.T) {
	tests := []struct{ name, line, problems string }{
		{"a clean message", `{"id":1,"result":{}}`, ""},
		{"a banner", `Server listening on stdio`, "not-json"},
		{"a log line that begins with a number", `2026-11-21 ready`, "not-json"},
		{"a log line that begins with a bracket", `[INFO] ready`, "not-json"},
		{"two messages", `{"id":1}{"id":2}`, "not-json,trailing"},
		{"a message and a comma", `{"id":1} ,`, "not-json,trailing"},
		{"a batch and a letter", `[1]x`, "not-json,trailing"},
		{"byte order mark", "\xef\xbb\xbf" + `{"id":1}`, "not-json,bom"},
		{"only a byte order mark", "\xef\xbb\xbf", "not-json,bom,blank"},
		{"half a byte order mark", "\xef\xbb", "not-json,utf8"},
		{"invalid UTF-8 in a message", "{\"a\":\"\xff\"}", "not-json,utf8"},
		{"invalid UTF-8 in the tail of a message", "{\"a\":\"12345678\xc3\"}", "not-json,utf8"},
		{"an encoded surrogate", "{\"a\":\"\xed\xa0\x80\"}", "not-json,utf8"},
		{"an overlong slash", "{\"a\":\"\xc0\xaf\"}", "not-json,utf8"},
		{"invalid UTF-8 in a banner", "caf\xe9", "not-json,utf8"},
		{"NUL in a message", "{\"a\":\"\x00\"}", "not-json,nul,control"},
		{"NUL after a message", "{\"id\":1}\x00", "not-json,trailing,nul,control"},
		{"LSP header", `Content-Length: 123`, "not-json,header"},
		{"LSP header in another case", `content-type: application/json`, "not-json,header"},
		{"first line of a pretty message", `{`, "not-json,multiline"},
		{"ends after a comma", `{"id":1,`, "not-json,multiline"},
		{"ends after a name", `{"id"`, "not-json,multiline"},
		{"ends after a colon", `{"id": `, "not-json,multiline"},
		{"ends in a name", `{"i`, "not-json,multiline"},
		{"ends in a value", `{"a":[{"b":tr`, "not-json,multiline"},
		{"ends in a number", `{"a":[-`, "not-json,multiline"},
		{"ends in an escape", `{"a":"\u12`, "not-json,multiline"},
		{"ends in a backslash", `{"a":"\`, "not-json,multiline"},
		{"ends in a string", `{"a":"first line`, "not-json,multiline"},
		{"a line in the middle of a pretty message", `  "id": 1,`, "not-json"},
		{"the last line of a pretty message", `}`, "not-json"},
		{"an unfinished string alone", `"abc`, "not-json"},
		{"wrong closer", `{"a":[1}`, "not-json"},
		{"comma before the end", `{"a":1,}`, "not-json"},
		{"comma before the end of a nested object", `{"a":{"b":1,}}`, "not-json"},
		{"comma before the end of an array", `[1,]`, "not-json"},
		{"single quotes", `{'a':1}`, "not-json"},
		{"missing colon", `{"a" 1}`, "not-json"},
		{"raw tab in a string", "{\"a\":\"\t\"}", "not-json,control"},
		{"a colour", "\x1b[32mready\x1b[0m", "not-json,control"},
		{"leading zero", `{"a":01}`, "not-json"},
		{"no digit after the point", `{"a":1.}`, "not-json"},
		{"no digit after the exponent", `{"a":1e}`, "not-json"},
		{"a sign alone", `{"a":-}`, "not-json"},
		{"NaN", `{"a":NaN}`, "not-json"},
		{"unknown escape", `{"a":"\x41"}`, "not-json"},
		{"short unicode escape", `{"a":"\u12g4"}`, "not-json"},
		{"duplicate member", `{"id":1,"id":2}`, "duplicate-key"},
		{"duplicate member in a broken line", `{"id":1,"id":2`, "not-json,multiline,duplicate-key"},
		{"duplicate member in escapes", `{"id":1,"\u0069d":2}`, "duplicate-key"},
		{"duplicate jsonrpc", `{"jsonrpc":"2.0","jsonrpc":"2.0"}`, "duplicate-key"},
		{"duplicate names in params are ignored", `{"params":{"a":1,"a":2}}`, ""},
		{"high surrogate alone", `{"a":"\ud800"}`, "surrogate"},
		{"low surrogate alone", `{"a":"\uDC00"}`, "surrogate"},
		{"last surrogate alone", `{"a":"\udfff"}`, "surrogate"},
		{"two low surrogates", `{"a":"\udc00\udc00"}`, "surrogate"},
		{"two high surrogates", `{"a":"\udbff\udbff"}`, "surrogate"},
		{"high surrogate before U+E000", `{"a":"\ud800\ue000"}`, "surrogate"},
		{"surrogates the wrong way round", `{"a":"\udc00\ud800"}`, "surrogate"},
		{"high surrogate before another escape", `{"a":"\ud800\n"}`, "surrogate"},
		{"high surrogate before a pair", `{"a":"\ud800\ud83d\ude00"}`, "surrogate"},
		{"surrogate in a name", `{"\ud800":1}`, "surrogate"},
		{"a pair of surrogates", `{"a":"\ud83d\ude00"}`, ""},
		{"the first pair", `{"a":"\ud800\udc00"}`, ""},
		{"the last pair", `{"a":"\uDBFF\uDFFF"}`, ""},
		{"next to the surrogates", `{"a":"\ud7ff\ue000"}`, ""},
		{"batch", `[]`, "batch"},
		{"empty line", ``, "not-json,blank"},
		{"spaces", `   `, "not-json,blank"},
		{"a lone CR", "\r", "not-json,blank,control"},
		{"space before", ` {}`, "space"},
		{"space after", `{} `, "space"},
		{"tab after", "{}\t", "space,control"},
		{"tab between tokens", "{\"a\":\t1}", "control"},
		{"LF between tokens", "{\"a\":1,\n\"b\":2}", "control"},
		{"space between tokens", `{"a": 1}`, ""},
		{"DEL is not a control byte here", "{\"a\":\"\x7f\"}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Scan([]byte(tt.line))
			require.Equal(t, tt.problems, m.Problems.String())
			require.Equal(t, m.Problems&ProblemNotJSON == 0, m.Valid())
		})
	}
}

func TestScanDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, line string
		depth      uint16
		problems   Problem
	}{
		{"a scalar", `5`, 0, 0},
		{"an object", `{}`, 1, 0},
		{"the deepest nesting counts", `{"a":[[]],"b":{}}`, 3, 0},
		{"one word of the stack", `{"a":` + nested(64) + `}`, 65, 0},
		{"more than one word", `{"a":` + nested(65) + `}`, 66, 0},
		{"alternating objects and arrays", strings.Repeat(`{"a":[`, 500) + strings.Repeat(`]}`, 500), 1000, 0},
		{"maximum depth", nested(MaxDepth), MaxDepth, ProblemBatch},
		{"maximum depth in an object", `{"a":` + nested(MaxDepth-1) + `}`, MaxDepth, 0},
		{"too deep", nested(MaxDepth + 1), MaxDepth, ProblemNotJSON | ProblemTooDeep},
		{"too deep in an object", `{"a":` + nested(MaxDepth) + `}`, MaxDepth, ProblemNotJSON | ProblemTooDeep},
		{"too deep and unfinished", strings.Repeat("[", 1<<20), MaxDepth, ProblemNotJSON | ProblemTooDeep},
		{"wrong closer far down", strings.Repeat("[", 100) + "}" + strings.Repeat("]", 99), 100, ProblemNotJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Scan([]byte(tt.line))
			require.Equal(t, tt.depth, m.Depth)
			require.Equal(t, tt.problems, m.Problems, m.Problems.String())
		})
	}
}

func TestScanVerbatim(t *testing.T) {
	nested := func(n int) string { return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}` }
	tests := []struct {
		name, line string
		verbatim   bool
	}{
		{"a message", `{"id":1}`, true},
		{"an object of another kind", `{}`, true},
		{"non-ASCII text", `{"a":"世界"}`, true},
		{"space inside", `{"a": 1}`, true},
		{"duplicate member", `{"id":1,"id":2}`, true},
		{"depth 200", nested(VerbatimDepth), true},
		{"depth 201", nested(VerbatimDepth + 1), false},
		{"a batch", `[]`, false},
		{"a scalar", `1`, false},
		{"space before", ` {}`, false},
		{"space after", `{} `, false},
		{"tab inside", "{\"a\":\t1}", false},
		{"lone surrogate", `{"a":"\ud800"}`, false},
		{"byte order mark", "\xef\xbb\xbf{}", false},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", false},
		{"not JSON", `{`, false},
		{"empty", ``, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.verbatim, Scan([]byte(tt.line)).Verbatim)
		})
	}
}

// A string is read eight bytes at a time: a byte that ends or invalidates it
// must be found at each position in the word, whatever is before and after it.
func TestScanSeesEachByteOfAString(t *testing.T) {
	for length := range 26 {
		for at := range length {
			for c := range 256 {
				text := []byte(strings.Repeat("~", length))
				text[at] = byte(c)
				line := append(append([]byte(`{"a":"`), text...), `"}`...)
				plain := c >= 0x20 && c < 0x80 && c != '"' && c != '\\'
				require.Equal(t, plain, Scan(line).Valid(), "%q", line)
			}
		}
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	for _, s := range corpus(t)[:4] {
		line := []byte(s.line)
		require.Zero(t, testing.AllocsPerRun(20, func() { Scan(line) }), s.name)
	}
	deep := []byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))
	require.Zero(t, testing.AllocsPerRun(20, func() { Scan(deep) }))
}

func TestElements(t *testing.T) {
	tests := []struct {
		name, line string
		want       []string
	}{
		{"empty", `[]`, nil},
		{"empty with space", ` [ ] `, nil},
		{"messages", `[{"id":1,"method":"a"}, {"id":[2,3]} ,"x",4]`, []string{`{"id":1,"method":"a"}`, `{"id":[2,3]}`, `"x"`, `4`}},
		{"deep", `[` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `,1]`, []string{strings.Repeat("[", 200) + strings.Repeat("]", 200), `1`}},
		{"no array", `{"a":1}`, nil},
		{"blank", ``, nil},
		{"broken", `[1,2,x]`, []string{`1`, `2`}},
		{"unfinished", `[1,`, []string{`1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for span := range Elements([]byte(tt.line)) {
				got = append(got, string(span.Of([]byte(tt.line))))
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestElementsStopsEarly(t *testing.T) {
	n := 0
	for range Elements([]byte(`[1,2,3]`)) {
		n++
		break
	}
	require.Equal(t, 1, n)
}

func TestWords(t *testing.T) {
	require.Equal(t, "not-json,trailing,bom,utf8,nul,header,multiline,too-deep,too-long,duplicate-key,surrogate,"+
		"batch,blank,space,control,unterminated,crlf", (ProblemCRLF<<1 - 1).String())
	require.Empty(t, Problem(0).String())
	for kind, word := range map[Kind]string{
		NotJSON: "not-json", Request: "request", Notification: "notification", Response: "response",
		ErrorResponse: "error", Batch: "batch", Other: "other", Other + 1: "unknown",
	} {
		require.Equal(t, word, kind.String())
	}
}
