//go:build unix

package link

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// How long tests wait for events, and how often they poll.
const (
	eventually = 5 * time.Minute
	tick       = 2 * time.Millisecond
)

// within waits for a value from a channel, or for its end.
func within[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case value := <-c:
		return value
	case <-time.After(eventually):
		require.Fail(t, "timed out")
		return *new(T)
	}
}

// returns waits until f has returned.
func returns(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	within(t, done)
}

// answerWhen is the answer of a slow user, unless it is no longer needed: a
// test that fails must not wait for its own prompter.
func answerWhen(ctx context.Context, may <-chan struct{}, text string) (executor.Answer, error) {
	select {
	case <-may:
		return password(text), nil
	case <-ctx.Done():
		return executor.Answer{}, context.Cause(ctx)
	}
}
