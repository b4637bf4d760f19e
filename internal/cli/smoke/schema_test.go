package smoke_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// The output of smoke matches its published schema.
func TestSmokeMatchesSchema(t *testing.T) {
	t.Parallel()
	parse := func(text string) any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		require.NoError(t, err, "%s", text)
		return doc
	}
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("smoke", parse(clitest.Run(t, "schema", "smoke").Stdout)))
	schema, err := c.Compile("smoke")
	require.NoError(t, err)
	for _, fault := range []string{"", "stray-text", "dies-at-start"} {
		r := clitest.Run(t, clitest.Against(fault, "smoke", "--no-record", "--json")...)
		require.NoError(t, schema.Validate(parse(r.Stdout)), "%s", r.Stdout)
	}
}
