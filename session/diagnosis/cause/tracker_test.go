package cause

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// TestIncrementalMatchesWhole checks at each row that a tracker that follows a log
// returns the same as one that reads it from the beginning.
func TestIncrementalMatchesWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range recorded {
		g := &growing{Recording: open(t, f.log)}
		following := New(g)
		for g.grow(t) {
			if random.IntN(3) == 0 {
				continue
			}
			for following.Advance(1 + random.IntN(200)) {
				following.Now(nil)
			}
			require.Equal(t, now(g, nil), following.Now(nil), "%s at row %d", f.log, g.Len()-1)
			require.Equal(t, read(t.Context(), g).Ends(), following.Ends(), "%s at row %d", f.log, g.Len()-1)
		}
		for following.Advance(1) {
		}
		require.Equal(t, now(g.Recording, nil), following.Now(nil), "%s: finished recording", f.log)
	}
}

// newLog returns a log that is not recorded.
func newLog(t testing.TB) *recordings.File {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	return log
}

func line(kind session.Kind, text string) session.Entry {
	e := session.Entry{Kind: kind, Payload: []byte(text)}
	if kind != session.KindStderr {
		e.Msg = framing.Scan(e.Payload)
	}
	return e
}

// countedSource counts reads of entries.
type countedSource struct {
	session.Source
	entries int
}

func (s *countedSource) Entry(row session.Row, limit int) (session.Entry, error) {
	s.entries++
	return s.Source.Entry(row, limit)
}

// TestBounded checks that neither reads nor memory grow with the log.
func TestBounded(t *testing.T) {
	log := newLog(t)
	entries := []session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"})}
	for i := range 3 * maxOpen {
		entries = append(entries,
			line(session.KindStdin, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)),
			line(session.KindStdout, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, i)),
			line(session.KindStdout, "{"+strings.Repeat("x", 1000)), line(session.KindStdout, "text"),
			line(session.KindStdout, `{"jsonrpc":"2.0","id":"no","result":{}}`), line(session.KindStderr, "hello"))
	}
	require.NoError(t, log.Append(entries))
	src := &countedSource{Source: log}
	tracker := New(src)
	steps := 0
	for tracker.Advance(1000) {
		steps++
	}
	require.Greater(t, steps, len(entries)/1000)
	require.LessOrEqual(t, src.entries, maxStray+maxOrphans+1)
	require.Len(t, tracker.facts.unanswered(true), maxOpen)
	require.Len(t, tracker.facts.unanswered(false), maxOpen)
	require.Len(t, tracker.facts.words.rows, lastWords)
	require.LessOrEqual(t, cap(tracker.facts.stray.join.text), 2*maxJoined)
	before := src.entries
	tracker.Now(nil)
	require.Less(t, src.entries-before, 100)
}

// TestOpenRequestsMakeRoom checks that answered requests make room for new ones.
func TestOpenRequestsMakeRoom(t *testing.T) {
	log := newLog(t)
	tracker := New(log)
	require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{})}))
	for round := range 3 {
		var requests, responses []session.Entry
		for i := range maxOpen {
			requests = append(requests, line(session.KindStdin, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)))
			responses = append(responses, line(session.KindStdout, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i)))
		}
		require.NoError(t, log.Append(requests))
		for tracker.Advance(1 << 20) {
		}
		require.Len(t, tracker.facts.unanswered(true), maxOpen, "round %d", round)
		require.Equal(t, log.Len()-1, tracker.facts.unanswered(true)[maxOpen-1].row, "the newest is among them")
		require.NoError(t, log.Append(responses))
		for tracker.Advance(1 << 20) {
		}
	}
	require.Empty(t, tracker.Now(nil))
	require.Empty(t, tracker.facts.unanswered(true))
}

// TestJoinIsBounded checks the limit on joined lines.
func TestJoinIsBounded(t *testing.T) {
	log := newLog(t)
	entries := []session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{}), line(session.KindStdout, "{")}
	for range maxStray {
		entries = append(entries, line(session.KindStdout, strings.Repeat("x", 4000)))
	}
	// The body of an event beyond maxBody is not read either.
	entries = append(entries, session.NewEntry(session.KindState, 0, session.StateBody{State: "failed", Detail: strings.Repeat("x", 2*maxBody)}))
	require.NoError(t, log.Append(entries))
	tracker := New(log)
	for tracker.Advance(1 << 20) {
	}
	require.LessOrEqual(t, cap(tracker.facts.stray.join.text), 2*maxJoined)
	require.Equal(t, []string{"multi-line"}, ids(tracker.Now(nil)))
}

// TestTextsAreBounded checks that quotes have one line and are truncated.
func TestTextsAreBounded(t *testing.T) {
	log := newLog(t)
	long := strings.Repeat("é", 1<<16)
	code := 1
	require.NoError(t, log.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"}),
		line(session.KindStdin, `{"jsonrpc":"2.0","id":1,"method":"`+long+`","params":{"name":"`+long+`"}}`),
		line(session.KindStdout, long), line(session.KindStderr, "error: "+long),
		session.NewEntry(session.KindExited, 0, session.ExitedBody{Code: &code}),
		session.NewEntry(session.KindState, 0, session.StateBody{State: "failed", Detail: "a\r\nb" + long, Hint: long, Said: long}),
	}))
	verdicts := now(log, nil)
	require.Equal(t, []string{"not-started", "exited-early", "stray"}, ids(verdicts))
	for _, v := range verdicts {
		require.LessOrEqual(t, len(v.Text), maxText+3)
		require.LessOrEqual(t, len(v.Advice), maxText+3)
		require.True(t, utf8.ValidString(v.Text), "truncated between runes")
		require.NotContains(t, v.Text, "\n")
	}
	require.Contains(t, verdicts[0].Text, "a; b")
}

// stopped is a log whose recording has stopped.
type stopped struct{ session.Source }

func (s stopped) Stats() session.Stats {
	return session.Stats{Recording: session.RecordingStopped, RecordingError: "disk full"}
}

func TestNotRecorded(t *testing.T) {
	verdicts := now(stopped{open(t, "healthy")}, nil)
	require.Equal(t, []string{"not-recorded"}, ids(verdicts))
	require.Equal(t, "the recording has stopped: disk full", verdicts[0].Text)
	require.Equal(t, -1, verdicts[0].Row)
}

func TestTelling(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		want  int
		sure  bool
	}{
		{"nothing", nil, -1, false},
		{"blank", []string{"", "  "}, -1, false},
		{"a word", []string{"bye", ""}, 0, false},
		{"Python", []string{"Traceback (most recent call last):", `  File "x.py", line 1, in <module>`, "    import nope", "ModuleNotFoundError: No module named 'nope'"}, 3, true},
		{"Node", []string{"node:internal/modules/cjs/loader:1", "  throw err;", "", "Error: Cannot find module '/x.js'", "    at Module._resolve (node:internal/error.js:1)", "", "Node.js v24.21.0"}, 3, true},
		{"Go", []string{"panic: boom", "", "goroutine 1 [running]:", "main.main()", "\t/x.go:3 +0x18", "exit status 2"}, 0, true},
	} {
		at, sure := telling(tc.lines)
		require.Equal(t, tc.want, at, tc.name)
		require.Equal(t, tc.sure, sure, tc.name)
	}
}
