package link

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecordsAreReadAgainWhenTheyChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known_hosts")
	files := []string{file, "none"}
	var r records
	missing, warnings := r.load(files)
	require.Empty(t, warnings)
	require.NoError(t, os.WriteFile(file, []byte("nonsense\n"), 0o600))
	first, warnings := r.load(files)
	require.NotSame(t, missing, first)
	require.Len(t, warnings, 1)
	again, warnings := r.load(files)
	require.Same(t, first, again)
	require.Len(t, warnings, 1)
	require.NoError(t, os.WriteFile(file, []byte("# a comment\n"), 0o600))
	changed, warnings := r.load(files)
	require.NotSame(t, first, changed)
	require.Empty(t, warnings)
	other, _ := r.load([]string{"none"})
	require.NotSame(t, changed, other)
}
