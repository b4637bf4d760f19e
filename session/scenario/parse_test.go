package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// examples are files that Parse takes.
func examples(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.*")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		all[filepath.Base(path)] = data
	}
	return all
}

func parse(t testing.TB, text string) *Scenario {
	t.Helper()
	s, err := Parse("f.yaml", []byte(text))
	require.NoError(t, err)
	return s
}

// TestDocumented: the examples of docs/scenario.md and the README are scenarios.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/scenario.md")
	require.NoError(t, err)
	blocks := strings.Split(string(doc), "```yaml\n")[1:]
	require.Len(t, blocks, 5)
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		switch {
		case strings.HasPrefix(block, "#"): // a line of its own
			continue
		case strings.HasPrefix(block, "  - "):
			block = head + block
		case strings.HasPrefix(block, "vars:"):
			block = "scenario: 1\nsteps: [{call: a}]\n" + block
		}
		_, err := Parse("docs/scenario.md", []byte(block))
		require.NoError(t, err, block)
	}

	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, block, ok := strings.Cut(string(readme), "```yaml\nscenario: 1\n")
	require.True(t, ok)
	block, _, _ = strings.Cut(block, "```")
	_, err = Parse("README.md", []byte("scenario: 1\n"+block))
	require.NoError(t, err)
}

func TestParse(t *testing.T) {
	s := parse(t, string(examples(t)["notes.yaml"]))
	require.Equal(t, "notes server", s.Name)
	require.Equal(t, 90*time.Second, s.Timeout)
	require.Equal(t, []Var{
		{Name: "title", Default: []byte(`"hello"`), Place: Place{8, 3}},
		{Name: "token", Env: "API_TOKEN", Secret: true, Place: Place{9, 3}},
		{Name: "base", Env: "BASE", Default: []byte(`[1,{"a":"b"}]`), Place: Place{10, 3}},
		{Name: "none", Default: []byte(`null`), Place: Place{11, 3}},
	}, s.Vars)
	require.Equal(t, `{"roots":[{"uri":"file:///srv/${title}"}]}`, string(s.Answers["roots/list"]))

	first := s.Steps[0]
	require.Equal(t, Place{17, 5}, first.Place)
	require.Equal(t, Call, first.Do)
	require.Equal(t, "tools/call", first.Method)
	require.Equal(t, "create_note", first.Tool)
	require.Equal(t, `{"name":"create_note","arguments":{"title":"${title}","text":"two\nlines\n","price":"$${literal} and $5",`+
		`"big":123456789012345678901234567890,"exact":1.50,"huge":1e999,"day":"2001-01-01","version":"1.0","nothing":null,"yes":"yes"}}`, string(first.Params))
	require.Equal(t, []Expression{{Place{37, 11}, ".content | length == 1"}, {Place{38, 11}, `.content[0].text != ""`}}, first.Expect.JQ)
	require.Equal(t, "warning", first.Expect.Findings)
	require.Equal(t, []Capture{{"id", Expression{Place{42, 11}, ".structuredContent.id"}}}, first.Capture)

	var names []string
	for _, step := range s.Steps {
		names = append(names, step.Name)
	}
	require.Equal(t, []string{
		"make a note", "list_notes", "list_notes (2)", "resources/read", "resources/read (2)", "nothing/at/all", "slow",
		"wait for notifications/progress", "cancel slow", "await slow", "ask", "answer elicitation/create", "answer elicitation/create (2)",
		"await ask", "wait for roots/list", "wait for stderr", "wait for stdout", "notify notifications/roots/list_changed",
		"send", "send (2)", "send (3)", "close-stdin", "restart",
	}, names)
	require.Equal(t, `{"name":"list_notes","arguments":{}}`, string(s.Steps[1].Params))
	require.Equal(t, "error", s.Steps[2].Expect.Findings)
	require.False(t, *s.Steps[2].Expect.IsError)
	require.Equal(t, `{"uri":"note://${id}","again":"two\nlines\n"}`, string(s.Steps[3].Params))
	require.Equal(t, -32602, *s.Steps[3].Expect.Error.Code)
	require.Equal(t, &ErrorPattern{}, s.Steps[5].Expect.Error)
	require.Equal(t, `{"error":{"code":-1,"message":"no","data":{"why":"${progress}"}}}`, string(s.Steps[12].Answer))
	require.Equal(t, "{\"jsonrpc\":\"2.0\",\"id\":\"${id}\"\n", string(s.Steps[18].Data))
	require.Equal(t, "half a line", string(s.Steps[19].Data))
	require.Equal(t, "\xff\x00\xfe\n", string(s.Steps[20].Data))
	require.False(t, s.Steps[20].Text)
	require.Equal(t, 0, *s.Steps[21].Expect.Exit)

	s = parse(t, string(examples(t)["notes.json"]))
	require.Equal(t, "as JSON 😀", s.Name)
	require.Equal(t, `{"name":"echo","arguments":{"message":"a/b","n":1.0,"list":[1,[],{}]}}`, string(s.Steps[0].Params))
	require.Equal(t, Place{6, 3}, s.Steps[1].Place)
}

// head is what a file begins with, in two lines.
const head = "scenario: 1\nsteps:\n"

// mistakes are files that Parse does not take, with what it says. Those that are
// structural are not valid by the schema either.
var mistakes = []struct {
	name, file, want string
	structural       bool
}{
	{"empty", "", "f.yaml:1:1: the file is empty", false},
	{"only a comment", "# nothing\n", "f.yaml:1:1: the file is empty", false},
	{"a list", "- a\n", "f.yaml:1:1: a scenario has to be an object, not a list", true},
	{"no version", "steps: [{call: a}]", "f.yaml:1:1: this is no scenario", true},
	{"another version", "scenario: 2\nsteps: [{call: a}]", "f.yaml:1:11: a scenario of version 2 is not known, only 1\n  try: write scenario: 1", true},
	{"no steps", "scenario: 1", "f.yaml:1:1: nothing says what to do: a scenario has to have steps\n  try: add steps:", true},
	{"empty steps", "scenario: 1\nsteps: []", "f.yaml:2:8: steps is an empty list\n  try: below it a list such as - call: tools/list", true},
	{"steps no list", "scenario: 1\nsteps: {call: a}", "f.yaml:2:8: steps has to be a list, not an object", true},
	{"not UTF-8", "scenario: 1\nname: \"\xff\"", "f.yaml:2:8: bytes that are no text in UTF-8", false},
	{"tab", "scenario: 1\nsteps:\n\t- call: a", "f.yaml:3:2: this is no YAML: found character that cannot start any token\n  try: indent with spaces", false},
	{"tab in a step", head + "- call: a\n\tparams: {}", "f.yaml:4:2: this is no YAML: found a tab character that violates indentation\n  try: indent with spaces", false},
	{"flow not closed", "scenario: 1\nsteps: [{call: a\n", "f.yaml:2:1: this is no YAML: did not find expected ',' or '}'", false},
	{"not quoted in braces", head + "- call: a\n  expect: {jq: .content[0].text}", "f.yaml:4:3: this is no YAML: did not find expected ',' or '}'\n  try: quote what has one of [ ] { } ,", false},
	{"variable not quoted in braces", head + "- call: a\n  params: {title: ${title}}", "this is no YAML: did not find expected ',' or '}'\n  try: quote what", false},
	{"indented less than its step", head + "  - call: a\n   params: {}", "f.yaml:4:4: this is no YAML: did not find expected '-' indicator\n  try: members of one object are indented alike", false},
	{"quote not closed", head + "- call: \"a\n", "f.yaml:3:1: this is no YAML: found unexpected end of stream\n  try: end the text", false},
	{"two documents", "scenario: 1\n---\nsteps: []\n", "f.yaml:2:1: a second document begins", false},
	{"unknown anchor", "scenario: 1\nsteps: *all\n", "f.yaml:2:1: this is no YAML: unknown anchor 'all' referenced\n  try: quote text that begins with *", false},

	{"unknown key", "scenario: 1\nstep: []\nsteps: [{call: a}]", "f.yaml:2:1: a scenario has no member \"step\"\n  try: steps", true},
	{"key twice", "scenario: 1\nsteps: [{call: a}]\nscenario: 1", `f.yaml:3:1: "scenario" is here a second time, the first is in line 1`, false},
	{"step misspelt", head + "- tol: x", "f.yaml:3:3: a step has no member \"tol\"\n  try: tool", true},
	{"step does nothing", head + "- name: x", "f.yaml:3:3: nothing says what this step does\n  try: add one of call, tool", true},
	{"step does two things", head + "- call: a\n  tool: b", "f.yaml:4:3: a step does one thing, and this one is call already", true},
	{"step no object", head + "- tools/list", `f.yaml:3:3: a step has to be an object, not the text "tools/list"` + "\n  try: write its members as NAME: VALUE", true},
	{"unknown in step", head + "- tool: x\n  args: {}", "f.yaml:4:3: a tool step has no member \"args\"\n  try: arguments", true},
	{"of another step", head + "- call: x\n  arguments: {}", "f.yaml:4:3: arguments does not go with call, only with tool", true},
	{"params of a tool", head + "- tool: x\n  params: {}", "f.yaml:4:3: params does not go with tool, only with call\n  try: it may have name, tool, arguments, background", true},
	{"params no object", head + "- call: x\n  params: [1]", "f.yaml:4:11: params has to be an object, not a list\n  try: write its members as NAME: VALUE", true},
	{"name a number", head + "- call: x\n  name: 5", "f.yaml:4:9: name has to be text, not 5\n  try: quote it", true},
	{"name of two lines", head + "- call: x\n  name: \"a\\nb\"", "f.yaml:4:9: name has to be one line", true},
	{"name in spaces", head + "- call: x\n  name: ' a'", "f.yaml:4:9: name has to be one line", true},
	{"names twice", head + "- {call: x, name: a}\n- {call: x, name: a}", `f.yaml:4:19: another step is named "a"`, false},
	{"empty method", head + "- call: ''", "f.yaml:3:9: call is empty", true},
	{"restart false", head + "- restart: false", "f.yaml:3:12: restart can only be true\n  try: leave it out", true},
	{"background text", head + "- call: a\n  background: 'yes'", `f.yaml:4:15: background is true or false, not the text "yes"`, true},
	{"too deep", head + "- call: a\n  params: {a: " + strings.Repeat("[", 120) + strings.Repeat("]", 120) + "}", "nested deeper than 100 levels", false},

	{"timeout without unit", head + "- call: a\n  timeout: 5", "f.yaml:4:12: timeout has to be a duration, not 5\n  try: write a number with a unit", true},
	{"timeout zero", head + "- call: a\n  timeout: 0s", "f.yaml:4:12: timeout has to be more than 0 and at most 24h", false},
	{"timeout too long", "scenario: 1\ntimeout: 25h\nsteps: [{call: a}]", "f.yaml:2:10: timeout has to be more than 0 and at most 24h", false},

	{"octal", head + "- call: a\n  params: {a: 017}", "f.yaml:4:15: 017 is no number of JSON\n  try: write it as JSON would have it", false},
	{"hexadecimal", head + "- call: a\n  params: {a: 0x1F}", "0x1F is no number of JSON", false},
	{"endless", head + "- call: a\n  params: {a: .inf}", ".inf is no number of JSON", false},
	{"infinite", head + "- call: a\n  params: {a: -.inf}", "-.inf is no number of JSON", false},
	{"no number", head + "- call: a\n  params: {a: .nan}", ".nan is no number of JSON", false},
	{"number as key", head + "- call: a\n  params: {1: a}", "f.yaml:4:12: a key has to be text, not 1\n  try: quote it", false},
	{"object as key", head + "- call: a\n  params: {? {a: b} : c}", "a key has to be text, not an object", false},
	{"key twice in params", head + "- call: a\n  params: {a: 1, b: {a: 1, a: 2}}", `f.yaml:4:28: "a" is here a second time`, false},
	{"binary", head + "- call: a\n  params: {a: !!binary aGk=}", "tags (!!binary) are not read, but for !!str", false},
	{"own tag", head + "- call: a\n  params: {a: !env HOME}", "tags (!env) are not read", false},
	{"merge key", head + "- call: a\n  params: {<<: {a: 1}}", "merge keys (<<) are not read", false},

	{"undefined variable", "scenario: 1\nvars: {title: x}\nsteps:\n- {call: a, params: {a: \"b ${titel}\"}}", "f.yaml:4:25: no variable \"titel\" is declared, or captured before\n  try: ${title}", false},
	{"captured later", head + "- {call: a, params: {a: \"${id}\"}}\n- {call: a, capture: {id: .id}}", `no variable "id" is declared`, false},
	{"used where it is captured", head + "- {call: a, params: {a: \"${id}\"}, capture: {id: .id}}", `no variable "id" is declared`, false},
	{"no variable begins", head + "- {call: a, params: {a: \"x ${a b}\"}}", "f.yaml:3:25: no variable begins here: \"${a b}\"\n  try: write ${NAME}", false},
	{"variable not closed", head + "- {send: \"${a\"}", "no variable begins here", false},
	{"odd name of a variable", "scenario: 1\nvars: {a b: x}\nsteps: [{call: a}]", `f.yaml:2:8: "a b" can't be the name of a variable`, true},
	{"variable with an unknown member", "scenario: 1\nvars: {a: {envv: X}}\nsteps: [{call: a}]", "f.yaml:2:12: a variable has no member \"envv\"\n  try: env", true},
	{"env with a dollar", "scenario: 1\nvars: {a: {env: $X}}\nsteps: [{call: a}]", "env has to be the name of an environment variable", true},
	{"capture of a declared one", "scenario: 1\nvars: {a: 1}\nsteps: [{call: a, capture: {a: .x}}]", `f.yaml:3:29: the variable "a" is declared in vars`, false},

	{"await of nothing", head + "- call: a\n  name: slow\n  background: true\n- await: slwo", "f.yaml:6:10: no call before this step is in the background and named \"slwo\"\n  try: slow", false},
	{"await of what is not in the background", head + "- {call: a, name: x}\n- await: x", "no call before this step is in the background", false},
	{"await of a call that is not known", head + "- await: x", "named \"x\"\n  try: give the call the name x, and background: true", false},
	{"await before", head + "- await: x\n- {call: a, name: x, background: true}", "f.yaml:3:10: no call before this step", false},
	{"await twice", head + "- {call: a, name: x, background: true}\n- await: x\n- await: x", `f.yaml:5:10: the answer to "x" was awaited before`, false},
	{"cancel after await", head + "- {call: a, name: x, background: true}\n- await: x\n- cancel: x", `the answer to "x" was awaited before`, false},
	{"expect in the background", head + "- {call: a, background: true, expect: {isError: true}}", "f.yaml:3:39: a call in the background has no answer yet", true},
	{"capture in the background", head + "- {call: a, background: true, capture: {a: .}}", "a call in the background has no answer yet", true},
	{"capture of a notify", head + "- {notify: a, capture: {a: .}}", "there is nothing to capture: this is a notification", true},

	{"expect misspelt", head + "- call: a\n  expect: {reslt: {}}", "f.yaml:4:12: expect has no member \"reslt\"\n  try: result", true},
	{"expect of another step", head + "- call: a\n  expect: {exit: 0}", "f.yaml:4:12: exit has nothing to say of this step: it is a call\n  try: of such a step it may have result, isError,", true},
	{"error and isError", head + "- call: a\n  expect: {error: any, isError: true}", "an answer that is an error has no isError", true},
	{"error of another word", head + "- call: a\n  expect: {error: some}", `error can't be the text "some"`, true},
	{"error code no number", head + "- call: a\n  expect: {error: {code: x}}", `code has to be a whole number, not the text "x"`, true},
	{"jq", head + "- call: a\n  expect: {jq: '.a |'}", "f.yaml:4:16: this is no jq program: byte 5: unexpected EOF", false},
	{"jq with a variable that nobody knows", head + "- call: a\n  expect: {jq: $titel}", "variable not defined: $titel\n  try: declare it in vars", false},
	{"jq with a variable that is misspelt", "scenario: 1\nvars: {title: x}\nsteps:\n- call: a\n  expect: {jq: $titel}", "variable not defined: $titel\n  try: $title", false},
	{"jq with input", head + "- call: a\n  expect: {jq: input}", "this is no jq program", false},
	{"jq with a module", head + "- call: a\n  expect: {jq: 'import \"a\" as a; 1'}", "this is no jq program", false},
	{"jq that is empty", head + "- call: a\n  expect: {jq: []}", "jq is an empty list", true},
	{"jq too long", head + "- call: a\n  expect: {jq: '" + strings.Repeat("(", maxProgram+1) + "'}", "it is longer than 16384 bytes", true},
	{"regular expression", head + "- call: a\n  expect: {error: {message: '('}}", "f.yaml:4:29: this is no regular expression: missing closing ): `(`", false},
	{"schema", head + "- call: a\n  expect:\n    schema: {properties: {a: {type: objekt}}}", "f.yaml:5:37: this is no JSON Schema: value must be one of", false},
	{"schema with a pattern", head + "- call: a\n  expect: {schema: {pattern: '(?=x)'}}", "this is no JSON Schema", false},
	{"schema from elsewhere", head + "- call: a\n  expect: {schema: {$ref: 'https://example.com/s.json'}}", `the schema refers to "https://example.com/s.json", and nothing is loaded` + "\n  try: put what it refers to into its $defs", false},
	{"schema with a huge number", head + "- call: a\n  expect: {schema: {minimum: 1e99999999}}", "the number 1e99999999 has too many digits", false},
	{"schema no object", head + "- call: a\n  expect: {schema: object}", `schema has to be a JSON Schema, not the text "object"`, true},
	{"findings", head + "- call: a\n  expect: {findings: errors}", "findings is none (neither errors nor warnings) or no-errors", true},

	{"wait for nothing", head + "- wait: {params: {}}", "wait says what for: notification, request, stderr or stdout\n  try: such as wait:", true},
	{"wait for two things", head + "- wait: {request: a, stderr: b}", "a step waits for one thing, and this one for request already", true},
	{"params of a line", head + "- wait: {stderr: a, params: {}}", "a line of stderr has no params", true},
	{"result of a line", head + "- wait: {stderr: a}\n  expect: {result: x}", "f.yaml:4:12: result has nothing to say of this step: it is a wait", true},
	{"schema of a line", head + "- wait: {stdout: a}\n  expect: {schema: {}}", "f.yaml:4:12: schema has nothing to say of this step: it is a wait", true},
	{"exit beyond all", head + "- close-stdin: true\n  expect: {exit: 99999999999}", "exit has to be a whole number, not 99999999999", true},
	{"send no bytes", head + "- send: {text: '', newline: false}", "f.yaml:3:16: there are no bytes to send", false},
	{"send an object", head + "- send: {jsonrpc: '2.0'}", "send has no member \"jsonrpc\"", true},
	{"send a number", head + "- send: 5", "send has to be text", true},
	{"send nothing", head + "- send: {newline: true}", "send has either text or base64", true},
	{"send twice", head + "- send: {text: a, base64: aGk=}", "send has either text or base64", true},
	{"send no base64", head + "- send: {base64: '*'}", "this is no base64", true},
	{"answer without words", head + "- answer: roots/list", "nothing says what is answered", true},
	{"answer twice", head + "- {answer: a, with: {}, error: {code: 1, message: x}}", "an answer is a result (with) or an error, not both", true},
	{"answer with error", head + "- {answer: a, with: {error: {code: 1, message: x}}}", "a result with the member error would be taken for an error", true},
	{"error without message", head + "- {answer: a, error: {code: 1}}", "an error has a code and a message", true},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(m.file))
			var all Errors
			require.ErrorAs(t, err, &all)
			require.Contains(t, err.Error(), m.want)
			require.Len(t, all, 1, "one mistake is one: %v", err)
			var first *Error
			require.ErrorAs(t, err, &first)
		})
	}
}

// TestSchemaReadsNoFile: a file that is there is refused as well.
func TestSchemaReadsNoFile(t *testing.T) {
	other := filepath.ToSlash(filepath.Join(t.TempDir(), "other.json"))
	require.NoError(t, os.WriteFile(other, []byte("{}"), 0o600))
	_, err := Parse("f.yaml", []byte(head+"- call: a\n  expect: {schema: {$ref: 'file://"+other+"'}}"))
	require.ErrorContains(t, err, "and nothing is loaded")
}

// TestAllMistakes: they are listed in their order, up to a limit.
func TestAllMistakes(t *testing.T) {
	_, err := Parse("f.yaml", []byte("steps:\n- tool: x\n  bad: 1\n- await: y\nvars: {1: 2}\nscenario: 3\n"))
	var all Errors
	require.ErrorAs(t, err, &all)
	var lines []int
	for _, one := range all {
		lines = append(lines, one.Place.Line)
	}
	require.Equal(t, []int{3, 4, 5, 6}, lines)

	_, err = Parse("f.yaml", []byte(head+strings.Repeat("- bad: 1\n", 1000)))
	require.ErrorAs(t, err, &all)
	require.Len(t, all, maxErrors)
}

// TestBounds: what aliases make of a small file is bounded, and so is the rest.
func TestBounds(t *testing.T) {
	bomb := head + "- call: a\n  params:\n    x0: &x0 [xxxxxxxx]\n"
	for i := 1; i < 40; i++ {
		bomb += fmt.Sprintf("    x%d: &x%d [*x%d, *x%d]\n", i, i, i-1, i-1)
	}
	for name, test := range map[string]struct{ file, want string }{
		"bomb":  {bomb, "aliases make too much of this file"},
		"cycle": {head + "- call: a\n  params: &x {a: *x, b: *x}", "nested deeper than 100 levels"},
		"steps": {head + strings.Repeat("- call: a\n", MaxSteps+1), "there are 10001 steps, more than 10000"},
		"programs": {head + "- {call: a, expect: {jq: &l [&j '" + strings.Repeat("1,", 8000) + "1'" + strings.Repeat(", *j", 500) + "]}}\n" +
			strings.Repeat("- {call: a, expect: {jq: *l}}\n", 5000), "aliases make too much of this file"},
		"schemas": {head + "- {call: a, expect: {schema: &s {pattern: &p '" + strings.Repeat("(a|b)*", 2000) + "', allOf: [" + strings.Repeat("{pattern: *p},", 300) + "]}}}\n" +
			strings.Repeat("- {call: a, expect: {schema: *s}}\n", 5000), "aliases make too much of this file"},
		"values": {head + "- {call: a, params: {a: [" + strings.Repeat("1,", maxMarks) + "1]}}", "the file has more than 300000 lines, commas and brackets"},
		"lines":  {head + "- call: a\n  params:\n" + strings.Repeat("    - a:\r", maxMarks/2), "the file has more than 300000 lines, commas and brackets"},
		"size":   {strings.Repeat("#", MaxFile+1), "the file has 4194305 bytes, more than 4194304"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(test.file))
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestCost: a file without aliases does not come to maxRead, whatever is in it.
func TestCost(t *testing.T) {
	for name, item := range map[string]string{"numbers": "1,", "texts": `"a",`, "objects": `{"":0},`, "lists": "[],"} {
		begin, end := `{"scenario":1,"steps":[{"answer":"a","error":{"code":1,"message":"","data":[`, `0]}}]}`
		file := begin + strings.Repeat(item, 64<<10/len(item)) + end
		p := newParser("f.json")
		p.scenario(p.document([]byte(file)))
		require.Empty(t, p.errs)
		require.Less(t, float64(p.read)/float64(len(file)), float64(maxRead)/MaxFile, name)
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string][]token{
		"":             nil,
		"a $5 $":       {{text: "a $5 $"}},
		"${a}":         {{name: "a"}},
		"x${a}${b-2}y": {{text: "x"}, {name: "a"}, {name: "b-2"}, {text: "y"}},
		"$${a} $$${b}": {{text: "${a} $${b}"}},
		"a${":          {{text: "a"}, {text: "${", broken: true}},
		"${1}":         {{text: "${1}", broken: true}},
	} {
		var got []token
		tokens(text, func(t token) bool { got = append(got, t); return true })
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "${a}", "$${a}", "$$${", "$", "${", "a$${"} {
		back := ""
		tokens(Plain(text), func(tok token) bool { require.Empty(t, tok.name); back += tok.text; return true })
		require.Equal(t, text, back)
	}
}
