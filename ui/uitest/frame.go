package uitest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
)

// Update is the flag -update: files that are compared are written instead.
var Update = flag.Bool("update", false, "write the golden files")

// Plain paints a view on an empty screen, and returns it as text, one line for each
// row of the screen.
func (f *Host) Plain(v host.View) string {
	f.screen.Canvas.Reset(f.screen.Width, f.screen.Height)
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
