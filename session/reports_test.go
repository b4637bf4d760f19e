package session

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestReportsEndWithTheirContext checks that only the report that is being delivered is
// waited for when the caller has given up.
func TestReportsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		release, calls := make(chan struct{}), 0
		x := &reports{progress: func(json.RawMessage) { calls++; <-release }}
		for range 3 {
			x.begin().add(nil)
		}
		over := make(chan struct{})
		go func() { x.wait(ctx); close(over) }()
		synctest.Wait() // the first is being delivered
		cancel()
		synctest.Wait()
		close(release)
		<-over
		require.Equal(t, 1, calls)
	})
}
