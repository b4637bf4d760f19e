package probe_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// offers is a server with one tool of this name, which is listed after a delay.
func offers(tool string, slow time.Duration) func(p *fake) {
	return func(p *fake) {
		p.each(map[string]func(message) bool{"tools/list": func(m message) bool {
			time.Sleep(slow)
			p.answer(m, `"result":{"tools":[{"name":"`+tool+`","inputSchema":{"type":"object"}}]}`)
			return true
		}})
	}
}

func TestBaselineFromHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("same", &host{serve: offers("one", 0)})
		w.add("other", &host{serve: offers("two", 0)})
		w.add("reference", &host{serve: offers("one", 10*time.Second)})
		opts := w.options("same", "other", "reference")
		opts.Baseline = &probe.Baseline{Name: "reference", Host: "reference"}
		opts.TargetTimeout = 12 * time.Second
		var events []probe.Event
		opts.Event = func(e probe.Event) { events = append(events, e) }
		report := probe.Run(t.Context(), opts)
		require.Equal(t, "reference", report.Baseline)
		require.True(t, report.Targets[0].OK, "%+v", report.Targets[0])
		require.True(t, report.Targets[2].OK)
		other := report.Targets[1]
		require.Equal(t, verify.PhaseBaseline, other.Phase)
		require.Equal(t, verify.CauseDrift, other.Cause)
		require.Contains(t, other.Message, "differs from reference: tool ")
		require.Contains(t, other.Message, "(and 1 more)")
		require.ElementsMatch(t, []string{"one removed", "two added"},
			[]string{other.Drift[0].Name + " " + other.Drift[0].Change, other.Drift[1].Name + " " + other.Drift[1].Change})
		require.Equal(t, "exit code 0", other.Exit)
		require.Equal(t, []verify.Phase{verify.PhaseStart, verify.PhaseHandshake, verify.PhaseList, verify.PhaseShutdown, verify.PhaseBaseline, verify.PhaseDone}, phases(events, 1))
		require.Equal(t, 1, report.Exit)
	})
}

// With one job the reference must be first, or all others wait for it.
func TestReferenceStartsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("a", &host{serve: offers("one", 0)})
		w.add("reference", &host{serve: offers("two", 0)})
		opts := w.options("a", "a", "reference")
		opts.Jobs = 1
		opts.Baseline = &probe.Baseline{Host: "reference"}
		report := probe.Run(t.Context(), opts)
		require.Equal(t, verify.Tally{Passed: 1, Failed: 2}, report.Tally())
	})
}

// TestReferenceWaitsForConnection checks hosts that share a limited
// number of connections, where the reference may have to wait until other
// targets have released theirs.
func TestReferenceWaitsForConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		free := make(chan struct{})
		w.add("alias", &host{serve: offers("two", 0)})
		w.add("reference", &host{serve: func(p *fake) {
			<-free
			offers("one", 0)(p)
		}})
		opts := w.options("alias", "reference")
		opts.Baseline = &probe.Baseline{Name: "reference", Host: "reference"}
		inner := opts.Make
		opts.Make = func(ctx context.Context, target int, p probe.Process, configure func(*session.Config)) (*verify.Made, error) {
			made, err := inner(ctx, target, p, configure)
			if target == 0 {
				end := made.Close
				made.Close = func(ctx context.Context) (session.ShutdownReport, error) {
					defer close(free)
					return end(ctx)
				}
			}
			return made, err
		}
		report := probe.Run(t.Context(), opts)
		require.Equal(t, verify.CauseDrift, report.Targets[0].Cause, "%+v", report.Targets[0])
		require.True(t, report.Targets[1].OK, "%+v", report.Targets[1])
	})
}

func TestFailingReference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("a", &host{})
		w.add("reference", &host{steps: []step{{"connect", 5000}}, down: []error{refused(executor.NetRefused, "connect")}})
		opts := w.options("a", "reference")
		opts.Baseline = &probe.Baseline{Name: "reference", Host: "reference"}
		a := probe.Run(t.Context(), opts).Targets[0]
		require.True(t, a.OK)
		last := a.Notices[len(a.Notices)-1]
		require.Equal(t, "baseline.missing", last.Code)
		require.Contains(t, last.Text, "not compared with reference: ")
	})
}

func TestBaselineFromFile(t *testing.T) {
	w := newWorld(t)
	w.add("a", &host{})
	base := surface.New(session.Server{Name: "fake", Version: "2", Era: mcp.Legacy, Protocol: mcp.LatestLegacy,
		Capabilities: json.RawMessage(`{"tools":{},"resources":{}}`)}, nil)
	opts := w.options("a")
	opts.Baseline = &probe.Baseline{Name: "base.json", For: func(server string) (*surface.Surface, error) {
		require.Equal(t, "fake", server)
		return base, nil
	}}
	a := probe.Run(t.Context(), opts).Targets[0]
	require.Equal(t, verify.CauseDrift, a.Cause)
	require.Equal(t, []surface.Change{{What: "server", Name: "version", Change: "changed", From: `"2"`, To: `"1"`}}, a.Drift)

	opts.Baseline.For = func(string) (*surface.Surface, error) { return nil, errors.New("it has no such server") }
	a = probe.Run(t.Context(), opts).Targets[0]
	require.True(t, a.OK)
	require.Equal(t, "not compared with base.json: it has no such server", a.Notices[len(a.Notices)-1].Text)
}

// TestRunEndsWhileWaitingForReference checks that a target which has not
// been compared has not passed.
func TestRunEndsWhileWaitingForReference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("a", &host{})
		w.add("reference", &host{steps: []step{{"connect", 5000}}})
		opts := w.options("a", "reference")
		opts.Baseline = &probe.Baseline{Name: "reference", Host: "reference"}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a := probe.Run(ctx, opts).Targets[0]
		require.Equal(t, verify.CauseCancelled, a.Cause)
		require.Equal(t, verify.PhaseBaseline, a.Phase)
	})
}
