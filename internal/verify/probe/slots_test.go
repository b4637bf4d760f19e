package probe_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify/probe"
	"mcpdbg/session/mcp"
)

// TestSlots checks that hosts which do not respond delay no other target, and
// that at most Jobs servers run at once.
func TestSlots(t *testing.T) {
	slow := []step{{"resolve", 1}, {"connect", 10_000}, {"host-key", 20}, {"login", 40}, {"start", 5}}
	busy := []step{{"resolve", 1}, {"connect", 10}, {"host-key", 20}, {"login", 40}, {"start", 10_000}}
	for _, tt := range []struct {
		name  string
		jobs  int
		hosts map[string][]step
		order []string
		took  time.Duration // plus up to two seconds
	}{
		{"one of two jobs", 2, map[string][]step{"a": slow, "b": overSSH, "c": overSSH, "d": overSSH}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"all jobs", 2, map[string][]step{"a": slow, "b": slow, "c": overSSH, "d": overSSH}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"all are slow", 1, map[string][]step{"a": slow, "b": slow, "c": slow, "d": slow}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"the last is slow", 1, map[string][]step{"a": overSSH, "b": overSSH, "c": overSSH, "d": slow}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"a slow start is work", 1, map[string][]step{"a": busy, "b": busy}, []string{"a", "b"}, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				for name, steps := range tt.hosts {
					w.add(name, &host{steps: steps})
				}
				opts := w.options(tt.order...)
				opts.Jobs = tt.jobs
				begin := time.Now()
				require.True(t, probe.Run(t.Context(), opts).OK)
				took := time.Since(begin)
				require.GreaterOrEqual(t, took, tt.took)
				require.Less(t, took, tt.took+2*time.Second)
			})
		})
	}
}

// TestSlotsOfRestartedServers checks servers that are started again. Their
// connection may be taken by a target that waits for a slot, so a target that
// waits for a connection must not hold a slot, or both would wait forever.
func TestSlotsOfRestartedServers(t *testing.T) {
	const targets, jobs = 8, 2
	for name, starts := range map[string]func(w *world, opts probe.Options) probe.Options{
		"by a scenario": func(_ *world, opts probe.Options) probe.Options {
			return scripted(t, opts, "scenario: 1\nsteps: [{restart: true}]\n", nil)
		},
		"after the probe": func(w *world, opts probe.Options) probe.Options {
			w.era = mcp.Auto
			return opts
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				var most atomic.Int32
				w.add("far", &host{steps: overSSH, room: make(chan struct{}, jobs+1), serve: func(p *fake) {
					most.Store(max(most.Load(), w.running.Load()))
					p.each(map[string]func(message) bool{
						mcp.MethodDiscover: func(message) bool { return false },
						"tools/list": func(m message) bool {
							time.Sleep(20 * time.Second)
							p.answer(m, `"result":{"tools":[]}`)
							return true
						},
					})
				}})
				opts := starts(w, w.options(slices.Repeat([]string{"far"}, targets)...))
				opts.Jobs, opts.TargetTimeout = jobs, 25*time.Second // excludes the time that other targets take
				report := probe.Run(t.Context(), opts)
				require.True(t, report.OK, "%+v", report.Targets)
				require.Equal(t, int32(jobs), most.Load())
				require.Equal(t, int32(2*targets), w.hosts["far"].starts.Load())
			})
		})
	}
}
