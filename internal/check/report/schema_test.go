package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/check"
	"mcpdbg/internal/check/report"
)

func TestSchema(t *testing.T) {
	parse := func(data []byte) any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		return doc
	}
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("check", parse(report.Schema())))
	schema, err := c.Compile("check")
	require.NoError(t, err)
	doc, err := json.Marshal(sample())
	require.NoError(t, err)
	require.NoError(t, schema.Validate(parse(doc)))
	wrong := sample()
	wrong.Targets[0].Steps[0].Status = "fine"
	doc, err = json.Marshal(wrong)
	require.NoError(t, err)
	require.Error(t, schema.Validate(parse(doc)))
}

// Every member is in the schema and in docs/reference/check.md.
func TestEveryMemberIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/check.md")
	require.NoError(t, err)
	for _, of := range []any{check.Report{}, check.Result{}, check.Server{}, check.Step{}, check.Problem{}, check.Entry{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			require.Contains(t, string(report.Schema()), `"`+name+`"`, kind)
			require.Contains(t, string(page), "`"+name+"`", kind)
		}
	}
}
