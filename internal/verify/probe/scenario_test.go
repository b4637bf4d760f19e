package probe_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/session/executor"
)

// scripted returns options with a scenario.
func scripted(t *testing.T, opts probe.Options, text string, vars map[string]string) probe.Options {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte(text))
	require.NoError(t, err)
	opts.Scenario = s
	opts.Vars, err = s.Bind(vars, nil)
	require.NoError(t, err)
	return opts
}

const echoing = `
scenario: 1
name: echo
vars:
  password: {secret: true}
steps:
  - name: good
    tool: echo
    arguments: {message: hello}
  - name: bad
    tool: echo
    arguments: {message: "${password}"}
    expect: {result: {content: [{text: other}]}}
  - name: never
    tool: echo
    arguments: {message: hello}
`

func TestFailingScenario(t *testing.T) {
	l := newLab(t)
	opts := scripted(t, l.options(targets("")...), echoing, map[string]string{"password": "open-sesame"})
	report := probe.Run(t.Context(), opts)
	require.Equal(t, "echo", report.Scenario)
	r := report.Targets[0]
	require.Equal(t, verify.PhaseScenario, r.Phase)
	require.Equal(t, verify.CauseScenario, r.Cause)
	require.Equal(t, "result", r.Code)
	require.Contains(t, r.Message, "step bad failed: ")
	require.NotContains(t, r.Message, "sesame")
	require.Equal(t, "see line 10 of test.yaml", r.Hint)
	require.Positive(t, *r.Took("scenario"))
	require.Len(t, r.ScenarioSteps(), 3)
	require.Equal(t, []verify.Status{"passed", "failed", "skipped"}, []verify.Status{r.ScenarioSteps()[0].Status, r.ScenarioSteps()[1].Status, r.ScenarioSteps()[2].Status})
	require.Positive(t, r.ScenarioSteps()[0].N)
	require.NotEmpty(t, r.ScenarioSteps()[1].Problems)
	require.NotContains(t, r.ScenarioSteps()[1].Problems[0], "sesame")
	require.Equal(t, 10, r.ScenarioSteps()[1].Line)
	require.Equal(t, "exit code 0", r.Exit, "it was shut down")
}

func TestPassingScenario(t *testing.T) {
	l := newLab(t)
	opts := scripted(t, l.options(targets("", "")...), `
scenario: 1
name: raw
steps:
  - send: "{\"jsonrpc\":\"1.0\",\"method\":\"notifications/x\"}\n"
  - tool: echo
    arguments: {message: hello}
  - restart: true
  - close-stdin: true
    expect: {exit: 0}
`, nil)
	report := probe.Run(t.Context(), opts)
	require.True(t, report.OK, "%+v", report.Targets)
	for _, r := range report.Targets {
		require.Len(t, r.ScenarioSteps(), 4)
		require.NotEmpty(t, r.Problems, "problems of the scenario's own messages are reported but do not fail the target")
	}
}

func TestInterruptedScenario(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve func(p *fake)
		cause verify.Cause
		code  string
	}{
		{"link lost", func(p *fake) {
			p.each(map[string]func(message) bool{"tools/call": func(message) bool { p.lose(); return false }})
		}, verify.CauseLinkLost, string(executor.LostReset)},
		{"target timeout", silent("tools/call"), verify.CauseTimeout, "target.timeout"},
		{"ended", func(p *fake) {
			p.each(map[string]func(message) bool{"tools/call": func(message) bool { return false }})
		}, verify.CauseScenario, "ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("far", &host{serve: tt.serve})
				opts := scripted(t, w.options("far"), "scenario: 1\nname: x\nsteps:\n  - {tool: one}\n", nil)
				opts.TargetTimeout = 10 * time.Second
				r := probe.Run(t.Context(), opts).Targets[0]
				require.Equal(t, verify.PhaseScenario, r.Phase)
				require.Equal(t, tt.cause, r.Cause, r.Message)
				require.Equal(t, tt.code, r.Code)
				require.Len(t, r.ScenarioSteps(), 1)
				synctest.Wait()
				require.Zero(t, w.running.Load())
			})
		})
	}
}

// TestServerRequestBeforeItsStep checks server requests that come before the step
// which would answer them, from a server that waits for the response.
func TestServerRequestBeforeItsStep(t *testing.T) {
	for _, method := range []string{"initialize", "tools/list"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("far", &host{serve: func(p *fake) {
					p.each(map[string]func(message) bool{method: func(message) bool {
						p.Journal.Output(executor.Stdout, []byte(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`+"\n"))
						return true
					}})
				}})
				opts := scripted(t, w.options("far"), "scenario: 1\nsteps: [{answer: roots/list, with: {roots: []}}]\n", nil)
				opts.TargetTimeout = time.Minute
				r := probe.Run(t.Context(), opts).Targets[0]
				require.Equal(t, verify.CauseTimeout, r.Cause, r.Message)
			})
		})
	}
}
