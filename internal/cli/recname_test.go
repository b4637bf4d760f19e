package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// recFolder is a state folder with recordings by these names, and the folder
// that they are in. Tests with it don't run beside each other.
func recFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(state, "cache"))
	t.Setenv("HOME", t.TempDir()) // paths below it are shortened
	folder := filepath.Join(state, "mcpdbg", "recordings")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	fill(t, folder, files)
	return folder
}

func TestARecordingIsFoundByAPartOfItsName(t *testing.T) {
	const old, npx, gopls = "20261120-100000-npx-aaaaaa.jsonl", "20261121-100000-npx-bbbbbb.jsonl", "20261119-100000-gopls-cccccc.jsonl"
	folder := recFolder(t, map[string]string{old: "", npx: "", gopls: "", "npx.txt": ""})
	t.Chdir(t.TempDir())
	fill(t, ".", map[string]string{"gopls": "", "folder/x.jsonl": ""})
	for name, want := range map[string]string{
		"last":                       npx,
		"aaaaaa":                     old,
		"BBB":                        npx,
		"20261119":                   gopls,
		gopls:                        gopls,
		"20261121-100000-npx-bbb":    npx,
		npx[:len(npx)-len(".jsonl")]: npx,
	} {
		path, err := resolveRecording(name)
		require.NoError(t, err, name)
		require.Equal(t, filepath.Join(folder, want), path, name)
	}
	path, err := resolveRecording("gopls")
	require.NoError(t, err)
	require.Equal(t, "gopls", path, "a path that is there wins")
	for name, says := range map[string]string{
		"":              "a recording has to be named",
		"npx":           "\"npx\" is in the names of 2 recordings of " + folder + ":\n" + npx + "\n" + old,
		"nothing":       "nothing: there is no such file, and no recording in " + folder + " has it in its name",
		"-":             "can't be read from standard input",
		"folder":        "folder is a folder, not a recording",
		"folder/none":   "no such file",
		"./aaaaaa":      "no such file",
		"2026112[01]*":  "no such file",
		"a\x00b":        "invalid argument",
		"../recordings": "no such file",
	} {
		_, err := resolveRecording(name)
		require.ErrorContains(t, err, says, "%q", name)
		require.Equal(t, exitUsage, codeOf(err), "%q", name)
	}
}

func TestWithoutRecordingsThereIsNoLast(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	_, err := resolveRecording("last")
	require.ErrorContains(t, err, "last: there is no such file")
}

func TestManyCandidatesAreCut(t *testing.T) {
	files := map[string]string{}
	for _, c := range "abcdefghij" {
		files["20261120-100000-npx-00000"+string(c)+".jsonl"] = ""
	}
	recFolder(t, files)
	r := inProcess(t, "rec", "info", "npx")
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.stderr, "\n  and 2 older ones\n  try: name one of them")
}

func TestRecordingsAreCompleted(t *testing.T) {
	recFolder(t, map[string]string{"20261120-100000-npx-aaaaaa.jsonl": "", "20261121-1\x1b]0;x-bbbbbb.jsonl": ""})
	r := inProcess(t, "__complete", "rec", "info", "2026")
	require.Contains(t, r.stdout, "20261120-100000-npx-aaaaaa.jsonl\n:4")
	require.NotContains(t, r.stdout, "\x1b")
	r = inProcess(t, "__complete", "rec", "info", "./")
	require.Contains(t, r.stdout, ":0", "files")
}
