package smoke_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo/demotest"
	"mcpdbg/internal/smoke"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

// waitLimit is the time limit of starts and requests that are not about one.
const waitLimit = 5 * time.Minute

// A lab makes the sessions of a run: a kind of demo server on this machine for
// each target.
type lab struct {
	t    testing.TB
	dir  string
	exec *localexec.Executor
	made atomic.Int32 // number of targets
	open atomic.Int32 // sessions not yet closed
	most atomic.Int32 // maximum of open

	startup time.Duration
	change  func(target int, cfg *session.Config)
}

func newLab(t testing.TB) *lab {
	l := &lab{t: t, dir: t.TempDir(), exec: localexec.New(localexec.Options{}), startup: waitLimit}
	t.Cleanup(func() { require.NoError(t, l.exec.Close()) })
	return l
}

// targets returns servers on this machine with kinds of misbehaviour, "" for
// none.
func targets(kinds ...string) []smoke.Target {
	all := make([]smoke.Target, len(kinds))
	for i, kind := range kinds {
		all[i] = smoke.Target{Host: smoke.Local, Server: kind}
	}
	return all
}

func (l *lab) options(targets ...smoke.Target) smoke.Options {
	return smoke.Options{Targets: targets, Make: func(_ context.Context, target int, configure func(*session.Config)) (*smoke.Made, error) {
		return l.make(target, demotest.Command(targets[target].Server), configure)
	}}
}

func (l *lab) make(target int, argv []string, configure func(*session.Config)) (*smoke.Made, error) {
	log, err := recordings.Create(recordings.Options{
		Path: filepath.Join(l.dir, filepath.Base(l.t.Name())+time.Now().Format("150405.000000000")), Header: session.Header{Tool: "test"},
	})
	if err != nil {
		return nil, err
	}
	cfg := session.Config{
		Executor: l.exec, Log: log, ClientName: "test", ClientVersion: "0", StartupTimeout: l.startup, Timeout: waitLimit,
		Command: executor.Command{Argv: argv, Env: []executor.EnvVar{{Name: "GORACE", Value: "atexit_sleep_ms=0"}}},
	}
	configure(&cfg)
	if l.change != nil {
		l.change(target, &cfg)
	}
	s := session.New(cfg)
	l.made.Add(1)
	for now, most := l.open.Add(1), l.most.Load(); now > most && !l.most.CompareAndSwap(most, now); most = l.most.Load() {
	}
	return &smoke.Made{
		Session: s, Recording: log.Path(),
		Close: func(ctx context.Context) (session.ShutdownReport, error) {
			defer l.open.Add(-1)
			report, err := s.Close(ctx)
			require.NoError(l.t, log.Close())
			return report, err
		},
		Release: func() { require.NoError(l.t, log.Release()) },
	}, nil
}

func TestHealthyServer(t *testing.T) {
	l := newLab(t)
	report := smoke.Run(t.Context(), l.options(targets("")...))
	require.True(t, report.OK, "%+v", report.Targets)
	r := report.Targets[0]
	require.Equal(t, smoke.PhaseDone, r.Phase)
	require.Empty(t, r.Cause)
	require.Equal(t, "modern", r.Era)
	require.NotEmpty(t, r.Protocol)
	require.Equal(t, "mcpdbg-demo", r.ServerInfo.Name)
	require.Positive(t, *r.Tools)
	require.Positive(t, *r.Resources)
	require.Positive(t, *r.Templates)
	require.Positive(t, *r.Prompts)
	require.Equal(t, "exit code 0", r.Exit)
	for name, d := range map[string]*float64{
		"start": r.Timings.Start, "handshake": r.Timings.Handshake, "list": r.Timings.List,
		"ping": r.Timings.Ping, "shutdown": r.Timings.Shutdown,
	} {
		require.NotNil(t, d, name)
		require.Positive(t, *d, name)
		require.Less(t, *d, r.DurationMS, name)
	}
	require.Nil(t, r.Timings.Connect)
	require.Nil(t, r.Timings.Auth)
	require.Empty(t, r.Orphans)
	require.FileExists(t, r.Recording)
	require.Zero(t, report.Exit())
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		kind  string
		phase smoke.Phase
		cause smoke.Cause
		code  string
		hint  string
	}{
		{"dies-at-start", smoke.PhaseHandshake, smoke.CauseHandshake, "exited", "-e DEMO_API_KEY=VALUE"},
		{"exit-7", smoke.PhaseHandshake, smoke.CauseHandshake, "exited", ""},
		{"answers-error", smoke.PhaseHandshake, smoke.CauseHandshake, "refused", ""},
		{"wrong-version", smoke.PhaseHandshake, smoke.CauseHandshake, "version", ""},
		{"never-answers", smoke.PhaseHandshake, smoke.CauseTimeout, "timeout", "is it a stdio server"},
		{"dies-on-probe", smoke.PhaseDone, "", "", ""},
		{"ignores-eof-term", smoke.PhaseShutdown, smoke.CauseShutdown, "shutdown.kill", ""},
		{"daemon", smoke.PhaseShutdown, smoke.CauseOrphan, "shutdown.orphan", ""},
		{"holds-stdout", smoke.PhaseShutdown, smoke.CauseOrphan, "shutdown.orphan", ""},
		{"bom", smoke.PhaseList, smoke.CauseTimeout, "timeout", "write UTF-8 without one"},
		{"stray-text", smoke.PhaseDone, smoke.CauseProtocol, "FRM01", ""},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			if tt.kind == "never-answers" {
				l.startup = 2 * time.Second
			}
			if tt.kind == "bom" {
				l.change = func(_ int, cfg *session.Config) { cfg.Timeout = time.Second }
			}
			r := smoke.Run(t.Context(), l.options(targets(tt.kind)...)).Targets[0]
			t.Logf("%+v", r)
			require.Equal(t, tt.phase, r.Phase)
			require.Equal(t, tt.cause, r.Cause)
			require.Equal(t, tt.code, r.Code)
			require.Equal(t, tt.cause == "", r.OK)
			require.Zero(t, l.open.Load())
			if tt.hint != "" {
				require.Contains(t, r.Hint, tt.hint)
			}
		})
	}
}

func TestMain(m *testing.M) { demotest.Main(m) }
