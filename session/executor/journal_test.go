package executor

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// drain returns all available events.
func drain(t *testing.T, s *Subscription) []Event {
	t.Helper()
	var events []Event
	for {
		e, err := s.poll()
		if errors.Is(err, io.EOF) {
			return events
		}
		require.NoError(t, err)
		if e.Kind == 0 {
			return events
		}
		events = append(events, e)
	}
}

func subscribe(t *testing.T, j *Journal, o SubscribeOptions) *Subscription {
	t.Helper()
	s, err := j.Subscribe(o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func exit7() Exit { return Exit{Kind: ExitCode, Code: 7} }

// finish ends the process of j as if it had exited with 7.
func finish(j *Journal) {
	j.EOF(Stdout)
	j.EOF(Stderr)
	j.Exited(exit7())
}

func TestOneSequence(t *testing.T) {
	j := NewJournal(JournalOptions{})
	early := subscribe(t, j, SubscribeOptions{})
	j.Output(Stdout, []byte("out"))
	j.Output(Stderr, []byte("err"))
	j.Output(Stderr, nil) // no chunk, no number
	finish(j)

	want := []Event{
		{Kind: Output, Seq: 1, Stream: Stdout, Data: []byte("out")},
		{Kind: Output, Seq: 2, Stream: Stderr, Data: []byte("err")},
		{Kind: Exited, Seq: 3, Exit: exit7()},
		{Kind: Closed, Seq: 4},
	}
	require.Equal(t, want, drain(t, early))
	require.Equal(t, want, drain(t, subscribe(t, j, SubscribeOptions{})), "a late subscriber")
	require.Equal(t, want[2:], drain(t, subscribe(t, j, SubscribeOptions{After: 2})))
	require.Empty(t, drain(t, subscribe(t, j, SubscribeOptions{After: 4})))
	_, err := early.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
}

func TestOutputAfterExitKeepsItsPosition(t *testing.T) {
	j := NewJournal(JournalOptions{})
	j.EOF(Stderr)
	j.Exited(exit7())
	j.Exited(Exit{Kind: ExitCode}) // only the first counts
	var info Info
	j.Fill(&info)
	require.Equal(t, StateExited, info.State)
	j.Output(Stdout, []byte("late"))
	j.EOF(Stdout)
	j.Output(Stdout, []byte("after the end"))
	require.Equal(t, []Event{
		{Kind: Exited, Seq: 1, Exit: exit7()},
		{Kind: Output, Seq: 2, Data: []byte("late")},
		{Kind: Closed, Seq: 3},
	}, drain(t, subscribe(t, j, SubscribeOptions{})))
	j.Fill(&info)
	require.Equal(t, StateClosed, info.State)
	require.Equal(t, uint64(4), info.NextSeq)
}

func TestFailedTakesNoNumberAndEndsDelivery(t *testing.T) {
	lost := errors.New("connection lost")
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{})
	j.Output(Stdout, []byte("a"))
	j.Fail(lost)
	j.Fail(errors.New("again"))
	j.Output(Stdout, []byte("b"))
	finish(j)
	want := []Event{{Kind: Output, Seq: 1, Data: []byte("a")}, {Kind: Failed, Err: lost}}
	require.Equal(t, want, drain(t, s))
	require.Equal(t, want, drain(t, subscribe(t, j, SubscribeOptions{})))
	require.Equal(t, want[1:], drain(t, subscribe(t, j, SubscribeOptions{After: 1})))

	r, err := j.Read(t.Context(), 1, 0, time.Hour)
	require.NoError(t, err)
	require.Equal(t, ReadResult{NextSeq: 2, Exit: &Exit{Kind: ExitUnknown}, Closed: true, Failure: lost}, r)
	<-j.Done()

	j = NewJournal(JournalOptions{})
	finish(j)
	j.Fail(lost)
	require.Equal(t, Closed, drain(t, subscribe(t, j, SubscribeOptions{}))[1].Kind, "never after Closed")
}

func TestClosingRunsOnceBeforeClosed(t *testing.T) {
	calls := 0
	var j *Journal
	j = NewJournal(JournalOptions{OnClosing: func() {
		calls++
		j.Emit(Event{Kind: WriteFailed, WriteID: "w", N: 3})
	}})
	s := subscribe(t, j, SubscribeOptions{})
	finish(j)
	j.EOF(Stdout)
	j.Emit(Event{Kind: WriteFailed}) // too late
	require.Equal(t, 1, calls)
	require.Equal(t, []EventKind{WriteFailed, Exited, Closed}, kinds(drain(t, s)))
}

func kinds(events []Event) []EventKind {
	var k []EventKind
	for _, e := range events {
		k = append(k, e.Kind)
	}
	return k
}

func TestEndingPostponesClosedAndCuts(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{})
	j.BeginEnding()
	finish(j)
	require.Equal(t, []EventKind{Exited}, kinds(drain(t, s)))
	j.Emit(Event{Kind: Survivors})
	j.EndEnding(true)
	require.Equal(t, []Event{{Kind: Survivors}, {Kind: Closed, Seq: 2}}, drain(t, s), "nothing was cut")

	j = NewJournal(JournalOptions{})
	j.BeginEnding()
	j.Exited(exit7())
	j.EOF(Stdout)
	j.EndEnding(false)
	select {
	case <-j.Done():
		require.Fail(t, "closed with an open stream")
	default:
	}
	j.BeginEnding()
	j.EndEnding(true)
	events := drain(t, subscribe(t, j, SubscribeOptions{}))
	require.Equal(t, Event{Kind: Closed, Seq: 2, Cut: true}, events[1])
}

func TestAwaitEOF(t *testing.T) {
	const quiet = 250 * time.Millisecond
	for _, c := range []struct {
		name  string
		until time.Duration // output comes every 200 ms, and then its end
		ends  bool
		took  time.Duration
	}{
		{"it ends", 2 * time.Second, true, 2 * time.Second},
		{"it falls silent", 2 * time.Second, false, 1800*time.Millisecond + quiet},
		{"it never ends", time.Hour, true, DrainLimit},
		{"nothing comes", 0, false, quiet},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := NewJournal(JournalOptions{})
				j.EOF(Stderr)
				begin := time.Now()
				stop := make(chan struct{})
				go func() {
					for time.Since(begin) < c.until {
						j.Output(Stdout, []byte("more"))
						select {
						case <-time.After(200 * time.Millisecond):
						case <-stop:
							return
						}
					}
					if c.ends {
						j.EOF(Stdout)
					}
				}()
				ended := j.AwaitEOF(quiet)
				close(stop)
				require.Equal(t, c.ends && c.until < DrainLimit, ended)
				require.Equal(t, c.took, time.Since(begin))
			})
		})
	}
}

func TestRetentionByBytesAndByChunks(t *testing.T) {
	j := NewJournal(JournalOptions{Retain: 10, MaxChunks: 4})
	for range 3 {
		j.Output(Stdout, []byte("1234"))
	}
	j.Output(Stderr, []byte("56"))
	r, err := j.Read(t.Context(), 0, 0, 0)
	require.NoError(t, err)
	require.Equal(t, []uint64{2, 3, 4}, seqs(r))
	require.Equal(t, &GapInfo{From: 1, To: 1, Bytes: 4, Stdout: true}, r.Missing)

	for range 4 {
		j.Output(Stdout, []byte("x"))
	}
	r, err = j.Read(t.Context(), 0, 0, 0)
	require.NoError(t, err)
	require.Equal(t, []uint64{5, 6, 7, 8}, seqs(r))
	require.Equal(t, &GapInfo{From: 1, To: 4, Bytes: 14, Stdout: true, Stderr: true}, r.Missing)

	j.Output(Stdout, make([]byte, 11))
	r, err = j.Read(t.Context(), 8, 0, time.Hour)
	require.NoError(t, err, "missing output ends the wait, even without output")
	require.Empty(t, r.Chunks)
	require.Equal(t, uint64(10), r.NextSeq)
	require.Equal(t, uint64(9), r.Missing.To)
}

func seqs(r ReadResult) []uint64 {
	var s []uint64
	for _, c := range r.Chunks {
		s = append(s, c.Seq)
	}
	return s
}

func TestReadLimitsAndNextSeq(t *testing.T) {
	j := NewJournal(JournalOptions{})
	for _, s := range []string{"aaaa", "bb", "cc"} {
		j.Output(Stdout, []byte(s))
	}
	finish(j) // 4 Exited, 5 Closed
	for _, c := range []struct {
		name       string
		after      uint64
		max        int
		want       []uint64
		wantNext   uint64
		wantClosed bool
	}{
		{"unbounded passes Exited and Closed", 0, 0, []uint64{1, 2, 3}, 6, true},
		{"later chunks only", 1, 0, []uint64{2, 3}, 6, true},
		{"one chunk although it is larger", 0, 3, []uint64{1}, 2, true},
		{"never past the limit", 0, 7, []uint64{1, 2}, 3, true},
		{"exactly the limit", 0, 8, []uint64{1, 2, 3}, 4, true},
		{"bounded and empty", 3, 1, nil, 6, true},
		{"beyond the end", 99, 0, nil, 6, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := j.Read(t.Context(), c.after, c.max, 0)
			require.NoError(t, err)
			require.Equal(t, c.want, seqs(r))
			require.Equal(t, c.wantNext, r.NextSeq)
			require.Equal(t, c.wantClosed, r.Closed)
			require.Equal(t, exit7(), *r.Exit)
		})
	}
}

func TestReadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		begin := time.Now()
		r, err := j.Read(t.Context(), 0, 0, 3*time.Second)
		require.NoError(t, err)
		require.Empty(t, r.Chunks)
		require.Equal(t, 3*time.Second, time.Since(begin), "the deadline")

		results := make(chan ReadResult)
		read := func(after uint64) {
			r, err := j.Read(t.Context(), after, 0, time.Hour)
			require.NoError(t, err)
			results <- r
		}
		begin = time.Now()
		go read(0)
		synctest.Wait()
		j.Output(Stdout, []byte("a"))
		require.Equal(t, []uint64{1}, seqs(<-results))

		go read(1)
		synctest.Wait()
		j.Exited(exit7())
		require.Equal(t, exit7(), *(<-results).Exit, "a new exit")

		go read(2)
		synctest.Wait()
		select {
		case <-results:
			require.Fail(t, "a known exit ended the wait")
		default:
		}
		j.Output(Stderr, []byte("late"))
		require.Equal(t, []uint64{3}, seqs(<-results))

		go read(3)
		synctest.Wait()
		j.EOF(Stdout)
		j.EOF(Stderr)
		require.True(t, (<-results).Closed)
		require.Equal(t, begin, time.Now(), "none of these waited for its deadline")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = NewJournal(JournalOptions{}).Read(ctx, 0, 0, time.Hour)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// waitLimit is how long a test waits for anything before it gives up, however busy
// the machine is.
const waitLimit = 5 * time.Minute

func TestReadMissesNoWakeup(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	j := NewJournal(JournalOptions{})
	for after := uint64(0); after < 5000; {
		go j.Output(Stdout, []byte("x"))
		r, err := j.Read(ctx, after, 0, time.Hour)
		require.NoError(t, err, "a read slept")
		require.Len(t, r.Chunks, 1)
		after = r.NextSeq - 1
	}
}

func TestSubscriptionMayBeginInTheFuture(t *testing.T) {
	j := NewJournal(JournalOptions{})
	s := subscribe(t, j, SubscribeOptions{After: 3})
	for range 5 {
		j.Output(Stdout, []byte("x"))
	}
	var got []uint64
	for _, e := range drain(t, s) {
		got = append(got, e.Seq)
	}
	require.Equal(t, []uint64{4, 5}, got)
}
