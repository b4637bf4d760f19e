package executor

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A fakeProcess is a Process in a table that has an id and a state.
type fakeProcess struct {
	Process
	id string
}

func (p *fakeProcess) ID() string { return p.id }
func (p *fakeProcess) Info() Info { return Info{ID: p.id, State: StateRunning} }

func newFake(id string) *fakeProcess { return &fakeProcess{id: id} }

func newFakeTable() *Table[*fakeProcess] { return NewTable[*fakeProcess](new(IDs), 0) }

func TestIDsAreCountedAndUnique(t *testing.T) {
	ids := new(IDs)
	one, two := NewTable[*fakeProcess](ids, 0), NewTable[*fakeProcess](ids, 0)
	_, err := one.Reserve("mcp-stdio-2", newFake)
	require.NoError(t, err)
	for i, table := range []*Table[*fakeProcess]{one, two, one} {
		p, err := table.Reserve("", newFake)
		require.NoError(t, err)
		require.Equal(t, []string{"mcp-stdio-1", "mcp-stdio-2", "mcp-stdio-3"}[i], p.id)
	}
	p, err := one.Reserve("", newFake)
	require.NoError(t, err)
	require.Equal(t, "mcp-stdio-4", p.id)
	ids.last.Store(1)
	p, err = one.Reserve("", newFake)
	require.NoError(t, err)
	require.Equal(t, "mcp-stdio-5", p.id, "ids that are in use are passed over")
}

func TestOneOfTwoReservationsSucceeds(t *testing.T) {
	table := newFakeTable()
	var won, lost atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := table.Reserve("a", newFake); err == nil {
				won.Add(1)
			} else {
				require.ErrorIs(t, err, ErrDuplicate)
				lost.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, []int32{1, 7}, []int32{won.Load(), lost.Load()})
}

func TestRetentionBeginsWithRetire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newFakeTable()
		old, err := table.Reserve("a", newFake)
		require.NoError(t, err)
		bound, any := table.Bind(old), table.Handle("a")
		time.Sleep(time.Hour)
		expired := make(chan time.Time, 1)
		retired := time.Now()
		table.Retire(old, func() { expired <- time.Now() })
		time.Sleep(Retention - time.Nanosecond)
		_, err = table.Reserve("a", newFake)
		require.ErrorIs(t, err, ErrDuplicate)
		require.Equal(t, StateRunning, bound.Info().State)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, retired.Add(Retention), <-expired)
		require.Equal(t, Info{ID: "a"}, any.Info())

		_, err = table.Reserve("a", newFake)
		require.NoError(t, err)
		require.Equal(t, StateRunning, any.Info().State)
		require.Equal(t, StateUnknown, bound.Info().State, "not the next process of that id")
		table.Remove(old)
		require.Equal(t, StateRunning, any.Info().State, "only the very process is removed")
	})
}

func TestClosedTableRefuses(t *testing.T) {
	table := newFakeTable()
	p, err := table.Reserve("a", newFake)
	require.NoError(t, err)
	require.Equal(t, []*fakeProcess{p}, table.Close())
	_, err = table.Reserve("b", newFake)
	require.ErrorIs(t, err, ErrClosed)
}

func TestNothingExpiresInAClosedTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newFakeTable()
		before, err := table.Reserve("a", newFake)
		require.NoError(t, err)
		after, err := table.Reserve("b", newFake)
		require.NoError(t, err)
		never := func() { t.Error("expired") }
		table.Retire(before, never)
		table.Close()
		table.Retire(after, never)
		time.Sleep(2 * Retention)
		synctest.Wait()
		require.Equal(t, StateRunning, table.Bind(before).Info().State)
		require.Empty(t, table.timers)
	})
}

func TestHandleOfNobody(t *testing.T) {
	h := newFakeTable().Handle("x")
	ctx := context.Background()
	require.Equal(t, "x", h.ID())
	_, err := h.Subscribe(SubscribeOptions{})
	require.ErrorIs(t, err, ErrUnknownProcess)
	_, err = h.Read(ctx, 0, 0, 0)
	require.ErrorIs(t, err, ErrUnknownProcess)
	w, err := h.Write(ctx, "", nil)
	require.NoError(t, err)
	require.Equal(t, WriteResult{Status: UnknownProcess}, w)
	require.Equal(t, UnknownProcess, h.CloseStdin())
	for _, end := range []func() (StopReport, error){
		func() (StopReport, error) { return h.Stop(ctx, StepTerm, ScopeGroup) },
		func() (StopReport, error) { return h.Terminate(ctx) },
	} {
		report, err := end()
		require.NoError(t, err)
		require.Equal(t, StopReport{}, report)
	}
	tree, err := h.Tree(ctx)
	require.NoError(t, err)
	require.Empty(t, tree)
}
