package probe_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo/demotest"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
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
func targets(kinds ...string) []verify.Target {
	all := make([]verify.Target, len(kinds))
	for i, kind := range kinds {
		all[i] = verify.Target{Host: verify.Local, Server: kind}
	}
	return all
}

func (l *lab) options(targets ...verify.Target) probe.Options {
	return probe.Options{Targets: targets, FailOn: verify.FailOn{Error: true}, Make: func(_ context.Context, target int, _ probe.Process, configure func(*session.Config)) (*verify.Made, error) {
		return l.make(target, demotest.Command(targets[target].Server), configure)
	}}
}

func (l *lab) make(target int, argv []string, configure func(*session.Config)) (*verify.Made, error) {
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
	return &verify.Made{
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
	report := probe.Run(t.Context(), l.options(targets("")...))
	require.True(t, report.OK, "%+v", report.Targets)
	r := report.Targets[0]
	require.Equal(t, verify.PhaseDone, r.Phase)
	require.Empty(t, r.Cause)
	require.Equal(t, "modern", r.First().Era)
	require.NotEmpty(t, r.First().Protocol)
	require.Equal(t, "mcpdbg-demo", r.First().Name)
	require.Positive(t, *r.Offers.Tools)
	require.Positive(t, *r.Offers.Resources)
	require.Positive(t, *r.Offers.Templates)
	require.Positive(t, *r.Offers.Prompts)
	require.Equal(t, "exit code 0", r.Exit)
	for name, d := range map[string]*float64{
		"start": r.Took("start"), "handshake": r.Took("handshake"), "list": r.Took("list"),
		"ping": r.Took("ping"), "shutdown": r.Took("shutdown"),
	} {
		require.NotNil(t, d, name)
		require.Positive(t, *d, name)
		require.Less(t, *d, r.DurationMS, name)
	}
	require.Nil(t, r.Took("connect"))
	require.Nil(t, r.Took("auth"))
	require.Empty(t, r.Orphans)
	require.FileExists(t, r.Recording())
	require.Zero(t, report.Exit)
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		kind  string
		phase verify.Phase
		cause verify.Cause
		code  string
		hint  string
	}{
		{"dies-at-start", verify.PhaseHandshake, verify.CauseHandshake, "exited", "-e DEMO_API_KEY=VALUE"},
		{"exit-7", verify.PhaseHandshake, verify.CauseHandshake, "exited", ""},
		{"answers-error", verify.PhaseHandshake, verify.CauseHandshake, "refused", ""},
		{"wrong-version", verify.PhaseHandshake, verify.CauseHandshake, "version", ""},
		{"never-answers", verify.PhaseHandshake, verify.CauseTimeout, "timeout", "is it a stdio server"},
		{"dies-on-probe", verify.PhaseDone, "", "", ""},
		{"ignores-eof-term", verify.PhaseShutdown, verify.CauseShutdown, "shutdown.kill", ""},
		{"daemon", verify.PhaseShutdown, verify.CauseOrphan, "shutdown.orphan", ""},
		{"holds-stdout", verify.PhaseShutdown, verify.CauseOrphan, "shutdown.orphan", ""},
		{"bom", verify.PhaseList, verify.CauseTimeout, "timeout", "write UTF-8 without one"},
		{"stray-text", verify.PhaseDone, verify.CauseProtocol, "FRM01", ""},
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
			r := probe.Run(t.Context(), l.options(targets(tt.kind)...)).Targets[0]
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
