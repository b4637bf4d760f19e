package secret

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// testKey returns a new key.
func testKey(t *testing.T) *Key {
	key, err := EnsureKey(filepath.Join(t.TempDir(), "digest.key"))
	require.NoError(t, err)
	return key
}

func TestEnsureKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "digest.key")
	_, err := ReadKey(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	key, err := EnsureKey(path)
	require.NoError(t, err)
	again, err := EnsureKey(path)
	require.NoError(t, err)
	require.Equal(t, key, again)
	require.NotEqual(t, key.ID, testKey(t).ID)
	require.NotContains(t, key.ID, string(key.bytes))
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.Equal(t, fs.FileMode(0o600), info.Mode())
	}
	all, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, all, 1, "no temporary file stays")

	require.NoError(t, os.WriteFile(path, []byte("short"), 0o600))
	_, err = EnsureKey(path)
	require.ErrorContains(t, err, "not a key: 5 bytes instead of 32")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = EnsureKey(filepath.Join(file, "digest.key"))
	require.Error(t, err, "no folder can be made there")
}

// keyPath is the variable with which the test binary makes a key, and prints its id.
const keyPath = "MCPDBG_TEST_KEY_PATH"

func TestMain(m *testing.M) {
	path := os.Getenv(keyPath)
	if path == "" {
		os.Exit(m.Run())
	}
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until all processes run
	key, err := EnsureKey(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Print(key.ID)
}

// Processes that make the key at once all get the same one.
func TestEnsureKeyRace(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "state", "digest.key")
	begin, start, err := os.Pipe()
	require.NoError(t, err)
	ids := make(chan string)
	const processes = 4
	for range processes {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), keyPath+"="+path)
		cmd.Stdin = begin
		go func() {
			out, err := cmd.CombinedOutput()
			ids <- fmt.Sprint(string(out), err)
		}()
	}
	require.NoError(t, start.Close()) // all of them read the end
	first := <-ids
	for range processes - 1 {
		require.Equal(t, first, <-ids)
	}
	require.NoError(t, begin.Close())
	key, err := ReadKey(path)
	require.NoError(t, err)
	require.Equal(t, key.ID+"<nil>", first)
}
