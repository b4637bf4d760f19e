package exectest

import (
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var subscriberTests = []test{
	{"item08_late_subscriber", lateSubscriber},
	{"item10_nothing_yet_is_not_the_end", nothingYet},
	{"item11_lag_is_reported_and_does_not_slow_the_process", lagIsReported},
	{"item12_lag_is_recovered_by_read", lagIsRecovered},
	{"item13_lost_output_is_shown", lostOutputIsShown},
	{"pinned_subscriber_holds_the_pump", pinnedHolds},
	{"pinned_hold_ends_with_terminate", holdEndsWithTerminate},
	{"pinned_drop_reports_the_exact_gap", pinnedDrops},
	{"pinned_only_once", pinnedOnce},
}

func lateSubscriber(s *suite) {
	p := s.start("out", "a", "line", "err", "b", "line", "exit", "0")
	p.says("a")
	middle := s.watch(p.Process, executor.SubscribeOptions{})
	p.write("\n")
	p.until(executor.Output)
	p.write("\n")
	events := p.rest()
	require.Len(s, events, 4)
	require.Equal(s, events, middle.rest(), "history, then live events")
	require.Equal(s, events, s.watch(p.Process, executor.SubscribeOptions{}).rest(), "after Closed")
	require.Equal(s, events[2:], s.watch(p.Process, executor.SubscribeOptions{After: 2}).rest())
}

func nothingYet(s *suite) {
	p := s.start("line", "exit", "0")
	got := make(chan executor.Event, 1)
	go func() {
		e, err := nextOf(s.ctx, p.sub)
		if err == nil {
			got <- e
		}
		close(got)
	}()
	require.Empty(s, p.read(0, 0, 30*time.Millisecond).Chunks)
	select {
	case e := <-got:
		require.Fail(s, "the subscriber did not wait", "%+v", e)
	default:
	}
	p.write("\n")
	require.Equal(s, executor.Exited, (<-got).Kind)
}

// unread starts a flood that ends with the word "done" and a wait for a line.
// When it returns, all output has been read from the pipe, and the returned
// subscription is unused.
func unread(s *suite, o executor.SubscribeOptions, lines, size string) (*watched, *executor.Subscription) {
	p := s.start("line", "flood", lines, size, "err", "done", "line", "exit", "0")
	slow := s.watch(p.Process, o).sub
	p.write("\n")
	for p.text[executor.Stderr].String() != "done" {
		p.next()
	}
	return p, slow
}

func lagIsReported(s *suite) {
	p, slow := unread(s, executor.SubscribeOptions{}, "5000", "100")
	r := p.read(0, 0, 0)
	e, err := nextOf(s.ctx, slow)
	require.NoError(s, err)
	if len(r.Chunks) > executor.QueueLen {
		require.Equal(s, executor.Event{Kind: executor.Lagged, N: uint64(len(r.Chunks) - executor.QueueLen)}, e)
	} else {
		require.Equal(s, executor.Output, e.Kind)
	}
	require.Equal(s, executor.StateRunning, p.Info().State)
	p.write("\n")
	require.Equal(s, code(0), p.until(executor.Exited).Exit)
}

func lagIsRecovered(s *suite) {
	p := s.start("echo")
	slow := s.watch(p.Process, executor.SubscribeOptions{}).sub
	// One at a time, so that each line is a chunk.
	const lines = executor.QueueLen + 50
	for i := range lines {
		p.write("x")
		p.next()
		require.Equal(s, uint64(i+1), p.seen[i].Seq)
	}
	e, err := nextOf(s.ctx, slow)
	require.NoError(s, err)
	require.Equal(s, executor.Event{Kind: executor.Lagged, N: 50}, e)
	l := newLedger()
	require.NoError(s, l.recover(s.ctx, slow))
	require.Equal(s, uint64(lines), l.bytes)
	p.CloseStdin()
	p.rest()
	for range 2 {
		e, err := nextOf(s.ctx, slow)
		require.NoError(s, err)
		require.NoError(s, l.event(e), "output returned by Read is not repeated")
	}
	require.Equal(s, p.Info().NextSeq, l.next)
}

func lostOutputIsShown(s *suite) {
	p := s.start("echo")
	slow := s.watch(p.Process, executor.SubscribeOptions{}).sub
	// One at a time, so that there are enough chunks to overflow the queue, and
	// more bytes than are retained.
	const size = 8 << 10
	piece := strings.Repeat("x", size)
	for i := range executor.QueueLen + 2*executor.DefaultRetain/size {
		p.write(piece)
		for p.text[executor.Stdout].Len() < (i+1)*size {
			p.next()
		}
	}
	p.CloseStdin()
	p.rest()
	l := newLedger()
	for l.next < p.Info().NextSeq {
		e, err := nextOf(s.ctx, slow)
		require.NoError(s, err)
		require.NoError(s, l.event(e))
		if e.Kind == executor.Lagged {
			require.NoError(s, l.recover(s.ctx, slow))
		}
	}
	require.Equal(s, 1, l.gaps)
	require.Equal(s, uint64(p.text[executor.Stdout].Len()), l.bytes+l.lost)
}

func pinnedHolds(s *suite) {
	const limit = 256 << 10
	p := s.start("line", "flood", "4096", "1024", "exit", "0")
	slow := s.watch(p.Process, executor.SubscribeOptions{Pin: true, PinLimit: limit})
	p.write("\n") // only now, so that no output is evicted before the subscription
	ongoing := p.until(executor.Held).Hold
	require.Zero(s, ongoing.End, "reported after a second, while it lasts")
	require.True(s, ongoing.Stdout)
	info := p.Info()
	require.WithinDuration(s, ongoing.Begin, info.HeldSince, 0)
	require.Equal(s, executor.StateRunning, info.State, "the process waits")
	held := 0
	for _, c := range p.read(0, 0, 0).Chunks {
		held += len(c.Data)
	}
	require.Less(s, held, limit+executor.DefaultRetain+executor.MaxChunk)

	l := newLedger()
	var holds []*executor.HoldInfo
	for l.next != p.Info().NextSeq || p.Info().State != executor.StateClosed {
		e, err := nextOf(s.ctx, slow.sub)
		require.NoError(s, err)
		require.NoError(s, l.event(e))
		if e.Kind == executor.Lagged {
			require.NoError(s, l.recover(s.ctx, slow.sub))
		}
		if e.Kind == executor.Held {
			holds = append(holds, e.Hold)
		}
	}
	require.Zero(s, l.gaps)
	require.Equal(s, uint64(4<<20), l.bytes, "nothing is lost")
	end := slices.IndexFunc(holds, func(h *executor.HoldInfo) bool { return !h.End.IsZero() })
	require.GreaterOrEqual(s, end, 0, "its end is reported")
	require.Equal(s, ongoing.Begin, holds[end].Begin)
	require.Zero(s, p.Info().HeldSince)
}

func holdEndsWithTerminate(s *suite) {
	p := s.start("flood", "100000", "1024", "hang")
	s.watch(p.Process, executor.SubscribeOptions{Pin: true, PinLimit: 64 << 10})
	require.Eventually(s, func() bool { return !p.Info().HeldSince.IsZero() }, waitLimit, pollInterval)
	require.True(s, p.terminate().Running)
	require.Equal(s, executor.StateClosed, p.Info().State)
	require.Equal(s, "KILL", p.until(executor.Exited).Exit.Signal)
	require.False(s, p.until(executor.Closed).Cut, "the pipes were read to their end")
}

func pinnedDrops(s *suite) {
	const limit = 128 << 10
	p, slow := unread(s, executor.SubscribeOptions{
		Pin: true, PinLimit: limit, Overrun: executor.OverrunDrop,
	}, "4096", "1024")
	require.Zero(s, p.Info().HeldSince)
	p.write("\n")
	p.rest()
	l := newLedger()
	for l.next < p.Info().NextSeq {
		e, err := nextOf(s.ctx, slow)
		require.NoError(s, err)
		require.NoError(s, l.event(e))
		if e.Kind == executor.Lagged {
			require.NoError(s, l.recover(s.ctx, slow))
		}
	}
	require.Positive(s, l.gaps)
	require.Equal(s, uint64(4<<20+len("done")), l.bytes+l.lost)
	require.LessOrEqual(s, l.bytes, uint64(limit+executor.MaxChunk))
}

func pinnedOnce(s *suite) {
	p := s.start("hang")
	first := s.watch(p.Process, executor.SubscribeOptions{Pin: true})
	_, err := p.Subscribe(executor.SubscribeOptions{Pin: true})
	require.ErrorIs(s, err, executor.ErrPinned)
	first.sub.Close()
	s.watch(p.Process, executor.SubscribeOptions{Pin: true})
}
