package compare

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
)

// sample returns a report with something of everything.
func sample(t *testing.T) *Report {
	a := []string{started,
		`> {"id":1,"method":"tools/call","params":{"name":"x"}}`, `< {"id":1,"result":{"v":1,"at":"2026-11-21T10:00:00Z","ttlMs":1,"long":"one\ntwo\nthree","i":1}}`,
		`> {"id":2,"method":"tools/list"}`, `< {"id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`,
		`> {"id":3,"method":"ping"}`, `< {"id":3,"result":{}}`,
		`> {"id":4,"method":"prompts/get","params":{"name":"p\u001b[31m"}}`, `< {"id":4,"result":{}}`,
		`< {"method":"notifications/message","params":{"level":"info"}}`,
	}
	b := []string{started,
		`> {"id":1,"method":"tools/call","params":{"name":"x"}}`, `< {"id":1,"result":{"v":"\u001b[2J<b>","at":"2026-11-22T10:00:00Z","ttlMs":2,"long":"one\n2\nthree","i":2}}`,
		`> {"id":2,"method":"tools/list"}`, `< {"id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"array"}}]}}`,
		`> {"id":4,"method":"prompts/get","params":{"name":"p\u001b[31m"}}`, `< {"id":4,"error":{"code":1,"message":"no"}}`,
	}
	return compared(t, a, b, Options{Rules: rulesOf(t, "ignore * /result/i")})
}

func TestWriteText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample(t).WriteText(&out, TextOptions{NameA: "one.jsonl", NameB: "two.jsonl", Reveal: true}))
	head, times, found := strings.Cut(out.String(), "\nResponse times (do not count)\n")
	require.True(t, found)
	require.Equal(t, `A  one.jsonl  4 calls in 10 entries
B  two.jsonl  3 calls in 7 entries
3 calls compared, 0 equal, 3 differ, 1 on one side only

First difference: tools/call x, /result/long changed at line 2, column 1
  A  n 3 seq 1
  B  n 3 seq 1
     @@ -1,3 +1,3 @@
      one
     -two
     +2
      three

Differences
  result   tools/call x, /result/long changed at line 2, column 1
             A  n 3 seq 1
             B  n 3 seq 1
             @@ -1,3 +1,3 @@
              one
             -two
             +2
              three
  result   tools/call x, /result/v changed
             A  n 3 seq 1  1
             B  n 3 seq 1  "\u001b[2J<b>"
  result   tools/list, /result/tools/a/inputSchema: schema changed
             A  n 5 seq 2
             B  n 5 seq 2
             /type: "object" -> "array"
  missing  ping, only in A
             A  n 7 seq 3  {}
  outcome  prompts/get p`+"\x1b"+`[31m, different outcome
             A  n 9 seq 4  result
             B  n 7 seq 3  error 1 "no"

Differences that do not count (use --logs and --envelope to count notes and envelopes)
  envelope tools/call x, /result/ttlMs changed
             A  n 3 seq 1  1
             B  n 3 seq 1  2
  notes    notifications/message info (from server), different count
             A  1
             B  0

Equal by type: 1 value
  time      tools/call x, /result/at  1
           A "2026-11-21T10:00:00Z"
           B "2026-11-22T10:00:00Z"

Ignored by rules
  ignore * /result/i  1 time
`, head)
	require.Contains(t, times, "tools/call   1          1 ms       1x  1 ms       1x\n")
	require.Contains(t, times, "ping         1 -> 0     1 ms -> - ")
}

func TestWriteTextCleansServerText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample(t).WriteText(&out, TextOptions{Clean: func(s string) string { return strings.ReplaceAll(s, "\x1b", "ESC") }}))
	require.NotContains(t, out.String(), "\x1b")
	require.Contains(t, out.String(), "pESC[31m")
}

// TestJSONKeepsItsNames: the member names of the JSON report are stable.
func TestJSONKeepsItsNames(t *testing.T) {
	doc, err := json.Marshal(sample(t))
	require.NoError(t, err)
	var r map[string]any
	require.NoError(t, json.Unmarshal(doc, &r))
	names := func(v any) string {
		var out []string
		for name := range v.(map[string]any) {
			out = append(out, name)
		}
		return strings.Join(slices.Sorted(slices.Values(out)), " ")
	}
	first := func(name string) any { return r[name].([]any)[0] }
	require.Equal(t, "a b calls compared differences differs equal first groups ignored masked timing", names(r))
	require.Equal(t, "argv entries exchanges id runs", names(r["a"]))
	require.Equal(t, "a b change class counts detail from method pointer subject text", names(r["first"]))
	require.Equal(t, "n process request_n run seq t_us value", names(r["first"].(map[string]any)["a"]))
	require.Equal(t, "change class count counts example from method pointer subject", names(first("groups")))
	require.Equal(t, "a b count method pointer subject type", names(first("masked")))
	require.Equal(t, "count rule", names(first("ignored")))
	require.Equal(t, "a b from method p50_ratio p95_ratio", names(first("timing")))
	require.Equal(t, "count p50_us p95_us", names(first("timing").(map[string]any)["a"]))
	require.Equal(t, "compared differ from method took_us", names(first("calls")))

	empty, err := json.Marshal(compared(t, []string{started}, []string{started}, Options{}))
	require.NoError(t, err)
	require.NotContains(t, string(empty), "null")
}

func TestWriteJUnit(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample(t).WriteJUnit(&out, "one and two"))
	rectest.ValidateJUnit(t, out.Bytes())
	var doc struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Type    string `xml:"type,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(out.Bytes(), &doc))
	suite := doc.Suites[0]
	var cases []string
	for _, c := range suite.Cases {
		word := "ok"
		if c.Failure != nil {
			word = c.Failure.Type + ": " + c.Failure.Message
		}
		cases = append(cases, c.Class+" "+c.Name+" "+word)
	}
	require.Equal(t, []string{
		"mcpdbg.client ping missing: ping, only in A (n 7 in A)",
		"mcpdbg.client prompts/get p\\u{1b}[31m outcome: prompts/get p\\u{1b}[31m, different outcome (n 9 in A, n 7 in B)",
		"mcpdbg.client tools/call x result: tools/call x, /result/long changed at line 2, column 1 (n 3 in A, n 3 in B)",
		"mcpdbg.client tools/list result: tools/list, /result/tools/a/inputSchema: schema changed (n 5 in A, n 5 in B)",
	}, cases)
	require.Equal(t, []int{4, 4}, []int{suite.Tests, suite.Failures})
	require.Contains(t, suite.Cases[2].Failure.Text, "/result/v changed")
}
