package rec_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// someRecordings are files for a folder: finished recordings with and without
// counts, a torn one, one of a host, a large one without counts, and another
// file.
func someRecordings(t testing.TB) map[string]string {
	t.Helper()
	header := func(start, more, argv string) string {
		return `{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-` + start + `Z","placement":"local",` + more + `"argv":[` + argv + `]}` + "\n"
	}
	const message = `{"n":1,"t":250000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n" +
		`{"n":2,"t":260000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}}` + "\n"
	large := strings.Repeat(strings.Replace(message, "ping", strings.Repeat("p", 1<<20), 1), 8)
	return map[string]string{
		"20261101-100000-old-oooooo.jsonl":   header("01T10:00:00", "", `"old"`) + message + `{"n":3,"t":2000000,"k":"end","entries":3}` + "\n",
		"20261102-100000-new-nnnnnn.jsonl":   header("02T10:00:00", "", `"new","a b"`) + `{"n":1,"t":90000000,"k":"end","entries":1,"counts":{"out":7,"in":8,"errors":9,"stray":1,"stderr":2}}` + "\n",
		"20261103-100000-torn-tttttt.jsonl":  header("03T10:00:00", `"host":"build-7\u001b[1m",`, `"torn"`) + message + `{"n":3,`,
		"20261104-100000-large-llllll.jsonl": header("04T10:00:00", "", `"large"`) + large,
		"mine.jsonl":                         header("05T10:00:00", "", `"mine"`),
		"text.jsonl":                         "hello\n",
		"future.jsonl":                       `{"mcpdbg":7}` + "\n",
		"notes.txt":                          "no recording",
	}
}

func TestRecList(t *testing.T) {
	folder := clitest.RecFolder(t, someRecordings(t))
	r := clitest.InProcess(t, "rec", "ls")
	require.Equal(t, 0, r.Code, r.Stderr)
	var names []string
	lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
	for _, line := range lines[1:6] {
		names = append(names, strings.Fields(line)[0])
	}
	require.Equal(t, []string{"mine.jsonl", "llllll", "tttttt", "nnnnnn", "oooooo"}, names, "newest first, by names that commands accept")
	for _, want := range []string{
		`(?m)^  name +when +long +messages +errors +size +state +server$`,
		`nnnnnn +2026-11-02 \d\d:\d\d +90\.0 s +15 +9 +\d+ bytes +done +new a b\n`,
		`oooooo +2026-11-01 \d\d:\d\d +2\.0 s +2 +1 +\d+ bytes +done +old\n`,
		`tttttt +2026-11-03 \d\d:\d\d +260 ms +2 +1 +\d+ bytes +torn +build-7\\u001b\[1m: torn\n`,
		`llllll +2026-11-04 \d\d:\d\d +260 ms +- +- +8\.0 MiB +torn +large\n`,
		`mine\.jsonl +2026-11-05 \d\d:\d\d +- +0 +0 +\d+ bytes +torn +mine\n`,
		`- means not counted yet; --all also reads large recordings\n`,
		`5 recordings, 8\.0 MiB, in .*/recordings\n$`,
	} {
		require.Regexp(t, want, r.Stdout)
	}
	require.Contains(t, r.Stderr, "mcpdbg: "+filepath.Join(folder, "text.jsonl")+" is not a recording: it looks like text\n")
	require.Contains(t, r.Stderr, "future.jsonl is a recording of version 7")
	require.Equal(t, 2, strings.Count(r.Stderr, "\n"))
	require.NotContains(t, r.Stdout, "\x1b")

	for _, name := range names {
		_, err := flags.ResolveRecording(name)
		require.NoError(t, err)
	}
	r = clitest.InProcess(t, "rec", "ls", folder, "--all")
	require.Regexp(t, `20261104-100000-large-llllll\.jsonl +2026-11-04 \d\d:\d\d +260 ms +16 +8 `, r.Stdout, "elsewhere only whole names are found")
	require.NotContains(t, r.Stdout, "not counted")
}

func TestRecListJSON(t *testing.T) {
	folder := clitest.RecFolder(t, someRecordings(t))
	r := clitest.InProcess(t, "rec", "ls", "--json")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stderr)
	var list []rec.Listed
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &list))
	require.Len(t, list, 7)
	byName := map[string]rec.Listed{}
	for _, l := range list {
		byName[l.Name] = l
	}
	number := func(n uint64) *uint64 { return &n }
	start, took := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC), int64(90_000_000)
	got := byName["nnnnnn"]
	require.Equal(t, rec.Listed{
		Name: "nnnnnn", File: filepath.Join(folder, "20261102-100000-new-nnnnnn.jsonl"), Start: &start, Duration: &took, State: "done", Size: got.Size,
		Sent: number(7), Received: number(8), Errors: number(9), Stray: number(1), Stderr: number(2), Argv: []string{"new", "a b"},
	}, got)
	require.Nil(t, byName["llllll"].Sent)
	require.Nil(t, byName["mine.jsonl"].Duration)
	require.Contains(t, byName["text.jsonl"].Problem, "looks like text")
}

func TestRecListLive(t *testing.T) {
	folder := clitest.RecFolder(t, nil)
	f, err := recordings.Create(recordings.Options{Server: "x"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Release() })
	require.NoError(t, f.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: "x"})}))
	r := clitest.InProcess(t, "rec", "ls")
	require.Regexp(t, ` live\n`, r.Stdout)
	require.NoError(t, f.Close())
	r = clitest.InProcess(t, "rec", "ls", folder)
	require.Regexp(t, ` done\n`, r.Stdout)
}

func TestRecListEmpty(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	r := clitest.InProcess(t, "rec", "ls")
	require.Equal(t, 0, r.Code)
	require.Empty(t, r.Stdout)
	require.Regexp(t, `^mcpdbg: no recordings in .*recordings\n$`, r.Stderr)
	require.Equal(t, "[]\n", clitest.InProcess(t, "rec", "ls", "--json").Stdout)

	file := clitest.WriteFile(t, "")
	for _, c := range []struct{ arg, says string }{
		{file, file + " is not a folder\n  try: mcpdbg rec info " + file},
		{file + "x", file + "x: folder not found"},
	} {
		r := clitest.InProcess(t, "rec", "ls", c.arg)
		require.Equal(t, console.ExitUsage, r.Code)
		require.Contains(t, r.Stderr, c.says)
	}
	require.Equal(t, console.ExitUsage, clitest.InProcess(t, "rec", "ls", ".", ".").Code)
}
