package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// TestPruneTap checks that limits apply to the recordings of one name, and to short ones
// apart from the others.
func TestPruneTap(t *testing.T) {
	folder := t.TempDir()
	write := func(day int, file, header string, out int) string {
		name := fmt.Sprintf("202601%02d-100000-%s-%06d.jsonl", day, file, day)
		text := fmt.Sprintf(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-01-%02dT10:00:00Z","placement":"local","argv":["s"],%s}`+"\n", day, header) +
			fmt.Sprintf(`{"n":1,"t":0,"k":"end","entries":1,"counts":{"out":%d}}`+"\n", out)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		return filepath.Join(folder, name)
	}
	const files = `"mode":"tap","name":"files"`
	for day := 1; day <= 4; day++ {
		write(day, "files", files, 9)
		write(day+10, "files", files, 2)
	}
	require.NoError(t, os.WriteFile(NotesPath(write(5, "files", files, 9)), nil, 0o600))
	write(21, "files", `"mode":"tap","name":"Files"`, 9)
	write(22, "files", `"mode":"record"`, 9)
	write(23, "other", `"mode":"tap","name":"other"`, 9)
	newest := write(6, "files", files, 9)
	PruneTap(newest, "files", recordings.Retention{Keep: 3})
	left, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	var days []string
	for _, path := range left {
		days = append(days, strings.TrimLeft(filepath.Base(path)[6:8], "0"))
	}
	require.Equal(t, []string{"4", "5", "6", "12", "13", "14", "21", "22", "23"}, days)
	PruneTap(filepath.Join(folder, "mine.jsonl"), "files", recordings.Retention{Keep: 1})
	left, err = filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, left, len(days), "a recording with a name of its own has no others")
}
