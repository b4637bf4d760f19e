package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestPlacesOfProblems checks that a problem has the place of the expectation, or else
// of the step.
func TestPlacesOfProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, res := play(t, scripted(), `steps:
  - call: slow
    always: true
    expect:
      result: {slow: 1}
      jq:
        - .slow
        - .slow | not
      within: 1s
  - {call: tool, always: true, expect: {within: 1s}}
  - call: mute
    always: true
    expect:
      within: 1s
    timeout: 2s
`)
		var places []string
		for _, s := range res.Steps {
			for _, p := range s.Problems {
				places = append(places, fmt.Sprintf("%s %d:%d", p.Check, p.Place.Line-s.Place.Line, p.Place.Column))
			}
		}
		require.Equal(t, []string{"result 3:7", "jq 6:11", "within 7:7", "isError 0:5", "timeout 0:5"}, places)
	})
}

// TestSteps runs every kind of step, and every way in which one can fail.
func TestSteps(t *testing.T) {
	for _, tc := range []struct {
		name, steps string
		want        []string
	}{
		{"a result", `
  - call: echo
    params: {a: 1.0, b: [1, {c: x, d: y}], e: null}
    expect: {result: {a: 1, b: [1, {c: x}], e: null}}
`, []string{"passed echo"}},
		{"all differences", `
  - call: echo
    params: {a: 1, b: [1, 2], c/d: x, e: 9007199254740993, h: null}
    expect: {result: {a: "1", b: [1, 3, 4], c/d: y, e: 9007199254740992, f: {g: 1}, h: 0, i: null}}
`, []string{"failed echo",
			`  result /a: expected "1", got 1`,
			`  result /b: expected 3 items, got 2`,
			`  result /b/1: expected 3, got 2`,
			`  result /c~1d: expected "y", got "x"`,
			`  result /e: expected 9007199254740992, got 9007199254740993`,
			`  result /f: expected {"g":1}, got nothing`,
			`  result /h: expected 0, got null`,
			`  result /i: expected null, got nothing`}},
		{"a longer list", "\n  - {call: echo, params: {a: [1, 2]}, expect: {result: {a: [1]}}}\n", []string{"failed echo", "  result /a: expected 1 items, got 2"}},
		{"isError", "\n  - call: tool\n", []string{"failed tool", `  isError /isError: expected false, got true: the disk is full`}},
		{"isError is expected", `
  - {call: tool, expect: {isError: true}}
  - {name: b, call: tool, expect: {result: {isError: true}}}
  - {call: echo, params: {is: true}, capture: {is: .is}}
  - {name: d, call: tool, expect: {result: {isError: "${is}"}}}
  - {name: c, call: echo, expect: {isError: true}}
`, []string{"passed tool", "passed b", "passed echo", "passed d", "failed c", "  isError /isError: expected true, got false"}},
		{"an error", "\n  - call: fail\n", []string{"failed fail", `  error: expected a result, got error -32602: bad params {"of":"me"}`}},
		{"an error is expected", `
  - {call: fail, expect: {error: any}}
  - {name: b, call: fail, expect: {error: -32602}}
  - {name: c, call: fail, expect: {error: {code: -32602, message: "^bad"}}}
  - {name: d, call: fail, expect: {error: {code: -1, message: "^x"}}}
`, []string{"passed fail", "passed b", "passed c", "failed d", "  error /code: expected -1, got -32602: bad params", `  error /message: expected a match of /^x/, got "bad params"`}},
		{"a result where an error is expected", "\n  - {call: echo, params: {_meta: {k: long}, a: 1}, expect: {error: {code: 3, message: x}}}\n",
			[]string{"failed echo", `  error: expected error 3 with a message matching /x/, got the result {"a":1}`}},
		{"a tool fails where an error is expected", "\n  - {call: tool, expect: {error: any}}\n",
			[]string{"failed tool", "  error: expected an error, got a result with isError (use expect: {isError: true}): the disk is full"}},
		{"a schema", `
  - {call: echo, params: {a: 1}, expect: {schema: {type: object, required: [a]}}}
  - {name: b, call: echo, params: {a: 1}, expect: {schema: {properties: {a: {type: string}}, required: [b]}}}
`, []string{"passed echo", "failed b", "  schema /a: is a number, not a string", "  schema /b: is required"}},
		{"jq", `
  - {call: id, expect: {jq: [.id == "n-17", ".big == 9007199254740993", "1, 2", "env == {} and $ENV == {}"]}}
  - {name: b, call: id, expect: {jq: [.null, "empty", ".id, false", ".id | tonumber"]}}
`, []string{"passed id", "failed b", `  jq: .null gives null for {"big":9007199254740993,"id":"n-17","null":null}`,
			`  jq: empty gives nothing for {"big":9007199254740993,"id":"n-17","null":null}`, `  jq: .id, false gives false for {"big":9007199254740993,"id":"n-17","null":null}`,
			`  jq: .id | tonumber: tonumber cannot be applied to "n-17": invalid number`}},
		{"a variable that is too large for jq", `
  - {call: echo, params: {a: 1}, expect: {jq: $vast > .a}}
  - {call: echo, params: {a: 1}, expect: {jq: .a == 1}, always: true}
vars: {vast: ` + strings.Repeat("7", 2000) + `}
`, []string{"failed echo", "  jq: $vast > .a: $vast: the number " + strings.Repeat("7", 20) + "… has 2000 digits, the limit is 1000", "passed echo (2)"}},
		{"captures", `
  - {call: id, capture: {id: .id, all: .}}
  - {name: b, call: echo, params: {a: "x ${id} $${id}", b: "${all}"}, expect: {result: {a: "x n-17 $${id}", b: {id: n-17}}, jq: '.a == "x \($id) ${id}"'}}
  - {name: c, call: id, capture: {x: .nothing}}
  - {name: d, call: echo, params: {x: "${x}"}, always: true}
`, []string{"passed id", "passed b", "failed c", "  capture x: .nothing: no result", "skipped d"}},
		{"within", `
  - {call: slow, expect: {within: 2s}}
  - {name: b, call: slow, expect: {within: 1999ms}}
`, []string{"passed slow", "failed b", "  within: the limit is 1.999s, took 2s"}},
		{"findings", `
  - {call: stray, expect: {findings: none}}
  - {name: b, call: echo, always: true, expect: {findings: none}}
  - {name: c, call: stray, always: true, expect: {findings: no-errors}}
`, []string{"failed stray", `  findings: error FRM01, entry 12: noise on stdout: "stray text"`, "passed b",
			"failed c", `  findings: error FRM01, entry 20: noise on stdout: "stray text"`}},
		{"a timeout", "\n  - {call: mute, timeout: 3s}\n  - call: echo\n  - {name: b, call: echo, always: true}\n",
			[]string{"failed mute", "  timeout: no response within 3s", "skipped echo", "passed b"}},
		{"a server request that no step can answer", "\n  - {call: ask, timeout: 3s}\n  - {answer: roots/list, with: {}}\n",
			[]string{"failed ask", "  timeout: no response within 3s; the server waits for a response to roots/list: set background: true on the call, and add an answer step", "skipped answer roots/list"}},
		{"the server exits", "\n  - call: die\n  - call: echo\n  - {name: b, call: echo, always: true}\n  - {restart: true, always: true}\n  - {name: c, call: echo, always: true}\n",
			[]string{"failed die", "  ended: the server exited: exit code 3; last stderr line: panic: out of cheese", "skipped echo", "skipped b", "passed restart", "passed c"}},
		{"the connection is lost", "\n  - call: lose\n  - {call: echo, always: true}\n",
			[]string{"failed lose", "  lost: connection to box lost after 0s: connection reset", "skipped echo"}},
		{"waits", `
  - call: tell
  - wait: {notification: notifications/three, params: {x: [1]}}
  - wait: {notification: notifications/one}
    expect: {result: {i: 1}}
    capture: {i: .i}
  - {name: b, wait: {notification: notifications/one}, expect: {jq: .i == $i + 1, within: 1ms}}
  - {name: c, wait: {stderr: 'port \d+'}, capture: {port: 'capture("(?<p>\\d+)").p'}}
  - {name: d, wait: {stdout: "no"}, expect: {jq: '. == "no message" and $port == "4711"'}}
  - {name: e, wait: {notification: notifications/one, params: {i: 7}}, timeout: 1s}
`, []string{"passed tell", "passed wait for notifications/three", "passed wait for notifications/one", "passed b", "passed c", "passed d",
			"failed e", "  timeout: no match within 1s"}},
		{"only others match", "\n  - call: tell\n  - {wait: {notification: notifications/one, params: {i: 3}}, timeout: 1s}\n",
			[]string{"passed tell", "failed wait for notifications/one", "  timeout: no match within 1s; 2 had other params"}},
		{"a line that is not a message", "\n  - {call: wrong, timeout: 1s}\n",
			[]string{"failed wrong", `  timeout: no response within 1s; a line on stdout is not a JSON-RPC message: {"id": 1, "result": }`}},
		{"waits see what came since the previous step", `
  - call: tell
  - call: echo
  - {wait: {notification: notifications/one}, timeout: 1s}
`, []string{"passed tell", "passed echo", "failed wait for notifications/one", "  timeout: no match within 1s"}},
		{"the server exits during a wait", "\n  - {call: die, background: true}\n  - {wait: {stderr: cheese}}\n  - {name: b, wait: {stderr: more}}\n",
			[]string{"passed die", "passed wait for stderr", "failed b", "  ended: the server exited: exit code 3; last stderr line: panic: out of cheese"}},
		{"the server exits after its last stderr line", "\n  - {call: die slowly, background: true}\n  - {wait: {stderr: cheese}}\n  - {name: b, wait: {stderr: more}}\n",
			[]string{"passed die slowly", "passed wait for stderr", "failed b", "  ended: the server exited: exit code 3; last stderr line: panic: out of cheese"}},
		{"answers", `
  - {call: ask, background: true}
  - {wait: {request: roots/list}}
  - {answer: roots/list, with: {roots: []}}
  - {await: ask, expect: {result: {id: q1, result: {roots: []}}}}
  - {name: b, call: ask, background: true}
  - {name: c, answer: roots/list, error: {code: -1, message: no}}
  - {await: b, expect: {result: {error: {code: -1}}}}
  - {name: d, answer: elicitation/create, with: {}, timeout: 1s}
`, []string{"passed ask", "passed wait for roots/list", "passed answer roots/list", "passed await ask", "passed b", "passed c", "passed await b",
			"failed d", "  timeout: the server did not request elicitation/create within 1s"}},
		{"no server request, because the call has failed", `
  - {call: tool, background: true}
  - {answer: roots/list, with: {}, timeout: 1s}
`, []string{"passed tool", "failed answer roots/list", "  timeout: the server did not request roots/list within 1s; tool failed: the disk is full"}},
		{"a background call", `
  - {call: slow, background: true, timeout: 1s}
  - {await: slow}
`, []string{"passed slow", "failed await slow", "  timeout: no response within 1s"}},
		{"a background call has its own timeout", `
  - {call: slow, background: true}
  - {await: slow, timeout: 1s}
`, []string{"passed slow", "failed await slow", "  timeout: no response within 1s"}},
		{"a cancelled call", `
  - {call: mute, background: true}
  - {cancel: mute}
  - {await: mute}
  - {name: b, call: slow, background: true}
  - {cancel: b}
  - {await: b, expect: {result: {slow: true}}}
  - {name: c, call: mute, background: true}
  - {cancel: c}
  - {await: c, expect: {error: any}, timeout: 1s}
`, []string{"passed mute", "passed cancel mute", "passed await mute", "passed b", "passed cancel b", "passed await b", "passed c", "passed cancel c",
			"failed await c", "  timeout: no response within 1s"}},
		{"a cancelled call whose response is needed", `
  - {call: mute, background: true}
  - {cancel: mute}
  - {await: mute, capture: {x: .}, timeout: 1s}
`, []string{"passed mute", "passed cancel mute", "failed await mute", "  timeout: no response within 1s"}},
		{"a restart while calls are pending", `
  - {call: mute, background: true}
  - {name: b, call: mute, background: true}
  - restart: true
  - {await: mute}
  - {cancel: b, always: true}
  - {name: c, call: echo, always: true}
`, []string{"passed mute", "passed b", "passed restart", "failed await mute", "  ended: the server was restarted before it answered mute",
			"failed cancel b", "  ended: the server was restarted before it answered b", "passed c"}},
		{"too late to cancel", "\n  - {call: slow, background: true}\n  - {call: echo}\n  - {cancel: slow}\n",
			[]string{"passed slow", "passed echo", "failed cancel slow", "  slow was answered before it could be cancelled, after 2.0 s"}},
		{"bytes", `
  - {send: '{"jsonrpc":"2.0","id":7,"method":"fail"}', expect: {error: -32602}}
  - {name: b, send: 'no JSON', expect: {error: {code: -32700, message: parse}}}
  - {name: c, send: {base64: eyIK}, expect: {error: any, within: 1s}}
  - {name: d, send: {text: '{"jsonrpc":"2.0",', newline: false}}
  - {name: e, send: '"id":8,"method":"mute"}', expect: {result: {}}, timeout: 1s}
`, []string{"passed send", "passed b", "passed c", "passed d", "failed e", "  timeout: no response within 1s"}},
		{"a capture from the response to bytes", `
  - {send: '{"jsonrpc":"2.0","id":7,"method":"id"}', capture: {id: .id}}
  - {call: echo, params: {a: "${id}"}, expect: {result: {a: n-17}}}
`, []string{"passed send", "passed echo"}},
		{"bytes during a call", `
  - {call: slow, background: true}
  - {send: '{"jsonrpc":"2.0","id":7,"method":"echo","params":{"a":1}}', expect: {result: {a: 1}}}
`, []string{"passed slow", "passed send"}},
		{"a notification", "\n  - {notify: notifications/roots/list_changed, params: {a: 1}}\n", []string{"passed notify notifications/roots/list_changed"}},
		{"the end of stdin", "\n  - {close-stdin: true, expect: {exit: 0, within: 1s}}\n  - {call: echo}\n  - {restart: true, always: true}\n",
			[]string{"passed close-stdin", "failed echo", "  ended: the server exited: exit code 0", "passed restart"}},
		{"another exit code", "\n  - {close-stdin: true, expect: {exit: 7}}\n", []string{"failed close-stdin", "  exit: expected exit code 7, got exit code 0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, res := play(t, scripted(), "steps:"+tc.steps)
				require.Equal(t, tc.want, outcomes(res))
				failed := strings.Contains(strings.Join(tc.want, "\n"), "failed")
				require.Equal(t, !failed, res.OK)
				for _, s := range res.Steps {
					require.Equal(t, s.Status != scenario.Failed, s.Problems == nil, s.Name)
					require.Equal(t, s.Status == scenario.Skipped, s.Status == scenario.Skipped && s.Err != nil, s.Name)
					for _, p := range s.Problems {
						require.NotZero(t, p.Place.Line)
						require.NotEmpty(t, p.Check)
					}
				}
				if failed {
					require.Contains(t, strings.Join(b.notes(), "\n"), res.Failed().Problems[0].Text)
				}
			})
		})
	}
}

// TestKeepGoing checks that only steps are skipped that cannot succeed.
func TestKeepGoing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := scenario.Parse("s.yaml", []byte(`scenario: 1
steps:
  - {tool: ad, arguments: {a: 1, b: 2}, capture: {sum: .structuredContent.sum}}
  - {tool: echo, arguments: {message: "${sum}"}}
  - {tool: add, arguments: {a: 1, b: 2}, expect: {result: {structuredContent: {sum: 4}}}}
  - {name: late, tool: ech, background: true, arguments: {message: x}}
  - {await: late}
  - {call: tools/list}
  - close-stdin: true
  - {name: gone, call: tools/list}
  - {name: again, call: tools/list}
  - restart: true
  - {name: back, call: tools/list}
`))
		require.NoError(t, err)
		s.KeepGoing = true
		vars, err := s.Bind(nil, nil)
		require.NoError(t, err)
		b := open(t, serveDemo, s, vars, nil)
		res := s.Run(t.Context(), b.Session, vars, nil)
		require.False(t, res.OK)
		const has = "; it has "
		var got []string
		for _, line := range outcomes(res) {
			if at := strings.Index(line, has); at >= 0 {
				require.Regexp(t, "^(add|echo), ", line[at+len(has):], "the nearest name is the first")
				line = line[:at]
			}
			got = append(got, line)
		}
		require.Equal(t, []string{
			"failed ad", "  the server has no tool ad", `  error: expected a result, got error -32602: no tool "ad"`,
			"skipped echo", "failed add", "  result /structuredContent/sum: expected 4, got 3",
			"passed late", "failed await late", "  the server has no tool ech", `  error: expected a result, got error -32602: no tool "ech"`,
			"passed tools/list", "passed close-stdin", "failed gone", "  ended: the server exited: exit code 0", "skipped again",
			"passed restart", "passed back",
		}, got)
		require.EqualError(t, res.Steps[1].Err, "${sum} has no value: step ad has not captured it")
	})
}

func TestServerThatDoesNotExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, res := play(t, silent, "steps: [{close-stdin: true, expect: {exit: 0}, timeout: 3s}]")
		require.Equal(t, []string{"failed close-stdin", "  timeout: the server did not exit within 3s"}, outcomes(res))
	})
}

// TestLastWordsBeforeARestart checks that output of the previous server does not count
// after a restart.
func TestLastWordsBeforeARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		polite := func(p *fake) int {
			code := scripted()(p)
			p.err("good bye")
			return code
		}
		_, res := play(t, polite, "steps: [{restart: true}, {wait: {stderr: bye}, timeout: 1s}]")
		require.Equal(t, []string{"passed restart", "failed wait for stderr", "  timeout: no match within 1s"}, outcomes(res))
	})
}

func TestErrOfInterruptedRun(t *testing.T) {
	for text, check := range map[string]func(*testing.T, error){
		"steps: [{call: lose}]":                                        requireLost,
		"steps: [{call: die}]":                                         func(t *testing.T, err error) { require.ErrorIs(t, err, session.ErrEnded) },
		"steps: [{call: die}, {restart: true, always: true}]":          func(t *testing.T, err error) { require.NoError(t, err) },
		"steps: [{call: fail}]":                                        func(t *testing.T, err error) { require.NoError(t, err) },
		"steps: [{wait: {stderr: x}, timeout: 1s}]":                    func(t *testing.T, err error) { require.NoError(t, err) },
		"steps: [{call: lose, background: true}, {wait: {stderr: x}}]": requireLost,
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, res := play(t, scripted(), text)
				check(t, res.Err)
			})
		})
	}
}

// TestCancelledRun checks that a run returns at once when its context ends, with
// background calls pending.
func TestCancelledRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, `steps:
  - {call: mute, background: true}
  - {name: b, call: mute}
  - {name: c, call: echo, always: true}
`)
		b := open(t, scripted(), s, nil, func(c *session.Config) { c.Era = mcp.Legacy })
		why := errors.New("a key was pressed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		var reported []string
		res := s.Run(ctx, b.Session, nil, func(r scenario.StepResult) { reported = append(reported, string(r.Status)+" "+r.Name) })
		require.Equal(t, []string{"passed mute", "skipped b", "skipped c"}, outcomes(res))
		require.Equal(t, outcomes(res), reported)
		require.ErrorIs(t, res.Err, why)
		require.ErrorIs(t, res.Steps[2].Err, why)
		require.Equal(t, time.Second, res.Took)
	})
}

// TestUnawaitedCallIsCancelled checks that the server gets a cancellation.
func TestUnawaitedCallIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, res := play(t, scripted(), "steps: [{call: mute, background: true}]")
		require.True(t, res.OK)
		synctest.Wait()
		require.Contains(t, strings.Join(b.entries(session.KindStdin), "\n"), "the scenario is over")
	})
}

// TestCancelNamesTheCall checks that a call is cancelled once, with its id.
func TestCancelNamesTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, res := play(t, scripted(), "steps: [{call: mute, background: true}, {cancel: mute}, {await: mute}]")
		require.True(t, res.OK, outcomes(res))
		synctest.Wait()
		sent := b.entries(session.KindStdin)
		require.Contains(t, sent[len(sent)-1], `"requestId":"mcpdbg-2"`)
		require.Contains(t, sent[len(sent)-2], `"method":"mute"`)
	})
}

// TestAnswersNextToSteps checks that the scenario's answers apply to requests that no
// step answers any more.
func TestAnswersNextToSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, res := play(t, scripted(), `
vars: {uri: file:///x}
answers:
  roots/list: {roots: [{uri: "${uri}"}]}
steps:
  - {call: ask twice, background: true}
  - {answer: roots/list, with: {roots: []}}
  - {await: ask twice, expect: {result: {result: {roots: [{uri: file:///x}]}}}}
  - {call: ask, expect: {result: {result: {roots: [{uri: file:///x}]}}}}
`)
		require.True(t, res.OK, outcomes(res))
		_, res = play(t, scripted(), `
answers:
  roots/list: {roots: [{uri: file:///y}]}
steps:
  - {call: ask, expect: {result: {result: {roots: [{uri: file:///y}]}}}}
`)
		require.True(t, res.OK, outcomes(res))
		_, res = play(t, scripted(), `
vars: {second: file:///2}
answers:
  roots/list:
    - {result: {roots: [{uri: file:///1}]}}
    - {result: {roots: [{uri: "${second}"}]}}
steps:
  - {call: ask twice, background: true}
  - {answer: roots/list, with: {roots: []}}
  - {await: ask twice, expect: {result: {result: {roots: [{uri: file:///1}]}}}}
  - {call: ask, expect: {result: {result: {roots: [{uri: file:///2}]}}}}
`)
		require.True(t, res.OK, outcomes(res))
	})
}

func TestProblemsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("é", 300)
		_, res := play(t, scripted(), "steps: [{call: echo, params: {a: ["+strings.Repeat("1,", 50)+" "+long+"]}, expect: {result: {a: ["+strings.Repeat("2,", 51)+"]}}}]")
		problems := res.Failed().Problems
		require.Len(t, problems, 21)
		require.Equal(t, "more problems are not listed", problems[20].Text)
		_, res = play(t, scripted(), "steps: [{call: echo, params: {a: "+long+"}, expect: {result: {a: b}}}]")
		require.Less(t, len(res.Failed().Problems[0].Text), 300)
		require.Contains(t, res.Failed().Problems[0].Got, "é…")
	})
}
