package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/testhome"
)

// asProgram is set for processes of the test binary that are to be mcpdbg.
const asProgram = "MCPDBG_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	testhome.Main(m)
}

// program returns a function that runs a command in a folder of its own, in which
// the command mcpdbg is this program. It returns exit code, stdout and stderr.
func program(t *testing.T) func(name string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs links to programs")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(dir, "mcpdbg")))
	env := append(os.Environ(), asProgram+"=1", "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	return func(name string, args ...string) (int, string, string) {
		t.Helper()
		path := name
		if name == "mcpdbg" {
			path = filepath.Join(dir, name)
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = env, &stdout, &stderr
		if err := cmd.Run(); err != nil {
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
		}
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
}
