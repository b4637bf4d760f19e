package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewFile: a file is there when it is whole, and what was there before
// until then.
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
			out, err := createNew(path, c.force)
			require.NoError(t, err)
			_, err = out.WriteString("new")
			require.NoError(t, err)
			now, _ := os.ReadFile(path)
			require.Equal(t, c.before, string(now), "before it is whole")
			require.ErrorIs(t, out.finish(c.end), c.end)
			now, _ = os.ReadFile(path)
			require.Equal(t, c.after, string(now))
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, left, len(c.after)/3, "nothing else stays")
		})
	}
}

func TestNewFileRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	_, err := createNew(path, false)
	require.ErrorContains(t, err, "not overwritten")
	_, err = createNew(dir, true)
	require.ErrorContains(t, err, "is a folder")
	_, err = createNew(filepath.Join(dir, "none", "out"), false)
	require.ErrorContains(t, err, "can't be made")
	require.NoError(t, os.Link(path, other))
	_, err = createNew(other, true, path)
	require.ErrorContains(t, err, "what is read here")

	// Somebody else is faster.
	late := filepath.Join(dir, "late")
	out, err := createNew(late, false)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(late, []byte("theirs"), 0o600))
	require.ErrorContains(t, out.finish(nil), "not overwritten")
	theirs, err := os.ReadFile(late)
	require.NoError(t, err)
	require.Equal(t, "theirs", string(theirs))
	require.NoFileExists(t, out.Name())
}

// TestNewFileThatIsADevice is written as it is, and stays.
func TestNewFileThatIsADevice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("has no such files")
	}
	out, err := createNew(os.DevNull, true)
	require.NoError(t, err)
	require.Error(t, out.finish(errors.New("broken off")))
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	require.Equal(t, os.ModeDevice|os.ModeCharDevice, info.Mode().Type())
}

// TestCommandsOnRecordingsEnd: what reads a recording ends when a signal comes,
// says so by its exit code, and leaves no file.
func TestCommandsOnRecordingsEnd(t *testing.T) {
	t.Parallel()
	const file = lintFixtures + "healthy-legacy.jsonl"
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"info", file}, {"verify", file}, {"ls", lintFixtures}, {"cat", file}, {"cat", file, "--filter", "err"},
		{"redact", file, "-o", out}, {"redact", file, "-o", out, "--identity"}, {"redact", file, "--dry-run"},
		{"export", file, "-o", out, "--format", "jsonl"}, {"export", file, "-o", out, "--format", "html"},
	} {
		r := endedProcess(t, append([]string{"rec"}, args...)...)
		require.Equal(t, 128+int(syscall.SIGINT), r.code, "%v: %s", args, r.stderr)
		require.Empty(t, r.stdout, "%v", args)
		require.NoFileExists(t, out, "%v", args)
	}
	r := endedProcess(t, "diff", file, file)
	require.Equal(t, 128+int(syscall.SIGINT), r.code, r.stderr)
}

// endedProcess is inProcess after a signal.
func endedProcess(t *testing.T, args ...string) result {
	t.Helper()
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(&signalError{syscall.SIGINT})
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}
	code := a.run(ended, args)
	return result{code, stdout.String(), stderr.String()}
}
