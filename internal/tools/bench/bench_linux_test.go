package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

var update = flag.Bool("update", false, "renew the documents that show the report")

func TestParse(t *testing.T) {
	o, err := parse(nil)
	require.NoError(t, err)
	require.Equal(t, 9, o.rounds)
	require.Equal(t, int64(1_400_000_000), o.size)
	o, err = parse([]string{"--short", "--run", "list", "--rounds", "2", "--program", "x"})
	require.NoError(t, err)
	require.Equal(t, 2, o.rounds)
	require.Equal(t, int64(64<<20), o.size)
	for want, args := range map[string][]string{
		`unexpected argument "x"`:                  {"x"},
		"--write and --program cannot be combined": {"--write", "--program", "x"},
		"--rounds must be at least 1":              {"--rounds", "-1"},
		"unknown flag":                             {"--fast"},
	} {
		_, err := parse(args)
		require.ErrorContains(t, err, want)
	}
}

func TestChoose(t *testing.T) {
	all, err := choose(options{})
	require.NoError(t, err)
	require.Len(t, all, len(benches()))
	seen := map[string]bool{}
	for _, b := range all {
		require.False(t, seen[b.id], "%s is there twice", b.id)
		seen[b.id] = true
	}
	short, err := choose(options{short: true})
	require.NoError(t, err)
	require.Less(t, len(short), len(all))
	one, err := choose(options{run: "^list-raw$"})
	require.NoError(t, err)
	require.Len(t, one, 1)
	_, err = choose(options{run: "["})
	require.ErrorContains(t, err, "invalid --run")
	_, err = choose(options{run: "nothing"})
	require.ErrorContains(t, err, "no case matches")
}

// TestChartedCases checks that the chart shows cases that exist.
func TestChartedCases(t *testing.T) {
	for _, group := range charted {
		require.Len(t, group.Names, len(group.IDs)+1, group.Title)
		for _, id := range group.IDs {
			_, err := choose(options{run: "^" + id + "$"})
			require.NoError(t, err)
		}
	}
}

// TestDocuments checks that the table and the charts are those of the committed
// report.
func TestDocuments(t *testing.T) {
	const root = "../../.."
	all, err := Read(filepath.Join(root, reportFile))
	require.NoError(t, err)
	files, err := documents(root, all)
	require.NoError(t, err)
	for name, want := range files {
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(want), 0o644))
		}
		got, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Equal(t, want, string(got), "%s is not that of %s: go test ./internal/tools/bench -update", name, reportFile)
	}
}

// TestRecordings checks that the generated recordings are in order.
func TestRecordings(t *testing.T) {
	for name, write := range map[string]func(string, int64) error{"mix": writeMix, "calls": writeCalls} {
		path := filepath.Join(t.TempDir(), name+".jsonl")
		require.NoError(t, write(path, 5<<20))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.InDelta(t, 5<<20, info.Size(), 1<<20)
		result, err := recordings.VerifyContext(t.Context(), path, nil)
		require.NoError(t, err)
		require.True(t, result.OK(), "%+v", result)
		if name == "mix" {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(text), rareWord)
			require.Contains(t, string(text[len(text)-2000:]), lastWord)
		}
	}
}

// testLab returns a lab in which mcpdbg is the program true.
func testLab(ctx context.Context, t *testing.T) *lab {
	t.Helper()
	l, err := newLab(ctx, "/bin/true", t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.close()) })
	return l
}

func TestRun(t *testing.T) {
	l := testLab(t.Context(), t)
	s, err := l.run(side{argv: append([]string{l.raw, "list"}, l.tiny()...), want: "tool_9"})
	require.NoError(t, err)
	require.Positive(t, s.Wall)
	require.Positive(t, s.CPU)
	require.Positive(t, s.Memory)
	require.Less(t, s.Memory, int64(64<<20), "not that of this process")

	slept, err := l.run(side{argv: []string{l.raw, "trips", "3", l.raw, "echo"}, took: true})
	require.NoError(t, err)
	require.Positive(t, slept.Wall)

	shown, err := l.run(side{argv: []string{"sh", "-c", "echo READY; read key"}, shows: "READY", keys: "\n"})
	require.NoError(t, err)
	require.Positive(t, shown.Memory)

	for want, s := range map[string]side{
		"exit status 7":                     {argv: []string{"sh", "-c", "echo bad >&2; exit 7"}},
		"it was expected to fail":           {argv: []string{"true"}, codes: []int{1}},
		`the output lacks "x"`:              {argv: []string{"true"}, want: "x"},
		"no such file":                      {argv: []string{"true"}, took: true},
		"executable file not found":         {argv: []string{"mcpdbg-bench-missing"}},
		`the terminal did not show "never"`: {argv: []string{"true"}, shows: "never", limit: 1},
	} {
		_, err := l.run(s)
		require.ErrorContains(t, err, want)
	}
}

// TestPeerFails checks that a peer that cannot run does not end the others.
func TestPeerFails(t *testing.T) {
	l := testLab(t.Context(), t)
	ok := side{argv: []string{"true"}}
	for want, sides := range map[string]func(*lab) (side, side, error){
		"the peer failed":          func(*lab) (side, side, error) { return ok, side{argv: []string{"false"}}, nil },
		"x is not installed; make": func(*lab) (side, side, error) { return ok, ok, &missing{"x is not installed", "make it"} },
	} {
		r, err := l.compare(bench{id: "a", peer: "p", sides: sides}, 1)
		require.NoError(t, err)
		require.Contains(t, r.Missing, want)
	}
	_, err := l.compare(bench{id: "a", sides: func(*lab) (side, side, error) { return side{argv: []string{"false"}}, ok, nil }}, 1)
	require.ErrorContains(t, err, "false: exit status 1")
	r, err := l.compare(bench{id: "a", sides: func(*lab) (side, side, error) { return ok, ok, nil }}, 2)
	require.NoError(t, err)
	require.Equal(t, 2, r.Rounds)
}

// TestInterrupt checks that an interrupt ends the programs.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := testLab(ctx, t)
	cancel()
	_, err := l.run(side{argv: []string{"sleep", "1000"}})
	require.ErrorIs(t, err, context.Canceled)
}
