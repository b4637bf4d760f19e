package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// Four rounds here, a hundred with -tags long.
func TestKilledWhileRecording(t *testing.T) {
	t.Parallel()
	killRecordings(t, 4)
}

// killRecordings kills the program while it records a flood at full speed, each
// time a little later, and compares the recording with the printed lines. Every
// second recording is in parts.
func killRecordings(t *testing.T, rounds int) {
	torn, parts := 0, 0
	for round := range rounds {
		record := filepath.Join(t.TempDir(), "r.jsonl")
		flags := []string{"run", "--era", "legacy", "--json", "--record", record}
		if round%2 == 1 {
			flags = append(flags, "--max-part", "64K")
		}
		w := clitest.Watch(t, clitest.Program(t, clitest.Against("flood:10000000x205", flags...)...))
		w.Until(`"state":"ready"`)
		var printed []byte // the last complete line
		for lines := 0; ; lines++ {
			if lines == 97*round {
				require.NoError(t, w.Cmd.Process.Kill())
			}
			line, err := w.Out.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			printed = line
		}
		require.Error(t, w.Cmd.Wait())
		files, cut := requireRecordsPrinted(t, record, printed)
		if cut {
			torn++
		}
		parts = max(parts, files)
	}
	t.Logf("%d of %d had a torn last line, and at most %d parts", torn, rounds, parts)
	require.Greater(t, parts, 1)
}

// requireRecordsPrinted fails if a line of a recording is broken, or if the last
// printed line is not in it. It returns how many files it has, and whether the
// last one ends in a torn line.
func requireRecordsPrinted(t *testing.T, record string, printed []byte) (files int, torn bool) {
	t.Helper()
	found := false
	for n := 1; ; n++ {
		data, err := os.ReadFile(recordings.PartPath(record, n))
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		require.NoError(t, err)
		require.False(t, torn, "only the last file may end in a torn line")
		files = n
		for line := range bytes.Lines(data) {
			if torn = line[len(line)-1] != '\n'; !torn {
				require.True(t, json.Valid(line), "%.200s", line)
			}
		}
		found = found || bytes.Contains(data, append([]byte("\n"), printed...))
	}
	require.True(t, found, "the recording is behind what was printed: %.200s", printed)

	r, err := recordings.Open(record)
	require.NoError(t, err)
	defer r.Close()
	require.Zero(t, r.Warnings())
	require.Equal(t, session.RecordingTorn, r.Stats().Recording)
	rows := make([]session.Row, r.Len())
	for i, row := range rows[:r.Rows(0, rows)] {
		e, err := r.Entry(row, 0)
		require.NoError(t, err)
		require.EqualValues(t, i+1, e.N)
	}
	return files, torn
}
