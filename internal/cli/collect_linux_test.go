package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// TestCollectionsBeforeFirstFrame reads the runtime's trace of garbage collections,
// which is on the screen too. One may happen before main runs.
func TestCollectionsBeforeFirstFrame(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("never-answers")...)
	cmd.Env = append(cmd.Env, "GODEBUG=gctrace=1")
	r := startInPty(t, cmd, 120, 36)
	r.until(t, "2 Calls")
	shown := r.Shown()
	r.end(t)
	require.NotContains(t, shown, "gc 2 @")
}
