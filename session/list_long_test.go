//go:build long

package session_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
)

// TestLongListsAreBounded checks the limit of a list, whose items are all kept
// in memory.
func TestLongListsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, large := 0, strings.Repeat("x", 33<<20)
		h := open(t, legacy(func(p *fakeProcess, m message) {
			n++
			p.result(m, fmt.Sprintf(`{"tools":["%s"],"nextCursor":"%d"}`, large, n))
		}), nil)
		items, err := h.ListAll(t.Context(), mcp.Lists[0])
		require.ErrorContains(t, err, "tools/list: more than 64 MiB")
		require.Len(t, items, 1)
		require.Equal(t, 2, n)
	})
}
