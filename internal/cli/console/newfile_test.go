package console

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewFile: a file gets its name when it is complete, and an existing file
// stays until then.
func TestNewFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken off")
	for _, c := range []struct {
		name, before string
		force        bool
		end          error
		after        string // "" for no file
	}{
		{"made", "", false, nil, "new"},
		{"made by force", "", true, nil, "new"},
		{"replaced", "old", true, nil, "new"},
		{"broken off", "", false, broken, ""},
		{"broken off by force", "old", true, broken, "old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			if c.before != "" {
				require.NoError(t, os.WriteFile(path, []byte(c.before), 0o600))
			}
			out, err := Create(path, c.force)
			require.NoError(t, err)
			_, err = out.WriteString("new")
			require.NoError(t, err)
			now, _ := os.ReadFile(path)
			require.Equal(t, c.before, string(now), "before it is complete")
			require.ErrorIs(t, out.Finish(c.end), c.end)
			now, _ = os.ReadFile(path)
			require.Equal(t, c.after, string(now))
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, left, len(c.after)/3, "nothing else is left")
		})
	}
}

func TestNewFileErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	_, err := Create(path, false)
	require.ErrorContains(t, err, "not overwritten")
	_, err = Create(dir, true)
	require.ErrorContains(t, err, "is a folder")
	_, err = Create(filepath.Join(dir, "none", "out"), false)
	require.ErrorContains(t, err, "cannot create")
	require.NoError(t, os.Link(path, other))
	_, err = Create(other, true, path)
	require.ErrorContains(t, err, "is the input")

	// Another process creates the file first.
	late := filepath.Join(dir, "late")
	out, err := Create(late, false)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(late, []byte("theirs"), 0o600))
	require.ErrorContains(t, out.Finish(nil), "not overwritten")
	theirs, err := os.ReadFile(late)
	require.NoError(t, err)
	require.Equal(t, "theirs", string(theirs))
	require.NoFileExists(t, out.Name())
}

// TestNewFileDevice: a device is written directly, and not replaced.
func TestNewFileDevice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("has no such files")
	}
	out, err := Create(os.DevNull, true)
	require.NoError(t, err)
	require.Error(t, out.Finish(errors.New("broken off")))
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	require.Equal(t, os.ModeDevice|os.ModeCharDevice, info.Mode().Type())
}

func TestSafeWriterKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	const text = "a\x1bé\nb\u202e世\n\nend 🙂"
	var whole bytes.Buffer
	_, err := (&safeWriter{w: &whole}).Write([]byte(text))
	require.NoError(t, err)
	var pieces bytes.Buffer
	w := &safeWriter{w: &pieces}
	for i := range len(text) {
		n, err := w.Write([]byte(text[i : i+1]))
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.Equal(t, whole.String(), pieces.String())
	require.Equal(t, 3, strings.Count(whole.String(), "\n"))
	require.Contains(t, whole.String(), "end 🙂")
}
