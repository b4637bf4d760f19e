package ui

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/composer"
)

// TestDraftsSurvive checks that drafts are there when the program starts again.
func TestDraftsSurvive(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "drafts")
	again := func(test func(t *testing.T, d *driver)) {
		synctest.Test(t, func(t *testing.T) {
			s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) {
				if !offers(p, m) {
					echo(p, m)
				}
			})
			x.capabilities = allCapabilities
			require.NoError(t, s.Open(t.Context()))
			d := drive(t, Options{Session: s, Title: "fake (local)", Drafts: folder}, 120, 36)
			test(t, d)
			require.NoError(t, endDrafts(d.App))
		})
	}
	again(func(t *testing.T, d *driver) {
		d.fill()
		d.write("sent")
		d.do("form-send")
		d.fill()
		d.write(" and not")
		d.do("form-compose-whole")
		d.visible.composer.Text().SetValue("a message")
		d.do("compose-view")
		d.visible.composer.Text().SetValue(`\xff`)
		d.do("close-composer")
	})
	again(func(t *testing.T, d *driver) {
		d.do(actCompose)
		require.Equal(t, "a message", d.visible.composer.Text().Value())
		require.Regexp(t, `not JSON  kept from [-0-9: ]+, f6 clears`, d.plain(), "it is said that the text is old")
		d.do("compose-view")
		require.Equal(t, `\xff`, d.visible.composer.Text().Value())
		d.do("close-composer")
		d.fill()
		require.Equal(t, `{"text":"sent and not","times":1}`, d.arguments())
		require.Regexp(t, `valid  kept from [-0-9: ]+, f6 clears`, d.plain())
		d.do("form-compose-older")
		require.Equal(t, `{"text":"sent","times":1}`, d.arguments())
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
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), echo)
		require.NoError(t, s.Open(t.Context()))
		d := drive(t, Options{Session: s, Title: "fake (local)", Drafts: folder}, 120, 36)
		d.keepTime()
		d.do(actCompose)
		d.write("x")
		time.Sleep(2 * time.Second)
		d.arrive()
		require.Equal(t, `{"jsonrpc":"2.0","id":"ui-1","method":"tools/list"}x`, composer.New(d.visible.ws, composer.Options{Drafts: folder}).Text().Value())
	})
}
