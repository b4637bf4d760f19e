//go:build unix

package sshtest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mcpdbg/session/exectest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Busybox starts a real dropbear in its own root directory with nothing but
// busybox: a login finds only its sh, grep, ps and so on, as on a small router
// or in an Alpine container. The folder of temporary files is also there, under
// its own name, so that a program of the test can run; see CopyBinary. It
// requires root, and the login is as root.
func Busybox(t testing.TB, o Options) *Server { return busybox(t, o, "mount -t proc proc proc") }

// BusyboxWithoutProc is Busybox without a /proc, where its ps lists nothing.
func BusyboxWithoutProc(t testing.TB, o Options) *Server { return busybox(t, o, "true") }

func busybox(t testing.TB, o Options, mountProc string) *Server {
	t.Helper()
	exectest.NeedRoot(t)
	dropbear, box, convert := exectest.Need(t, "dropbear"), exectest.Need(t, "busybox"), exectest.Need(t, "dropbearconvert")
	exectest.Need(t, "ssh")
	unshare := exectest.Need(t, "unshare")
	if out, err := exec.Command(unshare, "--mount", "true").CombinedOutput(); err != nil {
		exectest.Lack(t, fmt.Sprintf("mounts are not allowed here: %s", bytes.TrimSpace(out)))
	}
	o.User = "root"
	s, keys := newServer(t, o)
	root := filepath.Join(s.Dir, "root")
	self, err := os.Executable()
	require.NoError(t, err)
	fillRoot(t, root, box, dropbear, self)
	writeFile(t, filepath.Join(root, "root/.ssh/authorized_keys"), readFile(t, s.AuthorizedKeys), 0o600)
	s.AuthorizedKeys = filepath.Join(root, "root/.ssh/authorized_keys")

	args := []string{"-F", "-E", "-e", "-s", "-m", "-P", "/pid"}
	for _, key := range keys {
		name := filepath.Base(key.File)
		out, err := exec.Command(convert, "openssh", "dropbear", key.File, filepath.Join(root, name)).CombinedOutput()
		require.NoError(t, err, "%s", out)
		args = append(args, "-r", "/"+name)
	}
	listen(t, s, "Not backgrounding", func() *exec.Cmd {
		// The mounts end with the processes that see them.
		script := fmt.Sprintf(`set -e; cd "$1"; shift; mount --bind %[1]s .%[1]s; mount --bind /dev dev; %[2]s; %[3]s; exec chroot . /bin/dropbear "$@"`,
			os.TempDir(), mountProc, cmp.Or(o.Setup, "true"))
		words := slices.Concat([]string{"--mount", "/bin/sh", "-c", script, "sh", root}, args, []string{"-p", s.Addr})
		cmd := exec.Command(unshare, words...)
		cmd.Env = []string{"SSHTEST=" + s.mark, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"} // inherited because of -e
		return cmd
	})
	s.writeListening(t)
	return s
}

// Everything but the programs is busybox.
func fillRoot(t testing.TB, root, box string, others ...string) {
	t.Helper()
	for _, dir := range []string{"bin", "dev", "proc", "etc", "root/.ssh", os.TempDir()} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	require.NoError(t, os.Chmod(root, 0o755))
	require.NoError(t, os.Symlink("bin", filepath.Join(root, "sbin")))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "usr"), 0o755))
	require.NoError(t, os.Symlink("../bin", filepath.Join(root, "usr/bin")))
	writeFile(t, filepath.Join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n", 0o644)
	writeFile(t, filepath.Join(root, "etc/group"), "root:x:0:\n", 0o644)
	writeFile(t, filepath.Join(root, "etc/shells"), "/bin/sh\n", 0o644)
	copyFile(t, box, filepath.Join(root, "bin/busybox"))
	copyFile(t, others[0], filepath.Join(root, "bin", filepath.Base(others[0])))
	for _, program := range append(others, box) {
		for _, lib := range libraries(t, program) {
			to := filepath.Join(root, lib)
			require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
			copyFile(t, lib, to)
		}
	}
	applets, err := exec.Command(box, "--list").Output()
	require.NoError(t, err)
	for _, applet := range strings.Fields(string(applets)) {
		link := filepath.Join(root, "bin", applet)
		if _, err := os.Lstat(link); err != nil {
			require.NoError(t, os.Symlink("busybox", link))
		}
	}
}

// libraries returns nothing for a program that is linked statically.
func libraries(t testing.TB, program string) []string {
	t.Helper()
	out, err := exec.Command("ldd", program).CombinedOutput()
	if err != nil {
		return nil
	}
	var libs []string
	for word := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(word, "/") {
			libs = append(libs, strings.TrimSuffix(word, ":"))
		}
	}
	return libs
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}

func readFile(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
