package probe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/session/executor"
)

// statuses returns the statuses of all steps, by their fingerprints.
func statuses(r verify.Result) map[string]string {
	all := map[string]string{}
	for _, s := range r.Steps {
		status := string(s.Status)
		if s.Status == verify.Failed {
			status = s.Severity
		}
		all[strings.TrimPrefix(s.Fingerprint(), "step/")] = status
	}
	return all
}

func reason(r verify.Result, fingerprint string) string {
	for _, s := range r.Steps {
		if s.Fingerprint() == "step/"+fingerprint {
			return s.Reason
		}
	}
	return "no such step"
}

func runOne(t *testing.T, w *checkWorld, change func(o *probe.Check)) verify.Result {
	t.Helper()
	w.t = t
	opts := w.options()
	if change != nil {
		change(opts.Check)
	}
	r := probe.Run(t.Context(), opts)
	require.Len(t, r.Targets, 1)
	return r.Targets[0]
}

func TestCheckHealthyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &checkWorld{}
		var told []string
		r := runOne(t, w, func(o *probe.Check) {
			o.Tell = func(_ int, text string) { told = append(told, text) }
		})
		require.Equal(t, map[string]string{
			"handshake legacy": "passed", "handshake modern": "not applicable",
			"list legacy tools": "passed", "list legacy resources": "passed", "list legacy templates": "not applicable", "list legacy prompts": "not applicable",
			"call legacy one": "passed", "call legacy two": "not checked",
			"unknown-method legacy": "passed", "bogus-cursor legacy": "passed", "cancellation legacy": "not checked",
			"bad-line": "passed", "unsupported-version legacy": "passed", "stdin-eof": "passed", "sigterm": "passed", "leaked-processes": "passed",
		}, statuses(r))
		require.Equal(t, "no destructiveHint, which means true (--allow-calls)", reason(r, "call legacy two"))
		require.Equal(t, "no call took longer than 200ms", reason(r, "cancellation legacy"))
		require.Equal(t, []string{"legacy era: calls one; does not call two"}, told, "before any is called")
		require.Equal(t, []string{"auto", "bad-line", "unsupported-version-legacy", "stdin-eof", "sigterm"}, w.names, "what may end it has a process of its own")
		require.Empty(t, r.Problems)
		require.Equal(t, []verify.Server{{Era: "legacy", Protocol: "2025-11-25", Name: "fake", Version: "1"}}, r.Servers)
	})
}

// Each wrong server fails its step, and no other.
func TestCheckFailures(t *testing.T) {
	type change = map[string]func(m checkMessage) bool
	end := func(checkMessage) bool { return false }
	for _, tt := range []struct {
		name  string
		serve func(p *checkFake)
		step  string
		want  string
		says  string
	}{
		{"unknown method", with(func(p *checkFake) change {
			return change{"mcpdbg/unknown": p.says(`"error":{"code":0,"message":"what"}`)}
		}), "unknown-method legacy", "warning", "instead of -32601"},
		{"unknown method accepted", with(func(p *checkFake) change { return change{"mcpdbg/unknown": p.says(`"result":{}`)} }), "unknown-method legacy", "error", "a result instead"},
		{"bogus cursor accepted", with(func(p *checkFake) change {
			return change{"tools/list": p.says(`"result":` + checkAnswers["tools/list"])}
		}), "bogus-cursor legacy", "warning", "a result instead"},
		{"list fails", with(func(p *checkFake) change {
			return change{"resources/list": p.says(`"error":{"code":-32603,"message":"no"}`)}
		}), "list legacy resources", "error", "-32603"},
		{"call fails", with(func(p *checkFake) change {
			return change{"tools/call": p.says(`"error":{"code":-32603,"message":"no"}`)}
		}), "call legacy one", "warning", "instead of a result with isError"},
		{"call ends the server", with(func(p *checkFake) change { return change{"tools/call": end} }), "call legacy one", "error", "ended"},
		{"call is silent", with(func(p *checkFake) change { return change{"tools/call": func(checkMessage) bool { return true }} }), "call legacy one", "not checked", "no response after 10s, while"},
		{"call hangs the server", with(func(p *checkFake) change {
			return change{"tools/call": func(checkMessage) bool { <-p.ended; return false }}
		}), "call legacy one", "error", "nor to the next request"},
		{"arguments refused", with(func(p *checkFake) change {
			return change{"tools/call": p.says(`"error":{"code":-32602,"message":"no"}`)}
		}), "call legacy one", "not checked", "--args FILE"},
		{"tool error", with(func(p *checkFake) change {
			return change{"tools/call": p.says(`"result":{"content":[{"type":"text","text":"oh sesame-open"}],"isError":true}`)}
		}), "call legacy one", "passed", "oh ${TOKEN}"},
		{"bad line ends it", with(func(p *checkFake) change { return change{"bad line": end} }), "bad-line", "error", "ended the server"},
		{"bad line hangs it", with(func(p *checkFake) change {
			return change{"bad line": func(checkMessage) bool { <-p.ended; return false }}
		}), "bad-line", "error", "timed out"},
		{"bad line, other error", with(func(p *checkFake) change {
			return change{"bad line": func(m checkMessage) bool {
				m.ID = json.RawMessage("null")
				return p.says(`"error":{"code":-32600,"message":"no"}`)(m)
			}}
		}), "bad-line", "warning", "-32600 instead of -32700"},
		{"bad line, right error", with(func(p *checkFake) change {
			return change{"bad line": func(m checkMessage) bool {
				m.ID = json.RawMessage("null")
				return p.says(`"error":{"code":-32700,"message":"no"}`)(m)
			}}
		}), "bad-line", "passed", "-32700"},
		{"any version", with(func(p *checkFake) change {
			return change{"initialize": func(m checkMessage) bool {
				return p.says(`"result":` + strings.Replace(checkAnswers["initialize"], "2025-11-25", m.Params.Version, 1))(m)
			}}
		}), "unsupported-version legacy", "error", "accepted the revision 2099-01-01"},
		{"version refused", with(func(p *checkFake) change {
			return change{"initialize": func(m checkMessage) bool {
				if m.Params.Version > "2090" {
					return p.says(`"error":{"code":-32602,"message":"no"}`)(m)
				}
				return p.says(`"result":` + checkAnswers["initialize"])(m)
			}}
		}), "unsupported-version legacy", "passed", "error -32602"},
		{"ignores EOF", func(p *checkFake) { p.each(nil); <-p.termed }, "stdin-eof", "warning", "still running 2s"},
		{"ignores SIGTERM", func(p *checkFake) { p.deaf = true; p.each(nil) }, "sigterm", "error", "still running 2s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := runOne(t, &checkWorld{serve: tt.serve}, nil)
				got := statuses(r)
				require.Equal(t, tt.want, got[tt.step], "%+v", r.Steps)
				require.Contains(t, reason(r, tt.step), tt.says)
				delete(got, tt.step)
				for step, status := range got {
					require.NotContains(t, []string{"error", "warning"}, status, "%s: %s", step, reason(r, step))
				}
			})
		})
	}
}

func TestLeakedProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := executor.Descendant{PID: 7, Command: "daemon --token sesame-open"}
		r := runOne(t, &checkWorld{leaves: []executor.Descendant{child}}, nil)
		require.Equal(t, "error", statuses(r)["leaked-processes"])
		require.Equal(t, "leaked (killed): daemon --token ${TOKEN}", strings.Split(reason(r, "leaked-processes"), " (5 times)")[0])

		r = runOne(t, &checkWorld{doubts: []string{"cannot see processes here"}}, nil)
		require.Equal(t, "not checked", statuses(r)["leaked-processes"], "unknown is not passed")
		require.Equal(t, "leaked processes: cannot tell (cannot see processes here)", reason(r, "leaked-processes"))
	})
}

// TestUnknownEnd checks that steps and rules about the end are not checked if it is
// unknown how the server ended.
func TestUnknownEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const why = "docker ended with 0; how the server ended: cannot tell"
		r := runOne(t, &checkWorld{unsure: why}, nil)
		for _, step := range []string{"stdin-eof", "sigterm"} {
			require.Equal(t, "not checked", statuses(r)[step])
			require.Equal(t, why, reason(r, step))
		}
		require.Equal(t, []string{"processes 1, 2, 3, 4, 5: PRC02 to PRC04, PRC08 and RPC19 at the end of a server not checked, PRC01 and PRC05 only while its client ran: " + why}, r.Partial)
	})
}

// TestEndedFromOutside checks that a server which the guard ended passes no step.
func TestEndedFromOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runOne(t, &checkWorld{outside: true}, nil)
		for _, step := range []string{"stdin-eof", "sigterm"} {
			require.Equal(t, "not checked", statuses(r)[step])
			require.Equal(t, "ended by the guard: its channel was closed", reason(r, step))
		}
	})
}

// slowly answers calls after a second, unless they are cancelled and the server obeys.
func slowly(obeys bool) func(p *checkFake) {
	return func(p *checkFake) {
		cancelled := make(chan string, 10)
		p.each(map[string]func(m checkMessage) bool{
			"tools/call": func(m checkMessage) bool {
				go func() {
					select {
					case <-time.After(time.Second):
						p.answer(m, `"result":{"content":[]}`)
					case <-cancelled:
					}
				}()
				return true
			},
			"notifications/cancelled": func(m checkMessage) bool {
				if obeys {
					cancelled <- string(m.Params.RequestID)
				}
				return true
			},
		})
	}
}

func TestCheckCancellation(t *testing.T) {
	for obeys, want := range map[bool]string{true: "passed", false: "warning"} {
		synctest.Test(t, func(t *testing.T) {
			r := runOne(t, &checkWorld{serve: slowly(obeys)}, nil)
			require.Equal(t, want, statuses(r)["cancellation legacy"], reason(r, "cancellation legacy"))
		})
	}
}

func TestCallsThatAreAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		serve := with(func(p *checkFake) map[string]func(m checkMessage) bool {
			return map[string]func(m checkMessage) bool{"tools/call": func(m checkMessage) bool {
				sent = append(sent, m.Params.Name+" "+string(m.Params.Arguments))
				return p.says(`"result":{"content":[],"isError":true}`)(m)
			}}
		})
		r := runOne(t, &checkWorld{serve: serve}, func(o *probe.Check) {
			o.Allow, o.Args = []string{"tw?"}, map[string]json.RawMessage{"two": json.RawMessage(`{"a":1}`), "three": json.RawMessage(`{}`)}
		})
		require.Equal(t, []string{"one {}", `two {"a":1}`}, sent)
		require.Equal(t, "passed", statuses(r)["call legacy one"], "generated arguments may be refused")
		require.Equal(t, "error", statuses(r)["call legacy two"], "those of a person must work")
		require.Equal(t, "not checked", statuses(r)["call legacy three"])

		sent = nil
		r = runOne(t, &checkWorld{serve: serve}, func(o *probe.Check) { o.NoCalls = true })
		require.Empty(t, sent)
		require.Equal(t, "not checked", statuses(r)["call legacy one"])
		require.Equal(t, "not checked", statuses(r)["cancellation legacy"])
	})
}

// Calls that end the server stop after a while, and the other steps are still taken.
func TestServerThatDiesInCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tools []string
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			tools = append(tools, `{"name":"`+name+`","inputSchema":{"type":"object"},`+safeHints+`}`)
		}
		list := `"result":{"tools":[` + strings.Join(tools, ",") + `]}`
		r := runOne(t, &checkWorld{serve: with(func(p *checkFake) map[string]func(m checkMessage) bool {
			return map[string]func(m checkMessage) bool{"tools/call": func(checkMessage) bool { return false }, "tools/list": p.says(list)}
		})}, nil)
		got := statuses(r)
		require.Equal(t, "error", got["call legacy c"])
		require.Equal(t, "not checked", got["call legacy d"])
		require.Equal(t, "3 calls in a row got no response", reason(r, "call legacy d"))
		require.Equal(t, "passed", got["unknown-method legacy"])
	})
}

func TestNoHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runOne(t, &checkWorld{serve: func(*checkFake) {}}, nil)
		require.Equal(t, "error", statuses(r)["handshake"])
		require.Equal(t, verify.CauseHandshake, r.Cause)
		require.NotEmpty(t, r.Message)
		for step, status := range statuses(r) {
			if step != "handshake" && step != "leaked-processes" {
				require.Equal(t, "not checked", status, step)
			}
		}
	})
}

// When a run is stopped, the other steps are not checked, and the server is ended.
func TestCheckStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &checkWorld{t: t, serve: with(func(p *checkFake) map[string]func(m checkMessage) bool {
			return map[string]func(m checkMessage) bool{"tools/call": func(checkMessage) bool { cancel(); return true }}
		})}
		report := probe.Run(ctx, w.options())
		report.Judge(verify.FailOn{}, nil, time.Now())
		require.True(t, report.Stopped)
		require.False(t, report.OK, "a part of the steps says nothing about the others")
		r := report.Targets[0]
		require.Equal(t, "not checked", statuses(r)["call legacy one"], reason(r, "call legacy one"))
		for _, step := range []string{"sigterm", "leaked-processes"} {
			require.Equal(t, "not checked", statuses(r)[step], step)
		}
		require.Equal(t, []string{"auto"}, w.names)
	})
}

func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noise := func(p *checkFake) {
			p.Journal.Output(executor.Stdout, []byte("Server running with sesame-open\n"))
			p.each(nil)
		}
		r := runOne(t, &checkWorld{serve: noise}, nil)
		require.Len(t, r.Problems, 1, "the same in several processes is one")
		require.Equal(t, "FRM01", r.Problems[0].ID)
		require.Equal(t, 5, r.Problems[0].Count)
		require.Contains(t, r.Problems[0].Detail, "${TOKEN}")
		require.NotEmpty(t, r.Problems[0].Hint)
		r = runOne(t, &checkWorld{serve: noise}, func(o *probe.Check) { o.Keep = func(id string) bool { return id != "FRM01" } })
		require.Empty(t, r.Problems)
	})
}

func TestCheckPlan(t *testing.T) {
	text := strings.Join(probe.Check{StartupTimeout: 30 * time.Second, StepTimeout: 10 * time.Second}.Plan(), "\n")
	require.Contains(t, text, "limits: 30s to start and shake hands, 10s a step, 2s to exit")
	require.Contains(t, text, "each era")
	require.Contains(t, strings.Join(probe.Check{Protocol: "2025-06-18", NoCalls: true}.Plan(), "\n"), "in the legacy era: handshake, lists, unknown method")
}

func TestReportIsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &checkWorld{t: t}
		var b bytes.Buffer
		require.NoError(t, json.NewEncoder(&b).Encode(probe.Run(t.Context(), w.options())))
		require.Contains(t, b.String(), `"mcpdbg_report":2`)
	})
}

// TestBogusCursorIsToldOnce checks that a server that accepts the bogus cursor fails the
// step, without a problem of rule PAG03 for the same request.
func TestBogusCursorIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runOne(t, &checkWorld{serve: func(p *checkFake) {
			p.each(map[string]func(checkMessage) bool{"tools/list": p.says(`"result":` + checkAnswers["tools/list"])})
		}}, nil)
		require.Equal(t, "warning", statuses(r)["bogus-cursor legacy"])
		require.Empty(t, r.Problems)
	})
}

// TestChangedListIsReadAgain checks that a list that the server announces to have changed is
// read again, at most three times, so that results are checked by the present one.
func TestChangedListIsReadAgain(t *testing.T) {
	const announce = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
	changed := func(p *checkFake) { p.Journal.Output(executor.Stdout, []byte(announce)) }
	handshake := strings.Replace(checkAnswers["initialize"], `"tools":{}`, `"tools":{"listChanged":true}`, 1)
	tools := strings.Replace(checkAnswers["tools/list"], `"inputSchema":{"type":"object"}`, `"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}`, 1)
	tools = strings.Replace(tools, `]}`, `,{"name":"three","inputSchema":{"type":"object"}}]}`, 1)
	for name, tt := range map[string]struct {
		always bool // a change follows each list
		lists  int
	}{"once": {false, 2}, "always": {true, 4}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lists := 0
				r := runOne(t, &checkWorld{serve: func(p *checkFake) {
					first := true
					p.each(map[string]func(m checkMessage) bool{
						"initialize": p.says(`"result":` + handshake),
						"tools/list": func(m checkMessage) bool {
							if m.Params.Cursor != "" {
								p.answer(m, `"error":{"code":-32602,"message":"bad cursor"}`)
								return true
							}
							p.answer(m, `"result":`+tools)
							if lists++; first || tt.always {
								changed(p)
							}
							first = false
							return true
						},
					})
				}}, func(o *probe.Check) { o.Allow = []string{"*"} })
				require.Equal(t, tt.lists, lists)
				require.Len(t, r.Problems, 1)
				require.Equal(t, "TOL05", r.Problems[0].ID, "one has an outputSchema, and returns no structuredContent")
				require.Equal(t, tt.always, strings.Contains(r.Problems[0].Detail, "before the last list_changed"))
			})
		})
	}
}

// TestSecretsInKeys checks that a key of a server that repeats a secret is concealed.
func TestCheckSecretsInKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runOne(t, &checkWorld{serve: with(func(p *checkFake) map[string]func(m checkMessage) bool {
			return map[string]func(m checkMessage) bool{"tools/list": func(m checkMessage) bool {
				p.Journal.Output(executor.Stdout, []byte(`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":`+
					`{"message":"m","requestedSchema":{"type":"object","properties":{"sesame-open":{"type":"array","items":5},"`+strings.Repeat("x", 1<<16)+`":5}}}}`+"\n"))
				p.answer(m, `"result":`+checkAnswers["tools/list"])
				return true
			}}
		})}, nil)
		var places []string
		for _, p := range r.Problems {
			places = append(places, p.At)
			require.Less(t, len(p.At), 3000)
		}
		require.Contains(t, strings.Join(places, " "), "/requestedSchema/properties/${TOKEN}")
		whole, err := json.Marshal(r)
		require.NoError(t, err)
		require.NotContains(t, string(whole), "sesame")
	})
}
