package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// TestDraftsSurvive: what was written is there when the program starts again.
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
			require.NoError(t, d.endDrafts())
		})
	}
	again(func(t *testing.T, d *driver) {
		d.fill()
		d.write("sent")
		d.do(inForm + actSend)
		d.fill()
		d.write(" and not")
		d.do(inForm+actComposeWhole, actCloseComposer)
		d.composer.area.SetValue("a message")
		d.composer.raw.SetValue(`\xff`)
	})
	again(func(t *testing.T, d *driver) {
		require.Equal(t, "a message", d.composer.area.Value())
		require.Equal(t, `\xff`, d.composer.raw.Value())
		d.fill()
		require.Equal(t, `{"text":"sent and not","times":1}`, d.arguments())
		d.do(inForm + actComposeOlder)
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

// TestDraftsAreSaved: a while after the last key, without anybody closing anything.
func TestDraftsAreSaved(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), echo)
		require.NoError(t, s.Open(t.Context()))
		d := drive(t, Options{Session: s, Title: "fake (local)", Drafts: folder}, 120, 36)
		d.keepTime()
		d.do(actCompose)
		d.write("x")
		time.Sleep(draftsAfter)
		d.arrive()
		require.Equal(t, `{"jsonrpc":"2.0","id":"ui-1","method":"tools/list"}x`, openDrafts(folder, "fake (local)", s.Log().Header()).text(draftMessage))
	})
}

// TestDraftsAreBounded: in their number, their length, and their files; two
// programs do not take each other's away.
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
		both.set(fmt.Sprint(i), strings.Repeat("x", maxDraft))
	}
	both.set("too long", strings.Repeat("x", maxDraft+1))
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
	require.Empty(t, openDrafts(folder, "x", header).all, "a file that is broken is as if it were not there")
}
