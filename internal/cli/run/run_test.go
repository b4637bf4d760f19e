package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/spool"
)

func TestSchemaType(t *testing.T) {
	for _, c := range []struct {
		schema, text string
		want         string // the text for the type; "" if a string is allowed
		value        string // "" if the text is not of the type
	}{
		{`{"type":"number"}`, "1.50", "a number", "1.50"},
		{`{"type":"number"}`, "9007199254740993", "a number", "9007199254740993"},
		{`{"type":"integer"}`, "1.5", "an integer", ""},
		{`{"type":"integer"}`, "15", "an integer", "15"},
		{`{"type":"boolean"}`, "true", "a boolean", "true"},
		{`{"type":"boolean"}`, "yes", "a boolean", ""},
		{`{"type":"array","items":{}}`, "[1, 2]", "an array", "[1,2]"},
		{`{"type":"object"}`, "", "an object", ""},
		{`{"type":["integer","null"]}`, "null", "an integer or null", "null"},
		{`{"type":["integer","string"]}`, "1", "", ""},
		{`{"oneOf":[{"type":"integer"},{"type":"object"}]}`, "{}", "an integer or an object", "{}"},
		{`{"anyOf":[{"type":"integer"},{"$ref":"#/x"}]}`, "1", "", ""},
		{`{"type":7}`, "1", "", ""}, {`true`, "1", "", ""}, {`[]`, "1", "", ""}, {`{}`, "1", "", ""},
	} {
		var wanted schemaType
		require.NoError(t, json.Unmarshal([]byte(c.schema), &wanted))
		require.Equal(t, c.want == "", wanted.allows("string"), c.schema)
		if c.want == "" {
			continue
		}
		require.Equal(t, c.want, wanted.String())
		value, fits := wanted.read(c.text)
		require.Equal(t, c.value != "", fits, "%s %s", c.schema, c.text)
		if fits {
			require.Equal(t, c.value, value)
		}
	}
}

func TestArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(file, []byte("two\nlines\n"), 0o600))
	doc := filepath.Join(t.TempDir(), "json")
	require.NoError(t, os.WriteFile(doc, []byte("{\n  \"b\": [1, \"x\"]\n}\n"), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, `{}`},
		{[]string{"a=1"}, `{"a":"1"}`},
		{[]string{"a="}, `{"a":""}`},
		{[]string{"a:=1"}, `{"a":1}`},
		{[]string{"a:=9007199254740993"}, `{"a":9007199254740993}`},
		{[]string{`a:={"b": [1, "x"]}`}, `{"a":{"b":[1,"x"]}}`},
		{[]string{"z=1", "a=2"}, `{"z":"1","a":"2"}`},
		{[]string{"a=b=c"}, `{"a":"b=c"}`},
		{[]string{`a"b=c"d`}, `{"a\"b":"c\"d"}`},
		{[]string{"a=@" + file}, `{"a":"two\nlines\n"}`},
		{[]string{"a:b=c"}, `{"a:b":"c"}`},
		{[]string{"a:=@" + doc}, `{"a":{"b":[1,"x"]}}`},
	} {
		got, err := parseArgs(t.Context(), new(console.Env), c.args)
		require.NoError(t, err, "%q", c.args)
		require.Equal(t, c.want, string(got), "%q", c.args)
	}
	for arg, says := range map[string]string{
		"a":           "NAME=TEXT, NAME:=JSON, NAME=@FILE or NAME:=@FILE",
		"=a":          "NAME=TEXT",
		":=1":         "NAME=TEXT",
		"a:=one":      "NAME=TEXT is always a string",
		"a:=1 2":      "not valid JSON",
		"a=@/no/":     "no such file",
		"a:=@/no/":    "argument a: open /no/: no such file",
		"a:=@" + file: file + " is not valid JSON",
	} {
		_, err := parseArgs(t.Context(), new(console.Env), []string{arg})
		require.ErrorAs(t, err, new(*console.UsageError), arg)
		require.ErrorContains(t, err, says, arg)
	}
	_, err := parseArgs(t.Context(), new(console.Env), []string{"a=1", "a:=2"})
	require.ErrorContains(t, err, "given twice")
}

// TestCallReadsStdinOnce: parameters come from files and from standard input,
// which only one of them can read.
func TestCallReadsStdinOnce(t *testing.T) {
	doc := filepath.Join(t.TempDir(), "params.json")
	require.NoError(t, os.WriteFile(doc, []byte(`{"x": [1]}`), 0o600))
	for _, c := range []struct {
		stdin, params string
		args          []string
		want          string // the params, or part of the error
	}{
		{"", "@" + doc, []string{"m"}, `{"x": [1]}`},
		{`{"y":2}`, "-", []string{"m"}, `{"y":2}`},
		{`{"y":2}`, "@-", []string{"m"}, `{"y":2}`},
		{"two\nlines", "", []string{"m", "a=@-"}, `{"a":"two\nlines"}`},
		{"[ 1, 2 ]", "", []string{"m", "a:=@-", "b=c"}, `{"a":[1,2],"b":"c"}`},
		{"", "", []string{"m", "a=@-", "b=@-"}, "argument a and argument b cannot both read standard input"},
		{"[1]", "-", []string{"m"}, "--params -: must be a JSON object, not [1]"},
		{"", "@/no/", []string{"m"}, "--params: open /no/: no such file"},
	} {
		a := &console.Env{Stdin: strings.NewReader(c.stdin)}
		method, params, err := callParams(t.Context(), a, "", c.params, c.args)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			require.Equal(t, console.ExitUsage, console.ExitCode(err))
			continue
		}
		require.Equal(t, "m", method)
		require.Equal(t, c.want, string(params))
	}
}

func TestReadLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
		err  error
	}{
		{"", nil, io.EOF},
		{"\n", []string{""}, io.EOF},
		{"a\nb", []string{"a", "b"}, io.EOF},
		{"a\r\n\nb\n", []string{"a\r", "", "b"}, io.EOF},
		{strings.Repeat("x", 40) + "\ny\n", []string{strings.Repeat("x", 40), "y"}, io.EOF},
		{"a\n" + strings.Repeat("x", 41) + "\n", []string{"a"}, nil},
	} {
		from := bufio.NewReaderSize(strings.NewReader(c.in), 16) // its smallest size
		var got []string
		line, err := readLine(from, 40)
		for ; err == nil; line, err = readLine(from, 40) {
			got = append(got, string(line))
		}
		require.Equal(t, c.want, got, "%q", c.in)
		if c.err == nil {
			require.ErrorContains(t, err, "longer than 40 bytes")
		} else {
			require.ErrorIs(t, err, c.err)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"a=1", "a:=[1]", "a:=", ":=", "a\x00=\xff", "=", "a=@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		if strings.Contains(arg, "=@") {
			return // would read a file
		}
		object, err := parseArgs(t.Context(), new(console.Env), []string{arg})
		if err != nil {
			require.ErrorAs(t, err, new(*console.UsageError))
			return
		}
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(object, &members))
		require.Len(t, members, 1)
	})
}

// Only the line of the response may follow what was printed.
func TestCopiedBelongsToTheResponse(t *testing.T) {
	line := func(text string, whole bool) *spool.Line {
		l, err := spool.Create(t.TempDir(), "1", false)
		require.NoError(t, err)
		t.Cleanup(func() { l.Release(); l.Release() })
		l.Write([]byte(text))
		l.End(framing.Message{}, nil, whole)
		return l
	}
	const whole = `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`
	failure := errors.New("failure")

	var out bytes.Buffer
	c := copied{out: &out}
	require.NoError(t, c.check(session.Response{}, nil), "nothing was printed")
	require.Equal(t, failure, c.check(session.Response{}, failure))
	good := line(whole, true)
	c.copy(good)
	require.NoError(t, c.check(session.Response{Long: good}, nil))
	require.NoError(t, c.end())
	require.Equal(t, `{"a":1}`+"\n", out.String())

	out.Reset()
	c = copied{out: &out}
	c.copy(line(whole[:len(whole)-3], false))
	require.Equal(t, `{"a":`, out.String())
	var cut *console.CutError
	require.ErrorAs(t, c.check(session.Response{}, failure), &cut)
	require.ErrorIs(t, cut, failure)
	require.Equal(t, int64(5), cut.Bytes)
	require.Equal(t, console.ExitStart, console.ExitCode(cut))

	next := line(whole, true)
	c.copy(next)
	require.Equal(t, `{"a":`, out.String(), "nothing is printed after it")
	require.ErrorAs(t, c.check(session.Response{Long: next}, nil), &cut)
	require.Equal(t, "the result was cut after 5 bytes, which are on standard output: its line was not a response", cut.Error())
	require.Equal(t, console.ExitStart, console.ExitCode(&console.CutError{Bytes: 5}))
}

func TestRequiredPages(t *testing.T) {
	require.Nil(t, requiredPages(nil))
	require.Nil(t, requiredPages(&session.RPCError{Code: mcp.CodeInternal, Data: json.RawMessage(`{"elicitations":[{"url":"a"}]}`)}))
	for data, want := range map[string]int{
		``: 0, `null`: 0, `{}`: 0, `{"elicitations":{}}`: 0, `{"elicitations":[1,{"url":1},{"url":""},{"url":"a"},{"url":"b","elicitationId":"x"}]}`: 2,
	} {
		require.Len(t, requiredPages(&session.RPCError{Code: mcp.CodeURLElicitation, Data: json.RawMessage(data)}), want, data)
	}
}

func TestStillAsked(t *testing.T) {
	for result, want := range map[string]string{
		`{"resultType":"complete"}`: "",
		`{"resultType":"input_required","inputRequests":{"b":{"method":"roots/list"},"a":{"method":"elicitation/create"}}}`: `elicitation/create (key "a"), roots/list (key "b")`,
		`{"resultType":"input_required","inputRequests":{"1":{},"2":{},"3":{},"4":{},"5":{},"6":{}}}`:                       `? (key "1"), ? (key "2"), ? (key "3"), ? (key "4"), ? (key "5"), ...`,
	} {
		require.Equal(t, want, stillAsked(json.RawMessage(result)), result)
	}
}

// FuzzFromServer reads what a server sends to a call: errors, results and progress.
func FuzzFromServer(f *testing.F) {
	f.Add([]byte(`{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://a.example","message":"x"}]}`))
	f.Add([]byte(`{"progress":1,"total":2,"message":"x"}`))
	f.Add([]byte(`{"resultType":"input_required","inputRequests":{"b":{"method":"roots/list"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		pages := requiredPages(&session.RPCError{Code: mcp.CodeURLElicitation, Data: data})
		require.LessOrEqual(t, len(pages), maxPages)
		for _, p := range pages {
			require.NotEmpty(t, p.URL)
		}
		require.NotEmpty(t, progressText(data))
		_ = stillAsked(data)
	})
}
