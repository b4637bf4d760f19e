package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/corpus"
)

// line is the entry of a message in one line.
func line(kind Kind, text string) Entry {
	e := Entry{Kind: kind, Payload: []byte(text)}
	if kind != KindStderr {
		e.Msg = framing.Scan(e.Payload)
	}
	return e
}

// add indexes entries as a log would, and publishes them.
func add(t testing.TB, x *Index, entries ...Entry) {
	t.Helper()
	for i := range entries {
		e := &entries[i]
		e.N = uint64(x.added) + 1
		require.NoError(t, x.Add(e, int64(e.N)*100, 100))
	}
	x.Publish()
}

// allRows are the published rows.
func allRows(x *Index) []Row {
	all := make([]Row, x.Len())
	return all[:x.Rows(0, all)]
}

// spillTo spills into a file of the test.
func spillTo(t testing.TB) func() (IndexFile, error) {
	return func() (IndexFile, error) {
		f, err := os.Create(filepath.Join(t.TempDir(), "rows"))
		if err == nil {
			t.Cleanup(func() { require.NoError(t, f.Close()) })
		}
		return f, err
	}
}

func TestRowsAreHiddenUntilPublished(t *testing.T) {
	var x Index
	e := line(KindStdout, "x")
	require.NoError(t, x.Add(&e, 10, 20))
	require.Zero(t, x.Len())
	require.Zero(t, x.Rows(0, make([]Row, 1)))
	x.Publish()
	require.Equal(t, 1, x.Len())
	require.Equal(t, []Row{{Off: 10, Len: 20, Kind: KindStdout, Flags: FlagProblem}}, allRows(&x))
}

func TestRowsOutsideAreNone(t *testing.T) {
	var x Index
	add(t, &x, line(KindStdout, "x"), line(KindStdout, "y"))
	dst := make([]Row, 5)
	require.Equal(t, 2, x.Rows(0, dst))
	require.Equal(t, 1, x.Rows(1, dst))
	require.Zero(t, x.Rows(2, dst))
	require.Zero(t, x.Rows(-1, dst))
	require.Zero(t, x.Rows(0, nil))
}

func TestSpilledRowsAreTheSame(t *testing.T) {
	// Answers come three pages after their requests, when those are in the file.
	build := func(x *Index) {
		for i := range 5 * pageRows {
			add(t, x, line(KindStdin, fmt.Sprintf(`{"id":%d,"method":"m%d"}`, i, i%7)))
			if i >= 3*pageRows {
				add(t, x, line(KindStdout, fmt.Sprintf(`{"id":%d,"result":{}}`, i-3*pageRows)))
			}
		}
	}
	inMemory := &Index{}
	build(inMemory)
	want := allRows(inMemory)
	require.Equal(t, ReqAnswered, want[0].State)

	for _, memory := range []int{1, pageSize, 3 * pageSize} {
		x := &Index{Memory: memory, Spill: spillTo(t)}
		build(x)
		require.NotNil(t, x.file)
		require.LessOrEqual(t, (len(x.pages)-x.resident)*pageSize, max(memory, pageSize))
		require.Equal(t, want, allRows(x))
		require.Equal(t, inMemory.Stats(), x.Stats())

		across := make([]Row, 10) // over the border of two spilled pages
		require.Equal(t, 10, x.Rows(pageRows-5, across))
		require.Equal(t, want[pageRows-5:pageRows+5], across)
	}
}

// countingFile counts how often it is read.
type countingFile struct {
	IndexFile
	reads *int
}

func (f countingFile) ReadAt(p []byte, off int64) (int, error) {
	*f.reads++
	return f.IndexFile.ReadAt(p, off)
}

func TestASpilledPageIsReadOnce(t *testing.T) {
	reads := 0
	x := &Index{Memory: 1, Spill: func() (IndexFile, error) {
		f, err := spillTo(t)()
		return countingFile{f, &reads}, err
	}}
	e := line(KindStdout, "x")
	for range 3 * pageRows {
		require.NoError(t, x.Add(&e, 0, 1))
	}
	x.Publish()
	for i := range pageRows {
		require.Equal(t, 1, x.Rows(i, make([]Row, 1)))
	}
	require.Equal(t, 1, reads)
}

// brokenFile can't be written.
type brokenFile struct{ IndexFile }

func (brokenFile) WriteAt([]byte, int64) (int, error) { return 0, errors.New("no space left") }

func TestASpillThatFailsGivesUpLate(t *testing.T) {
	x := &Index{Memory: pageSize, Spill: func() (IndexFile, error) { return brokenFile{}, nil }}
	e := line(KindStdout, "x")
	for range 4 * pageRows {
		require.NoError(t, x.Add(&e, 0, 1))
	}
	require.ErrorContains(t, x.Add(&e, 0, 1), "index: no space left")
	x.Publish()
	require.Len(t, allRows(x), 4*pageRows)
}

func TestReadersSeeWholeRowsWhileOthersAreAdded(t *testing.T) {
	const n = 4 * pageRows
	x := &Index{Memory: pageSize, Spill: spillTo(t)}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			var dst [100]Row
			for from := 0; from < n; {
				got := x.Rows(from, dst[:])
				for i, row := range dst[:got] {
					if row.Off != int64(from+i) || row.Kind != KindStdout {
						panic(fmt.Sprintf("row %d is %+v", from+i, row))
					}
				}
				from += got
				_ = x.Stats()
				_ = x.Method(1)
			}
		})
	}
	e := line(KindStdout, `{"method":"m"}`)
	for i := range n {
		require.NoError(t, x.Add(&e, int64(i), 1))
		if i%50 == 49 || i == n-1 {
			x.Publish()
		}
	}
	wg.Wait()
}

func TestMethodsAreInterned(t *testing.T) {
	var x Index
	long := strings.Repeat("n", 2*maxMethodLen)
	add(t, &x, line(KindStdin, `{"method":"a"}`), line(KindStdin, `{"method":"b"}`), line(KindStdin, `{"method":"a"}`),
		line(KindStdin, `{"method":"`+long+`"}`), line(KindStderr, "x"))
	all := allRows(&x)
	require.Equal(t, all[0].Method, all[2].Method)
	require.Equal(t, "b", x.Method(all[1].Method))
	require.Equal(t, long[:maxMethodLen], x.Method(all[3].Method))
	require.Empty(t, x.Method(all[4].Method))
	require.Empty(t, x.Method(60000))

	for i := range 2 * maxMethods {
		add(t, &x, line(KindStdin, fmt.Sprintf(`{"method":"m%d"}`, i)))
	}
	all = allRows(&x)
	require.Equal(t, "(other methods)", x.Method(all[len(all)-1].Method))
	require.Equal(t, "a", x.Method(all[0].Method))
	require.Len(t, x.methods, maxMethods)
}

func TestStatsCount(t *testing.T) {
	var x Index
	part := line(KindStderr, "half")
	part.More = true
	add(t, &x,
		NewEntry(KindStart, 0, StartBody{Process: "p"}),
		line(KindStdin, `{"id":1,"method":"a"}`),
		line(KindStdout, `{"id":1,"error":{"code":-32601}}`),
		line(KindStdout, `{"id":0,"method":"roots/list"}`),
		line(KindStdout, "listening"), line(KindStdout, `{"neither":1}`),
		part, line(KindStderr, " a line"),
		NewEntry(KindLagged, 0, LaggedBody{Events: 3}),
		NewEntry(KindHeld, 0, HeldBody{Begin: 1}),
		NewEntry(KindGap, 0, GapBody{From: 1, To: 2, Bytes: 70}), NewEntry(KindGap, 0, GapBody{From: 4, To: 4, Bytes: 7}),
		part, NewEntry(KindStart, 0, StartBody{Process: "q"}),
		line(KindStderr, "again"),
	)
	require.Equal(t, Stats{
		Out: 1, In: 2, BytesOut: 21, BytesIn: 84, BytesErr: 20,
		Errors: 1, Stray: 2, StderrLines: 2, Lagged: 1, Held: 1, Gaps: 2, LostBytes: 77, Runs: 2,
	}, x.Stats())
	all := allRows(&x)
	require.Equal(t, []uint16{1, 1, 2, 2}, []uint16{all[0].Run, all[12].Run, all[13].Run, all[14].Run})
	require.Equal(t, FlagPart, all[6].Flags)
	require.Equal(t, FlagPart, all[7].Flags, "the last part is one too")
	require.Zero(t, all[14].Flags, "another process does not go on with the part")
}

func TestAnUnreadableBodyIsNoError(t *testing.T) {
	var x Index
	for kind := KindStart; kind < kindCount; kind++ {
		if !kind.IsStream() {
			add(t, &x, Entry{Kind: kind, Body: []byte(`{"of":"x","id":{},"bytes":-1,"state":7}`)})
		}
	}
	require.Equal(t, 1, x.Stats().Runs)
}

// mix are entries of a session like many.
func mix(n int) []Entry {
	var entries []Entry
	for _, m := range corpus.MIX(n) {
		kind := KindStdout
		if bytes.Contains(m[:min(len(m), 60)], []byte(`"id"`)) && bytes.Contains(m[:min(len(m), 60)], []byte(`"method"`)) {
			kind = KindStdin
		}
		entries = append(entries, line(kind, string(m)))
	}
	return entries
}

func TestAddDoesNotAllocate(t *testing.T) {
	entries := mix(20_000)
	x := &Index{Memory: 8 * pageSize, Spill: spillTo(t)}
	i := 0
	addNext := func() {
		e := &entries[i%len(entries)]
		require.NoError(t, x.Add(e, int64(i), 1))
		i++
	}
	for range len(entries) {
		addNext()
	}
	// What remains, one page each 2,048 rows, is no allocation a row.
	require.Zero(t, testing.AllocsPerRun(100_000, addNext))
	require.Positive(t, x.Stats().PendingOut+int(x.Stats().In))
}

func BenchmarkIndexAdd(b *testing.B) {
	entries := mix(20_000)
	x := &Index{Memory: 64 * pageSize, Spill: spillTo(b)}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := x.Add(&entries[i%len(entries)], int64(i), 1); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
