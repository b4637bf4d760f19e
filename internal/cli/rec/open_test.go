package rec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// Without a terminal open prints one line per entry.
func TestOpenPrints(t *testing.T) {
	t.Parallel()
	healthy, broken := clitest.RuleFixtures+"healthy-legacy.jsonl", clitest.RuleFixtures+"duplicate-answers.jsonl"
	one := clitest.InProcess(t, "open", healthy)
	require.Equal(t, 0, one.Code, one.Stderr)
	require.Empty(t, one.Stderr)
	require.Regexp(t, `(?m)^ +\d+ +0\.\d{6} +- +> stdin +request +initialize id=`, one.Stdout)
	require.True(t, strings.HasPrefix(one.Stdout, "     1 "))

	both := clitest.InProcess(t, "open", healthy, broken)
	require.Equal(t, one.Stdout+clitest.InProcess(t, "open", broken).Stdout, both.Stdout)
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
		{[]string{clitest.WriteFile(t, "a"), "--", "x"}, []string{"open takes recordings, not a command"}},
		{[]string{"--attach", clitest.RuleFixtures + "healthy-legacy.jsonl"}, []string{"--attach needs a terminal"}},
		{[]string{gone}, []string{gone + ": file not found", "try: mcpdbg rec ls"}},
		{[]string{dir}, []string{dir + " is a folder, not a recording", "try: mcpdbg rec ls " + dir + " to list"}},
		{[]string{clitest.WriteFile(t, "")}, []string{"is not a recording: it looks like an empty file", "try: "}},
		{[]string{clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1}`)}, []string{"it looks like bare JSON-RPC messages", "try: "}},
		{[]string{clitest.WriteFile(t, `{"mcpdbg":7}`)}, []string{"is a recording of version 7, and this program reads version 1", "try: a newer mcpdbg"}},
		{[]string{clitest.RuleFixtures + "healthy-legacy.jsonl", gone}, []string{gone + ": file not found"}},
	} {
		r := clitest.InProcess(t, append([]string{"open"}, c.args...)...)
		require.Equal(t, 2, r.Code, c.args)
		for _, text := range c.says {
			require.Contains(t, r.Stderr, text, c.args)
		}
	}
}

// A recording is opened by part of its name.
func TestOpenByPartialName(t *testing.T) {
	folder := clitest.RecFolder(t, nil)
	data, err := os.ReadFile(clitest.RuleFixtures + "healthy-legacy.jsonl")
	require.NoError(t, err)
	clitest.Fill(t, folder, map[string]string{"mine.jsonl": string(data)})
	r := clitest.InProcess(t, "open", "min")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, clitest.InProcess(t, "rec", "cat", "last"), r)
}

// On a terminal several recordings are opened, and quitting needs no
// confirmation, since there is no server.
func TestScreenShowsRecordings(t *testing.T) {
	fixture := func(name string) string {
		path, err := filepath.Abs(clitest.RuleFixtures + name)
		require.NoError(t, err)
		return path
	}
	s := clitest.InTerminal(t, 120, 36, "sh", "-c", `"$0" "$@"; echo "ended with $?"; exec cat`, clitest.Binary(), "open", fixture("healthy-legacy.jsonl"), fixture("duplicate-answers.jsonl"))
	s.Until("[healthy-legacy.jsonl]", "duplicate-answers.jsonl", "handshake")
	s.Keys(">", "V")
	s.Until("FILE  ", "  duplicate-answers.jsonl", "second answer")
	s.Keys("c")
	s.Until("any message: this is a recording")
	s.Keys("q")
	s.Until("ended with 0")
}
