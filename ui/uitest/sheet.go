package uitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
)

// A Sheet collects frames for one golden file.
type Sheet struct{ text strings.Builder }

// Add adds a frame under a name.
func (s *Sheet) Add(name, frame string) { fmt.Fprintf(&s.text, "-- %s --\n%s\n", name, frame) }

// Golden compares the frames with a file in testdata.
func (s *Sheet) Golden(t *testing.T, name string) {
	t.Helper()
	Golden(t, name, strings.TrimSuffix(s.text.String(), "\n"))
}

// EverySize paints the open views at many sizes, from the smallest at which the shell
// shows them, and checks the frames.
func (r *Room) EverySize() {
	r.T.Helper()
	w, h := r.screen.Width, r.screen.Height
	for width := 40; width < 200; width += 23 {
		for height := 10; height < 50; height += 11 {
			r.Resize(width, height)
			RequireExact(r.T, r.Frame(), width, height)
		}
	}
	r.Resize(w, h)
}

// Update is the flag -update: files that are compared are written instead.
var Update = flag.Bool("update", false, "write the golden files")

// Plain paints a view on an empty screen as text, one line for each row.
func (f *Host) Plain(v host.View) string {
	f.screen.Begin()
	v.Draw(f.Context())
	return ansi.Strip(f.screen.Canvas.String())
}

// Golden compares a frame with a file in testdata; with -update it writes the file.
func Golden(t *testing.T, name, frame string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *Update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(frame+"\n"), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test -update writes golden files")
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(frame+"\n", "\n"))
}
