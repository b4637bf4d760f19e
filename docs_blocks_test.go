package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block returns the code block of a page that begins with a text, without its fences.
func block(t *testing.T, page, begin string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", page))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "\n"+begin)
	require.True(t, found, "%s has no block that begins with %s", page, begin)
	code, _, _ := strings.Cut(after, "\n```")
	return begin + code
}

// varying are the parts of an output that differ between runs.
var varying = regexp.MustCompile(`\b[0-9a-f]{16}\b|\b[0-9][0-9.]*(ms|µs|s)?\b`)

// shape returns a line without the parts that differ between runs.
func shape(line string) string { return varying.ReplaceAllString(line, "#") }

// TestTaskBlock runs the example of a task in getting-started.md.
func TestTaskBlock(t *testing.T) {
	command, shown, _ := strings.Cut(block(t, "getting-started.md", "$ mcpdbg call --tool job "), "\n")
	words := strings.Fields(strings.TrimPrefix(command, "$ "))
	code, stdout, stderr := program(t)(words[0], append([]string{words[1], "--no-record"}, words[2:]...)...)
	require.Zero(t, code, stderr)
	printed := strings.Split(shown, "\n")
	require.Equal(t, printed[len(printed)-1]+"\n", stdout)
	var shapes []string
	for _, line := range printed {
		shapes = append(shapes, shape(line))
	}
	for line := range strings.Lines(stderr) { // how often it says so differs
		require.Contains(t, shapes, shape(strings.TrimSuffix(line, "\n")))
	}
}

// TestScenarioBlock runs the example of scenarios.md, and checks the place in the file
// and the entry that it names.
func TestScenarioBlock(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "demo.yaml")
	require.NoError(t, os.WriteFile(file, []byte(block(t, "scenarios.md", "scenario: 1\nvars:\n  text: hello\n")+"\n"), 0o600))
	_, shown, _ := strings.Cut(block(t, "scenarios.md", "$ mcpdbg run --scenario demo.yaml "), "\n")
	code, stdout, stderr := program(t)("mcpdbg", "run", "--no-record", "--scenario", file, "--", "mcpdbg", "demo-server")
	require.Equal(t, 1, code, stderr)
	want, _, _ := strings.Cut(shown, "mcpdbg: recorded to ")
	stdout = strings.ReplaceAll(stdout, file, "demo.yaml")
	require.Equal(t, shape(want), shape(stdout))
	require.Contains(t, stdout, regexp.MustCompile(`demo.yaml:\d+:\d+`).FindString(want))
	entry := regexp.MustCompile(`\(entry (\d+)\)`)
	of := entry.FindStringSubmatch(stdout)
	require.NotNil(t, of)
	n, err := strconv.Atoi(of[1])
	require.NoError(t, err)
	require.InDelta(t, 16, n, 2, "two lines of stderr may come later, and only Linux has a watchdog")
	page, err := os.ReadFile("docs/scenarios.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "`entry "+entry.FindStringSubmatch(want)[1]+"` is the place in the recording")
}

// TestSmokeBlock checks what the demo server offers in the examples of smoke.md.
func TestSmokeBlock(t *testing.T) {
	code, stdout, stderr := program(t)("mcpdbg", "smoke", "--no-record", "--", "mcpdbg", "demo-server")
	require.Zero(t, code, stderr)
	offer := regexp.MustCompile(`\d+ tools, \d+ resources, \d+ templates, \d+ prompts`)
	want := offer.FindString(stdout)
	require.NotEmpty(t, want, stdout)
	page, err := os.ReadFile("docs/smoke.md")
	require.NoError(t, err)
	shown := offer.FindAllString(string(page), -1)
	require.NotEmpty(t, shown)
	for _, text := range shown {
		require.Equal(t, want, text)
	}
}
