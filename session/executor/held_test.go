package executor

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A heldBackend has exited, but another process holds its streams.
type heldBackend struct {
	fakeBackend
	out  *io.PipeReader
	tree []Descendant
}

func (h *heldBackend) Launch(context.Context) *StartError {
	h.base.Attach(Streams{Output: [2]io.Reader{h.out, h.out}}, EnvReport{})
	return nil
}
func (h *heldBackend) Tree(context.Context) (found, spared []Descendant, err error) {
	return h.tree, nil, nil
}
func (h *heldBackend) Kill(_ context.Context, _ bool, report *StopReport) error {
	report.Signalled, h.tree = h.tree, nil
	return nil
}
func (*heldBackend) Latency() time.Duration { return 0 }
func (h *heldBackend) Release(bool)         { _ = h.out.Close() }

// TestStreamsHeldByAnotherProcess checks which process is named when the streams stay open
// after the exit: leaked processes that were killed, a process that was not
// found, or none if processes that were there before have the streams too.
func TestStreamsHeldByAnotherProcess(t *testing.T) {
	child := Descendant{PID: 7, Command: "child"}
	for name, c := range map[string]struct {
		tree       []Descendant
		shared     bool
		cannotTell []string
		closes     bool // without Terminate
	}{
		"by a child":            {tree: []Descendant{child}},
		"by an unknown process": {cannotTell: []string{heldByUnknown}},
		"shared":                {shared: true, closes: true},
		"shared, with a child":  {shared: true, tree: []Descendant{child}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, in := io.Pipe()
				defer func() { _ = in.Close() }()
				table := newFakeTable(nil)
				var base *Base
				p, err := table.Start(t.Context(), Command{ID: "a"}, func(b *Base) Backend {
					base = b
					return &heldBackend{fakeBackend: fakeBackend{base: b}, out: out, tree: c.tree}
				})
				require.NoError(t, err)
				base.LeaderExited()
				base.Journal.Exited(Exit{Kind: ExitCode})
				if c.shared {
					base.ShareStreams()
				}
				base.CutShared(t.Context())
				require.Equal(t, c.closes, p.Info().State == StateClosed)
				report, err := p.Terminate(t.Context())
				require.NoError(t, err)
				require.Equal(t, c.tree, report.Signalled)
				require.Equal(t, c.cannotTell, report.CannotTell)
				require.Equal(t, StateClosed, p.Info().State)
			})
		})
	}
}
