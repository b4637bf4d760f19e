package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

// lines writes a report line by line.
func lines(t testing.TB, r *verify.Report) []byte {
	return written(t, func(w io.Writer) error {
		if err := startLine(w, r, len(r.Targets)); err != nil {
			return err
		}
		for i := range r.Targets {
			if err := targetLine(w, i, &r.Targets[i]); err != nil {
				return err
			}
		}
		return endLine(w, r)
	})
}

func document(t testing.TB, r *verify.Report) []byte {
	return written(t, func(w io.Writer) error { return JSON(w, r) })
}

func compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("smoke.json", doc))
	compiled, err := c.Compile("smoke.json")
	require.NoError(t, err)
	return compiled
}

func validate(t testing.TB, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err, "%s", text)
	return schema.Validate(doc)
}

// full returns a report with every member of a report and of a result at least
// once.
func full() *verify.Report {
	r := sample()
	all := &r.Targets[8] // with a failed step
	all.Attempts, all.Hint, all.Said, all.ProblemsMore = make([]verify.Attempt, 1), "try it", []string{"a"}, 1
	all.Drift, all.Orphans, all.Notices = r.Targets[9].Drift, r.Targets[10].Orphans, r.Targets[1].Notices
	all.Problems = []verify.ProcessProblem{{Problem: verify.Problem{ID: "x", Severity: "info", Count: 1, N: 1, Seq: 1, T: 1, Title: "t", Detail: "d", Breaks: "b"}}}
	return r
}

func TestJSONMatchesSchema(t *testing.T) {
	schema := compile(t, SmokeSchema())
	bare := empty()
	bare.Targets[0].Cause, bare.Targets[0].Phase, bare.Targets[1].Phase = verify.CauseConnect, verify.PhaseConnect, verify.PhaseDone
	for name, r := range map[string]*verify.Report{"none": {}, "empty": bare, "sample": sample(), "full": full()} {
		require.NoError(t, validate(t, schema, document(t, r)), name)
		require.Equal(t, 1, bytes.Count(document(t, r), []byte("\n")), name)
	}

	wrong := sample()
	wrong.Targets[0].Cause = verify.CauseStart
	require.Error(t, validate(t, schema, document(t, wrong)), "a passed target has no cause")
	wrong.Targets[0].OK, wrong.Targets[0].Cause = false, "bad luck"
	require.Error(t, validate(t, schema, document(t, wrong)), "unknown cause")
	require.Error(t, validate(t, schema, []byte(`{"mcpdbg_smoke":1}`)))
}

func TestLinesMatchSchema(t *testing.T) {
	schema := compile(t, LineSchema())
	text := lines(t, full())
	all := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	require.Len(t, all, len(full().Targets)+2)
	for _, line := range all {
		require.NoError(t, validate(t, schema, line))
	}
	golden(t, "smoke.jsonl", lines(t, sample()))
	for _, wrong := range []string{
		`{"mcpdbg_smoke":1,"line":"start"}`, `{"mcpdbg_smoke":1,"line":"target","index":1}`, `{"mcpdbg_smoke":1,"line":"end"}`, `{"mcpdbg_smoke":1}`,
	} {
		require.Error(t, validate(t, schema, []byte(wrong)), wrong)
	}
}

func TestJSONGolden(t *testing.T) {
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, document(t, sample()), "", " "))
	golden(t, "smoke.json", pretty.Bytes())
}

func TestJSONKeepsTexts(t *testing.T) {
	const said = "a\x1b[2J\u009b\u202e\U000e0041 \u007f é 😀"
	r := &verify.Report{Targets: []verify.Result{{Message: said}}}
	text := document(t, r)
	var back SmokeV1
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, said, back.Targets[0].Message)
	require.Contains(t, string(text), `a\u001b[2J\u009b\u202e\udb40\udc41 \u007f é 😀`)
}

// TestEveryMemberIsDescribed checks that every member is in the schema and in
// the document for people.
func TestEveryMemberIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/smoke.md")
	require.NoError(t, err)
	require.Equal(t, 12, described(t, reflect.TypeFor[SmokeV1](), string(smokeSchema), string(page)))
	for _, cause := range causes {
		require.Contains(t, string(smokeSchema), `"`+string(cause)+`"`)
		require.Contains(t, string(page), "`"+string(cause)+"`")
	}
	page, err = os.ReadFile("../../../docs/reference/report.md")
	require.NoError(t, err)
	require.Equal(t, 22, described(t, reflect.TypeFor[verify.Report](), string(reportSchema), string(page)))
}

// described returns the number of types.
func described(t *testing.T, of reflect.Type, schema, page string) int {
	t.Helper()
	types := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || types[typ] || !strings.HasPrefix(typ.PkgPath(), "mcpdbg/") {
			return
		}
		types[typ] = true
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if !typ.Field(i).IsExported() || name == "-" {
				continue
			}
			if name != "" {
				require.Contains(t, schema, `"`+name+`": {`, typ)
				require.Contains(t, page, "`"+name+"`", typ)
			}
			look(typ.Field(i).Type)
		}
	}
	look(of)
	return len(types)
}

func TestReportMatchesSchema(t *testing.T) {
	schema := compile(t, Schema())
	for name, r := range map[string]*verify.Report{"sample": sample(), "full": full(), "check": ofCheck()} {
		r.Version, r.Command = 2, cmp.Or(r.Command, "smoke")
		r.Settle()
		text := written(t, func(w io.Writer) error { return Version2(w, r) })
		require.NoError(t, validate(t, schema, text), name)
		r.Targets[0].Outcome = "fine"
		require.Error(t, validate(t, schema, written(t, func(w io.Writer) error { return Version2(w, r) })), name)
	}
}
