package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// A terminal that changes its size at any moment of the start, as one does that a
// window manager has just opened, is drawn at its last size.
func TestResizeDuringStart(t *testing.T) {
	t.Parallel()
	for round := range 12 {
		r := startInPty(t, clitest.Program(t, clitest.Against("never-answers")...), 20, 5)
		time.Sleep(time.Duration(round) * 5 * time.Millisecond) // no event: anywhere in the start
		require.NoError(t, r.Resize(120, 36))
		r.until(t, "2 Calls")
		r.end(t)
	}
}
