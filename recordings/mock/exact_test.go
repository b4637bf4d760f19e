package mock

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// notServed are the fixtures with requests in parts or in batches.
var notServed = []string{"halves", "rpc13", "rpc13-early", "rpc13-ok"}

// TestExactBytesOfEveryFixture re-sends the client's messages to a mock with Exact and
// checks that it reproduces every byte of stdout and stderr, and the exit of the
// process. Responses come in the order of the requests here, because all requests are
// sent at once.
func TestExactBytesOfEveryFixture(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob(fixtures + "*.jsonl")
	require.NoError(t, err)
	require.Greater(t, len(all), 80)
	for _, path := range all {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if slices.Contains(notServed, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := open(t, path)
			server, err := New(t.Context(), rec, Options{})
			require.NoError(t, err)
			run := uint16(server.Run())
			s := serve(t, rec, Options{Exact: true}, stream(t, rec, session.KindStdin, run))
			want, got := stream(t, rec, session.KindStdout, run), s.out
			if name == "rpc20" { // with responses in a different order
				want, got = sorted(want), sorted(got)
			}
			require.Equal(t, want, got, "stdout; %q", s.told)
			require.Equal(t, stream(t, rec, session.KindStderr, run), s.err, "stderr")
			require.Equal(t, endingOf(t, rec, run), s.ending)
			require.Zero(t, s.report.Misses)
		})
	}
}

func sorted(text string) string {
	all := slices.Sorted(strings.Lines(text))
	return strings.Join(all, "")
}

// endingOf returns how a recorded process ended, the zero Ending if unknown.
func endingOf(t *testing.T, rec *recordings.Recording, run uint16) (end Ending) {
	t.Helper()
	rows := make([]session.Row, rec.Len())
	for _, row := range rows[:rec.Rows(0, rows)] {
		if row.Kind != session.KindExited || row.Run != run {
			continue
		}
		e, err := rec.Entry(row, 0)
		require.NoError(t, err)
		var body session.ExitedBody
		require.NoError(t, e.DecodeBody(&body))
		if end.Signal = body.Signal; body.Code != nil {
			end.Code = *body.Code
		}
	}
	return end
}
