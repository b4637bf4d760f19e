package rule

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/diagnosis/rule/contents"
)

// newLog returns a log to append to, like that of a live session.
func newLog(t testing.TB) *recordings.File {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func appendLine(t testing.TB, log session.Log, kind session.Kind, line string) {
	t.Helper()
	require.NoError(t, log.Append([]session.Entry{{Kind: kind, Seq: 1, Payload: []byte(line), Msg: framing.Scan([]byte(line))}}))
}

func advance(t testing.TB, l *Checker) {
	t.Helper()
	for l.Advance(t.Context(), math.MaxInt, math.MaxInt) {
	}
}

// found lists the problems, without those of the shape of messages.
func found(l *Checker) []string {
	var ids []string
	for _, f := range l.Problems() {
		if slices.Contains(contents.ShapeRules, f.Rule) {
			continue // the messages of these tests are short
		}
		ids = append(ids, fmt.Sprintf("%s %s n=%d x%d", f.Severity.Letter(), f.Rule.ID, f.N, f.Count))
	}
	return ids
}

// TestProbeResponsesAreOnlyInfo checks responses to a probe, and to an initialize that
// a late response to the probe made superfluous.
func TestProbeResponsesAreOnlyInfo(t *testing.T) {
	const (
		discover    = `{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{` + modernMeta + `}}`
		initialize  = `{"jsonrpc":"2.0","id":"b","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
		agreed      = `{"jsonrpc":"2.0","id":"b","result":{"protocolVersion":"2025-11-25"}}`
		modern      = `{"jsonrpc":"2.0","id":"a","result":{` + modernOK + `,"supportedVersions":["2026-07-28"]}}`
		initialized = `>{"jsonrpc":"2.0","method":"notifications/initialized"}`
	)
	timedOut := session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", Of: 1, ID: []byte(`"a"`)})
	ready := func(era string) session.Entry {
		return session.NewEntry(session.KindState, 0, session.StateBody{State: "ready", Era: era})
	}
	for _, c := range []struct {
		name string
		log  []any // a line to the server begins with >
		want []string
	}{
		{"code 0, as gopls returns", []any{">" + discover, `{"jsonrpc":"2.0","id":"a","error":{"code":0,"message":"x"}}`, ">" + initialize, agreed, ready("legacy")}, []string{"I RPC15 n=2 x1"}},
		{"no code", []any{">" + discover, `{"jsonrpc":"2.0","id":"a","error":{}}`, ">" + initialize, agreed, ready("legacy")}, []string{"I RPC14 n=2 x1"}},
		{"unknown member", []any{">" + discover, `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"x"},"x":1}`, ">" + initialize, agreed}, []string{"I RPC17 n=2 x1"}},
		{"late", []any{">" + discover, ">" + initialize, agreed, timedOut, ready("legacy"), `{"jsonrpc":"2.0","id":"a","error":{"code":0,"message":"x"}}`},
			[]string{"I RPC19 n=1 x1", "I RPC15 n=6 x1"}},
		{"a superfluous initialize", []any{">" + discover, ">" + initialize, modern, ready("modern"), `{"jsonrpc":"2.0","id":"b","error":{"code":0,"message":"only 2026-07-28"}}`}, []string{"I RPC15 n=5 x1"}},
		{"initialize itself", []any{">" + initialize, `{"jsonrpc":"2.0","id":"b","error":{"code":0,"message":"x"}}`}, []string{"W RPC15 n=2 x1"}},
		{"a discover sent by the user", []any{">" + initialize, agreed, initialized, ready("legacy"), `>{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
			">" + discover, `{"jsonrpc":"2.0","id":"a","error":{"code":0,"message":"x"}}`}, []string{"W RPC15 n=8 x1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := newLog(t)
			live := New(log)
			for _, entry := range c.log {
				switch entry := entry.(type) {
				case session.Entry:
					require.NoError(t, log.Append([]session.Entry{entry}))
				case string:
					kind := session.KindStdout
					line, sent := strings.CutPrefix(entry, ">")
					if sent {
						kind = session.KindStdin
					}
					appendLine(t, log, kind, line)
				}
				advance(t, live)
			}
			require.Equal(t, c.want, found(live))
			whole := New(log)
			advance(t, whole)
			require.Equal(t, c.want, found(whole), "of the whole log")
		})
	}
}

// TestLegalBatchHasNoFindings checks that each element of a batch has its own id.
func TestLegalBatchHasNoFindings(t *testing.T) {
	log := newLog(t)
	appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`)
	appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26"}}`)
	appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	appendLine(t, log, session.KindStdin, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`)
	appendLine(t, log, session.KindStdout, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}]`)
	appendLine(t, log, session.KindStdin, `[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"resources/read"}]`)
	long := strings.Repeat("x", maxLine)
	appendLine(t, log, session.KindStdout, `[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":4,"result":{"text":"`+long+`"}}]`)
	l := New(log)
	advance(t, l)
	l.Tick(2 * answerTimeout)
	require.Equal(t, []string{"W FRM09 n=7 x1"}, found(l))
	require.Zero(t, log.Stats().Unmatched)
	require.Zero(t, log.Stats().PendingOut)
}

// TestCheckerFollowsALiveLog checks that problems follow the rows and Tick.
func TestCheckerFollowsALiveLog(t *testing.T) {
	log := newLog(t)
	l := New(log)
	advance(t, l)
	require.Empty(t, l.Problems())
	_, waits := l.Due()
	require.False(t, waits)

	require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"})}))
	appendLine(t, log, session.KindStdout, "noise")
	advance(t, l)
	require.Equal(t, []string{"E FRM01 n=2 x1"}, found(l))

	appendLine(t, log, session.KindStdout, "{")
	advance(t, l)
	require.Len(t, l.Problems(), 1, "it may be a message over several lines")
	due, waits := l.Due()
	require.True(t, waits)
	l.Tick(due - 1)
	require.Len(t, l.Problems(), 1)
	l.Tick(due)
	require.Equal(t, []string{"E FRM01 n=2 x1", "E FRM01 n=3 x1"}, found(l))

	appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	advance(t, l)
	due, _ = l.Due()
	l.Tick(due)
	require.Equal(t, "W RPC19 n=4 x1", found(l)[2])

	require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindExited, 9, session.ExitedBody{Signal: "SEGV"})}))
	advance(t, l)
	require.Len(t, l.Problems(), 3, "the cause is not known yet")
	due, _ = l.Due()
	l.Tick(due)
	require.Equal(t, []string{"E PRC03 n=5 x1", "W PRC06 n=5 x1"}, found(l)[3:])
	require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindClosed, 10, session.ClosedBody{})}))
	advance(t, l)
	require.Equal(t, []string{"E PRC04 n=5 x1"}, found(l)[5:])
	_, waits = l.Due()
	require.False(t, waits)
	errors, warnings, infos := l.Counts()
	require.Equal(t, []int{4, 2, 0}, []int{errors, warnings, infos})
}

// TestIDsAreResetWithEachProcess checks that processes do not share ids.
func TestIDsAreResetWithEachProcess(t *testing.T) {
	log := newLog(t)
	for range 2 {
		require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"})}))
		appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}
	require.Empty(t, Check(t.Context(), log).Problems())
}

// TestFindingsAreBounded checks the limit, and that the rest is counted.
func TestFindingsAreBounded(t *testing.T) {
	log := newLog(t)
	const n = 3*maxProblems + 7
	for range n {
		appendLine(t, log, session.KindStdout, "noise")
		appendLine(t, log, session.KindStdout, "")
	}
	l := New(log)
	advance(t, l)
	all := l.Problems()
	require.Len(t, all, maxProblems+1)
	noise, blank := 0, 0
	for _, f := range all {
		switch f.Rule.ID {
		case "FRM01":
			noise += f.Count
		case "FRM10":
			blank += f.Count
		}
	}
	require.Equal(t, []int{n, n}, []int{noise, blank})
	require.Equal(t, n-maxProblems+1, all[len(all)-1].Count)
	errors, _, infos := l.Counts()
	require.Equal(t, []int{n, n}, []int{errors, infos})
}

func TestOpenRequestsAreBounded(t *testing.T) {
	var x ids
	for i := range maxOpen + 10 {
		x.add(x.key(false, fmt.Append(nil, i)), &request{sent: message.Request{Method: "tools/call"}})
	}
	require.Len(t, x.open, maxOpen)
	require.True(t, x.overflow)
	for i := range maxOpen {
		require.NotNil(t, x.settle(x.key(false, fmt.Append(nil, i)), true, 0))
	}
	require.Len(t, x.settled, maxSettled)
	for i := range 10 * maxSettled {
		key := x.key(false, fmt.Append(nil, i))
		x.add(key, &request{sent: message.Request{Method: "ping"}})
		x.settle(key, true, 0)
	}
	require.LessOrEqual(t, len(x.queue), 66, "settled requests leave the queue")
	require.Len(t, message.Short(make([]byte, 1<<20)), 1+64)
}

// TestJoiningIsBounded checks the limit on the lines of a message.
func TestJoiningIsBounded(t *testing.T) {
	log := newLog(t)
	appendLine(t, log, session.KindStdout, "{")
	for range 3 * maxJoined {
		appendLine(t, log, session.KindStdout, `"a": 1,`)
	}
	l := New(log)
	advance(t, l)
	l.Tick(l.now + joinGrace)
	errors, _, _ := l.Counts()
	require.Equal(t, 3*maxJoined+1, errors, "each line is noise")
}

func TestAdvanceObeysItsLimits(t *testing.T) {
	log := newLog(t)
	for range 1000 {
		appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","method":"notifications/message"}`)
	}
	l := New(log)
	require.True(t, l.Advance(t.Context(), 10, math.MaxInt))
	rows, _ := l.Progress()
	require.Equal(t, 10, rows)
	require.True(t, l.Advance(t.Context(), math.MaxInt, 1000))
	rows, _ = l.Progress()
	require.InDelta(t, 20, rows, 5)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	before := rows
	require.True(t, l.Advance(over, math.MaxInt, math.MaxInt))
	rows, _ = l.Progress()
	require.Less(t, rows-before, 64)
	require.False(t, l.Advance(t.Context(), math.MaxInt, math.MaxInt))
}

// forgetful is a log whose rows cannot be read any more.
type forgetful struct{ session.Source }

func (forgetful) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, recordings.ErrNotKept
}

func TestUnreadRowsAreCounted(t *testing.T) {
	src := open(t, "stray-text.jsonl")
	l := New(forgetful{src})
	advance(t, l)
	require.Empty(t, l.Problems())
	rows, unread := l.Progress()
	require.Equal(t, []int{src.Len(), src.Len()}, []int{rows, unread})
}

// FuzzCheck checks arbitrary logs, at once and in steps.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(f, err)
	for _, file := range files {
		_, body, _ := strings.Cut(string(readFile(f, file)), "\n")
		if len(body) < 4000 {
			f.Add([]byte(body), byte(3))
		}
	}
	for _, logs := range allExamples(f) {
		for _, x := range logs {
			f.Add([]byte(strings.Join(x.entries, "")), byte(1))
		}
	}
	path := filepath.Join(f.TempDir(), "r.jsonl") // reused: only one log is read at a time
	f.Fuzz(func(t *testing.T, body []byte, step byte) {
		writeFile(t, path, append([]byte(header), body...))
		rec, err := recordings.Open(path)
		require.NoError(t, err)
		defer rec.Close()
		want := Check(t.Context(), rec).Problems()
		for _, f := range want {
			require.GreaterOrEqual(t, f.Count, 1)
			require.Less(t, f.Row, rec.Len())
			require.Less(t, len(f.Detail), 6*maxDetail+3*maxWords)
		}
		l := New(rec)
		for l.Advance(t.Context(), int(step)+1, math.MaxInt) {
		}
		require.Equal(t, want, l.Problems())
	})
}

// BenchmarkAdvance compares linting a million clean rows with only reading them.
func BenchmarkAdvance(b *testing.B) {
	const rows = 1 << 20
	log := newLog(b)
	line := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"indexer",` +
		`"data":"indexed 4711 of 100000 files in /home/user/projects/demo, 12 of them new"}}`)
	batch := make([]session.Entry, 1024)
	for i := range batch {
		batch[i] = session.Entry{Kind: session.KindStdout, Seq: 1, Payload: line, Msg: framing.Scan(line)}
	}
	for range rows / len(batch) {
		require.NoError(b, log.Append(batch))
	}
	perRow := func(b *testing.B, start time.Time) {
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(b.N)/rows, "ns/row")
	}
	b.Run("lint", func(b *testing.B) {
		b.ReportAllocs()
		start := time.Now()
		for b.Loop() {
			require.Empty(b, Check(b.Context(), log).Problems())
		}
		perRow(b, start)
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		start := time.Now()
		buf := make([]session.Row, 512)
		for b.Loop() {
			for from := 0; from < rows; {
				n := log.Rows(from, buf)
				for _, row := range buf[:n] {
					_, err := log.Entry(row, maxLine)
					require.NoError(b, err)
				}
				from += n
			}
		}
		perRow(b, start)
	})
	b.Run("rows", func(b *testing.B) {
		b.ReportAllocs()
		start := time.Now()
		buf := make([]session.Row, 512)
		for b.Loop() {
			for from := 0; from < rows; {
				from += log.Rows(from, buf)
			}
		}
		perRow(b, start)
	})
}

// TestLastWordsHaveNoEmptyLine checks that a newline that came after its line is not
// quoted as a line of stderr.
func TestLastWordsAreWholeLines(t *testing.T) {
	reason := strings.Repeat("/opt/server", 30) + ": no such table"
	log := newLog(t)
	require.NoError(t, log.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"}),
		{Kind: session.KindStderr, Seq: 1, Payload: []byte(reason)},
		{Kind: session.KindStderr, Seq: 2, Payload: []byte(strings.Repeat("x", maxWords+1))},
		session.NewEntry(session.KindExited, 3, session.ExitedBody{Signal: "SEGV"}),
		session.NewEntry(session.KindClosed, 4, session.ClosedBody{}),
	}))
	l := New(log)
	advance(t, l)
	due, _ := l.Due()
	l.Tick(due)
	require.NotEmpty(t, l.Problems())
	require.Contains(t, l.Problems()[0].Detail, "; stderr: "+reason+" | "+strings.Repeat("x", maxWords)+wording.Ellipsis)
}

func TestLastWordsHaveNoEmptyLine(t *testing.T) {
	log := newLog(t)
	require.NoError(t, log.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"}),
		{Kind: session.KindStderr, Seq: 1, Payload: []byte("panic: boom"), EOL: framing.NoEOL, More: true},
		{Kind: session.KindStderr, Seq: 2},
		session.NewEntry(session.KindExited, 3, session.ExitedBody{Signal: "SEGV"}),
		session.NewEntry(session.KindClosed, 4, session.ClosedBody{}),
	}))
	l := New(log)
	advance(t, l)
	due, _ := l.Due()
	l.Tick(due)
	require.NotEmpty(t, l.Problems())
	require.Regexp(t, `; stderr: panic: boom$`, l.Problems()[0].Detail)
}
