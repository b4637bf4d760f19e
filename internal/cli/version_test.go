package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuildWords(t *testing.T) {
	t.Parallel()
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "3196ee6a5d0c1e2f3a4b5c6d7e8f901234567890"}
	date := debug.BuildSetting{Key: "vcs.time", Value: "2026-11-22T14:45:46Z"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	require.Empty(t, buildWords(nil))
	require.Empty(t, buildWords([]debug.BuildSetting{{Key: "GOOS", Value: "linux"}, clean}))
	require.Equal(t, " commit 3196ee6a5d0c 2026-11-22T14:45:46Z", buildWords([]debug.BuildSetting{date, commit, clean}))
	require.Equal(t, " commit 3196ee6a5d0c+changes 2026-11-22T14:45:46Z", buildWords([]debug.BuildSetting{commit, date, changed}))
}
