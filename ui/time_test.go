package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/wire"
)

// TestSlowestCall checks that the slowest call is found with three keys.
func TestSlowestCall(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		answersAfter(d, x, 20*time.Millisecond, 3*time.Second, 10*time.Millisecond)
		d.write("t3s")
		require.Equal(t, d.row(`"id":1,"result"`), d.cursor())
		require.Equal(t, wire.Scope, d.visible.scope())
	})
}
