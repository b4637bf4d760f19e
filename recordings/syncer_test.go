package recordings

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSyncerSyncsASecondAfterAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var syncs, looks atomic.Int32
		s := newSyncer(func() error { syncs.Add(1); return nil }, func() { looks.Add(1) })
		<-time.After(time.Hour)
		require.EqualValues(t, 1, syncs.Load(), "for the new file; nothing was written to it")
		require.InDelta(t, time.Hour/lookEvery, looks.Load(), 1, "but it is checked")
		for range 10 {
			require.NoError(t, s.touch())
		}
		<-time.After(syncEvery - 1)
		require.EqualValues(t, 1, syncs.Load())
		<-time.After(1 * time.Nanosecond)
		synctest.Wait()
		require.EqualValues(t, 2, syncs.Load())
		require.NoError(t, s.touch())
		s.stop()
		require.EqualValues(t, 3, syncs.Load(), "stop does not wait a second")
	})
}

func TestTouchDoesNotWaitForSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		s := newSyncer(func() error { <-stuck; return nil }, func() {})
		require.NoError(t, s.touch())
		<-time.After(2 * syncEvery)
		require.NoError(t, s.touch(), "although a sync is stuck")
		require.NoError(t, s.touch())
		close(stuck)
		s.stop()
	})
}
