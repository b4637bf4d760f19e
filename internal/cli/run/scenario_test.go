package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/run"
)

// scenarioFile writes a scenario, adding its first line.
func scenarioFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.yaml")
	require.NoError(t, os.WriteFile(name, []byte("scenario: 1\n"+text), 0o600))
	return name
}

const demoScenario = `name: the demo
vars:
  who: ada
  token: {env: DEMO_TOKEN, secret: true, default: hunter22}
answers:
  roots/list: {roots: []}
steps:
  - tool: add
    arguments: {a: 1, b: 2}
    expect: {result: {structuredContent: {sum: 3}}, findings: none}
    capture: {sum: .structuredContent.sum}
  - tool: echo
    arguments: {message: "${who} ${sum} ${token}"}
    expect: {jq: '.content[0].text | startswith("ada 3 ")'}
  - tool: roots
    expect: {jq: '.content[0].text | startswith("0 roots")'}
  - {name: clean up, call: tools/list, always: true}
`

// took matches the time of a step in its line.
var took = regexp.MustCompile(`[\d.]+ ?(ms|s)\b`)

func TestScenario(t *testing.T) {
	t.Parallel()
	file := scenarioFile(t, demoScenario)
	for _, tc := range []struct {
		name   string
		argv   []string
		code   int
		stdout string
		stderr string // a part of it
	}{
		{"passes", clitest.Against("", "run", "--scenario", file), 0,
			"ok   1 add T\nok   2 echo T\nok   3 roots T\nok   4 clean up T\n4 passed in T\n", "recorded to "},
		{"fails", clitest.Against("", "run", "--scenario", file, "--var", "who=bob"), 1,
			"ok   1 add T\nFAIL 2 echo T (entry N)\n  FILE:15:18: jq: .content[0].text | startswith(\"ada 3 \")\n    gives false\n    of    {\"content\":[{\"text\":\"bob 3 ${token}\",\"type\":\"text\"}],\"resultType\":\"complete\"}\n" +
				"skip 3 roots: an earlier step failed\nok   4 clean up T\n2 passed, 1 failed, 1 skipped in T\n", "recorded to "},
		{"quiet", clitest.Against("", "run", "--quiet", "--scenario", file, "--var", "who=bob"), 1, "", ""},
		{"answers of the flags win", clitest.Against("", "run", "--scenario", file, "--answers", clitest.WriteFile(t, `{"roots/list":{"roots":[{"uri":"file:///x"}]}}`)), 1,
			"ok   1 add T\nok   2 echo T\nFAIL 3 roots T (entry N)\n  FILE:17:18: jq: .content[0].text | startswith(\"0 roots\")\n    gives false\n    of    {\"content\":[{\"text\":\"1 roots: [{file:///x}]\",\"type\":\"text\"}],\"resultType\":\"complete\"}\nok   4 clean up T\n3 passed, 1 failed in T\n", ""},
		{"a wrong file starts nothing", []string{"run", "--scenario", scenarioFile(t, "steps:\n  - tol: add\n"), "--", "/no/such/program"}, 2, "", `s.yaml:3:5: a step has no member "tol"`},
		{"no file", []string{"run", "--scenario", "/no/such/file", "--", "x"}, 2, "", "--scenario: open /no/such/file"},
		{"an unknown variable", []string{"run", "--scenario", file, "--var", "whom=x", "--", "x"}, 2, "", "variable whom: not declared by the scenario (declared: who, token)"},
		{"no variable", []string{"run", "--scenario", file, "--var", "whom", "--", "x"}, 2, "", `--var "whom": must be NAME=VALUE`},
		{"variables alone", []string{"run", "--var", "who=x", "--", "x"}, 2, "", "--var requires --scenario"},
		{"with messages", []string{"run", "--scenario", file, "--in", "-", "--", "x"}, 2, "", "--scenario and --in cannot be combined"},
		{"one place for two reports", []string{"run", "--scenario", file, "--json", "--junit", "-", "--", "x"}, 2, "", "--json and --junit - cannot be combined"},
		{"a report without a scenario", []string{"run", "--junit", "x", "--", "x"}, 2, "", "--junit requires --scenario"},
		{"no server", []string{"run", "--scenario", file, "--", "/no/such/program"}, 3, "", "does not exist"},
		{"it ends", clitest.Against("crash-mid-call", "run", "--scenario", scenarioFile(t, "steps: [{tool: echo, arguments: {message: x}}]")), 1,
			"FAIL 1 echo T (entry N)\n  FILE:2:9: ended: the server exited: signal SEGV\n0 passed, 1 failed in T\n", ""},
		{"the flag's time", clitest.Against("", "run", "--timeout", "100ms", "--scenario", scenarioFile(t, "steps: [{tool: slow, arguments: {seconds: 60}}]")), 1,
			"FAIL 1 slow T (entry N)\n  FILE:2:9: timeout: no response within T\n0 passed, 1 failed in T\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := clitest.Run(t, tc.argv...)
			require.Equal(t, tc.code, r.Code, r.Stderr)
			out := took.ReplaceAllString(r.Stdout, "T")
			out = regexp.MustCompile(`entry \d+`).ReplaceAllString(out, "entry N")
			out = regexp.MustCompile(`\S+s\.yaml`).ReplaceAllString(out, "FILE")
			out = strings.ReplaceAll(out, "; last stderr line: demo: mcpdbg demo server on stdio, speaking 2025-11-25 and 2026-07-28", "") // which may come late
			require.Equal(t, tc.stdout, out, r.Stderr)
			require.Contains(t, r.Stderr, tc.stderr)
			require.NotContains(t, r.Stdout+r.Stderr, "hunter22")
		})
	}
}

func TestScenarioAsJSON(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("", "run", "--json", "--scenario", scenarioFile(t, demoScenario), "--var", "who=bob")...)
	cmd.Env = append(cmd.Env, "DEMO_TOKEN=from-the-environment")
	r := clitest.Finish(t, cmd)
	require.Equal(t, 1, r.Code, r.Stderr)
	var doc run.ScenarioDocument
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc))
	require.Equal(t, "the demo", doc.Scenario)
	require.False(t, doc.OK)
	require.Equal(t, "modern", doc.Era)
	require.Len(t, doc.Steps, 4)
	failed := doc.Steps[1]
	require.Equal(t, 2, failed.Step)
	require.Equal(t, 13, failed.Line)
	require.NotZero(t, failed.N)
	require.Equal(t, []run.ProblemDocument{{Check: "jq", Text: `jq: .content[0].text | startswith("ada 3 ") gives false for {"content":[{"text":"bob 3 ${token}","type":"text"}],"resultType":"complete"}`, Line: 15, Column: 18,
		Want: `.content[0].text | startswith("ada 3 ")`, Got: "false"}}, failed.Problems)
	require.Equal(t, "an earlier step failed", doc.Steps[2].Why)

	data, err := os.ReadFile(doc.Recording)
	require.NoError(t, err)
	require.Contains(t, string(data), "step 2 failed: ")
	require.Contains(t, string(data), "from-the-environment", "messages are recorded as sent")
	require.NotContains(t, r.Stdout+r.Stderr, "from-the-environment")
}

// TestScenarioReports checks the documents for CI, also of a server that does not start.
func TestScenarioReports(t *testing.T) {
	t.Parallel()
	file := scenarioFile(t, "name: sums\nsteps:\n  - {tool: ad}\n  - {tool: add, arguments: {a: 1, b: 2}}\n")
	dir := t.TempDir()
	argv := func(program ...string) []string {
		return slices.Concat([]string{"run", "--quiet", "--keep-going", "--scenario", file,
			"--junit", filepath.Join(dir, "junit"), "--markdown", filepath.Join(dir, "markdown"), "--sarif", filepath.Join(dir, "sarif"), "--"}, program)
	}
	report := func(kind string) string {
		data, err := os.ReadFile(filepath.Join(dir, kind))
		require.NoError(t, err)
		return string(data)
	}

	cmd := clitest.Program(t, argv(clitest.Binary(), "demo-server")...)
	cmd.Env = append(cmd.Env, "GITHUB_ACTIONS=true")
	r := clitest.Finish(t, cmd)
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Contains(t, report("junit"), `tests="2" failures="1" errors="0" skipped="0"`)
	require.Contains(t, report("junit"), `<failure message="the server has no tool ad; it has add, `)
	require.Regexp(t, `<testcase name="add" classname="sums" time="[\d.]+"></testcase>`, report("junit"))
	require.Regexp(t, `\| 1 \| ad \| failed \| [\d.]+ m?s \| \d+ \| \S+s\.yaml:4:5: the server has no tool ad; it has add, `, report("markdown"))
	var sarif struct {
		Runs []struct {
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(report("sarif")), &sarif))
	require.Len(t, sarif.Runs[0].Results, 2)
	first := sarif.Runs[0].Results[0]
	require.Equal(t, "scenario.tool", first.RuleID)
	require.Equal(t, 4, first.Locations[0].PhysicalLocation.Region.StartLine)
	require.Contains(t, r.Stderr, ",line=4,title=scenario.tool step failed::sums: step failed at ad: the server has no tool ad; it has add, ")

	r = clitest.Run(t, argv("/no/such/program")...)
	require.Equal(t, 3, r.Code, r.Stderr)
	require.Contains(t, report("junit"), `tests="1" failures="0" errors="1" skipped="0"`)
	require.Contains(t, report("junit"), "/no/such/program does not exist")
	require.Contains(t, report("markdown"), "/no/such/program does not exist")
}

// Real servers, each with its own scenario.
func TestScenarioOnRealServers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"npx": `
answers:
  roots/list: {roots: []}
steps:
  - {tool: echo, arguments: {message: hello}, expect: {result: {content: [{type: text, text: "Echo: hello"}]}, findings: no-errors}}
  - {tool: get-sum, arguments: {a: 2, b: 3}, expect: {jq: '.content[0].text | contains("5")'}}
  - {name: bad, tool: get-sum, arguments: {a: x}, expect: {isError: true}}
  - {call: no/such, expect: {error: -32601}}
  - {name: long, call: tools/call, background: true,
     params: {name: trigger-long-running-operation, arguments: {duration: 1, steps: 2}, _meta: {progressToken: p1}}}
  - {wait: {notification: notifications/progress, params: {progressToken: p1, progress: 2}}}
  - {await: long, expect: {within: 50s}}
  - {name: ask, tool: trigger-elicitation-request, background: true}
  - {answer: elicitation/create, with: {action: decline}, expect: {schema: {required: [message]}}}
  - {await: ask, expect: {jq: '.content[0].text | contains("declined")'}}
  - {name: longer, tool: trigger-long-running-operation, arguments: {duration: 60, steps: 60}, background: true}
  - {cancel: longer}
  - {await: longer}
  - {send: 'this is no JSON'}
  - {restart: true, timeout: 60s}
  - {call: ping}
  - {close-stdin: true}
`,
		"gosdk-everything": `
steps:
  - {tool: greet, arguments: {name: Ada}, expect: {jq: '.content[0].text == "Hi Ada"', within: 50s, findings: no-errors}}
  - {call: tools/list, capture: {first: '.tools[0].name'}, expect: {jq: '.tools | length > 3'}}
  - {call: no/such, expect: {error: -32601}}
  - {call: prompts/get, params: {name: greet, arguments: {name: Bob}}, expect: {jq: '.messages[0].content.text | contains("Bob")'}}
  - {restart: true}
  - {name: again, tool: greet, arguments: {name: "${first}"}, expect: {jq: '.content[0].text == "Hi \($first)"'}}
  - {close-stdin: true, expect: {exit: 0}}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range clitest.RealServers {
				if s.Program != name {
					continue
				}
				r := clitest.Run(t, s.Command(t, "run", "--scenario", scenarioFile(t, text))...)
				require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
			}
		})
	}
}
