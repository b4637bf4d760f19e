package knownhosts_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

func content(t testing.TB, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

func TestLine(t *testing.T) {
	key := ed(t, "host")
	line := knownhosts.Line
	require.Equal(t, "host.example "+key.pub(), line("Host.Example", 22, key.PublicKey(), false))
	require.Equal(t, "host "+key.pub(), line("host", 0, key.PublicKey(), false))
	require.Equal(t, "[host]:2222 "+key.pub(), line("host", 2222, key.PublicKey(), false))
	require.Equal(t, "::1 "+key.pub(), line("::1", 22, key.PublicKey(), false))
	require.Equal(t, "[fe80::1%eth0]:2222 "+key.pub(), line("fe80::1%eth0", 2222, key.PublicKey(), false))
	require.Equal(t, "host "+key.pub(), line("host", 22, certify(t, ed(t, "ca"), key, nil), false))

	hashed := line("Host", 22, key.PublicKey(), true)
	require.Regexp(t, `^\|1\|[^|]{28}\|[^|]{28} ssh-ed25519 \S+$`, hashed)
	require.NotEqual(t, hashed, line("Host", 22, key.PublicKey(), true), "the salt is the same")

	for _, host := range []string{
		"", "a b", "a\tb", "a\nb", "a,b", "*", "a?", "!a", "|1|a", "#a", "@revoked", "[a]", "a\x00", "a\x7f", strings.Repeat("a", 1020),
	} {
		for _, hash := range []bool{false, true} {
			require.Empty(t, line(host, 22, key.PublicKey(), hash), "%q", host)
		}
	}
}

func TestAdd(t *testing.T) {
	key, other := ed(t, "host"), ed(t, "other")
	for _, c := range []struct{ name, before, after string }{
		{"empty file", "", "LINE"},
		{"last line without newline", "a " + other.pub(), "a " + other.pub() + "\nLINE"},
		{"last line with newline", "a " + other.pub() + "\n", "a " + other.pub() + "\nLINE"},
		{"half a line", "a ssh-ed25519 AAA", "a ssh-ed25519 AAA\nLINE"},
		{"another host has the key", "a " + key.pub() + "\n", "a " + key.pub() + "\nLINE"},
		{"already there", "host " + key.pub(), "host " + key.pub()},
		{"already there, as a pattern", "h* " + key.pub(), "h* " + key.pub()},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, c.before)
			require.NoError(t, knownhosts.Add(t.Context(), file, "host", 22, key.PublicKey(), false))
			require.Equal(t, strings.ReplaceAll(c.after, "LINE", "host "+key.pub()+"\n"), content(t, file))
		})
	}
	t.Run("no file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "a", ".ssh", "known_hosts")
		require.NoError(t, knownhosts.Add(t.Context(), file, "host", 2222, key.PublicKey(), true))
		require.Regexp(t, `^\|1\|`, content(t, file))
		db, warnings := knownhosts.Load(file)
		require.Empty(t, warnings)
		require.NoError(t, db.Check("host", 2222, key.PublicKey()))
		require.Equal(t, "unknown", kind(db.Check("host", 22, key.PublicKey())))
	})
	t.Run("certificate", func(t *testing.T) {
		// The plain key is recorded, even if the certificate is valid.
		file := write(t, "@cert-authority * "+ed(t, "ca").pub()+"\n")
		require.NoError(t, knownhosts.Add(t.Context(), file, "host", 22, certify(t, ed(t, "ca"), key, nil), false))
		require.Contains(t, content(t, file), "\nhost "+key.pub()+"\n")
	})
	t.Run("nowhere", func(t *testing.T) {
		require.NoError(t, knownhosts.Add(t.Context(), os.DevNull, "host", 22, key.PublicKey(), false))
	})
}

// Only unknown keys are written.
func TestAddRefuses(t *testing.T) {
	key := ed(t, "host")
	add := func(t *testing.T, text, host string) error {
		file := write(t, text)
		err := knownhosts.Add(t.Context(), file, host, 22, key.PublicKey(), false)
		require.Error(t, err)
		require.Equal(t, text, content(t, file))
		return err
	}
	var changed *knownhosts.ChangedError
	require.ErrorAs(t, add(t, "host "+ed(t, "other").pub()+"\n", "host"), &changed)
	require.Equal(t, 1, changed.Line)
	var revoked *knownhosts.RevokedError
	require.ErrorAs(t, add(t, "@revoked * "+key.pub()+"\n", "host"), &revoked)
	require.EqualError(t, add(t, "", "a,b\n"), `record host key of "a,b\n": not a name that known_hosts can hold`)

	dir := t.TempDir()
	require.Error(t, knownhosts.Add(t.Context(), dir, "host", 22, key.PublicKey(), false))
	require.Error(t, knownhosts.Add(t.Context(), filepath.Join(write(t, ""), "known_hosts"), "host", 22, key.PublicKey(), false))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := write(t, "")
	require.ErrorIs(t, knownhosts.Add(ctx, file, "host", 22, key.PublicKey(), false), context.Canceled)
	require.Empty(t, content(t, file))
}

// Each of many goroutines adds its line to the file, once and whole.
func TestAddFromGoroutines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known_hosts")
	key := ed(t, "host").PublicKey()
	const hosts = 40
	var wg sync.WaitGroup
	for i := range hosts {
		for range 2 {
			wg.Go(func() {
				if err := knownhosts.Add(t.Context(), file, fmt.Sprint("host-", i), 22, key, i%2 == 0); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	requireHosts(t, file, key, hosts)
}

// requireHosts requires host-0 and so on in file, a line each and nothing else.
func requireHosts(t *testing.T, file string, key ssh.PublicKey, n int) {
	t.Helper()
	require.Equal(t, n, strings.Count(content(t, file), "\n"))
	db, warnings := knownhosts.Load(file)
	require.Empty(t, warnings)
	for i := range n {
		require.NoError(t, db.Check(fmt.Sprint("host-", i), 22, key))
	}
}
