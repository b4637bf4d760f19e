package composer

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
)

// TestDraftsAreBounded checks the limits on the number of drafts, their length
// and their files, and that two programs do not overwrite each other's drafts.
func TestDraftsAreBounded(t *testing.T) {
	folder := t.TempDir()
	header := session.Header{Argv: []string{"a"}}
	one, two := openDrafts(folder, "x", header), openDrafts(folder, "x", header)
	require.NotEqual(t, one.file, openDrafts(folder, "y", header).file)
	one.set("one", "1")
	two.set("two", "2")
	require.NoError(t, one.write(one.snapshot()))
	require.NoError(t, two.write(two.snapshot()))
	require.Nil(t, two.snapshot(), "nothing has changed")
	both := openDrafts(folder, "x", header)
	require.Equal(t, "1", both.text("one"))
	require.Equal(t, "2", both.text("two"))

	for i := range 100 {
		both.set(fmt.Sprint(i), strings.Repeat("x", kit.MaxDraft))
	}
	both.set("too long", strings.Repeat("x", kit.MaxDraft+1))
	for i := range 2 * maxSent {
		both.sent("two", fmt.Sprint(i))
	}
	require.Len(t, both.history("two"), maxSent)
	require.Empty(t, both.text("too long"))
	require.NoError(t, both.write(both.snapshot()))
	info, err := os.Stat(both.file)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(maxDraftsFile))

	for i := range maxDraftsFiles + 10 {
		d := openDrafts(folder, fmt.Sprint(i), header)
		d.set("a", "b")
		require.NoError(t, d.write(d.snapshot()))
	}
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, maxDraftsFiles)

	require.NoError(t, os.WriteFile(both.file, []byte(`{"a":null,"b":5`), 0o600))
	require.Empty(t, openDrafts(folder, "x", header).all, "a broken file is ignored")
}
