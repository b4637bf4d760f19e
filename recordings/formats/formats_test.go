package formats_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/formats"
)

func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.md")
	text := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, failed := io.WriteString(w, text)
			return errors.Join(failed, err)
		}
	}
	require.ErrorIs(t, formats.WriteFile(path, false, text("half", io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF)
	require.NoFileExists(t, path)
	require.NoError(t, formats.WriteFile(path, false, text("one", nil)))
	require.ErrorIs(t, formats.WriteFile(path, false, text("two", nil)), fs.ErrExist)
	requireText(t, path, "one")
	require.Error(t, formats.WriteFile(path, true, text("half", io.ErrUnexpectedEOF)))
	requireText(t, path, "one")
	require.NoError(t, formats.WriteFile(path, true, text("two", nil)))
	requireText(t, path, "two")
	require.Error(t, formats.WriteFile(filepath.Join(folder, "no", "a.md"), false, text("", nil)))
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file stays")
}

func requireText(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}
