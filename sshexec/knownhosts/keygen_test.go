//go:build unix

package knownhosts_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/exectest"
	"mcpdbg/sshexec/knownhosts"
)

var foundLine = regexp.MustCompile(`(?m)^# Host .* found: line (\d+) *(CA|REVOKED)?$`)

// find returns the numbers of the lines that ssh-keygen -F finds, without those
// that have a marker.
func find(t testing.TB, keygen, file, name string) []int {
	out, _ := exec.Command(keygen, "-F", name, "-f", file).Output() // fails if it finds none
	var lines []int
	for _, m := range foundLine.FindAllStringSubmatch(string(out), -1) {
		if m[2] == "" {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			lines = append(lines, n)
		}
	}
	return lines
}

// conflicts returns the numbers of the lines that a new key conflicts with.
func conflicts(t testing.TB, file, host string, port int) []int {
	db, _ := knownhosts.Load(file)
	var changed *knownhosts.ChangedError
	var lines []int
	if errors.As(db.Check(host, port, ed(t, "nobody's").PublicKey()), &changed) {
		for _, c := range changed.Conflicts {
			lines = append(lines, c.Line)
		}
	}
	return lines
}

// Patterns and hosts of few letters, so that many match.
func TestMatchesAsKeygen(t *testing.T) {
	keygen := exectest.Need(t, "ssh-keygen")
	r := rand.New(rand.NewPCG(4, 5))
	word := func(letters string, n int) string {
		b := make([]byte, 1+r.IntN(n))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	pattern := func(port int) string {
		switch n := r.IntN(8); {
		case n < 4:
			return word("aAb.*?", 5)
		case n == 4 && port == 22:
			return "!" + word("aAb*?", 3)
		case n == 5:
			return "[" + word("aAb*?", 3) + "]:" + word("2?*", 3)
		case n == 6:
			return word("ab[]:2*?", 8)
		default:
			return word("aAb.", 3)
		}
	}
	found := 0
	for range 40 {
		port := []int{22, 22, 2, 222}[r.IntN(4)]
		var text strings.Builder
		for range 40 {
			names := pattern(port)
			for range r.IntN(3) {
				names += "," + pattern(port)
			}
			if r.IntN(5) == 0 {
				names, _, _ = strings.Cut(knownhosts.Line(word("aAb.", 2), []int{22, port}[r.IntN(2)], ed(t, "other").PublicKey(), true), " ")
			}
			fmt.Fprintf(&text, "%s%s %s\n", []string{"", "", "", "@cert-authority ", "@revoked "}[r.IntN(5)], names, ed(t, "other").pub())
		}
		file := write(t, text.String())
		host := word("ab.", 3)
		name := host
		if port != 22 {
			name = fmt.Sprintf("[%s]:%d", host, port)
		}
		want := find(t, keygen, file, name)
		found += len(want)
		require.Equal(t, want, conflicts(t, file, host, port), "%s in\n%s", name, text.String())
	}
	require.Greater(t, found, 100)
}

// ssh-keygen -F finds and prints the lines of Add.
func TestKeygenFinds(t *testing.T) {
	keygen := exectest.Need(t, "ssh-keygen")
	file := filepath.Join(t.TempDir(), "known_hosts")
	for i, host := range []string{"Host", "10.0.0.1", "fe80::1%eth0", "a_b.example.com"} {
		for _, port := range []int{22, 2222} {
			key := ed(t, fmt.Sprint(host, port))
			require.NoError(t, knownhosts.Add(t.Context(), file, host, port, key.PublicKey(), i%2 == 0))
			name := strings.ToLower(host)
			if port != 22 {
				name = "[" + name + "]:2222"
			}
			out, err := exec.Command(keygen, "-l", "-F", name, "-f", file).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), ssh.FingerprintSHA256(key.PublicKey()))
		}
	}
}

// Lines hashed by ssh-keygen -H still match.
func TestKeygenHashes(t *testing.T) {
	keygen := exectest.Need(t, "ssh-keygen")
	key := ed(t, "host")
	file := write(t, "Host,second "+key.pub()+"\n[host]:2222 "+key.pub()+"\nw* "+key.pub()+
		"\n@cert-authority * "+ed(t, "ca").pub()+"\n@revoked * "+ed(t, "other").pub()+"\n")
	out, err := exec.Command(keygen, "-H", "-f", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "|1|"))

	db, warnings := knownhosts.Load(file)
	require.Empty(t, warnings)
	for _, host := range []string{"host", "HOST", "second", "wild"} {
		require.NoError(t, db.Check(host, 22, key.PublicKey()), host)
	}
	require.NoError(t, db.Check("host", 2222, key.PublicKey()))
	require.Equal(t, "changed", kind(db.Check("host", 22, ed(t, "third").PublicKey())))
	require.Equal(t, "unknown", kind(db.Check("unknown", 22, key.PublicKey())))
	require.Equal(t, "revoked", kind(db.Check("unknown", 22, ed(t, "other").PublicKey())))
}

// The command in a ChangedError removes the key.
func TestRemedyWorks(t *testing.T) {
	exectest.Need(t, "ssh-keygen")
	key, other := ed(t, "host").PublicKey(), ed(t, "other").PublicKey()
	for _, hash := range []bool{false, true} {
		for _, port := range []int{22, 2222} {
			file := filepath.Join(t.TempDir(), "it's a file")
			require.NoError(t, knownhosts.Add(t.Context(), file, "before", 22, key, false))
			require.NoError(t, knownhosts.Add(t.Context(), file, "host", port, other, hash))
			db, _ := knownhosts.Load(file)
			var changed *knownhosts.ChangedError
			require.ErrorAs(t, db.Check("host", port, key), &changed)
			require.Regexp(t, "^ssh-keygen ", changed.Remedy)
			out, err := exec.Command("/bin/sh", "-c", changed.Remedy).CombinedOutput()
			require.NoError(t, err, "%s", out)

			db, _ = knownhosts.Load(file)
			require.Equal(t, "unknown", kind(db.Check("host", port, key)))
			require.NoError(t, db.Check("before", 22, key))
		}
	}
}
