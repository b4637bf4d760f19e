package rec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings"
)

// All commands treat a recording in parts as a single one.
func TestRecordingInParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	record := filepath.Join(folder, "r.jsonl")
	clitest.Run(t, clitest.Against("flood-now:1000x205", "run", "--raw", "--quiet", "--max-part", "64K", "--record", record)...)
	require.FileExists(t, recordings.PartPath(record, 3))

	var list []rec.Listed
	r := clitest.Run(t, "rec", "ls", "--json", folder)
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &list), r.Stdout)
	require.Len(t, list, 1)
	require.Equal(t, "done", list[0].State)
	require.Greater(t, list[0].Size, int64(200_000))
	require.Zero(t, clitest.Run(t, "rec", "verify", record).Code)
	require.Zero(t, clitest.Run(t, "rec", "verify", recordings.PartPath(record, 2)).Code)
	require.Zero(t, clitest.Run(t, "diff", record, record).Code)

	redacted := filepath.Join(folder, "redacted.jsonl")
	r = clitest.Run(t, "rec", "redact", record, "-o", redacted)
	require.Zero(t, r.Code, r.Stderr)
	require.Zero(t, clitest.Run(t, "rec", "verify", redacted).Code)
	require.NoError(t, os.Remove(redacted))

	r = clitest.Run(t, "rec", "rm", recordings.PartPath(record, 2))
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "part of another recording")
	require.Contains(t, r.Stderr, "mcpdbg rec rm "+record)
	require.Zero(t, clitest.Run(t, "rec", "rm", record).Code)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}
