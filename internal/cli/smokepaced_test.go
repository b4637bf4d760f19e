package cli

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
)

// paceOf is a sink of lines for n targets, as a run uses it.
func paceOf(urgent context.Context, t *testing.T, w io.Writer, n int) (sink smokeSink, broken context.Context) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	return paced(urgent, jsonLines(w, n), n, cancel), ctx
}

// TestNobodyWaitsForWhoReads: all that a run has to say is taken before anything
// of it is read, and comes in its order then.
func TestNobodyWaitsForWhoReads(t *testing.T) {
	t.Parallel()
	const n = 300
	r, w := io.Pipe()
	sink, broken := paceOf(t.Context(), t, w, n)
	require.NoError(t, sink.begin(&smoke.Report{Tool: "test"}))
	for i := range n {
		require.NoError(t, sink.done(i, &smoke.Result{Host: "h"}))
	}
	finished := make(chan error, 1)
	go func() {
		finished <- sink.finish(&smoke.Report{})
		_ = w.Close()
	}()
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, <-finished)
	require.NoError(t, broken.Err())
	require.Regexp(t, `(?s)^{"mcpdbg_smoke":1,"line":"start".*"index":0,.*"index":299,.*"line":"end"[^\n]*\n$`, string(all))
}

// TestWhoReadsGoesAway: the run is told at once, and nothing else is written.
func TestWhoReadsGoesAway(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	r, w := io.Pipe()
	require.NoError(t, r.CloseWithError(gone))
	sink, broken := paceOf(t.Context(), t, w, 2)
	require.NoError(t, sink.begin(&smoke.Report{}))
	<-broken.Done()
	require.ErrorIs(t, context.Cause(broken), gone)
	require.NoError(t, sink.done(0, &smoke.Result{}))
	require.ErrorIs(t, sink.finish(&smoke.Report{}), gone)
}

// TestNobodyReadsAnyMore: a second signal does not wait for that, but for who reads.
func TestNobodyReadsAnyMore(t *testing.T) {
	for name, reads := range map[string]bool{"nobody": false, "slow": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				urgent, hurry := context.WithCancel(t.Context())
				r, w := io.Pipe()
				sink, _ := paceOf(urgent, t, w, 0)
				require.NoError(t, sink.begin(&smoke.Report{}))
				hurry()
				if reads {
					time.AfterFunc(unreadFor-time.Second, func() { _, _ = io.Copy(io.Discard, r) })
				}
				err := sink.finish(&smoke.Report{})
				require.NoError(t, r.Close())
				if reads {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, errUnread)
				}
			})
		})
	}
}
