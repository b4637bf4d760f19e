package formats

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
)

// TestOmits: the number of entries without room is reported, and nothing without any.
func TestOmits(t *testing.T) {
	s := Selection{Source: rectest.Session(t, rectest.Started, `> {"jsonrpc":"2.0","id":1,"method":"a"}`)}
	s.Omits = func(entries int) { t.Errorf("omits %d", entries) }
	require.NoError(t, writeMarkdown(t.Context(), io.Discard, s))
	require.NoError(t, writeHTML(t.Context(), io.Discard, s))

	lines := []string{rectest.Started}
	for id := range 600 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"a"}`, id))
	}
	omitted := 0
	s = Selection{Source: rectest.Session(t, lines...), Omits: func(entries int) { omitted = entries }}
	require.NoError(t, writeMarkdown(t.Context(), io.Discard, s))
	require.GreaterOrEqual(t, omitted, 100)
	omitted = 0
	require.NoError(t, s.page(t.Context(), io.Discard, 4<<10))
	require.Greater(t, omitted, 100)
}
