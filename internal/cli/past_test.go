package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/session/mcp"
)

// shown is what the screen shows of a log at one moment.
type shown struct {
	Rows     []session.Row
	Stats    session.Stats
	Causes   []diagnosis.Cause
	Problems []diagnosis.Problem
}

// projection is what the screen derives from a log.
type projection struct {
	src     session.Source
	tracker *cause.Tracker
	checker *rule.Checker
}

func project(src session.Source) *projection {
	return &projection{src, cause.New(src), rule.New(src)}
}

// show advances to the current end of the log. It uses nothing that only a live
// session has (clocks, unwritten bytes, open prompts): cause.Live is nil, and
// the checker gets no Tick.
func (p *projection) show() shown {
	rows := make([]session.Row, p.src.Len())
	s := shown{Rows: rows[:p.src.Rows(0, rows)], Stats: p.src.Stats()}
	for p.tracker.Advance(1000) {
	}
	for p.checker.Advance(context.Background(), 1000, 1<<20) {
	}
	s.Causes, s.Problems = p.tracker.Now(nil), p.checker.Problems()
	return s
}

// A watchedLog is read like the screen reads it after each append, before the
// next append.
type watchedLog struct {
	*recordings.File
	mu     sync.Mutex
	screen *projection
	shown  []shown
}

func (w *watchedLog) Append(entries []session.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.File.Append(entries)
	w.shown = append(w.shown, w.screen.show())
	return err
}

// TestRecordingShowsSameAsSession compares the live screen with a recording at
// the cursor: at every moment the rows, their states, the counts, the causes
// and the problems are the same, whether the log was followed or the cursor
// jumped there.
func TestRecordingShowsSameAsSession(t *testing.T) {
	for _, c := range []struct {
		kind  string
		era   mcp.Era
		calls func(t *testing.T, s *session.Session)
	}{
		{"", mcp.Legacy, manyEndings},
		{"", mcp.Modern, manyEndings},
		{"", mcp.Auto, manyEndings},
		{"stray-text", mcp.Legacy, twoCalls},
		{"duplicate-answers", mcp.Legacy, twoCalls},
		{"orphan-answers", mcp.Legacy, twoCalls},
		{"progress-after-result", mcp.Legacy, twoCalls},
		{"ids", mcp.Legacy, twoCalls},
		{"id-type", mcp.Legacy, twoCalls},
		{"batch", mcp.Legacy, twoCalls},
		{"multi-line", mcp.Legacy, twoCalls},
		{"asks-undeclared", mcp.Legacy, twoCalls},
		{"crash-mid-call", mcp.Legacy, twoCalls},
		{"no-final-newline", mcp.Legacy, twoCalls},
		{"dies-at-start", mcp.Legacy, nil},
		{"dies-on-probe", mcp.Auto, twoCalls},
		{"never-answers", mcp.Legacy, nil},
		{"junk-only", mcp.Legacy, nil},
		{"stderr-flood", mcp.Legacy, twoCalls},
		{"closes-stdout", mcp.Legacy, twoCalls},
	} {
		t.Run(c.kind+" "+c.era.String(), func(t *testing.T) {
			t.Parallel()
			log := runWatched(t, c.kind, c.era, c.calls)
			rec, err := recordings.Open(log.Path())
			require.NoError(t, err)
			defer func() { require.NoError(t, rec.Close()) }()

			require.NotEmpty(t, log.shown)
			if c.kind == "" {
				requireManyEndings(t, log.shown[len(log.shown)-1].Rows)
			}
			past := session.NewPast(rec)
			following := project(past)
			for i, live := range log.shown {
				k := len(live.Rows)
				past.To(k)
				require.Equal(t, live, following.show(), "after %d rows, played", k)
				if i%7 == 0 || i == len(log.shown)-1 {
					jumped := session.NewPast(rec)
					jumped.To(k)
					require.Equal(t, live, project(jumped).show(), "after %d rows, with a jump", k)
				}
			}
		})
	}
}

// requireManyEndings fails if the session lacks cases that the test needs.
func requireManyEndings(t *testing.T, rows []session.Row) {
	t.Helper()
	seen := map[session.ReqState]bool{}
	for _, row := range rows {
		seen[row.State] = true
	}
	for _, state := range []session.ReqState{session.ReqAnswered, session.ReqFailed, session.ReqCancelled, session.ReqTimedOut, session.ReqLost} {
		require.True(t, seen[state], "no request is %s", state)
	}
}

// runWatched runs a session with a demo server and ends it.
func runWatched(t *testing.T, kind string, era mcp.Era, calls func(*testing.T, *session.Session)) *watchedLog {
	t.Helper()
	file, err := recordings.Create(recordings.Options{Path: filepath.Join(t.TempDir(), "rec.jsonl")})
	require.NoError(t, err)
	log := &watchedLog{File: file, screen: project(file)}
	argv := []string{clitest.Binary(), "demo-server"}
	if kind != "" {
		argv = append(argv, "--misbehave", kind)
	}
	startup := clitest.WaitLimit
	if calls == nil {
		startup = time.Second // it does not start
	}
	ex := localexec.New(localexec.Options{})
	s := session.New(session.Config{
		Executor: ex, Log: log, Command: executor.Command{Argv: argv}, Era: era, ClientName: "test", ClientVersion: "0",
		StartupTimeout: startup, Timeout: 2 * time.Second,
	})
	ctx, cancel := context.WithTimeout(t.Context(), clitest.WaitLimit)
	defer cancel()
	if err := s.Open(ctx); err == nil && calls != nil {
		calls(t, s)
	}
	_, err = s.Close(ctx)
	require.NoError(t, err)
	require.NoError(t, ex.Close())
	require.NoError(t, file.Close())
	log.shown = append(log.shown, log.screen.show())
	require.NoError(t, file.Release())
	return log
}

func twoCalls(t *testing.T, s *session.Session) {
	for _, message := range []string{`"one"`, `"two"`} {
		_, _ = s.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"echo","arguments":{"message":`+message+`}}`), session.CallOptions{})
	}
}

// manyEndings makes requests that are answered, failed, cancelled, timed out and
// lost, in two processes.
func manyEndings(t *testing.T, s *session.Session) {
	twoCalls(t, s)
	_, _ = s.Request(t.Context(), "tools/list", nil, session.CallOptions{})
	_, _ = s.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"none"}`), session.CallOptions{})
	_, _ = s.Request(t.Context(), "no/such", nil, session.CallOptions{})
	_, _ = s.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"ask"}`), session.CallOptions{})
	slow := json.RawMessage(`{"name":"slow","arguments":{"seconds":30}}`)
	_, _ = s.Request(t.Context(), "tools/call", slow, session.CallOptions{}) // times out, and is cancelled
	cancelled, cancel := context.WithCancel(t.Context())
	_, _ = s.Request(cancelled, "tools/call", slow, session.CallOptions{Timeout: clitest.WaitLimit, OnSent: func(uint64) { cancel() }})
	_, _ = s.Request(t.Context(), "tools/call", slow, session.CallOptions{Timeout: 50 * time.Millisecond, Quiet: true})
	var calls sync.WaitGroup
	for range 3 {
		sent := make(chan uint64, 1)
		calls.Go(func() {
			_, _ = s.Request(t.Context(), "tools/call", slow, session.CallOptions{Timeout: clitest.WaitLimit, OnSent: func(n uint64) { sent <- n }})
		})
		<-sent
	}
	require.NoError(t, s.Restart(t.Context()))
	calls.Wait()
	twoCalls(t, s)
	_, _ = s.Send(t.Context(), []byte(`[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]`))
	_, _ = s.SendBytes(t.Context(), []byte(`{"jsonrpc":"2.0","id":"a","method":"pi`))
	_, _ = s.SendBytes(t.Context(), []byte("ng\"}\n"))
	twoCalls(t, s)
}
