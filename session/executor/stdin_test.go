package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A fakePipe accepts room bytes without blocking, and in Write as much as the
// test permits.
type fakePipe struct {
	mu     sync.Mutex
	room   int
	broken error
	got    bytes.Buffer
	let    chan int // how many bytes the next Write accepts
	closed chan struct{}
}

var errBroken = errors.New("broken pipe")

func newFakePipe(room int) *fakePipe {
	return &fakePipe{room: room, let: make(chan int), closed: make(chan struct{})}
}

func (p *fakePipe) try(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return 0, p.broken
	}
	n := min(p.room, len(b))
	p.room -= n
	p.got.Write(b[:n])
	return n, nil
}

func (p *fakePipe) Write(b []byte) (int, error) {
	for done := 0; ; {
		select {
		case n := <-p.let:
			n = min(n, len(b)-done)
			p.mu.Lock()
			p.got.Write(b[done : done+n])
			p.mu.Unlock()
			if done += n; done == len(b) {
				return done, nil
			}
		case <-p.closed:
			return done, io.ErrClosedPipe
		}
	}
}

func (p *fakePipe) Close() error {
	close(p.closed)
	return nil
}

// stdinOn returns a Stdin on p and a function that returns its events.
func stdinOn(p *fakePipe) (*Stdin, func() []Event) {
	var mu sync.Mutex
	var events []Event
	s := NewStdin(p, p.try, func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	})
	return s, func() []Event {
		mu.Lock()
		defer mu.Unlock()
		return events
	}
}

func state(s *Stdin) (open bool, unwritten int) {
	var info Info
	s.Fill(&info)
	return info.StdinOpen, info.Unwritten
}

func write(t *testing.T, s *Stdin, id, data string) WriteResult {
	t.Helper()
	r, err := s.Write(t.Context(), id, []byte(data))
	require.NoError(t, err)
	return r
}

func TestWriteGoesDirectlyToThePipe(t *testing.T) {
	p := newFakePipe(10)
	s, _ := stdinOn(p)
	require.Equal(t, WriteResult{Accepted, 5}, write(t, s, "", "hello"))
	require.Equal(t, "hello", p.got.String())
	open, unwritten := state(s)
	require.True(t, open)
	require.Zero(t, unwritten)
}

func TestRemainderIsQueuedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePipe(3)
		s, events := stdinOn(p)
		data := []byte("hello ")
		r, err := s.Write(t.Context(), "1", data)
		require.NoError(t, err)
		require.Equal(t, WriteResult{Accepted, 3}, r)
		copy(data, "XXXXXX") // the caller may reuse it
		p.room = 100         // no reason to overtake
		require.Equal(t, WriteResult{Accepted, 0}, write(t, s, "2", "world"))
		_, unwritten := state(s)
		require.Equal(t, 8, unwritten)
		require.Equal(t, Accepted, s.Close())
		require.Equal(t, StdinClosed, s.Close())
		require.Equal(t, StdinClosed, write(t, s, "3", "!").Status)
		p.let <- 3
		p.let <- 5
		<-p.closed
		require.Equal(t, "hello world", p.got.String())
		require.Empty(t, events())
	})
}

func TestUnwrittenSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePipe(3)
		s, _ := stdinOn(p)
		since := func() time.Time {
			var info Info
			s.Fill(&info)
			return info.UnwrittenSince
		}
		write(t, s, "", "abc")
		require.Zero(t, since(), "no unwritten bytes")
		begin := time.Now()
		write(t, s, "", "def")
		<-time.After(time.Minute)
		write(t, s, "", "ghi")
		require.Equal(t, begin, since(), "a later write does not change it")
		p.let <- 3
		synctest.Wait()
		require.Equal(t, begin.Add(time.Minute), since(), "the pipe has taken some bytes")
		<-time.After(time.Minute)
		p.let <- 3
		synctest.Wait()
		require.Zero(t, since())
	})
}

func TestRepeatedWriteIDWritesOnce(t *testing.T) {
	p := newFakePipe(1 << 20)
	s, _ := stdinOn(p)
	for range 2 {
		require.Equal(t, Accepted, write(t, s, "a", "x").Status)
	}
	require.Equal(t, "x", p.got.String())
	for i := range MaxWriteIDs {
		write(t, s, fmt.Sprint(i), "y")
	}
	require.Len(t, s.ids.known, MaxWriteIDs)
	write(t, s, "a", "z")
	require.Equal(t, byte('z'), p.got.Bytes()[p.got.Len()-1], "the oldest id is forgotten")
}

func TestBrokenPipe(t *testing.T) {
	p := newFakePipe(0)
	p.broken = errBroken
	s, events := stdinOn(p)
	require.Equal(t, WriteResult{StdinClosed, 0}, write(t, s, "1", "hello"))
	require.Equal(t, StdinClosed, write(t, s, "1", "hello").Status, "it was not accepted")
	require.Equal(t, StdinClosed, s.Close())
	require.Empty(t, events(), "nothing failed after it was accepted")
	<-p.closed
}

func TestFailureAfterAcceptanceIsReportedExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePipe(2)
		s, events := stdinOn(p)
		write(t, s, "1", "hello")
		write(t, s, "2", "world")
		p.let <- 1
		s.Abort()
		s.Abort()
		require.Equal(t, []Event{
			{Kind: WriteFailed, WriteID: "1", N: 3, Err: errStdinGone},
			{Kind: WriteFailed, WriteID: "2", N: 0, Err: errStdinGone},
		}, events())
		open, unwritten := state(s)
		require.False(t, open)
		require.Zero(t, unwritten)
		require.Equal(t, StdinClosed, write(t, s, "3", "x").Status)
	})
}

func TestFullQueueMakesTheWriterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePipe(0)
		s, _ := stdinOn(p)
		large := string(make([]byte, WriteQueueLimit+1))
		require.Equal(t, Accepted, write(t, s, "", large).Status, "any size, into an empty queue")

		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := s.Write(ctx, "late", []byte("x"))
			failed <- err
		}()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)

		accepted := make(chan WriteResult)
		go func() {
			r, _ := s.Write(context.Background(), "late", []byte("x"))
			accepted <- r
		}()
		synctest.Wait()
		for n := len(large); n > 0; n -= min(n, stdinPiece) {
			p.let <- stdinPiece
		}
		require.Equal(t, Accepted, (<-accepted).Status)

		blocked := make(chan WriteResult)
		go func() {
			r, _ := s.Write(context.Background(), "", []byte(large))
			blocked <- r
		}()
		synctest.Wait()
		s.Abort()
		require.Equal(t, StdinClosed, (<-blocked).Status)
	})
}

func TestNumberOfQueuedWritesIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePipe(0)
		s, events := stdinOn(p)
		for range MaxQueuedWrites {
			write(t, s, "", "x")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Write(ctx, "", []byte("x"))
		require.ErrorIs(t, err, context.Canceled)
		s.Abort()
		require.Len(t, events(), MaxQueuedWrites)
	})
}

func TestStdinWithoutTryUsesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePipe(0)
		s := NewStdin(p, nil, func(Event) {})
		require.Equal(t, WriteResult{Accepted, 0}, write(t, s, "", "hello"))
		p.let <- 5
		synctest.Wait()
		_, unwritten := state(s)
		require.Zero(t, unwritten)
		require.Equal(t, Accepted, s.Close())
	})
}

// TestWrittenCountsPipeBytes: only the bytes that the pipe took count, from both ways to it.
func TestWrittenCountsPipeBytes(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	s := NewStdin(w, func([]byte) (int, error) { return 2, nil }, func(Event) {})
	_, err := s.Write(t.Context(), "", []byte("abcde"))
	require.NoError(t, err)
	var info Info
	s.Fill(&info)
	require.Equal(t, uint64(2), info.Written)
	_, err = io.ReadFull(r, make([]byte, 3))
	require.NoError(t, err)
	s.Close()
	s.Abort()
	s.Fill(&info)
	require.Equal(t, uint64(5), info.Written)
	require.Zero(t, info.Unwritten)
}
