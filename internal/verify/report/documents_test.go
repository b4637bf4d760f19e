package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/testhome"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

// hostile is a text of a server that tries everything.
const hostile = "a\x1b[31m\u202e\n::error::x|<script>`*_[x](y)@me 100%,:"

func sample() []verify.Reported {
	one := reported("notes", "TOL05", "TOL05 tools/list echo /inputSchema")
	one.Method, one.Name, one.Pointer, one.Detail, one.Count = "tools/list", "echo", "/inputSchema", "no type", 3
	one.Source = "conf/.mcp.json"
	one.Rule = verify.Rule{ID: "TOL05", Severity: "error", Explanation: "Give it a type.", Reference: "tools", Impact: "clients reject it"}
	two := reported("notes", "FRM01", "FRM01")
	two.Severity, two.Detail, two.Source = "warning", hostile, "/tmp/a b.json"
	two.Accepted, two.Reason = true, "known"
	three := reported(hostile, "TOL05", "TOL05 tools/list "+hostile)
	three.Name, three.Method, three.Severity = hostile, "tools/list", "info"
	return []verify.Reported{one, two, three}
}

func TestSARIF(t *testing.T) {
	var out strings.Builder
	require.NoError(t, report.SARIF(&out, report.Run{Version: "1", RuleSet: "7", Checked: "all"}, sample()))
	var doc struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID              string
				RuleIndex           int
				Level               string
				PartialFingerprints map[string]string
				Suppressions        []any
				Locations           []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
					LogicalLocations []struct{ Name, FullyQualifiedName, Kind string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &doc))
	run := doc.Runs[0]
	require.Len(t, run.Tool.Driver.Rules, 2, "a rule is described once")
	first, second, third := run.Results[0], run.Results[1], run.Results[2]
	for _, r := range run.Results {
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
	}
	require.Equal(t, "conf/.mcp.json", first.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	require.Equal(t, 1, first.Locations[0].PhysicalLocation.Region.StartLine)
	require.Equal(t, "echo", first.Locations[0].LogicalLocations[0].Name)
	require.Equal(t, "function", first.Locations[0].LogicalLocations[0].Kind)
	require.Equal(t, "TOL05 tools/list echo /inputSchema", first.PartialFingerprints["mcpdbg/v1"])
	require.Equal(t, "file:///tmp/a%20b.json", second.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	require.Len(t, second.Suppressions, 1)
	require.Empty(t, first.Suppressions)
	require.Equal(t, "note", third.Level)
	require.NotEqual(t, first.PartialFingerprints["primaryLocationLineHash"], third.PartialFingerprints["primaryLocationLineHash"])
	require.NotContains(t, out.String(), "\u202e")
}

// TestSARIFMatchesSchema validates a document against the schema that .ci/run fetches.
func TestSARIFMatchesSchema(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(os.Getenv(testhome.Tools), "sarif/sarif-2.1.0-rtm.5.json"))
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("not validated: %v", err)
	}
	require.NoError(t, err)
	parse := func(data []byte) any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		return doc
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("sarif", parse(file)))
	schema, err := c.Compile("sarif")
	require.NoError(t, err)
	for _, all := range [][]verify.Reported{nil, sample()} {
		var out bytes.Buffer
		require.NoError(t, report.SARIF(&out, report.Run{Version: "1", RuleSet: "7", Checked: "all"}, all))
		require.NoError(t, schema.Validate(parse(out.Bytes())), "%s", out.Bytes())
	}
}

func TestAnnotations(t *testing.T) {
	var out strings.Builder
	require.NoError(t, report.Annotations(&out, sample()))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2, "accepted ones have none: %s", out.String())
	require.Equal(t, "::error file=conf/.mcp.json,line=1,title=TOL05 a title::notes: a title at tools/list: echo /inputSchema: no type (3 times)", lines[0])
	require.True(t, strings.HasPrefix(lines[1], "::notice title=TOL05 a title::"), lines[1])
	require.Contains(t, lines[1], "100%25,:")

	var many []verify.Reported
	for i := range 25 {
		p := reported("s", "A", fmt.Sprint(i))
		p.Title = "50%, a:b"
		many = append(many, p)
	}
	out.Reset()
	require.NoError(t, report.Annotations(&out, many))
	require.Equal(t, 10, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "16 more of this kind")
	require.Contains(t, out.String(), "title=A 50%25%2C a%3Ab::")
}

func TestMarkdown(t *testing.T) {
	var m report.MarkdownDoc
	m.Heading(2, "Problems of "+hostile)
	m.Problems(sample())
	var out strings.Builder
	_, err := m.WriteTo(&out)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(out.String(), "## Problems"))
	require.Contains(t, out.String(), "| error | TOL05 | a title | tools/list: echo /inputSchema | no type | 3 |")
	require.Contains(t, out.String(), "| accepted | FRM01 |")
	for _, raw := range []string{"<script>", "\x1b", "\u202e", "](", "@me", " |<"} {
		require.NotContains(t, out.String(), raw)
	}

	var long report.MarkdownDoc
	row := strings.Repeat("x", 1000)
	long.Table("a")
	for range 2000 {
		long.Row(row)
	}
	out.Reset()
	_, err = long.WriteTo(&out)
	require.NoError(t, err)
	require.LessOrEqual(t, out.Len(), report.MaxMarkdown)
	require.Greater(t, out.Len(), report.MaxMarkdown-3000)
	require.True(t, strings.HasSuffix(out.String(), "larger than 1 MiB.\n"))
}

func TestRules(t *testing.T) {
	r, ok := verify.RuleByID("frm01")
	require.True(t, ok)
	require.Equal(t, "FRM01", r.ID)
	_, ok = verify.RuleByID("nothing")
	require.False(t, ok)
	require.Contains(t, verify.RuleIDs(), "PRC05")
	require.Less(t, verify.SeverityRank("error"), verify.SeverityRank("warning"))
	require.Less(t, verify.SeverityRank("info"), verify.SeverityRank("what"))
}

// TestVerdictOfSARIF checks that the verdict comes before the results.
func TestVerdictOfSARIF(t *testing.T) {
	var out strings.Builder
	require.NoError(t, report.SARIF(&out, report.Run{Version: "1", Verdict: "FAILED: 3 problems"}, sample()))
	at := strings.Index(out.String(), `"verdict": "FAILED: 3 problems"`)
	require.Positive(t, at)
	require.Less(t, at, strings.Index(out.String(), `"runs"`))
}

// TestResultsWithoutFile checks the note for SARIF whose results hosted viewers drop.
func TestResultsWithoutFile(t *testing.T) {
	one := verify.Reported{Server: "notes"}
	require.Contains(t, report.WithoutSource([]verify.Reported{one}), "--source PATH")
	one.Source = "package.json"
	require.Empty(t, report.WithoutSource([]verify.Reported{one}))
	require.Empty(t, report.WithoutSource(nil))
}

func TestMain(m *testing.M) { testhome.Main(m) }

func reported(server, id, fingerprint string) verify.Reported {
	return verify.Reported{Server: server, Problem: verify.Problem{ID: id, Severity: "error", Count: 1, Title: "a title", Fingerprint: fingerprint}}
}
