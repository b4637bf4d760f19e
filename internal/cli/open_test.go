package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without a terminal open prints one line per entry.
func TestOpenPrints(t *testing.T) {
	t.Parallel()
	healthy, broken := lintFixtures+"healthy-legacy.jsonl", lintFixtures+"duplicate-answers.jsonl"
	one := inProcess(t, "open", healthy)
	require.Equal(t, 0, one.code, one.stderr)
	require.Empty(t, one.stderr)
	require.Regexp(t, `(?m)^ +\d+ +0\.\d{6} +- +> stdin +request +initialize id=`, one.stdout)
	require.True(t, strings.HasPrefix(one.stdout, "     1 "))

	both := inProcess(t, "open", healthy, broken)
	require.Equal(t, one.stdout+inProcess(t, "open", broken).stdout, both.stdout)
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone.jsonl")
	for _, c := range []struct {
		args []string
		says []string
	}{
		{nil, []string{"no recording given", "try: mcpdbg rec ls"}},
		{[]string{writeFile(t, "a"), "--", "x"}, []string{"open takes recordings, not a command"}},
		{[]string{gone}, []string{gone + ": file not found", "try: mcpdbg rec ls"}},
		{[]string{dir}, []string{dir + " is a folder, not a recording", "try: mcpdbg rec ls " + dir + " to list"}},
		{[]string{writeFile(t, "")}, []string{"is not a recording: it looks like an empty file", "try: "}},
		{[]string{writeFile(t, `{"jsonrpc":"2.0","id":1}`)}, []string{"it looks like bare JSON-RPC messages", "try: "}},
		{[]string{writeFile(t, `{"mcpdbg":7}`)}, []string{"is a recording of version 7, and this program reads version 1", "try: a newer mcpdbg"}},
		{[]string{lintFixtures + "healthy-legacy.jsonl", gone}, []string{gone + ": file not found"}},
	} {
		r := inProcess(t, append([]string{"open"}, c.args...)...)
		require.Equal(t, 2, r.code, c.args)
		for _, text := range c.says {
			require.Contains(t, r.stderr, text, c.args)
		}
	}
}

// A recording is opened by part of its name.
func TestOpenByPartialName(t *testing.T) {
	folder := recFolder(t, nil)
	data, err := os.ReadFile(lintFixtures + "healthy-legacy.jsonl")
	require.NoError(t, err)
	fill(t, folder, map[string]string{"mine.jsonl": string(data)})
	r := inProcess(t, "open", "min")
	require.Equal(t, 0, r.code, r.stderr)
	require.Equal(t, inProcess(t, "rec", "cat", "last"), r)
}

// On a terminal several recordings are opened, and quitting needs no
// confirmation, since there is no server.
func TestScreenShowsRecordings(t *testing.T) {
	fixture := func(name string) string {
		path, err := filepath.Abs(lintFixtures + name)
		require.NoError(t, err)
		return path
	}
	s := inTerminal(t, 120, 36, "sh", "-c", `"$0" "$@"; echo "ended with $?"; exec cat`, binary, "open", fixture("healthy-legacy.jsonl"), fixture("duplicate-answers.jsonl"))
	s.until("1 healthy-legacy.jsonl", "2 duplicate-answers.jsonl", "handshake")
	s.keys(">", "V")
	s.until("FILE  ", "  duplicate-answers.jsonl", "second response")
	s.keys("c")
	s.until("compose: this is a recording")
	s.keys("q")
	s.until("ended with 0")
}
