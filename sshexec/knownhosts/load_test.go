package knownhosts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

// An invalid line causes a warning with its position, and other lines are read.
func TestLoadSkips(t *testing.T) {
	key, blob := ed(t, "host").pub(), strings.Fields(ed(t, "host").pub())[1]
	for _, c := range []struct{ name, line, warning string }{
		{"no key type", "bad", "no key type"},
		{"comment for a key type", "bad # " + key, "no key type"},
		{"no key", "bad ssh-ed25519", "no key"},
		{"not base64", "bad ssh-ed25519 ????", "key is not base64"},
		{"wrong padding", "bad ssh-ed25519 " + blob + "=", "key is not base64"},
		{"cut key", "bad ssh-ed25519 " + blob[:40], `unknown or damaged key of type "ssh-ed25519"`},
		{"longer key", "bad ssh-ed25519 " + blob + "AAAA", `unknown or damaged key of type "ssh-ed25519"`},
		{"future type", "bad ssh-\x1b[31mfuture AAAAC3NzaC1lZDI1NTE5", `unknown or damaged key of type "ssh-\x1b[31mfuture"`},
		{"long type", "bad " + strings.Repeat("x", 1000) + " AAAA", `unknown or damaged key of type "` + strings.Repeat("x", 64) + `"`},
		{"type of another key", "bad ssh-rsa " + blob, `key is not of the type "ssh-rsa"`},
		{"certificate", "bad " + string(ssh.MarshalAuthorizedKey(certify(t, ed(t, "ca"), ed(t, "host"), nil))), "a certificate, not a key"},
		{"SSH 1", "bad 1024 35 1234567", "key is not base64"},
		{"unknown marker", "@good bad " + key, "unknown marker"},
		{"two markers", "@revoked @cert-authority bad " + key, "two markers"},
		{"marker alone", "@revoked", "no host name"},
		{"hash of another kind", "|2|abc|def " + key, "bad hashed host name"},
		{"short hash", "|1|abc|def " + key, "bad hashed host name"},
		{"hash not base64", "|1|???????????????????????????=|???????????????????????????= " + key, "bad hashed host name"},
		{"hash without salt", "|1|AAAAAAAAAAAAAAAAAAAAAAAAAAA= " + key, "bad hashed host name"},
		{"zero byte", "bad " + key + "\x00", "line has a zero byte"},
		{"long line", "bad " + key + strings.Repeat(" ", 64<<10), "line is longer than 64 KiB"},
		{"not text", "\xff\xfe\x80 \xff \xff", "key is not base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, "# comment\n\n"+c.line+"\nhost "+key+"\n")
			db, warnings := knownhosts.Load(file)
			require.Equal(t, []knownhosts.Warning{{File: file, Line: 3, Text: c.warning}}, warnings)
			require.NoError(t, db.Check("host", 22, ed(t, "host").PublicKey()))
			require.Equal(t, "unknown", kind(db.Check("bad", 22, ed(t, "host").PublicKey())))
		})
	}
}

// Lines that ssh accepts, although they look odd.
func TestLoadAccepts(t *testing.T) {
	key, rsa := ed(t, "host"), pair(t, "ssh-rsa", "host")
	for name, text := range map[string]string{
		"tabs":          "\t host\t" + strings.ReplaceAll(key.pub(), " ", "\t \t"),
		"CRLF":          "# comment\r\n\r\nhost " + key.pub() + "\r\n",
		"comment":       "host " + key.pub() + " me@here # more\n",
		"no newline":    "host " + key.pub(),
		"name of SHA-2": "host rsa-sha2-256 " + strings.Fields(rsa.pub())[1],
		"empty names":   ",,host, " + key.pub(),
		"not UTF-8":     "host,\xff\xfe " + key.pub() + " \x80",
		"long list":     strings.Repeat("a-name,", 2000) + "host " + key.pub(),
	} {
		t.Run(name, func(t *testing.T) {
			want := key
			if strings.Contains(text, "rsa") {
				want = rsa
			}
			require.NoError(t, load(t, text).Check("host", 22, want.PublicKey()))
		})
	}
}

// With a pattern of 1023 bytes and more ssh ignores the whole line.
func TestLoadLongPattern(t *testing.T) {
	key := ed(t, "host")
	for length, want := range map[int]string{1022: "ok", 1023: "unknown"} {
		text := "host," + strings.Repeat("x", length) + " " + key.pub()
		require.Equal(t, want, kind(load(t, text).Check("host", 22, key.PublicKey())), length)
	}
}

func TestLoadFiles(t *testing.T) {
	key, other := ed(t, "host"), ed(t, "other")
	user := write(t, "host "+other.pub()+"\n")
	global := write(t, "\n@revoked * "+ed(t, "third").pub()+"\nhost "+key.pub()+"\n@revoked host "+ed(t, "third").pub()+"\n")
	missing := filepath.Join(t.TempDir(), "none", "known_hosts")

	db, warnings := knownhosts.Load("", "none", os.DevNull, missing, user, global)
	require.Empty(t, warnings)
	require.NoError(t, db.Check("host", 22, key.PublicKey()))
	require.NoError(t, db.Check("host", 22, other.PublicKey()))

	var revoked *knownhosts.RevokedError
	require.ErrorAs(t, db.Check("host", 22, ed(t, "third").PublicKey()), &revoked)
	require.Equal(t, global, revoked.File)
	require.Equal(t, 2, revoked.Line)

	var changed *knownhosts.ChangedError
	require.ErrorAs(t, db.Check("host", 22, ed(t, "fourth").PublicKey()), &changed)
	require.Equal(t, user, changed.File)
	require.Equal(t, 1, changed.Line)
	require.Len(t, changed.Conflicts, 2)
	require.Equal(t, global, changed.Conflicts[1].File)
	require.Equal(t, 3, changed.Conflicts[1].Line)
}

func TestLoadNotARegularFile(t *testing.T) {
	dir := t.TempDir()
	db, warnings := knownhosts.Load(dir)
	require.Equal(t, []knownhosts.Warning{{File: dir, Text: "not a regular file, not read"}}, warnings)
	require.Equal(t, dir+": not a regular file, not read", warnings[0].String())
	require.Equal(t, "unknown", kind(db.Check("host", 22, ed(t, "host").PublicKey())))
}

// Neither a large file nor a broken one floods memory or the screen.
func TestLoadBounds(t *testing.T) {
	key := ed(t, "host")
	bad := write(t, strings.Repeat("bad\n", 5000)+"host "+key.pub()+"\n")
	db, warnings := knownhosts.Load(bad)
	require.Len(t, warnings, 101)
	require.Equal(t, bad+":100: no key type", warnings[99].String())
	require.Equal(t, bad+": 4900 more lines skipped", warnings[100].String())
	require.NoError(t, db.Check("host", 22, key.PublicKey()))

	const mib = 1 << 20
	line := strings.Repeat("#", 1023) + "\n"
	large := write(t, "host "+key.pub()+"\n"+strings.Repeat(line, 32*mib/len(line))+"late "+key.pub()+"\n")
	db, warnings = knownhosts.Load(large)
	require.Len(t, warnings, 1)
	require.Equal(t, "file is larger than 32 MiB, the rest is not read", warnings[0].Text)
	require.Equal(t, 32*mib/len(line)+1, warnings[0].Line)
	require.NoError(t, db.Check("host", 22, key.PublicKey()))
	require.Equal(t, "unknown", kind(db.Check("late", 22, key.PublicKey())))
}

// Checking ten thousand hashed lines takes some milliseconds; this test
// requires that it does not allocate for each line.
func TestCheckAllocates(t *testing.T) {
	db, _ := knownhosts.Load(write(t, hashedLines(t, 1000)))
	key := ed(t, "host").PublicKey()
	require.Less(t, testing.AllocsPerRun(3, func() { _ = db.Check("host", 2222, key) }), 100.0)
}
