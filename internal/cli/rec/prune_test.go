package rec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
)

// agedRecordings returns finished recordings with names made by the program,
// each a day older than the one before, and their folder.
func agedRecordings(t *testing.T, letters string) string {
	t.Helper()
	files := map[string]string{"mine.jsonl": clitest.GoldenLines(t)[0], "20260101-000000-x-textxt.jsonl": "text\n", "20260101-000000-notes.txt": ""}
	for i, c := range letters {
		at := time.Now().Add(-time.Duration(i+1) * 24 * time.Hour).UTC()
		name := at.Format("20060102-150405") + "-npx-" + strings.Repeat(string(c), 6) + ".jsonl"
		files[name] = strings.Replace(clitest.GoldenLines(t)[0], "2026-11-21T10:00:00.000000Z", at.Format(time.RFC3339), 1) +
			`{"n":1,"t":0,"k":"end","entries":1,"counts":{}}` + "\n"
	}
	folder := clitest.RecFolder(t, files)
	for name := range files {
		if at, err := time.Parse("20060102-150405", name[:min(15, len(name))]); err == nil {
			require.NoError(t, os.Chtimes(filepath.Join(folder, name), at, at))
		}
	}
	return folder
}

// lettersIn returns the sorted letters of the recordings remaining in a folder.
func lettersIn(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*-npx-*.jsonl"))
	require.NoError(t, err)
	var letters []string
	for _, f := range files {
		letters = append(letters, strings.TrimSuffix(f, ".jsonl")[len(f)-len(".jsonl")-1:])
	}
	slices.Sort(letters)
	return strings.Join(letters, "")
}

func TestRecPrune(t *testing.T) {
	for _, c := range []struct {
		flags string
		left  string
		says  string
	}{
		{"--keep 4", "abc", "removed 2 recordings, "},
		{"--keep 4 --dry-run", "abcde", "would remove 2 recordings, "},
		{"--older 60h", "ab", "removed 3 recordings, "},
		{"--older 30d", "abcde", "removed 0 recordings, 0 bytes; 6 kept, 1 with names of their own (--named removes them too)\n"},
		{"--over 1T", "abcde", "6 kept"},
		{"--over 800", "ab", "removed 3 recordings, "},
		{"--keep 5 --older 36h", "a", "2 kept"},
	} {
		t.Run(c.flags, func(t *testing.T) {
			folder := agedRecordings(t, "abcde")
			r := clitest.InProcess(t, append([]string{"rec", "prune"}, strings.Fields(c.flags)...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Equal(t, c.left, lettersIn(t, folder))
			require.Contains(t, r.Stderr, c.says)
			for _, other := range []string{"mine.jsonl", "20260101-000000-x-textxt.jsonl", "20260101-000000-notes.txt"} {
				require.FileExists(t, filepath.Join(folder, other), "not named by the program")
			}
			for line := range strings.Lines(r.Stdout) {
				require.Regexp(t, `^(removed|would remove) .*/\d{8}-\d{6}-npx-[a-e]{6}\.jsonl, \d+ bytes\n$`, line)
			}
		})
	}
}

// TestRecPruneGoesFromTheEndOfTheList checks that recordings that began at the same time
// are removed in the order in which rec ls lists them, from its end, whatever their names.
func TestRecPruneGoesFromTheEndOfTheList(t *testing.T) {
	header := clitest.GoldenLines(t)[0]
	files := map[string]string{}
	for _, name := range []string{"b", "a", "20260101-000000-npx-cccccc", "d"} {
		files[name+".jsonl"] = header
	}
	folder := clitest.RecFolder(t, files)
	list := func() []string {
		var all []rec.Listed
		r := clitest.InProcess(t, "rec", "ls", "--json", folder)
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &all))
		var names []string
		for _, l := range all {
			names = append(names, filepath.Base(l.File))
		}
		return names
	}
	for names := list(); len(names) > 1; names = names[:len(names)-1] {
		require.Equal(t, names, list())
		r := clitest.InProcess(t, "rec", "prune", "--named", "--keep", fmt.Sprint(len(names)-1), folder)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Contains(t, r.Stdout, names[len(names)-1])
	}
}

func TestRecPruneKeepsNotedAndLive(t *testing.T) {
	folder := agedRecordings(t, "abc")
	oldest, err := flags.ResolveRecording("cccccc")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(store.NotesPath(oldest), nil, 0o600))
	live, err := recordings.Create(recordings.Options{Server: "npx"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = live.Release() })
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(live.Path(), old, old))

	r := clitest.InProcess(t, "rec", "prune", "--older", "1m", folder)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.FileExists(t, oldest)
	require.FileExists(t, live.Path())
	require.Equal(t, 2, strings.Count(r.Stdout, "removed "))
	require.Contains(t, r.Stderr, "3 kept, 1 being recorded, 1 with marks or notes (--noted removes them too), 1 with names of their own (--named removes them too)\n")

	r = clitest.InProcess(t, "rec", "prune", "--older", "1m", "--noted")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.NoFileExists(t, oldest)
	require.NoFileExists(t, store.NotesPath(oldest))
	require.NoError(t, live.Close())
}

// TestRecPruneOfTaps checks that the folder of taps, which XDG_STATE_HOME does not move,
// counts too.
func TestRecPruneOfTaps(t *testing.T) {
	folder := agedRecordings(t, "abcd")
	taps, err := recordings.TapDir()
	require.NoError(t, err)
	require.NotEqual(t, folder, taps)
	require.NoError(t, os.MkdirAll(taps, 0o700))
	for _, letter := range []string{"b", "d"} {
		files, err := filepath.Glob(filepath.Join(folder, "*-"+strings.Repeat(letter, 6)+".jsonl"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.NoError(t, os.Rename(files[0], filepath.Join(taps, filepath.Base(files[0]))))
	}
	r := clitest.InProcess(t, "rec", "prune", "--keep", "3")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, "a", lettersIn(t, folder))
	require.Equal(t, "b", lettersIn(t, taps))
}

func TestRecPruneUsage(t *testing.T) {
	for args, says := range map[string]string{
		"":                    "no limit given\n  try: mcpdbg rec prune --keep 100",
		"--keep 0":            "--keep 0: must be 1 or more",
		"--keep -1":           "--keep -1: must be 1 or more",
		"--older soon":        `invalid age "soon": use 30d, 2w or 12h`,
		"--over much":         `invalid size "much": use 2GiB, 500M or 65536`,
		"--keep 1 a b":        "one folder",
		"--keep 1 /no/folder": "folder not found",
	} {
		r := clitest.InProcess(t, append([]string{"rec", "prune"}, strings.Fields(args)...)...)
		require.Equal(t, console.ExitUsage, r.Code, args)
		require.Contains(t, r.Stderr, says)
	}
}

func TestRecRemove(t *testing.T) {
	folder := agedRecordings(t, "abcd")
	noted, err := flags.ResolveRecording("bbbbbb")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(store.NotesPath(noted), []byte("x"), 0o600))

	r := clitest.InProcess(t, "rec", "rm", "bbbbbb", "cccccc", "nothing")
	require.Equal(t, console.ExitUsage, r.Code)
	require.Equal(t, "abcd", lettersIn(t, folder), "nothing is removed if one is missing")

	r = clitest.InProcess(t, "rec", "rm", "bbbbbb", "cccccc")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, "ad", lettersIn(t, folder))
	require.NoFileExists(t, store.NotesPath(noted))
	require.Regexp(t, `^removed .*-npx-bbbbbb\.jsonl, \d+ bytes\nremoved .*-npx-cccccc\.jsonl, \d+ bytes\n$`, r.Stdout)

	r = clitest.InProcess(t, "rec", "rm", filepath.Join(folder, "20260101-000000-x-textxt.jsonl"))
	require.Equal(t, console.ExitUsage, r.Code)
	require.Contains(t, r.Stderr, "is not a recording: it looks like text")
	require.FileExists(t, filepath.Join(folder, "20260101-000000-x-textxt.jsonl"))

	live, err := recordings.Create(recordings.Options{Server: "npx"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = live.Release() })
	r = clitest.InProcess(t, "rec", "rm", live.Path())
	require.Equal(t, console.ExitUsage, r.Code)
	require.Contains(t, r.Stderr, "not removed: still being recorded\n  try: end that session first, or add --force\n")
	require.Equal(t, 0, clitest.InProcess(t, "rec", "rm", "--force", live.Path()).Code)
	require.NoFileExists(t, live.Path())
	require.ErrorContains(t, live.Close(), "was deleted while it was open")
	require.Equal(t, console.ExitUsage, clitest.InProcess(t, "rec", "rm").Code)
}

// The limits of the settings are applied when a session is recorded, and the
// log says so.
func TestRetentionFromSettings(t *testing.T) {
	session := func(settings string, flags ...string) (folder string, r clitest.Result) {
		folder = agedRecordings(t, "abc")
		config := t.TempDir()
		t.Setenv("XDG_CONFIG_HOME", config)
		clitest.Fill(t, config, map[string]string{"mcpdbg/config.toml": settings})
		cmd := clitest.Program(t, clitest.Against("", append([]string{"run", "--for", "1ms"}, flags...)...)...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+filepath.Dir(filepath.Dir(folder)))
		r = clitest.Finish(t, cmd)
		require.Equal(t, 0, r.Code, r.Stderr)
		return folder, r
	}
	folder, r := session("[recordings]\nkeep = 2\nolder = \"10d\"\nover = \"1GiB\"\n")
	require.Equal(t, "a", lettersIn(t, folder), "the new one counts")
	require.Regexp(t, `\* note +removed 2 old recordings, \d+ bytes, to meet the limits in \[recordings\] of the settings\n`, r.Stdout)

	for _, flags := range [][]string{{"--no-record"}, {"--record", filepath.Join(t.TempDir(), "r.jsonl")}} {
		folder, r = session("[recordings]\nkeep = 1\n", flags...)
		require.Equal(t, "abc", lettersIn(t, folder))
		require.NotContains(t, r.Stdout, "removed")
	}
	folder, _ = session("")
	require.Equal(t, "abc", lettersIn(t, folder), "without limits all are kept")
}
