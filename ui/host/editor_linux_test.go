package host_test

import (
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// editWith edits a text with a program, given as EDITOR.
func editWith(t *testing.T, program, text string) (edited string, err error) {
	t.Helper()
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", program)
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 100, 30)
	called := 0
	h.Run(host.Edit(h.Context(), []byte(text), ".json", func(_ host.Context, data []byte, failure error) tea.Cmd {
		called++
		edited, err = string(data), failure
		return nil
	}))
	h.RunProgram()
	require.Equal(t, 1, called)
	return edited, err
}

func TestEdit(t *testing.T) {
	edited, err := editWith(t, `sed -i 's/old/new  text/'`, `{"a":"old"}`)
	require.NoError(t, err)
	require.Equal(t, `{"a":"new  text"}`, edited, "a shell parses the command line")

	_, err = editWith(t, "false", "x")
	require.ErrorContains(t, err, "false: exit status 1")

	_, err = editWith(t, "truncate -s 20M", "x")
	require.ErrorContains(t, err, "longer than 16.0M")
}

// TestEditLeavesNothing checks that only the owner can read the file, and that it
// is removed afterwards.
func TestEditLeavesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "seen")
	t.Setenv("TMPDIR", t.TempDir())
	_, err := editWith(t, `stat -c '%a %n' > `+out+` "$1" "$(dirname "$1")"; true`, "secret")
	require.NoError(t, err)
	seen, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Regexp(t, `^600 .*/mcpdbg-\d+/text\.json\n700 .*/mcpdbg-\d+\n$`, string(seen))
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	require.Empty(t, left)
}
