package scenario_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const withVars = `
vars:
  who: ada
  count: 3
  list: {default: [1, 2], env: LIST}
  key: {env: API_KEY, secret: true}
steps:
  - call: echo
    params: {who: "${who}", count: "${count}", list: "${list}", text: "${who} has ${count} of ${list}"}
  - call: echo
    params: {a: "${key}"}
    expect: {result: {b: 'x"${key}"'}, jq: ['"\(.a) is the key" | error', '$key == "no"'], schema: {properties: {a: {const: x}}}}
`

func environ(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { value, ok := vars[name]; return value, ok }
}

func TestBind(t *testing.T) {
	s := parse(t, withVars)
	vars, err := s.Bind(map[string]string{"who": "bob", "count": "4.50"}, environ(map[string]string{"API_KEY": "s3cret", "who": "eve", "LIST": "[3]"}))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		b := open(t, scripted(), s, vars, func(c *session.Config) { c.Era = mcp.Legacy })
		s.Run(t.Context(), b.Session, vars, nil)
		require.Contains(t, strings.Join(b.entries(session.KindStdin), "\n"),
			`"params":{"who":"bob","count":4.50,"list":[3],"text":"bob has 4.50 of [3]"}`)
	})
}

func TestBindErrors(t *testing.T) {
	s := parse(t, withVars)
	for _, tc := range []struct {
		given, env map[string]string
		want       []string
	}{
		{nil, nil, []string{"s.yaml:7:3: variable key: no value: it is not given, API_KEY is not set in the environment, and it has no default"}},
		{map[string]string{"key": "abc"}, nil, []string{"s.yaml:7:3: variable key: a secret requires at least 4 bytes, because a shorter one could be part of other text"}},
		{map[string]string{"key": "abcd", "count": "many", "whom": "x"}, map[string]string{"LIST": "a"}, []string{
			"s.yaml:5:3: variable count: invalid JSON: the default is not a string, so the value must be JSON",
			"s.yaml:6:3: variable list: invalid JSON: the default is not a string, so the value must be JSON",
			"s.yaml: variable whom: not declared by the scenario (declared: who, count, list, key)"}},
	} {
		_, err := s.Bind(tc.given, environ(tc.env))
		require.EqualError(t, err, strings.Join(tc.want, "\n"))
		var one *scenario.VarError
		require.ErrorAs(t, err, &one)
	}
	_, err := parse(t, "steps: [{call: echo}]").Bind(map[string]string{"a": ""}, nil)
	require.EqualError(t, err, "s.yaml: variable a: the scenario declares no variables")
	_, err = parse(t, "vars: {a: {}}\nsteps: [{call: echo}]").Bind(nil, nil)
	require.EqualError(t, err, "s.yaml:2:8: variable a: no value: it is not given and has no default")
}

// TestSecretsAreConcealed checks that no result or note contains a part of a secret,
// however it is encoded and wherever a text is cut.
func TestSecretsAreConcealed(t *testing.T) {
	for name, secret := range map[string]string{
		"plain": "s3cret-value", "quoted": "a\"b\\c\nd\u00e9<>", "long": strings.Repeat("0123456789", 100), "at the cut": strings.Repeat("x", 190) + "0123456789",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := parse(t, withVars+`
  - {name: c, call: echo, always: true, params: {a: "`+strings.Repeat("p", 180)+`${key}"}, expect: {result: {a: "no ${key}", "z": "${key}"}}}
  - {name: d, call: echo, always: true, params: {"isError": true, content: [{text: "${key}"}]}}
  - {name: e, call: echo, always: true, params: {"a": "${key}"}, expect: {error: any}}
  - {name: g, call: echo, always: true, params: {"a": "${key}"}, capture: {x: '("key " + .a) | tonumber'}}
  - {name: f, call: echo, always: true, params: {"a": "${key}"}, capture: {x: '.a | error'}}
`)
				vars, err := s.Bind(map[string]string{"key": secret}, nil)
				require.NoError(t, err)
				b := open(t, scripted(), s, vars, func(c *session.Config) { c.Era = mcp.Legacy })
				res := s.Run(t.Context(), b.Session, vars, nil)
				for _, mark := range []string{" ...", "…"} { // other code cuts texts, too
					require.Equal(t, "${key}"+mark+" of ${key}", vars.Conceal(secret[:7]+mark+" of "+secret))
				}
				require.Equal(t, "and more…", vars.Conceal("and more…"))
				texts := b.notes()
				for _, step := range res.Steps {
					for _, p := range step.Problems {
						texts = append(texts, p.Text, p.Want, p.Got, p.Pointer)
					}
					if step.Err != nil {
						texts = append(texts, step.Err.Error())
					}
				}
				all := strings.Join(texts, "\n")
				require.Contains(t, all, "${key}")
				const piece = 8 // bytes of the secret to search for
				for i := 0; i+piece <= len(secret); i += 4 {
					require.NotContains(t, strings.ReplaceAll(all, strings.Repeat("p", 180), ""), secret[i:i+piece])
				}
				quoted, err := json.Marshal(secret)
				require.NoError(t, err)
				inner := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(quoted[1 : len(quoted)-1]))
				require.NotContains(t, all, inner)
				require.Contains(t, strings.Join(b.entries(session.KindStdin), "\n"), inner, "the recording has the message as sent")
				require.NotContains(t, vars.Conceal("say "+secret+"!"), secret)
			})
		})
	}
}

// TestSecretsOfAFailedRestart checks that the error of a run contains no secret.
func TestSecretsOfAFailedRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, "vars: {key: {default: s3cret-value, secret: true}}\nsteps: [{restart: true}, {call: echo, always: true}]")
		vars, err := s.Bind(nil, nil)
		require.NoError(t, err)
		starts := 0
		b := open(t, func(p *fake) int {
			if starts++; starts == 1 {
				return scripted()(p)
			}
			line, _ := p.in.ReadString('\n')
			var m message
			_ = json.Unmarshal([]byte(line), &m)
			p.fail(m, `{"code":-1,"message":"bad key s3cret-value"}`)
			return scripted()(p)
		}, s, vars, func(c *session.Config) { c.Era = mcp.Legacy })
		res := s.Run(t.Context(), b.Session, vars, nil)
		require.False(t, res.OK)
		var open *session.OpenError
		require.ErrorAs(t, res.Err, &open)
		require.ErrorAs(t, res.Steps[0].Err, &open)
		for _, text := range []string{res.Err.Error(), res.Steps[0].Err.Error(), outcomes(res)[1]} {
			require.Contains(t, text, "bad key ${key}")
		}
	})
}

func TestConfigure(t *testing.T) {
	s := parse(t, `
vars: {uri: "file:///x"}
answers:
  roots/list: {roots: [{uri: "${uri}"}]}
  sampling/createMessage: {role: assistant}
  ping: {}
steps:
  - {answer: elicitation/create, with: {action: decline}}
`)
	vars, err := s.Bind(nil, nil)
	require.NoError(t, err)
	given := session.Config{Answers: session.Answers{"sampling/createMessage": raw(`{"role":"user"}`)}}
	cfg := given
	s.Configure(&cfg, vars)
	require.Equal(t, session.Answers{
		"roots/list": raw(`{"roots":[{"uri":"file:///x"}]}`), "sampling/createMessage": raw(`{"role":"user"}`), "ping": raw(`{}`),
	}, cfg.Answers)
	require.Equal(t, map[string]session.Policy{"elicitation/create": {Mode: session.PolicyAsk, ByProgram: true}}, cfg.Policies)
	require.Len(t, given.Answers, 1, "the caller's map does not change")

	_, declared := session.New(cfg).Declared()
	require.Contains(t, string(declared), `"elicitation"`)
	require.Contains(t, string(declared), `"roots"`)
	require.Contains(t, string(declared), `"sampling"`)
}

func TestRunsShareVariables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, `
vars: {x: 1}
steps:
  - {call: id, capture: {y: .id}}
  - {call: echo, params: {y: "${y}"}, expect: {jq: '.y == $y and $x == 1'}}
`)
		vars, err := s.Bind(nil, nil)
		require.NoError(t, err)
		failures := make(chan error, 4)
		for range cap(failures) {
			b := open(t, scripted(), s, vars, func(c *session.Config) { c.Era = mcp.Legacy })
			go func() {
				if res := s.Run(t.Context(), b.Session, vars, nil); !res.OK {
					failures <- errors.New(strings.Join(outcomes(res), "\n"))
					return
				}
				failures <- nil
			}()
		}
		for range cap(failures) {
			require.NoError(t, <-failures)
		}
	})
}

// The scenario's era and revision are requested unless the command line gives one.
func TestConfigureEra(t *testing.T) {
	s := parse(t, "\nera: legacy\nprotocol: 2025-03-26\nsteps: [{call: a}]\n")
	var cfg session.Config
	s.Configure(&cfg, nil)
	require.Equal(t, mcp.Legacy, cfg.Era)
	require.Equal(t, "2025-03-26", cfg.Protocol)
	for _, given := range []session.Config{{Era: mcp.Modern}, {Protocol: "2025-11-25"}} {
		cfg := given
		s.Configure(&cfg, nil)
		require.Equal(t, given.Era, cfg.Era)
		require.Equal(t, given.Protocol, cfg.Protocol)
	}
	var written strings.Builder
	require.NoError(t, scenario.WriteYAML(&written, s))
	require.Contains(t, written.String(), "era: legacy\nprotocol: \"2025-03-26\"\n")
}

// The scenario's capabilities are declared unless the command line gives others.
func TestConfigureCapabilities(t *testing.T) {
	s := parse(t, "\ncapabilities: {elicitation: {url: {}}}\nsteps: [{call: a}]\n")
	var cfg session.Config
	s.Configure(&cfg, nil)
	require.JSONEq(t, `{"elicitation":{"url":{}}}`, string(cfg.Capabilities))
	cfg.Capabilities = raw(`{}`)
	s.Configure(&cfg, nil)
	require.JSONEq(t, `{}`, string(cfg.Capabilities))
	var written strings.Builder
	require.NoError(t, scenario.WriteYAML(&written, s))
	require.Contains(t, written.String(), "capabilities:")
}
