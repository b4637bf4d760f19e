package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCollectionsBeforeFirstFrame reads the runtime's trace of garbage collections,
// which is on the screen too. One may happen before main runs.
func TestCollectionsBeforeFirstFrame(t *testing.T) {
	t.Parallel()
	cmd := program(t, against("never-answers")...)
	cmd.Env = append(cmd.Env, "GODEBUG=gctrace=1")
	r := startInPty(t, cmd, 120, 36)
	r.until(t, "Exchanges")
	shown := r.Shown()
	r.end(t)
	require.NotContains(t, shown, "gc 2 @")
}
