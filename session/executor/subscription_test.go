package executor

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLagIsReportedAndRecovered(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{})
	j.Output(Stdout, []byte("first"))
	require.Len(t, drain(t, s), 1)
	for range QueueLen + 44 {
		j.Output(Stdout, []byte("x"))
	}
	finish(j)
	e, err := s.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, Event{Kind: Lagged, N: 44}, e)

	var got []uint64
	for {
		r, err := s.Read(t.Context(), 10)
		require.NoError(t, err)
		if len(r.Chunks) == 0 {
			break
		}
		require.LessOrEqual(t, len(r.Chunks), 10)
		require.Equal(t, r.Chunks[len(r.Chunks)-1].Seq+1, r.NextSeq)
		got = append(got, seqs(r)...)
	}
	require.Len(t, got, QueueLen+44)
	for i, seq := range got {
		require.Equal(t, uint64(i+2), seq)
	}
	require.Equal(t, []EventKind{Exited, Closed}, kinds(drain(t, s)), "output returned by Read is not delivered again")
}

func TestPartOfALagMayBeReadAndTheRestDelivered(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{})
	for range QueueLen + 10 {
		j.Output(Stdout, []byte("x"))
	}
	e, err := s.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, Event{Kind: Lagged, N: 10}, e)
	r, err := s.Read(t.Context(), 4)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2, 3, 4}, seqs(r))
	rest := drain(t, s)
	require.Len(t, rest, QueueLen+6)
	require.Equal(t, uint64(5), rest[0].Seq)
}

func TestUnreadLagIsSkipped(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{})
	for range QueueLen + 10 {
		j.Output(Stdout, []byte("x"))
	}
	events := drain(t, s)
	require.Len(t, events, 1+QueueLen)
	require.Equal(t, Event{Kind: Lagged, N: 10}, events[0])
	require.Equal(t, uint64(11), events[1].Seq)
}

func TestHistoryIsNotSubjectToTheQueue(t *testing.T) {
	j := NewJournal(JournalOptions{})
	for range 3 * QueueLen {
		j.Output(Stdout, []byte("x"))
	}
	s := subscribe(t, j, SubscribeOptions{})
	for range 10 {
		j.Output(Stderr, []byte("y"))
	}
	events := drain(t, s)
	require.Len(t, events, 3*QueueLen+10)
	for i, e := range events {
		require.Equal(t, uint64(i+1), e.Seq)
	}
}

func TestHistoryBeginsWithTheGap(t *testing.T) {
	j := NewJournal(JournalOptions{Retain: 4})
	j.Output(Stdout, []byte("aaa"))
	j.Exited(exit7())
	j.Output(Stderr, []byte("bb"))
	j.Output(Stderr, []byte("cccc"))
	want := []Event{
		{Kind: Gap, Gap: &GapInfo{From: 1, To: 1, Bytes: 3, Stdout: true}},
		{Kind: Exited, Seq: 2, Exit: exit7()},
		{Kind: Gap, Gap: &GapInfo{From: 3, To: 3, Bytes: 2, Stderr: true}},
		{Kind: Output, Seq: 4, Stream: Stderr, Data: []byte("cccc")},
	}
	require.Equal(t, want, drain(t, subscribe(t, j, SubscribeOptions{})))

	later := drain(t, subscribe(t, j, SubscribeOptions{After: 2}))
	require.Equal(t, &GapInfo{From: 3, To: 3, Stdout: true, Stderr: true}, later[0].Gap,
		"the size of the output before number 3 is no longer known")
	require.Equal(t, want[3:], later[1:])
}

func TestPinnedOutputStays(t *testing.T) {
	j := NewJournal(JournalOptions{Retain: 10})
	s := subscribe(t, j, SubscribeOptions{Pin: true})
	_, err := j.Subscribe(SubscribeOptions{Pin: true})
	require.ErrorIs(t, err, ErrPinned)
	for range 20 {
		j.Output(Stdout, []byte("1234"))
	}
	r, err := j.Read(t.Context(), 0, 0, 0)
	require.NoError(t, err)
	require.Len(t, r.Chunks, 20)
	require.Len(t, drain(t, s), 20)
	r, err = j.Read(t.Context(), 0, 0, 0)
	require.NoError(t, err)
	require.Equal(t, []uint64{19, 20}, seqs(r), "taken output is kept within the limit")

	j.Output(Stdout, []byte("1234"))
	s.Close()
	require.Equal(t, 8, j.kept.bytes, "no output is pinned")
	subscribe(t, j, SubscribeOptions{Pin: true})
}

func TestPinnedSubscriberLosesNothingOverALag(t *testing.T) {
	j := NewJournal(JournalOptions{Retain: 100})
	s := subscribe(t, j, SubscribeOptions{Pin: true})
	var want, got bytes.Buffer
	for i := range 5000 {
		data := []byte{byte(i), byte(i >> 8)}
		want.Write(data)
		j.Output(Stdout, data)
	}
	finish(j)
	for ended := false; !ended; {
		e, err := s.Next(t.Context())
		require.NoError(t, err)
		switch e.Kind {
		case Lagged:
			for {
				r, err := s.Read(t.Context(), 1000)
				require.NoError(t, err)
				require.Nil(t, r.Missing)
				if len(r.Chunks) == 0 {
					break
				}
				for _, c := range r.Chunks {
					got.Write(c.Data)
				}
			}
		case Output:
			got.Write(e.Data)
		case Closed:
			ended = true
		default:
			require.Equal(t, Exited, e.Kind)
		}
	}
	require.Equal(t, want.Bytes(), got.Bytes())
}

func TestHoldEndsWhenTheSubscriberCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		s := subscribe(t, j, SubscribeOptions{Pin: true, PinLimit: 100})
		var pumps sync.WaitGroup
		pumps.Go(func() { j.Output(Stdout, make([]byte, 100)) })
		synctest.Wait()
		pumps.Go(func() { j.Output(Stderr, make([]byte, 60)) })
		synctest.Wait()
		begin := time.Now()
		var info Info
		j.Fill(&info)
		require.Equal(t, begin, info.HeldSince)

		time.Sleep(1500 * time.Millisecond)
		events := drain(t, s) // the hold is reported before the output, which ends it
		require.Equal(t, []EventKind{Held, Output, Held, Output}, kinds(events))
		require.Equal(t, &HoldInfo{Begin: begin, Stdout: true, Stderr: true}, events[0].Hold)
		require.Equal(t, &HoldInfo{
			Begin: begin, End: begin.Add(1500 * time.Millisecond), Stdout: true, Stderr: true,
		}, events[2].Hold)
		pumps.Wait()
		j.Fill(&info)
		require.Zero(t, info.HeldSince)
	})
}

func TestHoldOfOneWindowHoldsBothStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{OneWindow: true})
		s := subscribe(t, j, SubscribeOptions{Pin: true, PinLimit: 10})
		go j.Output(Stdout, make([]byte, 10))
		time.Sleep(MinHold)
		events := drain(t, s)
		require.Equal(t, []EventKind{Output, Held}, kinds(events))
		require.True(t, events[1].Hold.Stdout)
		require.True(t, events[1].Hold.Stderr)
	})
}

func TestShortHoldIsNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		s := subscribe(t, j, SubscribeOptions{Pin: true, PinLimit: 10})
		go j.Output(Stdout, make([]byte, 10))
		time.Sleep(MinHold - time.Millisecond)
		require.Equal(t, []EventKind{Output}, kinds(drain(t, s)))
	})
}

func TestHoldIsReleased(t *testing.T) {
	for name, release := range map[string]func(*Journal, *Subscription){
		"by an ending":          func(j *Journal, _ *Subscription) { j.BeginEnding() },
		"by unpinning":          func(_ *Journal, s *Subscription) { s.Close() },
		"by failure":            func(j *Journal, _ *Subscription) { j.Fail(io.ErrUnexpectedEOF) },
		"by reading in bulk":    func(_ *Journal, s *Subscription) { readAll(s) },
		"by cutting, at latest": func(j *Journal, _ *Subscription) { j.BeginEnding(); j.EndEnding(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := NewJournal(JournalOptions{})
				s := subscribe(t, j, SubscribeOptions{Pin: true, PinLimit: 10})
				held := make(chan struct{})
				go func() {
					defer close(held)
					j.Output(Stdout, make([]byte, 20))
				}()
				synctest.Wait()
				select {
				case <-held:
					require.Fail(t, "the pump was not held")
				default:
				}
				release(j, s)
				<-held
			})
		})
	}
}

func readAll(s *Subscription) {
	for {
		r, err := s.Read(context.Background(), 0)
		if err != nil || len(r.Chunks) == 0 {
			return
		}
	}
}

func TestDropReportsTheExactLoss(t *testing.T) {
	const chunk, chunks = 7, 1000
	j := NewJournal(JournalOptions{Retain: 50})
	s := subscribe(t, j, SubscribeOptions{Pin: true, PinLimit: 700, Overrun: OverrunDrop})
	rng := rand.New(rand.NewPCG(1, 2))
	next, bytes := uint64(1), uint64(0)
	take := func() {
		for _, e := range drain(t, s) {
			switch e.Kind {
			case Output:
				require.Equal(t, next, e.Seq)
				next++
				bytes += uint64(len(e.Data))
			case Gap:
				require.Equal(t, next, e.Gap.From)
				next = e.Gap.To + 1
				bytes += e.Gap.Bytes
			case Lagged:
				require.Fail(t, "the limit is reached before the queue is full")
			}
		}
	}
	for range chunks {
		j.Output(Stream(rng.IntN(2)), make([]byte, chunk))
		require.LessOrEqual(t, j.kept.untaken(), 700)
		if rng.IntN(150) == 0 {
			take()
		}
	}
	take()
	require.Equal(t, uint64(chunks+1), next)
	require.Equal(t, uint64(chunks*chunk), bytes)
}

func TestReadReportsDropAfterALag(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{Pin: true, PinLimit: 400, Overrun: OverrunDrop})
	for range 400 {
		j.Output(Stderr, []byte("x"))
	}
	e, err := s.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, Lagged, e.Kind)
	r, err := s.Read(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, &GapInfo{From: 1, To: 200, Bytes: 200, Stderr: true}, r.Missing)
	require.Len(t, r.Chunks, 200)
	require.Equal(t, uint64(201), r.Chunks[0].Seq)

	for range 400 {
		j.Output(Stdout, []byte("y"))
	}
	events := drain(t, s) // without Read the loss is still reported
	require.Equal(t, []EventKind{Lagged, Gap}, kinds(events[:2]))
	require.Equal(t, uint64(401), events[1].Gap.From)
}

func TestEventsOvertakeOutputAndAreBounded(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{})
	j.Output(Stdout, []byte("x"))
	for range urgentLen + 3 {
		j.Emit(Event{Kind: Survivors})
	}
	events := drain(t, s)
	require.Len(t, events, urgentLen+2)
	require.Equal(t, Event{Kind: Lagged, N: 3}, events[0])
	require.Equal(t, Output, events[len(events)-1].Kind)
}

func TestNextAndReadAfterClose(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{})
	waiting := make(chan error)
	go func() {
		_, err := s.Next(context.Background())
		waiting <- err
	}()
	s.Close()
	s.Close()
	require.ErrorIs(t, <-waiting, ErrUnsubscribed)
	_, err := s.Read(t.Context(), 0)
	require.ErrorIs(t, err, ErrUnsubscribed)
	j.Output(Stdout, []byte("x")) // no subscriber is left

	s = subscribe(t, j, SubscribeOptions{After: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Read(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
}

// Output before the pinned subscriber is not evicted, and the pump is held as
// if it had subscribed.
func TestPinnedFromTheStart(t *testing.T) {
	j := NewJournal(JournalOptions{Retain: 10, Pinned: true})
	const chunks = DefaultPinLimit/MaxChunk + 3
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range chunks {
			j.Output(Stdout, make([]byte, MaxChunk))
		}
	}()
	require.Eventually(t, func() bool {
		var info Info
		j.Fill(&info)
		return !info.HeldSince.IsZero()
	}, waitLimit, time.Millisecond, "it is held")

	var got atomic.Uint64
	_, err := j.Subscribe(SubscribeOptions{Pin: true, Handler: func(ev Event) {
		if ev.Kind == Output {
			got.Add(1)
		} else if ev.Kind != Held {
			t.Errorf("event of kind %d", ev.Kind)
		}
	}})
	require.NoError(t, err)
	<-written
	require.Eventually(t, func() bool { return got.Load() == chunks }, waitLimit, time.Millisecond)
	_, err = j.Subscribe(SubscribeOptions{Pin: true})
	require.ErrorIs(t, err, ErrPinned)
}
