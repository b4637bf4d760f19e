package executor

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// goroutine identifies the calling goroutine by the first line of its stack.
func goroutine() string {
	b := make([]byte, 64)
	b = b[:runtime.Stack(b, false)]
	id, _, _ := bytes.Cut(b, []byte(" ["))
	return string(id)
}

func TestIdleHandlerIsCalledInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		var where []string
		subscribe(t, j, SubscribeOptions{Handler: func(Event) { where = append(where, goroutine()) }})
		synctest.Wait()
		j.Output(Stdout, []byte("a"))
		finish(j)
		require.Equal(t, []string{goroutine(), goroutine(), goroutine()}, where)
	})
}

func TestSlowHandlerMovesToItsOwnGoroutineAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		var mu sync.Mutex
		var where []string
		var delay atomic.Int64
		delay.Store(int64(2 * inlineTime))
		subscribe(t, j, SubscribeOptions{Handler: func(Event) {
			mu.Lock()
			defer mu.Unlock()
			where = append(where, goroutine())
			time.Sleep(time.Duration(delay.Load()))
		}})
		told := func() []string {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return where
		}
		synctest.Wait()
		j.Output(Stdout, []byte("slow, inline"))
		begin := time.Now()
		j.Output(Stdout, []byte("slow, aside"))
		j.Output(Stdout, []byte("slow, aside"))
		require.Equal(t, begin, time.Now(), "the pump does not wait for the handler")
		time.Sleep(time.Second)
		delay.Store(0)
		j.Output(Stdout, []byte("fast, aside"))
		require.Len(t, told(), 4)
		j.Output(Stdout, []byte("fast, inline"))

		here := goroutine()
		inline := []bool{}
		for _, w := range told() {
			inline = append(inline, w == here)
		}
		require.Equal(t, []bool{true, false, false, false, true}, inline)
	})
}

func TestBlockedHandlerHoldsThePumpAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		gate := make(chan struct{})
		var got []uint64
		subscribe(t, j, SubscribeOptions{Pin: true, PinLimit: 100, Handler: func(e Event) {
			<-gate
			if e.Kind == Output {
				got = append(got, e.Seq)
			}
		}})
		go j.Output(Stdout, []byte("blocks the goroutine of standard output"))
		synctest.Wait()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 10 {
				j.Output(Stderr, make([]byte, 50))
			}
		}()
		synctest.Wait()
		var info Info
		j.Fill(&info)
		require.NotZero(t, info.HeldSince)
		require.Equal(t, uint64(4), info.NextSeq, "two chunks of 50 bytes reach the limit")
		close(gate)
		<-done
		synctest.Wait()
		require.Equal(t, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, got)
	})
}

func TestEmitNeverCallsTheHandlerInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		var where []string
		subscribe(t, j, SubscribeOptions{Handler: func(Event) { where = append(where, goroutine()) }})
		j.Emit(Event{Kind: Survivors})
		synctest.Wait()
		j.BeginEnding()
		j.Exited(exit7()) // inline: 1
		j.EndEnding(true)
		synctest.Wait()
		require.Len(t, where, 3)
		require.NotEqual(t, goroutine(), where[0])
		require.Equal(t, goroutine(), where[1])
		require.NotEqual(t, goroutine(), where[2])
	})
}

func TestHandlerOrderUnderRacingPumps(t *testing.T) {
	const each = 5000
	j := NewJournal(JournalOptions{Retain: 1000})
	var busy sync.Mutex
	var last uint64
	closed := make(chan struct{})
	var s *Subscription
	subscribed := make(chan struct{})
	s = subscribe(t, j, SubscribeOptions{Pin: true, Handler: func(e Event) {
		require.True(t, busy.TryLock(), "two calls at once")
		defer busy.Unlock()
		switch e.Kind {
		case Output:
			require.Equal(t, last+1, e.Seq)
			last = e.Seq
		case Lagged:
			<-subscribed
			for {
				r, err := s.Read(t.Context(), 500)
				require.NoError(t, err)
				if len(r.Chunks) == 0 {
					return
				}
				require.Equal(t, last+1, r.Chunks[0].Seq)
				last = r.NextSeq - 1
			}
		case Closed:
			close(closed)
		}
	}})
	close(subscribed)
	var pumps sync.WaitGroup
	for _, stream := range []Stream{Stdout, Stderr} {
		pumps.Go(func() {
			for range each {
				j.Output(stream, []byte("12345678"))
			}
			j.EOF(stream)
		})
	}
	pumps.Wait()
	j.Exited(exit7())
	<-closed
	require.Equal(t, uint64(2*each), last)
}

func TestCloseWaitsForTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		gate := make(chan struct{})
		s := subscribe(t, j, SubscribeOptions{Handler: func(Event) { <-gate }})
		go j.Output(Stdout, []byte("a"))
		synctest.Wait()
		closed := make(chan struct{})
		go func() {
			s.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			require.Fail(t, "the handler is still running")
		default:
		}
		close(gate)
		<-closed
	})
}

func TestPanicOfAHandlerReachesThePump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal(JournalOptions{})
		_, err := j.Subscribe(SubscribeOptions{Handler: func(Event) { panic("boom") }})
		require.NoError(t, err)
		synctest.Wait()
		require.PanicsWithValue(t, "boom", func() { j.Output(Stdout, []byte("a")) })
	})
}

// BenchmarkOutput measures a chunk of one message from pump to Handler.
func BenchmarkOutput(b *testing.B) {
	j := NewJournal(JournalOptions{})
	n := 0
	s, err := j.Subscribe(SubscribeOptions{Pin: true, Handler: func(e Event) { n += len(e.Data) }})
	require.NoError(b, err)
	defer s.Close()
	data := make([]byte, 200)
	b.ReportAllocs()
	for b.Loop() {
		j.Output(Stdout, data)
	}
}

func TestOutputDoesNotAllocate(t *testing.T) {
	j := NewJournal(JournalOptions{Retain: 10_000})
	subscribe(t, j, SubscribeOptions{Pin: true, Handler: func(Event) {}})
	data := make([]byte, 200)
	for range 100 { // until the retained output no longer grows
		j.Output(Stdout, data)
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { j.Output(Stdout, data) }))
}
