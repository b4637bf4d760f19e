package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpener(t *testing.T) {
	for _, tc := range []struct{ system, env, want, err string }{
		{"linux", "DISPLAY=:0", "xdg-open", ""},
		{"freebsd", "WAYLAND_DISPLAY=wayland-0", "xdg-open", ""},
		{"linux", "", "", "no display: neither DISPLAY nor WAYLAND_DISPLAY is set"},
		{"linux", "SSH_CONNECTION=::1 1 ::1 22", "", "mcpdbg runs over SSH, where no viewer can be shown"},
		{"linux", "SSH_CONNECTION=::1 1 ::1 22\nDISPLAY=localhost:10.0", "xdg-open", ""},
		{"darwin", "", "open", ""},
		{"darwin", "SSH_TTY=/dev/ttys001\nDISPLAY=:0", "", "mcpdbg runs over SSH, where no viewer can be shown"},
		{"windows", "", "rundll32 url.dll,FileProtocolHandler", ""},
	} {
		env := map[string]string{}
		for line := range strings.Lines(tc.env) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			env[name] = value
		}
		argv, err := opener(tc.system, func(name string) string { return env[name] })
		require.Equal(t, tc.want, strings.Join(argv, " "), tc)
		require.Equal(t, tc.err, errorText(err), tc)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestViewerSuffix checks that the beginning of data counts more than its declared
// type, and that nothing is opened that another program could run.
func TestViewerSuffix(t *testing.T) {
	for _, tc := range []struct{ declared, head, want string }{
		{"image/png", "\x89PNG\r\n\x1a\n", ".png"},
		{"text/html", "\x89PNG\r\n\x1a\n", ".png"},
		{"", "%PDF-1.7", ".pdf"},
		{"audio/mpeg", "ID3\x04", ".mp3"},
		{"audio/mpeg", "\xff\xfb\x90\x00", ".mp3"},
		{"Audio/FLAC; rate=44100", "fLaC\x00\x00", ".flac"},
		{"image/png", "#!/bin/sh\nrm -rf ~\n", ""},
		{"image/png", "<html><script>", ""},
		{"image/svg+xml", "<svg onload='x()'/>", ""},
		{"image/png", "[Desktop Entry]\nExec=x\n", ""},
		{"application/x-msdownload", "MZ\x90\x00\x03", ""},
		{"application/zip", "PK\x03\x04", ""},
		{"audio/wav", "", ""},
		{"", "\x00\x01", ""},
	} {
		require.Equal(t, tc.want, ViewerSuffix(tc.declared, []byte(tc.head)), tc)
	}
}

// withOpener installs a shell script as the program that opens files.
func withOpener(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the program that opens files has another name on " + runtime.GOOS)
	}
	dir := t.TempDir()
	if script != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\n"+script), 0o700))
	}
	t.Setenv("PATH", dir)
	t.Setenv("DISPLAY", ":0")
	t.Setenv("TMPDIR", t.TempDir())
}

// TestViewer checks that the data is in a file that only the user can read, that the
// program gets its name as the only argument, and that all files are removed.
func TestViewer(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note")
	withOpener(t, fmt.Sprintf(`printf '%%s %%s' "$#" "$1" > %s`, note))
	var v Viewer
	program, err := v.Open(t.Context(), []byte("sound"), ".wav")
	require.NoError(t, err)
	require.Equal(t, "xdg-open", program)
	text, err := os.ReadFile(note)
	require.NoError(t, err)
	count, name, _ := strings.Cut(string(text), " ")
	require.Equal(t, "1", count)
	require.Equal(t, "part-1.wav", filepath.Base(name))
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "sound", string(data))
	for path, want := range map[string]os.FileMode{name: 0o600, filepath.Dir(name): 0o700} {
		about, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, want, about.Mode().Perm())
	}
	require.NoError(t, v.Close())
	_, err = os.Stat(filepath.Dir(name))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, v.Close())
}

func TestViewerFails(t *testing.T) {
	var v Viewer
	withOpener(t, "exit 3")
	_, err := v.Open(t.Context(), nil, ".png")
	require.EqualError(t, err, "xdg-open: exit status 3")
	require.NoError(t, v.Close())
	withOpener(t, "")
	_, err = v.Open(t.Context(), nil, ".png")
	require.EqualError(t, err, "xdg-open, which opens files, is not installed")
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	_, err = v.Open(t.Context(), nil, ".png")
	require.Error(t, err)
}

// TestViewerKeepsFew checks that the oldest files are removed first.
func TestViewerKeepsFew(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var v Viewer
	var names []string
	for range maxViewed + 2 {
		name, err := v.write(nil, ".png")
		require.NoError(t, err)
		names = append(names, name)
	}
	for i, name := range names {
		_, err := os.Stat(name)
		require.Equal(t, i < 2, errors.Is(err, os.ErrNotExist), name)
	}
	require.NoError(t, v.Close())
}

// TestClipboardSaysWhere checks that the report explains how a text was copied, and how to
// get it if the terminal does not take it.
func TestClipboardSaysWhere(t *testing.T) {
	said := func(name, kind, text, instead string) string {
		result, ok := Clipboard(name, kind, text, instead, false).(Result)
		require.True(t, ok)
		return result.Text
	}
	t.Setenv("TMUX", "")
	require.Equal(t, "sent 2 bytes (URL) to the terminal's clipboard (OSC 52), if the terminal allows it", said("URL", "", "ab", ""))
	require.Equal(t, "sent 2 bytes (.a, jq) to the terminal's clipboard (OSC 52); if it does not arrive: y, ctrl+s writes a file", said(".a", "jq", "ab", "y, ctrl+s writes a file"))
	require.Equal(t, "sent 78.1K (message) to the terminal's clipboard (OSC 52); many terminals accept only 74K", said("message", "", strings.Repeat("x", 80_000), "y"))
	t.Setenv("TMUX", "/tmp/tmux-0/default,1,0")
	require.Equal(t, `sent 2 bytes (message) to the terminal's clipboard (OSC 52); tmux needs "set-clipboard on"`, said("message", "", "ab", "y"))
}

func TestPasteable(t *testing.T) {
	require.Equal(t, `{"a":"é漢"}`, pasteable(`{"a":"é漢"}`))
	require.Equal(t, "[201~rm\t", pasteable("\x1b[201~rm\t\r\n\u009b\u202e\xff"))
}
