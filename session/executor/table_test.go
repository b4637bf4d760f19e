package executor

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A fakeBackend runs until a test retires it, and finds nothing to kill.
type fakeBackend struct {
	Backend
	base *Base
}

func (f *fakeBackend) Launch(context.Context) *StartError {
	f.base.Attach(Streams{Output: [2]io.Reader{strings.NewReader(""), strings.NewReader("")}}, EnvReport{})
	return nil
}
func (*fakeBackend) Describe(*Info)       {}
func (*fakeBackend) CannotTell() []string { return nil }

func newFake(b *Base) Backend { return &fakeBackend{base: b} }

func newFakeTable(ids *IDs) *Table {
	return NewTable(TableOptions{IDs: ids, Validate: func(cmd Command) error { return nil }})
}

func startFake(t *testing.T, table *Table, id string) (Process, *Base) {
	t.Helper()
	p, err := table.Start(t.Context(), Command{ID: id}, newFake)
	require.NoError(t, err)
	return p, table.entries[p.ID()]
}

func TestIDsAreCountedAndUnique(t *testing.T) {
	ids := new(IDs)
	one, two := newFakeTable(ids), newFakeTable(ids)
	startFake(t, one, "mcp-stdio-2")
	for i, table := range []*Table{one, two, one} {
		p, _ := startFake(t, table, "")
		require.Equal(t, []string{"mcp-stdio-1", "mcp-stdio-2", "mcp-stdio-3"}[i], p.ID())
	}
	p, _ := startFake(t, one, "")
	require.Equal(t, "mcp-stdio-4", p.ID())
	ids.last.Store(1)
	p, _ = startFake(t, one, "")
	require.Equal(t, "mcp-stdio-5", p.ID(), "ids in use are skipped")
}

func TestOneOfTwoStartsSucceeds(t *testing.T) {
	table := newFakeTable(nil)
	var won, lost atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := table.Start(t.Context(), Command{ID: "a"}, newFake); err == nil {
				won.Add(1)
			} else {
				require.ErrorIs(t, err, errDuplicate)
				lost.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, []int32{1, 7}, []int32{won.Load(), lost.Load()})
}

func TestRetentionBeginsWithRetire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newFakeTable(nil)
		bound, old := startFake(t, table, "a")
		any := table.Process("a")
		time.Sleep(time.Hour)
		expired := make(chan time.Time, 1)
		retired := time.Now()
		table.retire(old, func() { expired <- time.Now() })
		time.Sleep(Retention - time.Nanosecond)
		_, err := table.Start(t.Context(), Command{ID: "a"}, newFake)
		require.ErrorIs(t, err, errDuplicate)
		require.Equal(t, StateRunning, bound.Info().State)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, retired.Add(Retention), <-expired)
		require.Equal(t, Info{ID: "a"}, any.Info())

		startFake(t, table, "a")
		require.Equal(t, StateRunning, any.Info().State)
		require.Equal(t, StateUnknown, bound.Info().State, "not the next process of that id")
		table.remove(old)
		require.Equal(t, StateRunning, any.Info().State, "only this process is removed")
	})
}

func TestClosedTableRefuses(t *testing.T) {
	table := newFakeTable(nil)
	_, b := startFake(t, table, "a")
	require.Equal(t, []*Base{b}, table.close())
	_, err := table.Start(t.Context(), Command{ID: "b"}, newFake)
	require.ErrorIs(t, err, ErrClosed)
}

func TestNothingExpiresInAClosedTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newFakeTable(nil)
		p, before := startFake(t, table, "a")
		_, after := startFake(t, table, "b")
		never := func() { t.Error("expired") }
		table.retire(before, never)
		table.close()
		table.retire(after, never)
		time.Sleep(2 * Retention)
		synctest.Wait()
		require.Equal(t, StateRunning, p.Info().State)
		require.Nil(t, after.retired)
	})
}

func TestHandleOfUnknownProcess(t *testing.T) {
	h := newFakeTable(nil).Process("x")
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
