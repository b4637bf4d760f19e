package recordings

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithoutSecrets(t *testing.T) {
	for line, want := range map[string]string{
		`{"mcpdbg":1,"id":"x"}` + "\n": `{"mcpdbg":1,"id":"x"}` + "\n",
		`{"mcpdbg":1,"secrets":{"salt":"a","digests":[{"name":"]}"}]},"id":"x"}` + "\n": `{"mcpdbg":1,"id":"x"}` + "\n",
		`{"mcpdbg":1,"id":"secrets" , "secrets" : {"salt":"}"} }` + "\n":                `{"mcpdbg":1,"id":"secrets" }` + "\n",
		`{"secrets":{"salt":"a"}, "mcpdbg":1}`:                                          `{ "mcpdbg":1}`,
		`{"argv":["\"secrets\":{}"],"x":{"secrets":1}}`:                                 `{"argv":["\"secrets\":{}"],"x":{"secrets":1}}`,
		`["secrets"]`:                `["secrets"]`,
		`{"mcpdbg":1,"secrets":{`:    `{"mcpdbg":1,"secrets":{`,
		`"secrets" is not an object`: `"secrets" is not an object`,
	} {
		require.Equal(t, want, string(WithoutSecrets([]byte(line))))
	}
}
