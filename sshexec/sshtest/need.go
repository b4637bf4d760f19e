//go:build unix

package sshtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Need returns the path of a program that the test requires. If it is missing
// the test is skipped, or fails when CI=true. The folders of system programs
// are searched too, which an ordinary user's PATH often lacks.
func Need(t testing.TB, program string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/lib/openssh"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	lack(t, program+" is not installed")
	return ""
}

// NeedRoot is like Need, for root privileges.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		lack(t, "only root can do this")
	}
}

func lack(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// tempDir is like t.TempDir, but other users can read it, and its path is short
// enough for a socket.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sshtest") //nolint:usetesting // t.TempDir is for one user only, and long
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func writeFile(t testing.TB, file, text string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(text), mode))
}
