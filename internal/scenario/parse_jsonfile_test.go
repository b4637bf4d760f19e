package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJSONFile checks that random JSON keeps its value.
func TestJSONFile(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		text := anyJSON(random, 4)
		p := newParser("f.json")
		root := jsonDocument([]byte(`{"a":` + text + `}`))
		require.NotNil(t, root, text)
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, []byte(`{"a":`+text+`}`)))
		require.Equal(t, want.String(), string(p.value(root, false)))
		require.Empty(t, p.errs)
	}
}

// anyJSON returns a random JSON value with whitespace.
func anyJSON(random *rand.Rand, depth int) string {
	space := []string{"", " ", "\n", "\t "}[random.IntN(4)]
	kind := random.IntN(6)
	if depth == 0 {
		kind = random.IntN(4)
	}
	if kind < 4 {
		return space + []string{"-1.50", "12", `"}, 3"`, "null"}[kind]
	}
	var parts []string
	for i := range random.IntN(4) {
		part := anyJSON(random, depth-1)
		if kind == 4 {
			part = fmt.Sprintf("%s%q:%s", space, fmt.Sprint("n", i), part)
		}
		parts = append(parts, part)
	}
	all := strings.Join(parts, space+",") + space
	if kind == 4 {
		return "{" + all + "}"
	}
	return "[" + all + "]"
}

// TestPlacesInAJSONFile checks the place of a mistake after closing brackets.
func TestPlacesInAJSONFile(t *testing.T) {
	_, err := Parse("f.json", []byte("{\"scenario\":1,\"steps\":[{\"call\":\"a\",\"params\":{\"b\":[{}]}},\n {\"call\": 5}]}"))
	require.ErrorContains(t, err, "f.json:2:11: call must be text, not 5")
}
