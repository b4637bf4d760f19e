package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings"
)

// All commands treat a recording in parts as a single one.
func TestRecordingInParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	record := filepath.Join(folder, "r.jsonl")
	run(t, against("flood-now:1000x205", "run", "--raw", "--quiet", "--max-part", "64K", "--record", record)...)
	require.FileExists(t, recordings.PartPath(record, 3))

	var list []rec.Listed
	r := run(t, "rec", "ls", "--json", folder)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &list), r.stdout)
	require.Len(t, list, 1)
	require.Equal(t, "done", list[0].State)
	require.Greater(t, list[0].Size, int64(200_000))
	require.Zero(t, run(t, "rec", "verify", record).code)
	require.Zero(t, run(t, "rec", "verify", recordings.PartPath(record, 2)).code)
	require.Zero(t, run(t, "diff", record, record).code)

	redacted := filepath.Join(folder, "redacted.jsonl")
	r = run(t, "rec", "redact", record, "-o", redacted)
	require.Zero(t, r.code, r.stderr)
	require.Zero(t, run(t, "rec", "verify", redacted).code)
	require.NoError(t, os.Remove(redacted))

	r = run(t, "rec", "rm", recordings.PartPath(record, 2))
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "part of another recording")
	require.Contains(t, r.stderr, "mcpdbg rec rm "+record)
	require.Zero(t, run(t, "rec", "rm", record).code)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}
