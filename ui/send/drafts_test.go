package send

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
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
	require.Equal(t, "1", both.of("one").Text)
	require.Equal(t, "2", both.of("two").Text)

	for i := range 100 {
		both.set(fmt.Sprint(i), strings.Repeat("x", kit.MaxDraft))
	}
	both.set("too long", strings.Repeat("x", kit.MaxDraft+1))
	for i := range 2 * maxSent {
		both.sent("two", fmt.Sprint(i))
	}
	require.Len(t, both.of("two").Sent, maxSent)
	require.Empty(t, both.of("too long").Text)
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

// TestDraftsSurvive checks that drafts are there when the program starts again.
func TestDraftsSurvive(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "drafts")
	again := func(test composerTest) {
		x := &uitest.Server{Serve: uitest.OffersAndEchoes, Capabilities: uitest.AllCapabilities}
		uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) {
			r := newComposerRoom(h, folder)
			test(t, r, x)
			require.NoError(t, r.pane.End())
		})
	}
	again(func(t *testing.T, r *composerRoom, _ *uitest.Server) {
		r.fill()
		r.Write("sent")
		r.Do("form-send")
		r.fill()
		r.Write(" and not")
		r.Do("form-compose-view", "compose-view")
		r.pane.Text().SetValue("a message")
		r.Do("compose-view")
		r.pane.Text().SetValue(`\xff`)
		r.Do("close-composer")
	})
	again(func(t *testing.T, r *composerRoom, _ *uitest.Server) {
		r.Do("compose")
		require.Equal(t, "a message", r.pane.Text().Value())
		require.Regexp(t, `not JSON · kept from [-0-9: ]+, f6 clears`, r.Text(), "it is said that the text is old")
		r.Do("compose-view")
		require.Equal(t, `\xff`, r.pane.Text().Value())
		r.Do("close-composer")
		r.fill()
		require.Equal(t, `{"text":"sent and not","times":1}`, r.arguments())
		require.Regexp(t, ` · kept from [-0-9: ]+, f6 clears`, r.Text())
		r.Do("form-compose-older")
		require.Equal(t, `{"text":"sent","times":1}`, r.arguments())
	})
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err := files[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	dir, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), dir.Mode().Perm())
}

// TestDraftsAreSaved checks that drafts are saved a while after the last key, without
// closing anything.
func TestDraftsAreSaved(t *testing.T) {
	folder := t.TempDir()
	uitest.Live(t, &uitest.Server{Serve: uitest.Echo}, 120, 36, func(t *testing.T, h *uitest.Host) {
		r := newComposerRoom(h, folder)
		r.KeepTime()
		r.Do("compose")
		r.Write("x")
		time.Sleep(2 * time.Second)
		r.Arrive()
		require.Equal(t, `{"jsonrpc":"2.0","id":"ui-1","method":"tools/list"}x`, NewComposer(r.Context().Workspace, ComposerOptions{Drafts: folder}).Text().Value())
	})
}
