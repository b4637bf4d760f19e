package rule

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/testhome"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

// playedLog is the variable that makes the test binary a server, and the file that it
// plays.
const playedLog = "MCPDBG_TEST_PLAYED_LOG"

func TestMain(m *testing.M) {
	if path := os.Getenv(playedLog); path != "" {
		os.Exit(play(path))
	}
	testhome.Main(m)
}

// A scriptLine is an entry of an example log.
type scriptLine struct {
	Kind string          `json:"k"`
	M    json.RawMessage `json:"m"`
	Raw  string          `json:"raw"`
}

// play is the server of an example log: it reads a line where the log has one to the
// server, and writes the lines of the server.
func play(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 1
	}
	in := bufio.NewReader(os.Stdin)
	for line := range strings.Lines(string(data)) {
		var l scriptLine
		if json.Unmarshal([]byte(line), &l) != nil {
			return 1
		}
		switch l.Kind {
		case "stdin":
			if _, err := in.ReadString('\n'); err != nil {
				return 0
			}
		case "stdout":
			fmt.Printf("%s\n", l.M)
		case "stderr":
			fmt.Fprintln(os.Stderr, l.Raw)
		}
	}
	for err == nil { // until stdin is closed
		_, err = in.ReadString('\n')
	}
	return 0
}

// script returns the lines of an example log, or why no process can play it.
func (x *exampleLog) script(t *testing.T) (lines []scriptLine, why string) {
	if x.t > time.Duration(len(x.entries))*time.Millisecond {
		return nil, "time passes"
	}
	for _, entry := range x.entries {
		var l scriptLine
		require.NoError(t, json.Unmarshal([]byte(entry), &l))
		if !slices.Contains([]string{"stdin", "stdout", "stderr"}, l.Kind) {
			return nil, "an entry that no message makes"
		}
		lines = append(lines, l)
	}
	return lines, ""
}

// playLive runs an example log as a session with a process, and returns the problems
// that are found meanwhile and at its end. Those of the process are omitted: how fast
// it ends depends on the machine.
func (x *exampleLog) playLive(t *testing.T, on executor.Executor, lines []scriptLine) []diagnosis.Problem {
	path := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(x.entries, "")), 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	policies := map[string]session.Policy{}
	for _, method := range session.ServerRequestMethods() {
		policies[method] = session.Policy{Mode: session.PolicyAsk} // the log has the responses
	}
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	s := session.New(session.Config{Executor: on, Log: log, Policies: policies,
		Command: executor.Command{Argv: []string{self}, Env: []executor.EnvVar{{Name: playedLog, Value: path}}}})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	require.NoError(t, s.Start(ctx))
	checker := New(log)
	outputs := 0
	for _, line := range lines {
		if line.Kind == "stdin" {
			_, err := s.Send(ctx, line.M)
			require.NoError(t, err)
			continue
		}
		outputs++
		awaitOutput(ctx, t, log, outputs)
		for checker.Advance(ctx, 100, 1<<20) {
		}
	}
	_, err = s.Close(ctx)
	require.NoError(t, err)
	require.NoError(t, log.Close())
	for checker.Advance(ctx, 100, 1<<20) {
	}
	return slices.DeleteFunc(slices.Clone(checker.Problems()), func(p diagnosis.Problem) bool { return p.Rule.Side == diagnosis.Process })
}

// awaitOutput waits until the server has written a number of lines.
func awaitOutput(ctx context.Context, t *testing.T, log *recordings.File, lines int) {
	rows := make([]session.Row, 256)
	for {
		changed := log.Changed()
		seen := 0
		for _, row := range rows[:log.Rows(0, rows)] {
			if row.Kind == session.KindStdout || row.Kind == session.KindStderr {
				seen++
			}
		}
		if seen >= lines {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			require.Fail(t, "the server did not write its lines")
		}
	}
}

// TestExampleLogsLive plays the first bad log of each rule with a real process: in
// the session the rules find the same as in the log. -tags long plays all logs.
func TestExampleLogsLive(t *testing.T) {
	played := map[string]bool{}
	playExampleLogs(t, func(id string, x *exampleLog) bool {
		first := x.bad && !played[id]
		played[id] = played[id] || first
		return first
	})
}

// playExampleLogs plays the example logs that a process can play and that wanted
// accepts.
func playExampleLogs(t *testing.T, wanted func(id string, x *exampleLog) bool) {
	files, err := filepath.Glob("testdata/rules/*.txt")
	require.NoError(t, err)
	on := localexec.New(localexec.Options{})
	t.Cleanup(func() { _ = on.Close() })
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, x := range exampleLogs(t, file) {
			lines, why := x.script(t)
			switch {
			case why != "":
				t.Logf("%s %q cannot be played: %s", id, x.name, why)
			case wanted(id, x):
				t.Run(id+"/"+x.name, func(t *testing.T) {
					t.Parallel()
					x.requireProblems(t, id, x.playLive(t, on, lines))
				})
			}
		}
	}
}
