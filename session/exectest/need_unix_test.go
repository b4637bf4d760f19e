//go:build unix

package exectest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLacking is run by TestNeed in another process.
func TestLacking(t *testing.T) {
	if os.Getenv("EXECTEST_LACKING") != "" {
		Need(t, "no-such-program")
	}
}

func TestNeed(t *testing.T) {
	require.NotEmpty(t, Need(t, "sh"))
	t.Setenv("EXECTEST_LACKING", "1")
	for ci, verdict := range map[string]string{"": "--- SKIP", "true": "--- FAIL"} {
		t.Setenv("CI", ci)
		out, err := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestLacking$").CombinedOutput()
		require.Equal(t, ci == "true", err != nil)
		require.Contains(t, string(out), verdict)
		require.Contains(t, string(out), "no-such-program is not installed")
	}
}
