package rec

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		w, done, wrote := newTurn(ctx), make(chan struct{}), 0
		large := []byte(strings.Repeat("x", maxHeld))
		go func() {
			defer close(done)
			for _, text := range [][]byte{large, []byte("later\n")} {
				if _, err := w.Write(text); err == nil {
					wrote++
				}
			}
			<-ctx.Done()
		}()
		synctest.Wait()
		require.Equal(t, 1, wrote, "the second waits for the turn")
		require.Empty(t, out.String())
		w.begin(&out)
		ended := make(chan error, 1)
		go func() { ended <- w.until(done) }()
		time.Sleep(2 * flushEach)
		synctest.Wait()
		w.mu.Lock()
		require.Equal(t, string(large)+"later\n", out.String(), "printed before the end of the search")
		w.mu.Unlock()
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

func TestTurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, done := newTurn(ctx), make(chan struct{})
		_, err := w.Write(make([]byte, maxHeld))
		require.NoError(t, err)
		go func() {
			defer close(done)
			_, err = w.Write([]byte("more"))
		}()
		synctest.Wait()
		cancel()
		<-done
		require.ErrorIs(t, err, context.Canceled)
	})

	failed := errors.New("pipe closed")
	w, done := newTurn(t.Context()), make(chan struct{})
	_, err := w.Write([]byte("text"))
	require.NoError(t, err)
	w.begin(failingWriter{failed})
	require.ErrorIs(t, w.until(done), failed)
	_, err = w.Write([]byte("more"))
	require.ErrorIs(t, err, failed)
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }
