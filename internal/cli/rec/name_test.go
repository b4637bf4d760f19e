package rec_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
)

func TestResolveRecording(t *testing.T) {
	const old, npx, gopls = "20261120-100000-npx-aaaaaa.jsonl", "20261121-100000-npx-bbbbbb.jsonl", "20261119-100000-gopls-cccccc.jsonl"
	folder := clitest.RecFolder(t, map[string]string{old: "", npx: "", gopls: "", "npx.txt": ""})
	t.Chdir(t.TempDir())
	clitest.Fill(t, ".", map[string]string{"gopls": "", "folder/x.jsonl": ""})
	for name, want := range map[string]string{
		"last":                       npx,
		"aaaaaa":                     old,
		"BBB":                        npx,
		"20261119":                   gopls,
		gopls:                        gopls,
		"20261121-100000-npx-bbb":    npx,
		npx[:len(npx)-len(".jsonl")]: npx,
	} {
		path, err := flags.ResolveRecording(name)
		require.NoError(t, err, name)
		require.Equal(t, filepath.Join(folder, want), path, name)
	}
	path, err := flags.ResolveRecording("gopls")
	require.NoError(t, err)
	require.Equal(t, "gopls", path, "an existing path takes precedence")
	for name, says := range map[string]string{
		"":              "no recording given: the name is empty",
		"npx":           "\"npx\" is in the names of 2 recordings in " + folder + ":\n" + npx + "\n" + old,
		"nothing":       "nothing: file not found, and no recording in " + folder + " has it in its name",
		"-":             "cannot be read from standard input",
		"folder":        "folder is a folder, not a recording",
		"folder/none":   "file not found",
		"./aaaaaa":      "file not found",
		"2026112[01]*":  "file not found",
		"a\x00b":        "invalid argument",
		"../recordings": "file not found",
	} {
		_, err := flags.ResolveRecording(name)
		require.ErrorContains(t, err, says, "%q", name)
		require.Equal(t, console.ExitUsage, console.ExitCode(err), "%q", name)
	}
}

func TestResolveLastWithoutRecordings(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	_, err := flags.ResolveRecording("last")
	require.ErrorContains(t, err, "last: file not found")
}

func TestManyCandidatesAreCut(t *testing.T) {
	files := map[string]string{}
	for _, c := range "abcdefghij" {
		files["20261120-100000-npx-00000"+string(c)+".jsonl"] = ""
	}
	clitest.RecFolder(t, files)
	r := clitest.InProcess(t, "rec", "info", "npx")
	require.Equal(t, console.ExitUsage, r.Code)
	require.Contains(t, r.Stderr, "\n  and 2 older ones\n  try: more of the name")
}

func TestCompleteRecordings(t *testing.T) {
	clitest.RecFolder(t, map[string]string{"20261120-100000-npx-aaaaaa.jsonl": "", "20261121-1\x1b]0;x-bbbbbb.jsonl": ""})
	r := clitest.InProcess(t, "__complete", "rec", "info", "2026")
	require.Contains(t, r.Stdout, "20261120-100000-npx-aaaaaa.jsonl\n:4")
	require.NotContains(t, r.Stdout, "\x1b")
	r = clitest.InProcess(t, "__complete", "rec", "info", "./")
	require.Contains(t, r.Stdout, ":0", "files")
}
