//go:build unix

package knownhosts_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

// helperEnv makes this program a process that writes to a file: its value is
// the file, the key, the first host and the number of hosts.
const helperEnv = "KNOWNHOSTS_TEST_HELPER"

func TestMain(m *testing.M) {
	if args := os.Getenv(helperEnv); args != "" {
		if err := helper(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// helper adds hosts and prints each one that it added. A limit on file sizes
// simulates a full disk.
func helper(args []string) error {
	file, from, count, limit := args[0], number(args[2]), number(args[3]), number(args[4])
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(args[1]))
	if err != nil {
		return err
	}
	if limit > 0 {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(limit), Max: uint64(limit)}); err != nil {
			return err
		}
	}
	for i := range count {
		if err := knownhosts.Add(context.Background(), file, fmt.Sprint("host-", from+i), 22, key, false); err != nil {
			return err
		}
		fmt.Println(from + i)
	}
	return nil
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func helperCommand(t *testing.T, file string, from, count, limit int) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%d\n%d\n%d", helperEnv, file, ed(t, "host").pub(), from, count, limit))
	cmd.Stderr = os.Stderr
	return cmd
}

func TestAddFromProcesses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "known_hosts")
	const processes, each = 4, 15
	var running []*exec.Cmd
	for i := range processes {
		for range 2 { // two write the same
			cmd := helperCommand(t, file, i*each, each, 0)
			require.NoError(t, cmd.Start())
			running = append(running, cmd)
		}
	}
	for _, cmd := range running {
		require.NoError(t, cmd.Wait())
	}
	requireHosts(t, file, ed(t, "host").PublicKey(), processes*each)
}

// Writers that are killed leave whole lines, and release their lock.
func TestAddKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "known_hosts")
	for i := range 5 {
		cmd := helperCommand(t, file, i*100_000, 100_000, 0)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range 5 {
			require.True(t, lines.Scan())
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		text := content(t, file)
		require.True(t, strings.HasSuffix(text, "\n"))
		require.NoError(t, os.Truncate(file, int64(len(text)-1))) // as some editors do
	}
	require.NoError(t, knownhosts.Add(t.Context(), file, "last", 22, ed(t, "host").PublicKey(), false))
	_, warnings := knownhosts.Load(file)
	require.Empty(t, warnings)
	require.True(t, strings.HasSuffix(content(t, file), "\nlast "+ed(t, "host").pub()+"\n"))
}

// A disk that accepts half of the line leaves the file unchanged.
func TestAddToFullDisk(t *testing.T) {
	t.Parallel()
	before := "a " + ed(t, "other").pub() + "\n"
	file := write(t, before)
	cmd := helperCommand(t, file, 0, 1, len(before)+20)
	var said strings.Builder
	cmd.Stderr = &said
	require.Error(t, cmd.Run())
	require.Contains(t, said.String(), "record host key of host-0: write "+file+": file too large")
	require.Equal(t, before, content(t, file))
}

// lock holds the lock of file until the test ends or release is called.
func lock(t *testing.T, file string) (release func()) {
	f, err := os.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	return func() { _ = f.Close() }
}

func TestAddWaits(t *testing.T) {
	t.Parallel()
	key := ed(t, "host").PublicKey()
	file := write(t, "")
	release := lock(t, file)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, knownhosts.Add(ctx, file, "host", 22, key, false), context.DeadlineExceeded)
	require.Empty(t, content(t, file))

	done := make(chan error, 1)
	go func() { done <- knownhosts.Add(t.Context(), file, "host", 22, key, false) }()
	release()
	require.NoError(t, <-done)
	require.NotEmpty(t, content(t, file))
}

func TestAddKeepsTheFile(t *testing.T) {
	t.Parallel()
	key := ed(t, "host").PublicKey()
	stat := func(file string) os.FileInfo {
		info, err := os.Stat(file)
		require.NoError(t, err)
		return info
	}
	add := func(file string) { require.NoError(t, knownhosts.Add(t.Context(), file, "host", 22, key, false)) }

	t.Run("new", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), ".ssh", "known_hosts")
		add(file)
		require.Equal(t, os.FileMode(0o600), stat(file).Mode())
		require.Equal(t, os.FileMode(0o700), stat(filepath.Dir(file)).Mode().Perm())
	})
	t.Run("mode, owner and inode", func(t *testing.T) {
		file := write(t, "")
		require.NoError(t, os.Chmod(file, 0o644))
		if os.Geteuid() == 0 {
			require.NoError(t, os.Chown(file, 12345, 12345))
		}
		before := stat(file)
		add(file)
		after := stat(file)
		require.Equal(t, before.Mode(), after.Mode())
		require.Equal(t, before.Sys().(*syscall.Stat_t).Uid, after.Sys().(*syscall.Stat_t).Uid)
		require.True(t, os.SameFile(before, after))
	})
	for name, target := range map[string]string{"link": "target", "dangling link": "missing"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "target"), nil, 0o600))
			file := filepath.Join(dir, "known_hosts")
			require.NoError(t, os.Symlink(target, file))
			add(file)
			now, err := os.Readlink(file)
			require.NoError(t, err)
			require.Equal(t, target, now)
			require.NotEmpty(t, content(t, filepath.Join(dir, target)))
		})
	}
}

// A pipe would block a reader forever.
func TestPipe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pipe")
	err := syscall.Mkfifo(file, 0o600)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no pipes with names here")
	}
	require.NoError(t, err)
	_, warnings := knownhosts.Load(file)
	require.Len(t, warnings, 1)
	require.ErrorContains(t, knownhosts.Add(t.Context(), file, "host", 22, ed(t, "host").PublicKey(), false), "not a regular file")
}
