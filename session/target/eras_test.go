package target

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

var _ session.EraMemory = (*EraMemory)(nil)

func local(program string, args ...string) executor.Info {
	return executor.Info{Placement: "local", Program: "/bin/" + program, Argv: append([]string{program}, args...)}
}

func knows(t *testing.T, m *EraMemory, process executor.Info) bool {
	t.Helper()
	known, err := m.SpeaksModern(process)
	require.NoError(t, err)
	return known
}

func TestCommandsAreToldApart(t *testing.T) {
	m := ErasIn(filepath.Join(t.TempDir(), "state"))
	one := local("node", "a.js")
	require.False(t, knows(t, m, one))
	m.Remember(one, true)
	m.Remember(one, true)
	require.True(t, knows(t, ErasIn(filepath.Dir(m.file)), one), "another program reads it")

	remote := one
	remote.Placement, remote.Link = "build-7", &executor.LinkInfo{}
	named := remote
	named.Placement = "local" // a host of that name
	elsewhere, other := one, one
	elsewhere.Program, other.Dir = "/opt/bin/node", "/srv"
	for _, different := range []executor.Info{remote, named, elsewhere, other, local("node", "b.js"), local("node"), local("node", "a.js", ""), {}} {
		require.False(t, knows(t, m, different), "%+v", different)
	}
	m.Remember(remote, false)
	require.True(t, knows(t, m, one))
	m.Remember(one, false)
	require.False(t, knows(t, m, one))
}

func TestFileIsPrivateBoundedAndHasNoSecrets(t *testing.T) {
	m := ErasIn(t.TempDir())
	for i := range maxCommands + 10 {
		m.Remember(local("server", "--token", fmt.Sprintf("sesame-%d", i)), true)
	}
	require.False(t, knows(t, m, local("server", "--token", "sesame-9")), "the oldest are dropped")
	require.True(t, knows(t, m, local("server", "--token", "sesame-10")))
	data, err := os.ReadFile(m.file)
	require.NoError(t, err)
	require.Equal(t, maxCommands, strings.Count(string(data), ",")+1)
	require.NotContains(t, string(data), "sesame")
	entries, err := os.ReadDir(filepath.Dir(m.file))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(m.file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestCorruptedFileIsIgnoredAndReplaced(t *testing.T) {
	for name, content := range map[string]string{
		"not JSON": "\x00\xff", "another type": `{"modern": 7}`, "cut": `{"modern":["ab`, "empty": "", "too long": strings.Repeat(" ", maxErasFile) + "{}",
	} {
		t.Run(name, func(t *testing.T) {
			m := ErasIn(t.TempDir())
			require.NoError(t, os.WriteFile(m.file, []byte(content), 0o600))
			known, err := m.SpeaksModern(local("a"))
			require.ErrorContains(t, err, fileName)
			require.False(t, known)
			m.Remember(local("a"), true)
			require.True(t, knows(t, m, local("a")))
		})
	}
}

func TestFolderThatCannotBeWrittenIsLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	m := ErasIn(filepath.Join(file, "state")) // a file is in the way
	m.Remember(local("a"), true)
	known, err := m.SpeaksModern(local("a"))
	require.False(t, known)
	if err != nil {
		require.ErrorContains(t, err, "not a directory")
	}
}
