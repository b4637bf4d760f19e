package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/recordings/rectest"
)

const hostileText = "a\x1b[31m\u202e\n<b>|`*_"

// ofCheck is a report with everything in it.
func ofCheck() *verify.Report {
	r := verify.NewReport("check", time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	r.Tool, r.Checked = "mcpdbg 1", "all of them"
	r.Targets = []verify.Result{
		{
			Server: "notes", Source: ".mcp.json", Recordings: []string{"/r/notes-01-auto.jsonl"},
			Servers: []verify.Server{{Era: "modern", Protocol: "2026-07-28", Name: "notes", Version: "1.0"}, {Era: "legacy", Protocol: "2025-11-25"}},
			Steps: []verify.Step{
				{Name: verify.StepHandshake, Era: "modern", Status: verify.Passed, Reason: "revision 2026-07-28", DurationMS: 12.5},
				{Name: verify.StepList, Subject: "prompts", Era: "modern", Status: verify.NotApplicable, Reason: "the server does not declare prompts"},
				{Name: verify.StepCall, Subject: "echo", Era: "modern", Status: verify.Passed},
				{Name: verify.StepCall, Subject: "drop", Era: "modern", Status: verify.NotChecked, Reason: "destructiveHint is true (--allow-calls)"},
				{Name: verify.StepCall, Subject: "add", Era: "modern", Status: verify.Passed},
				{Name: verify.StepCall, Subject: "a_tool_with_a_very_long_name", Era: "modern", Status: verify.Failed, Severity: "error", Reason: hostileText + strings.Repeat(" word", 30)},
				{Name: verify.StepCursor, Era: "modern", Status: verify.Failed, Severity: "warning", Reason: "tools/list responded with a result instead of the error -32602"},
				{Name: verify.StepVersion, Era: "modern", Status: verify.Passed, Reason: "error -32022 with the supported revisions"},
				{Name: verify.StepTerm, Status: verify.Failed, Severity: "error", Reason: "still running 2s after SIGTERM"},
				{Name: verify.StepLeaked, Status: verify.Passed},
			},
			Problems: []verify.ProcessProblem{
				{Problem: verify.Problem{ID: "FRM01", Severity: "error", Count: 3, N: 9, Title: "noise on stdout", Detail: hostileText, Fingerprint: "FRM01"}, Hint: "Print to stderr instead.", Process: 1, Recording: "/r/notes-01-auto.jsonl"},
				{Problem: verify.Problem{ID: "FRM01", Severity: "error", Count: 1, N: 10, Title: "noise on stdout", Detail: "ready", Fingerprint: "FRM01"}, Hint: "Print to stderr instead.", Process: 1, Recording: "/r/notes-01-auto.jsonl"},
				{Problem: verify.Problem{ID: "TOL05", Severity: "warning", Count: 1, N: 12, Title: "bad schema", Detail: "no type", Method: "tools/list", Name: "echo", Pointer: "/inputSchema", Fingerprint: "TOL05 tools/list echo /inputSchema"}, Process: 2},
			},
			Partial: []string{"checked only the first 10 of 20 entries of process 1"},
		},
		{
			Server: "broken", Host: "web-1", Cause: verify.CauseStart, Message: "the server ended before it answered: exit code 3", Hint: "check the command", Said: []string{"boom " + hostileText},
			Steps: []verify.Step{{Name: verify.StepHandshake, Status: verify.Failed, Severity: "error", Reason: "the server ended"}, {Name: verify.StepCall, Status: verify.NotChecked, Reason: "there was no handshake"}},
		},
		{Server: "session.jsonl"},
	}
	b, _ := verify.ParseAccepted([]byte("TOL05 tools/list echo /inputSchema\n  reason: next release\nstep/sigterm\nFRM02\n  reason: gone\nFRM01\n  expires: 2026-01-02\n"))
	r.Judge(verify.FailOn{Error: true}, b, r.Started)
	return r
}

func TestCheckText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Text(&b, ofCheck(), false))
	golden(t, "check.txt", []byte(b.String()))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 79, line)
	}
	require.NotContains(t, b.String(), "\x1b")
	require.NotContains(t, b.String(), "\u202e")
}

func TestCheckMarkdown(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Markdown(&b, ofCheck()))
	golden(t, "check.md", []byte(b.String()))
	require.NotContains(t, b.String(), "<b>")
}

func TestCheckJUnit(t *testing.T) {
	var b strings.Builder
	require.NoError(t, JUnit(&b, ofCheck()))
	golden(t, "check.xml", []byte(b.String()))
	rectest.ValidateJUnit(t, []byte(b.String()))
	var doc struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Skipped  int    `xml:"skipped,attr"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(b.String()), &doc))
	require.Len(t, doc.Suites, 3)
	require.Equal(t, 2, doc.Suites[0].Failures, "a failed call and FRM01; warnings and accepted ones do not fail")
	require.Equal(t, 4, doc.Suites[0].Skipped)
	require.Equal(t, 1, doc.Suites[1].Errors)
}

// TestVerdictIsAtTheTop checks that the documents for other programs, and text that is not
// for a terminal, begin with the verdict.
func TestVerdictIsAtTheTop(t *testing.T) {
	r := ofCheck()
	verdict := Verdict(r)
	require.True(t, strings.HasPrefix(verdict, "FAILED (1 of 3 passed): "), verdict)
	firstLines := func(write func(*strings.Builder) error, n int) string {
		var b strings.Builder
		require.NoError(t, write(&b))
		return strings.Join(strings.Split(b.String(), "\n")[:n], " ")
	}
	require.Contains(t, firstLines(func(b *strings.Builder) error { return Text(b, r, true) }, 1), "FAILED (1 of 3 passed): ")
	require.Contains(t, firstLines(func(b *strings.Builder) error { return Markdown(b, r) }, 1), "failed")
	require.Contains(t, firstLines(func(b *strings.Builder) error { return JUnit(b, r) }, 2), "<!-- mcpdbg check: "+verdict+" -->")

	var whole, last strings.Builder
	require.NoError(t, Text(&whole, r, true))
	require.NoError(t, Text(&last, r, false))
	require.Equal(t, 1, strings.Count(whole.String(), "FAILED (1 of 3 passed)"))
	require.Contains(t, strings.TrimSpace(last.String()[len(last.String())-400:]), "FAILED (1 of 3 passed): ", "on a terminal it is at the end")
}

func TestCheckSchema(t *testing.T) {
	parse := func(data []byte) any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		return doc
	}
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("check", parse(CheckSchema())))
	schema, err := c.Compile("check")
	require.NoError(t, err)
	doc, err := json.Marshal(checkV1(ofCheck()))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(parse(doc)))
	wrong := ofCheck()
	wrong.Targets[0].Steps[0].Status = "fine"
	doc, err = json.Marshal(checkV1(wrong))
	require.NoError(t, err)
	require.Error(t, schema.Validate(parse(doc)))
}

// Every member is in the schema and in docs/reference/check.md.
func TestCheckEveryMemberIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/check.md")
	require.NoError(t, err)
	for _, of := range []any{CheckV1{}, CheckTargetV1{}, verify.Server{}, CheckStepV1{}, verify.ProcessProblem{}, verify.Entry{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			require.Contains(t, string(checkSchema), `"`+name+`"`, kind)
			require.Contains(t, string(page), "`"+name+"`", kind)
		}
	}
}
