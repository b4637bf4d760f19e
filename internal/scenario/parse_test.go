package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// examples returns files that Parse accepts.
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

// TestDocumented parses the examples of docs/scenarios.md.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/scenarios.md")
	require.NoError(t, err)
	blocks := strings.Split(string(doc), "```yaml\n")[1:]
	require.Len(t, blocks, 5)
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		switch {
		case strings.HasPrefix(block, "#"): // only a comment
			continue
		case strings.HasPrefix(block, "  - "):
			block = head + block
		case strings.HasPrefix(block, "vars:"):
			block = "scenario: 1\nsteps: [{call: a}]\n" + block
		}
		_, err := Parse("docs/scenarios.md", []byte(block))
		require.NoError(t, err, block)
	}
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
		`"big":123456789012345678901234567890,"exact":1.50,"huge":1e990,"day":"2001-01-01","version":"1.0","nothing":null,"yes":"yes"}}`, string(first.Params))
	require.Equal(t, []Expression{{Place{37, 11}, ".content | length == 1"}, {Place{38, 11}, `.content[0].text != ""`}}, first.Expect.JQ)
	require.Equal(t, "warning", first.Expect.Problems)
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
	require.Equal(t, "error", s.Steps[2].Expect.Problems)
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

// head is the two-line beginning of a file.
const head = "scenario: 1\nsteps:\n"

// mistakes are files that Parse rejects, with the expected error. Structural ones are
// not valid against the schema either.
var mistakes = []struct {
	name, file, want string
	structural       bool
}{
	{"empty", "", "f.yaml:1:1: the file is empty", false},
	{"only a comment", "# nothing\n", "f.yaml:1:1: the file is empty", false},
	{"a list", "- a\n", "f.yaml:1:1: a scenario must be an object, not a list", true},
	{"no version", "steps: [{call: a}]", "f.yaml:1:1: the scenario version is missing", true},
	{"another version", "scenario: 2\nsteps: [{call: a}]", "f.yaml:1:11: unsupported scenario version: 2 (supported: 1)\n  try: write scenario: 1", true},
	{"no steps", "scenario: 1", "f.yaml:1:1: a scenario requires steps\n  try: add steps:", true},
	{"empty steps", "scenario: 1\nsteps: []", "f.yaml:2:8: steps is an empty list\n  try: write a list below it, such as - call: tools/list", true},
	{"steps not a list", "scenario: 1\nsteps: {call: a}", "f.yaml:2:8: steps must be a list, not an object", true},
	{"not UTF-8", "scenario: 1\nname: \"\xff\"", "f.yaml:2:8: invalid UTF-8", false},
	{"tab", "scenario: 1\nsteps:\n\t- call: a", "f.yaml:3:2: invalid YAML: found character that cannot start any token\n  try: indent with spaces", false},
	{"tab in a step", head + "- call: a\n\tparams: {}", "f.yaml:4:2: invalid YAML: found a tab character that violates indentation\n  try: indent with spaces", false},
	{"flow not closed", "scenario: 1\nsteps: [{call: a\n", "f.yaml:2:1: invalid YAML: did not find expected ',' or '}'", false},
	{"not quoted in braces", head + "- call: a\n  expect: {jq: .content[0].text}", "f.yaml:4:3: invalid YAML: did not find expected ',' or '}'\n  try: quote text that contains one of [ ] { } ,", false},
	{"variable not quoted in braces", head + "- call: a\n  params: {title: ${title}}", "invalid YAML: did not find expected ',' or '}'\n  try: quote text", false},
	{"indented less than its step", head + "  - call: a\n   params: {}", "f.yaml:4:4: invalid YAML: did not find expected '-' indicator\n  try: indent the members of an object alike", false},
	{"quote not closed", head + "- call: \"a\n", "f.yaml:3:1: invalid YAML: found unexpected end of stream\n  try: close the text", false},
	{"two documents", "scenario: 1\n---\nsteps: []\n", "f.yaml:2:1: a second YAML document begins", false},
	{"unknown anchor", "scenario: 1\nsteps: *all\n", "f.yaml:2:1: invalid YAML: unknown anchor 'all' referenced\n  try: quote text that begins with *", false},

	{"unknown key", "scenario: 1\nstep: []\nsteps: [{call: a}]", "f.yaml:2:1: a scenario has no member \"step\"\n  try: steps", true},
	{"key twice", "scenario: 1\nsteps: [{call: a}]\nscenario: 1", `f.yaml:3:1: duplicate key "scenario", first in line 1`, false},
	{"step misspelt", head + "- tol: x", "f.yaml:3:3: a step has no member \"tol\"\n  try: tool", true},
	{"step does nothing", head + "- name: x", "f.yaml:3:3: the step has no action\n  try: add one of call, tool", true},
	{"step does two things", head + "- call: a\n  tool: b", "f.yaml:4:3: a step can only do one thing, and this one already has call", true},
	{"step not an object", head + "- tools/list", `f.yaml:3:3: a step must be an object, not the text "tools/list"` + "\n  try: write its members as NAME: VALUE", true},
	{"unknown in step", head + "- tool: x\n  args: {}", "f.yaml:4:3: a tool step has no member \"args\"\n  try: arguments", true},
	{"member of another step", head + "- call: x\n  arguments: {}", "f.yaml:4:3: arguments cannot be combined with call, only with tool", true},
	{"params of a tool", head + "- tool: x\n  params: {}", "f.yaml:4:3: params cannot be combined with tool, only with call\n  try: it may have name, tool, arguments, background", true},
	{"params not an object", head + "- call: x\n  params: [1]", "f.yaml:4:11: params must be an object, not a list\n  try: write its members as NAME: VALUE", true},
	{"name a number", head + "- call: x\n  name: 5", "f.yaml:4:9: name must be text, not 5\n  try: quote it", true},
	{"name of two lines", head + "- call: x\n  name: \"a\\nb\"", "f.yaml:4:9: name must be one line", true},
	{"name with leading space", head + "- call: x\n  name: ' a'", "f.yaml:4:9: name must be one line", true},
	{"duplicate names", head + "- {call: x, name: a}\n- {call: x, name: a}", `f.yaml:4:19: duplicate step name "a"`, false},
	{"empty method", head + "- call: ''", "f.yaml:3:9: call is empty", true},
	{"restart false", head + "- restart: false", "f.yaml:3:12: restart can only be true\n  try: omit it instead", true},
	{"background text", head + "- call: a\n  background: 'yes'", `f.yaml:4:15: background must be true or false, not the text "yes"`, true},
	{"too deep", head + "- call: a\n  params: {a: " + strings.Repeat("[", 120) + strings.Repeat("]", 120) + "}", "nested deeper than 100 levels", false},

	{"answer not an object", "scenario: 1\nanswers:\n  roots/list: 1\nsteps: [{call: a}]",
		`f.yaml:3:15: roots/list: must be a result object, {"error": {...}}, "defaults" or a list, not 1`, true},
	{"capabilities not an object", "scenario: 1\ncapabilities: [roots]\nsteps: [{call: a}]",
		"f.yaml:2:15: capabilities must be an object, not a list\n  try: write its members as NAME: VALUE", true},
	{"unknown era", "scenario: 1\nera: auto\nsteps: [{call: a}]", `f.yaml:2:6: era must be legacy or modern, not the text "auto"`, true},
	{"unknown in an answer", "scenario: 1\nanswers:\n  elicitation/create:\n    - defaults\n    - action: accept\nsteps: [{call: a}]",
		`f.yaml:5:7: elicitation/create, entry 2: unknown member "action": must be mode, key, result, error or defaults`, true},

	{"timeout without unit", head + "- call: a\n  timeout: 5", "f.yaml:4:12: timeout must be a duration, not 5\n  try: write a number with a unit", true},
	{"timeout zero", head + "- call: a\n  timeout: 0s", "f.yaml:4:12: timeout must be more than 0 and at most 24h", false},
	{"timeout too long", "scenario: 1\ntimeout: 25h\nsteps: [{call: a}]", "f.yaml:2:10: timeout must be more than 0 and at most 24h", false},

	{"octal", head + "- call: a\n  params: {a: 017}", "f.yaml:4:15: 017 is not a JSON number\n  try: write it as in JSON", false},
	{"hexadecimal", head + "- call: a\n  params: {a: 0x1F}", "0x1F is not a JSON number", false},
	{"endless", head + "- call: a\n  params: {a: .inf}", ".inf is not a JSON number", false},
	{"infinite", head + "- call: a\n  params: {a: -.inf}", "-.inf is not a JSON number", false},
	{"not a number", head + "- call: a\n  params: {a: .nan}", ".nan is not a JSON number", false},
	{"number as key", head + "- call: a\n  params: {1: a}", "f.yaml:4:12: a key must be text, not 1\n  try: quote it", false},
	{"object as key", head + "- call: a\n  params: {? {a: b} : c}", "a key must be text, not an object", false},
	{"key twice in params", head + "- call: a\n  params: {a: 1, b: {a: 1, a: 2}}", `f.yaml:4:28: duplicate key "a"`, false},
	{"binary", head + "- call: a\n  params: {a: !!binary aGk=}", "unsupported tag !!binary (only !!str is supported)", false},
	{"own tag", head + "- call: a\n  params: {a: !env HOME}", "unsupported tag !env", false},
	{"merge key", head + "- call: a\n  params: {<<: {a: 1}}", "merge keys (<<) are not supported", false},

	{"undefined variable", "scenario: 1\nvars: {title: x}\nsteps:\n- {call: a, params: {a: \"b ${titel}\"}}", "f.yaml:4:25: undefined variable \"titel\"\n  try: ${title}", false},
	{"captured later", head + "- {call: a, params: {a: \"${id}\"}}\n- {call: a, capture: {id: .id}}", `undefined variable "id"`, false},
	{"used where it is captured", head + "- {call: a, params: {a: \"${id}\"}, capture: {id: .id}}", `undefined variable "id"`, false},
	{"invalid variable reference", head + "- {call: a, params: {a: \"x ${a b}\"}}", "f.yaml:3:25: invalid variable reference: \"${a b}\"\n  try: write ${NAME}", false},
	{"variable not closed", head + "- {send: \"${a\"}", "invalid variable reference", false},
	{"invalid variable name", "scenario: 1\nvars: {a b: x}\nsteps: [{call: a}]", `f.yaml:2:8: invalid variable name "a b"`, true},
	{"variable with an unknown member", "scenario: 1\nvars: {a: {envv: X}}\nsteps: [{call: a}]", "f.yaml:2:12: a variable has no member \"envv\"\n  try: env", true},
	{"env with a dollar", "scenario: 1\nvars: {a: {env: $X}}\nsteps: [{call: a}]", "env must be the name of an environment variable", true},
	{"capture of a declared one", "scenario: 1\nvars: {a: 1}\nsteps: [{call: a, capture: {a: .x}}]", `f.yaml:3:29: the variable "a" is already declared in vars`, false},

	{"await of nothing", head + "- call: a\n  name: slow\n  background: true\n- await: slwo", "f.yaml:6:10: no earlier background call is named \"slwo\"\n  try: slow", false},
	{"await of a call that is not in the background", head + "- {call: a, name: x}\n- await: x", "no earlier background call", false},
	{"await of an unknown call", head + "- await: x", "named \"x\"\n  try: give the call the name x, and background: true", false},
	{"await before", head + "- await: x\n- {call: a, name: x, background: true}", "f.yaml:3:10: no earlier background call", false},
	{"await twice", head + "- {call: a, name: x, background: true}\n- await: x\n- await: x", `f.yaml:5:10: "x" was already awaited`, false},
	{"cancel after await", head + "- {call: a, name: x, background: true}\n- await: x\n- cancel: x", `"x" was already awaited`, false},
	{"expect in the background", head + "- {call: a, background: true, expect: {isError: true}}", "f.yaml:3:39: a background call has no response yet", true},
	{"capture in the background", head + "- {call: a, background: true, capture: {a: .}}", "a background call has no response yet", true},
	{"capture of a notify", head + "- {notify: a, capture: {a: .}}", "nothing to capture: this is a notification", true},

	{"expect misspelt", head + "- call: a\n  expect: {reslt: {}}", "f.yaml:4:12: expect has no member \"reslt\"\n  try: result", true},
	{"expect of another step", head + "- call: a\n  expect: {exit: 0}", "f.yaml:4:12: exit does not apply to this step: it is a call\n  try: expect may have result, isError,", true},
	{"error and isError", head + "- call: a\n  expect: {error: any, isError: true}", "error and isError cannot be combined", true},
	{"error of another word", head + "- call: a\n  expect: {error: some}", `error must be any, a code or an object, not the text "some"`, true},
	{"error code not a number", head + "- call: a\n  expect: {error: {code: x}}", `code must be an integer, not the text "x"`, true},
	{"jq", head + "- call: a\n  expect: {jq: '.a |'}", "f.yaml:4:16: invalid jq program: byte 5: unexpected EOF", false},
	{"jq with an unknown variable", head + "- call: a\n  expect: {jq: $titel}", "variable not defined: $titel\n  try: declare it in vars", false},
	{"jq with a misspelt variable", "scenario: 1\nvars: {title: x}\nsteps:\n- call: a\n  expect: {jq: $titel}", "variable not defined: $titel\n  try: $title", false},
	{"jq with input", head + "- call: a\n  expect: {jq: input}", "invalid jq program", false},
	{"jq with a module", head + "- call: a\n  expect: {jq: 'import \"a\" as a; 1'}", "invalid jq program", false},
	{"jq that is empty", head + "- call: a\n  expect: {jq: []}", "jq is an empty list", true},
	{"jq too long", head + "- call: a\n  expect: {jq: '" + strings.Repeat("(", maxProgram+1) + "'}", "longer than 16384 bytes", true},
	{"regular expression", head + "- call: a\n  expect: {error: {message: '('}}", "f.yaml:4:29: invalid regular expression: missing closing ): `(`", false},
	{"schema", head + "- call: a\n  expect:\n    schema: {properties: {a: {type: objekt}}}", "f.yaml:5:37: invalid JSON Schema: value must be one of", false},
	{"schema with a pattern", head + "- call: a\n  expect: {schema: {pattern: '(?=x)'}}", "invalid JSON Schema", false},
	{"schema from elsewhere", head + "- call: a\n  expect: {schema: {$ref: 'https://example.com/s.json'}}", `external schema references are not supported: "https://example.com/s.json"` + "\n  try: copy the schema into $defs", false},
	{"schema with a huge number", head + "- call: a\n  expect: {schema: {minimum: 1e99999999}}", "a number has too many digits", false},
	{"schema not an object", head + "- call: a\n  expect: {schema: object}", `schema must be a JSON Schema, not the text "object"`, true},
	{"findings", head + "- call: a\n  expect: {findings: errors}", "findings must be none (no errors or warnings) or no-errors", true},

	{"wait for nothing", head + "- wait: {params: {}}", "wait requires one of notification, request, stderr or stdout\n  try: for example wait:", true},
	{"wait for two things", head + "- wait: {request: a, stderr: b}", "a step can only wait for one thing, and this one already waits for request", true},
	{"params of a line", head + "- wait: {stderr: a, params: {}}", "params cannot be combined with stderr", true},
	{"result of a line", head + "- wait: {stderr: a}\n  expect: {result: x}", "f.yaml:4:12: result does not apply to this step: it is a wait", true},
	{"schema of a line", head + "- wait: {stdout: a}\n  expect: {schema: {}}", "f.yaml:4:12: schema does not apply to this step: it is a wait", true},
	{"exit beyond all", head + "- close-stdin: true\n  expect: {exit: 99999999999}", "exit must be an integer, not 99999999999", true},
	{"send no bytes", head + "- send: {text: '', newline: false}", "f.yaml:3:16: no bytes to send", false},
	{"send an object", head + "- send: {jsonrpc: '2.0'}", "send has no member \"jsonrpc\"", true},
	{"send a number", head + "- send: 5", "send must be text", true},
	{"send nothing", head + "- send: {newline: true}", "send requires either text or base64", true},
	{"send twice", head + "- send: {text: a, base64: aGk=}", "send requires either text or base64", true},
	{"send invalid base64", head + "- send: {base64: '*'}", "invalid base64", true},
	{"answer without content", head + "- answer: roots/list", "the answer is missing", true},
	{"answer twice", head + "- {answer: a, with: {}, error: {code: 1, message: x}}", "with and error cannot be combined", true},
	{"answer with error", head + "- {answer: a, with: {error: {code: 1, message: x}}}", "a result cannot have the member error", true},
	{"error without message", head + "- {answer: a, error: {code: 1}}", "an error requires a code and a message", true},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(m.file))
			var all Errors
			require.ErrorAs(t, err, &all)
			require.Contains(t, err.Error(), m.want)
			require.Len(t, all, 1, "one mistake is reported once: %v", err)
			var first *Error
			require.ErrorAs(t, err, &first)
		})
	}
}

// TestSchemaReadsNoFile checks that references to existing files are rejected too.
func TestSchemaReadsNoFile(t *testing.T) {
	other := filepath.ToSlash(filepath.Join(t.TempDir(), "other.json"))
	require.NoError(t, os.WriteFile(other, []byte("{}"), 0o600))
	_, err := Parse("f.yaml", []byte(head+"- call: a\n  expect: {schema: {$ref: 'file://"+other+"'}}"))
	require.ErrorContains(t, err, "external schema references are not supported")
}

// TestAllMistakes checks the order and the limit of mistakes.
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

// TestBounds checks the limits on aliases, sizes and counts.
func TestBounds(t *testing.T) {
	bomb := head + "- call: a\n  params:\n    x0: &x0 [xxxxxxxx]\n"
	for i := 1; i < 40; i++ {
		bomb += fmt.Sprintf("    x%d: &x%d [*x%d, *x%d]\n", i, i, i-1, i-1)
	}
	for name, test := range map[string]struct{ file, want string }{
		"bomb":  {bomb, "aliases expand this file beyond the limit"},
		"cycle": {head + "- call: a\n  params: &x {a: *x, b: *x}", "nested deeper than 100 levels"},
		"steps": {head + strings.Repeat("- call: a\n", MaxSteps+1), "too many steps: 10001, the limit is 10000"},
		"programs": {head + "- {call: a, expect: {jq: &l [&j '" + strings.Repeat("1,", 8000) + "1'" + strings.Repeat(", *j", 500) + "]}}\n" +
			strings.Repeat("- {call: a, expect: {jq: *l}}\n", 5000), "aliases expand this file beyond the limit"},
		"schemas": {head + "- {call: a, expect: {schema: &s {pattern: &p '" + strings.Repeat("(a|b)*", 2000) + "', allOf: [" + strings.Repeat("{pattern: *p},", 300) + "]}}}\n" +
			strings.Repeat("- {call: a, expect: {schema: *s}}\n", 5000), "aliases expand this file beyond the limit"},
		"values": {head + "- {call: a, params: {a: [" + strings.Repeat("1,", maxMarks) + "1]}}", "the file has more than 300000 lines, commas and brackets"},
		"lines":  {head + "- call: a\n  params:\n" + strings.Repeat("    - a:\r", maxMarks/2), "the file has more than 300000 lines, commas and brackets"},
		"size":   {strings.Repeat("#", MaxFile+1), "the file has 4194305 bytes, the limit is 4194304"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(test.file))
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestCost checks that a file without aliases cannot reach maxRead.
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

// TestJSONFile checks that random JSON keeps its value.
func TestJSONFile(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		text := anyJSON(random, 4)
		p := newParser("f.json")
		root := jsonDocument([]byte(`{"a":` + text + `}`))
		require.NotNil(t, root, text)
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, []byte(`{"a":`+text+`}`)))
		require.Equal(t, want.String(), string(p.value(root, false)))
		require.Empty(t, p.errs)
	}
}

// anyJSON returns a random JSON value with whitespace.
func anyJSON(random *rand.Rand, depth int) string {
	space := []string{"", " ", "\n", "\t "}[random.IntN(4)]
	kind := random.IntN(6)
	if depth == 0 {
		kind = random.IntN(4)
	}
	if kind < 4 {
		return space + []string{"-1.50", "12", `"}, 3"`, "null"}[kind]
	}
	var parts []string
	for i := range random.IntN(4) {
		part := anyJSON(random, depth-1)
		if kind == 4 {
			part = fmt.Sprintf("%s%q:%s", space, fmt.Sprint("n", i), part)
		}
		parts = append(parts, part)
	}
	all := strings.Join(parts, space+",") + space
	if kind == 4 {
		return "{" + all + "}"
	}
	return "[" + all + "]"
}

// TestPlacesInAJSONFile checks the place of a mistake after closing brackets.
func TestPlacesInAJSONFile(t *testing.T) {
	_, err := Parse("f.json", []byte("{\"scenario\":1,\"steps\":[{\"call\":\"a\",\"params\":{\"b\":[{}]}},\n {\"call\": 5}]}"))
	require.ErrorContains(t, err, "f.json:2:11: call must be text, not 5")
}
