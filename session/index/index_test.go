package index

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
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/session"
)

// line returns the entry of a message in one line.
func line(kind session.Kind, text string) session.Entry {
	e := session.Entry{Kind: kind, Payload: []byte(text)}
	if kind != session.KindStderr {
		e.Msg = framing.Scan(e.Payload)
	}
	return e
}

// add indexes entries as a log would, and publishes them.
func add(t testing.TB, x *Index, entries ...session.Entry) {
	t.Helper()
	for i := range entries {
		e := &entries[i]
		e.N = uint64(x.added) + 1
		require.NoError(t, x.Add(e, int64(e.N)*100, 100))
	}
	x.Publish()
}

// allRows returns the published rows.
func allRows(x *Index) []session.Row {
	all := make([]session.Row, x.Len())
	return all[:x.Rows(0, all)]
}

// spillTo makes x spill to a file of the test.
func spillTo(t testing.TB) func() (File, error) {
	return func() (File, error) {
		f, err := os.Create(filepath.Join(t.TempDir(), "rows"))
		if err == nil {
			t.Cleanup(func() { require.NoError(t, f.Close()) })
		}
		return f, err
	}
}

func TestRowsAreHiddenUntilPublished(t *testing.T) {
	var x Index
	e := line(session.KindStdout, "x")
	require.NoError(t, x.Add(&e, 10, 20))
	require.Zero(t, x.Len())
	require.Zero(t, x.Rows(0, make([]session.Row, 1)))
	x.Publish()
	require.Equal(t, 1, x.Len())
	require.Equal(t, []session.Row{{Off: 10, Len: 20, Kind: session.KindStdout, Flags: session.FlagProblem}}, allRows(&x))
}

func TestRowsOutOfRange(t *testing.T) {
	var x Index
	add(t, &x, line(session.KindStdout, "x"), line(session.KindStdout, "y"))
	dst := make([]session.Row, 5)
	require.Equal(t, 2, x.Rows(0, dst))
	require.Equal(t, 1, x.Rows(1, dst))
	require.Zero(t, x.Rows(2, dst))
	require.Zero(t, x.Rows(-1, dst))
	require.Zero(t, x.Rows(0, nil))
}

func TestSpilledRowsAreTheSame(t *testing.T) {
	// Responses come three pages after their requests, when those are in the
	// file.
	build := func(x *Index) {
		for i := range 5 * pageRows {
			add(t, x, line(session.KindStdin, fmt.Sprintf(`{"id":%d,"method":"m%d"}`, i, i%7)))
			if i >= 3*pageRows {
				add(t, x, line(session.KindStdout, fmt.Sprintf(`{"id":%d,"result":{}}`, i-3*pageRows)))
			}
		}
	}
	inMemory := &Index{}
	build(inMemory)
	want := allRows(inMemory)
	require.Equal(t, session.ReqAnswered, want[0].State)

	for _, memory := range []int{1, pageSize, 3 * pageSize} {
		x := &Index{Memory: memory, Spill: spillTo(t)}
		build(x)
		require.NotNil(t, x.file)
		require.LessOrEqual(t, (len(x.pages)-x.resident)*pageSize, max(memory, pageSize))
		require.Equal(t, want, allRows(x))
		require.Equal(t, inMemory.Stats(), x.Stats())

		across := make([]session.Row, 10) // over the border of two spilled pages
		require.Equal(t, 10, x.Rows(pageRows-5, across))
		require.Equal(t, want[pageRows-5:pageRows+5], across)
	}
}

// countingFile counts how often it is read.
type countingFile struct {
	File
	reads *int
}

func (f countingFile) ReadAt(p []byte, off int64) (int, error) {
	*f.reads++
	return f.File.ReadAt(p, off)
}

func TestASpilledPageIsReadOnce(t *testing.T) {
	reads := 0
	x := &Index{Memory: 1, Spill: func() (File, error) {
		f, err := spillTo(t)()
		return countingFile{f, &reads}, err
	}}
	e := line(session.KindStdout, "x")
	for range 3 * pageRows {
		require.NoError(t, x.Add(&e, 0, 1))
	}
	x.Publish()
	for i := range pageRows {
		require.Equal(t, 1, x.Rows(i, make([]session.Row, 1)))
	}
	require.Equal(t, 1, reads)
}

// brokenFile can't be written.
type brokenFile struct{ File }

func (brokenFile) WriteAt([]byte, int64) (int, error) { return 0, errors.New("no space left") }

func TestFailingSpillIsAnErrorOnlyBeyondTheLimit(t *testing.T) {
	x := &Index{Memory: pageSize, Spill: func() (File, error) { return brokenFile{}, nil }}
	e := line(session.KindStdout, "x")
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
			var dst [100]session.Row
			for from := 0; from < n; {
				got := x.Rows(from, dst[:])
				for i, row := range dst[:got] {
					if row.Off != int64(from+i) || row.Kind != session.KindStdout {
						panic(fmt.Sprintf("row %d is %+v", from+i, row))
					}
				}
				from += got
				_ = x.Stats()
				_ = x.Method(1)
			}
		})
	}
	e := line(session.KindStdout, `{"method":"m"}`)
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
	add(t, &x, line(session.KindStdin, `{"method":"a"}`), line(session.KindStdin, `{"method":"b"}`), line(session.KindStdin, `{"method":"a"}`),
		line(session.KindStdin, `{"method":"`+long+`"}`), line(session.KindStderr, "x"))
	all := allRows(&x)
	require.Equal(t, all[0].Method, all[2].Method)
	require.Equal(t, "b", x.Method(all[1].Method))
	require.Equal(t, long[:maxMethodLen], x.Method(all[3].Method))
	require.Empty(t, x.Method(all[4].Method))
	require.Empty(t, x.Method(60000))

	for i := range 2 * maxMethods {
		add(t, &x, line(session.KindStdin, fmt.Sprintf(`{"method":"m%d"}`, i)))
	}
	all = allRows(&x)
	require.Equal(t, "(other methods)", x.Method(all[len(all)-1].Method))
	require.Equal(t, "a", x.Method(all[0].Method))
	require.Len(t, x.methods, maxMethods)
}

func TestStatsCount(t *testing.T) {
	var x Index
	part := line(session.KindStderr, "half")
	part.More = true
	add(t, &x,
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"}),
		line(session.KindStdin, `{"id":1,"method":"a"}`),
		line(session.KindStdout, `{"id":1,"error":{"code":-32601}}`),
		line(session.KindStdout, `{"id":0,"method":"roots/list"}`),
		line(session.KindStdout, "listening"), line(session.KindStdout, `{"neither":1}`),
		part, line(session.KindStderr, " a line"),
		session.NewEntry(session.KindLagged, 0, session.LaggedBody{Events: 3}),
		session.NewEntry(session.KindHeld, 0, session.HeldBody{Begin: 1}),
		session.NewEntry(session.KindGap, 0, session.GapBody{From: 1, To: 2, Bytes: 70}), session.NewEntry(session.KindGap, 0, session.GapBody{From: 4, To: 4, Bytes: 7}),
		part, session.NewEntry(session.KindStart, 0, session.StartBody{Process: "q"}),
		line(session.KindStderr, "again"),
	)
	require.Equal(t, session.Stats{
		Out: 1, In: 2, BytesOut: 21, BytesIn: 84, BytesErr: 20,
		Errors: 1, Stray: 2, StderrLines: 2, Lagged: 1, Held: 1, Gaps: 2, LostBytes: 77, Runs: 2,
	}, x.Stats())
	all := allRows(&x)
	require.Equal(t, []uint16{1, 1, 2, 2}, []uint16{all[0].Run, all[12].Run, all[13].Run, all[14].Run})
	require.Equal(t, session.FlagPart, all[6].Flags)
	require.Equal(t, session.FlagPart, all[7].Flags, "the last part is one too")
	require.Zero(t, all[14].Flags, "another process does not continue the part")
}

func TestUnreadableBodyIsIgnored(t *testing.T) {
	var x Index
	for kind := session.KindStart; kind < session.KindCount; kind++ {
		if !kind.IsStream() {
			add(t, &x, session.Entry{Kind: kind, Body: []byte(`{"of":"x","id":{},"bytes":-1,"state":7}`)})
		}
	}
	require.Equal(t, 1, x.Stats().Runs)
}

// mix returns entries of a typical session.
func mix(n int) []session.Entry {
	var entries []session.Entry
	for _, m := range corpus.MIX(n) {
		kind := session.KindStdout
		if bytes.Contains(m[:min(len(m), 60)], []byte(`"id"`)) && bytes.Contains(m[:min(len(m), 60)], []byte(`"method"`)) {
			kind = session.KindStdin
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
	// The remaining allocation of a page per 2,048 rows is not one per row.
	require.Zero(t, testing.AllocsPerRun(100_000, addNext))
	require.Positive(t, x.Stats().PendingOut+int(x.Stats().In))
}

func BenchmarkIndexAdd(b *testing.B) { benchmarkAdd(b, mix(20_000)) }

// BenchmarkIndexAddProgress adds calls with a progress token, of which each gets two
// notifications.
func BenchmarkIndexAddProgress(b *testing.B) {
	var entries []session.Entry
	for i := range 5_000 {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"progressToken":%d},"name":"search","arguments":{"query":"the quick brown fox jumps over the lazy dog","limit":10}}}`, i, i)
		progress := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":40,"total":100,"message":"the quick brown fox"}}`, i)
		result := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"the quick brown fox"}],"isError":false}}`, i)
		entries = append(entries, out(call), in(progress), in(progress), in(result))
	}
	benchmarkAdd(b, entries)
}

func benchmarkAdd(b *testing.B, entries []session.Entry) {
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
