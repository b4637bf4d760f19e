package probe_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session/executor"
)

// TestTextsAreBounded checks that long texts of a server are only in its
// recording.
func TestTextsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		long := strings.Repeat("é", 1<<20)
		w.add("far", &host{serve: func(p *fake) {
			p.each(map[string]func(message) bool{
				"initialize": func(m message) bool {
					p.answer(m, `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"`+long+`","version":"1"}}`)
					return true
				},
				"tools/list": func(m message) bool {
					p.Journal.Output(executor.Stderr, []byte(long+"\n"))
					p.answer(m, `"error":{"code":1,"message":"`+strings.Repeat(`one\n\n`, 20)+long+`"}`)
					return true
				},
			})
		}})
		r := probe.Run(t.Context(), w.options("far")).Targets[0]
		require.Equal(t, verify.CauseProtocol, r.Cause)
		require.Equal(t, "tools/list: error 1: one"+strings.Repeat("; one", 9), r.Message, "its beginning")
		require.Less(t, len(r.Said[0]), 600)
		require.Less(t, len(r.First().Name), 300)
	})
}

// TestSecretsInServerData checks that secrets are redacted wherever
// a server may repeat them.
func TestSecretsInServerData(t *testing.T) {
	const secret = `sesame"open`
	offering := func(extra string) func(p *fake) {
		return func(p *fake) {
			quoted, err := json.Marshal(secret)
			require.NoError(t, err)
			name := strings.Trim(string(quoted), `"`)
			p.each(map[string]func(message) bool{
				"initialize": func(m message) bool {
					p.answer(m, `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n `+name+`","version":"`+name+extra+`"}}`)
					return true
				},
				"tools/list": func(m message) bool {
					p.answer(m, `"result":{"tools":[{"name":"`+name+extra+`","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object","properties":{"`+name+`":{"const":"`+name+extra+`"}}}}]}`)
					return true
				},
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("one", &host{serve: offering("1")})
		w.add("two", &host{serve: offering("2")})
		opts := w.options("one", "two")
		opts.Baseline = &probe.Baseline{Name: "one", Host: "one"}
		w.env = []executor.EnvVar{{Name: "WORD", Value: secret}}
		report := probe.Run(t.Context(), opts)
		r := report.Targets[1]
		require.Equal(t, verify.CauseDrift, r.Cause, r.Message)
		require.Equal(t, []string{"n ${WORD}", "${WORD}2"}, []string{r.First().Name, r.First().Version})
		require.Contains(t, r.Drift, surface.Change{What: "tool", Name: "${WORD}1", Change: "removed"})
		whole, err := json.Marshal(report)
		require.NoError(t, err)
		require.NotContains(t, string(whole), "sesame")
	})
}

// TestSecretsInKeys checks that a key of a server that repeats a secret is redacted.
func TestSecretsInKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("one", &host{serve: func(p *fake) {
			p.each(map[string]func(message) bool{"tools/list": func(m message) bool {
				p.Journal.Output(executor.Stdout, []byte(`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":`+
					`{"message":"m","requestedSchema":{"type":"object","properties":{"sesame-open":{"type":"array"}}}}}`+"\n"))
				p.answer(m, `"result":{"tools":[]}`)
				return true
			}})
		}})
		report := probe.Run(t.Context(), w.options("one"))
		found := report.Targets[0].Problems
		require.True(t, slices.ContainsFunc(found, func(p verify.ProcessProblem) bool { return p.At == "/requestedSchema/properties/${TOKEN}" }), "%v", found)
		whole, err := json.Marshal(report)
		require.NoError(t, err)
		require.NotContains(t, string(whole), "sesame")
	})
}

// TestTruncatedSecrets checks differences and quoted lines, which show the
// beginning of a long text and may be truncated within a secret.
func TestTruncatedSecrets(t *testing.T) {
	const secret = "open-sesame-and-all-the-others"
	offering := func(first string) func(p *fake) {
		return func(p *fake) {
			p.each(map[string]func(message) bool{"tools/list": func(m message) bool {
				p.answer(m, `"result":{"tools":[{"name":"a","description":"`+first+strings.Repeat("x", 185)+secret+`","inputSchema":{"type":"object"}}]}`)
				return true
			}})
		}
	}
	for name, given := range map[string]func(w *world, opts probe.Options) probe.Options{
		"of a scenario": func(_ *world, opts probe.Options) probe.Options {
			return scripted(t, opts, "scenario: 1\nvars: {password: {secret: true}}\nsteps: [{call: ping}]\n", map[string]string{"password": secret})
		},
		"of a variable": func(w *world, opts probe.Options) probe.Options {
			w.env = []executor.EnvVar{{Name: "password", Value: secret}}
			return opts
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("one", &host{serve: offering("1")})
				w.add("two", &host{serve: offering("2")})
				w.add("bad", &host{serve: func(p *fake) {
					p.Journal.Output(executor.Stderr, []byte(strings.Repeat("y", 490)+secret+"\n"))
				}})
				opts := given(w, w.options("one", "two", "bad"))
				opts.Baseline = &probe.Baseline{Name: "one", Host: "one"}
				report := probe.Run(t.Context(), opts)
				drifted, bad := report.Targets[1], report.Targets[2]
				require.Equal(t, verify.CauseDrift, drifted.Cause, drifted.Message)
				require.Contains(t, drifted.Drift[0].From, "xxx${password}…")
				require.NotContains(t, drifted.Drift[0].To, "sesame")
				require.Contains(t, bad.Said[0], "yyy${password")
				whole, err := json.Marshal(report)
				require.NoError(t, err)
				require.NotContains(t, string(whole), "sesame")
			})
		})
	}
}
