package report

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

// paceOf returns a sink of lines for n targets, as a run uses it.
func paceOf(urgent context.Context, t *testing.T, w io.Writer, n int) (sink Sink, broken context.Context) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	return Paced(urgent, Lines(w, n), n, cancel), ctx
}

// TestPacedSinkDoesNotBlock: the sink takes all output of a run before any is
// read, and keeps its order.
func TestPacedSinkDoesNotBlock(t *testing.T) {
	t.Parallel()
	const n = 300
	r, w := io.Pipe()
	sink, broken := paceOf(t.Context(), t, w, n)
	require.NoError(t, sink.Begin(&verify.Report{Tool: "test"}))
	for i := range n {
		require.NoError(t, sink.Done(i, &verify.Result{Host: "h"}))
	}
	finished := make(chan error, 1)
	go func() {
		finished <- sink.Finish(&verify.Report{})
		_ = w.Close()
	}()
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, <-finished)
	require.NoError(t, broken.Err())
	require.Regexp(t, `(?s)^{"mcpdbg_smoke":1,"line":"start".*"index":0,.*"index":299,.*"line":"end"[^\n]*\n$`, string(all))
}

// TestPacedSinkReaderCloses: the error is reported at once, and nothing else is
// written.
func TestPacedSinkReaderCloses(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	r, w := io.Pipe()
	require.NoError(t, r.CloseWithError(gone))
	sink, broken := paceOf(t.Context(), t, w, 2)
	require.NoError(t, sink.Begin(&verify.Report{}))
	<-broken.Done()
	require.ErrorIs(t, context.Cause(broken), gone)
	require.NoError(t, sink.Done(0, &verify.Result{}))
	require.ErrorIs(t, sink.Finish(&verify.Report{}), gone)
}

// TestPacedSinkReaderStops: after a second signal, the sink waits for a slow
// reader but not for a stopped one.
func TestPacedSinkReaderStops(t *testing.T) {
	for name, reads := range map[string]bool{"stopped": false, "slow": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				urgent, cancelUrgent := context.WithCancel(t.Context())
				r, w := io.Pipe()
				sink, _ := paceOf(urgent, t, w, 0)
				require.NoError(t, sink.Begin(&verify.Report{}))
				cancelUrgent()
				if reads {
					time.AfterFunc(slowReaderTimeout-time.Second, func() { _, _ = io.Copy(io.Discard, r) })
				}
				err := sink.Finish(&verify.Report{})
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
