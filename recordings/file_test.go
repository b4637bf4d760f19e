package recordings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// create creates a recording in a folder of the test. It is never synced: disks
// are slow, and test files need not be durable.
func create(t testing.TB, opts Options) *File {
	t.Helper()
	f := createSynced(t, opts)
	f.syncer.stop()
	f.syncer = nil
	return f
}

func createSynced(t testing.TB, opts Options) *File {
	t.Helper()
	if opts.Path == "" && !opts.NoRecord {
		opts.Path = filepath.Join(t.TempDir(), "rec.jsonl")
	}
	f, err := Create(opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = f.Close()
		require.NoError(t, f.Release())
	})
	return f
}

// stdout returns the entry of a line of standard output.
func stdout(seq uint64, line string) session.Entry {
	return session.Entry{Kind: session.KindStdout, Seq: seq, Payload: []byte(line), Msg: framing.Scan([]byte(line))}
}

// rows returns all rows of a source.
func rows(t testing.TB, src session.Source) []session.Row {
	t.Helper()
	all := make([]session.Row, src.Len())
	require.Equal(t, len(all), src.Rows(0, all))
	return all
}

func TestHeaderIsTheFirstLine(t *testing.T) {
	f := create(t, Options{Header: session.Header{Tool: "mcpdbg 0", Placement: "local", Argv: []string{"a<b", "é"}}})
	data, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	require.Empty(t, rest)
	require.Contains(t, string(line), `"argv":["a<b","é"]`)
	var h session.Header
	require.NoError(t, json.Unmarshal(line, &h))
	require.Equal(t, f.Header(), h)
	require.Equal(t, 1, h.Version)
	require.Len(t, h.ID, 26)
	require.True(t, bytes.HasPrefix(line, []byte(`{"mcpdbg":1,"id":"`)))

	info, err := os.Stat(f.Path())
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

func TestAppendNumbersAndPublishesEntries(t *testing.T) {
	f := create(t, Options{})
	entries := []session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-1", PID: 7}),
		stdout(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		stdout(2, "hello \x1b[1m"),
	}
	require.NoError(t, f.Append(entries))
	require.NoError(t, f.Append([]session.Entry{stdout(3, "more")}))
	require.Equal(t, 4, f.Len())
	require.Equal(t, uint64(2), entries[1].N)
	require.Equal(t, entries[0].T, entries[2].T, "one clock reading per batch")

	all := rows(t, f)
	require.Equal(t, session.KindStart, all[0].Kind)
	require.Equal(t, "ping", f.Method(all[1].Method))
	require.Equal(t, session.ReqPending, all[1].State)
	for i, want := range []string{
		`{"n":1,"t":%d,"k":"start","process":"mcp-stdio-1","pid":7}`,
		`{"n":2,"t":%d,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"method":"ping"}}`,
		`{"n":3,"t":%d,"k":"stdout","seq":2,"raw":"hello \u001b[1m"}`,
		`{"n":4,"t":%d,"k":"stdout","seq":3,"raw":"more"}`,
	} {
		line := make([]byte, all[i].Len)
		n, err := f.ReadLine(all[i], line, 0)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(want, all[i].T)+"\n", string(line[:n]))
	}
	e, err := f.Entry(all[1], 0)
	require.NoError(t, err)
	require.Equal(t, entries[1].Payload, e.Payload)
	require.Equal(t, framing.Request, e.Msg.Kind)
	e, err = f.Entry(all[0], 0)
	require.NoError(t, err)
	var body session.StartBody
	require.NoError(t, e.DecodeBody(&body))
	require.Equal(t, 7, body.PID)
	require.Equal(t, session.RecordingOn, f.Stats().Recording)
}

func TestReadLineReadsAtOffset(t *testing.T) {
	f := create(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "one"), stdout(2, "two")}))
	row := rows(t, f)[0]
	whole := make([]byte, 2*row.Len)
	n, err := f.ReadLine(row, whole, 0)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, int(row.Len), n, "not a byte of the next line")
	part := make([]byte, 5)
	n, err = f.ReadLine(row, part, int64(row.Len)-5)
	require.NoError(t, err)
	require.Equal(t, "ne\"}\n", string(part[:n]))
	for _, off := range []int64{-1, int64(row.Len), 1 << 40} {
		_, err = f.ReadLine(row, part, off)
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestChangedIsClosedByAppend(t *testing.T) {
	f := create(t, Options{})
	changed := f.Changed()
	require.Equal(t, changed, f.Changed(), "one channel for all until something changes")
	select {
	case <-changed:
		t.Fatal("nothing has changed")
	default:
	}
	require.NoError(t, f.Append([]session.Entry{stdout(1, "x")}))
	<-changed
	require.NotEqual(t, changed, f.Changed())
	changed = f.Changed()
	require.NoError(t, f.Close())
	<-changed
}

func TestEntriesOfOneAppendStayTogether(t *testing.T) {
	const writers, calls, each = 8, 200, 3
	f := create(t, Options{})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for c := range calls {
				entries := make([]session.Entry, each)
				for i := range entries {
					entries[i] = stdout(1, fmt.Sprintf("%d %d %d", w, c, i))
				}
				if err := f.Append(entries); err != nil {
					panic(err)
				}
				if f.Len() < int(entries[each-1].N) {
					panic("returned before its rows could be read")
				}
			}
		})
	}
	wg.Wait()
	all := rows(t, f)
	require.Len(t, all, writers*calls*each)
	next := make(map[int]int)
	for i := 0; i < len(all); i += each {
		var w, c, k int
		for j := range each {
			e, err := f.Entry(all[i+j], 0)
			require.NoError(t, err)
			require.Equal(t, uint64(i+j+1), e.N)
			_, err = fmt.Sscan(string(e.Payload), &w, &c, &k)
			require.NoError(t, err)
			require.Equal(t, j, k)
			require.GreaterOrEqual(t, e.T, all[max(0, i+j-1)].T)
		}
		require.Equal(t, next[w], c, "the order of one writer")
		next[w]++
	}
}

func TestBatchTakesAllQueuedEntries(t *testing.T) {
	f := create(t, Options{})
	write, writes := f.write, 0
	entered, leave := make(chan struct{}), make(chan struct{})
	f.write = func(file *os.File, p []byte) (int, error) {
		if writes++; writes == 1 {
			close(entered)
			<-leave
		}
		return write(file, p)
	}
	const queued = 20
	var wg sync.WaitGroup
	appendOne := func() {
		if err := f.Append([]session.Entry{stdout(1, "x")}); err != nil {
			panic(err)
		}
	}
	wg.Go(appendOne)
	<-entered
	changed := f.Changed()
	for range queued {
		wg.Go(appendOne)
	}
	waiting := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.queue)
	}
	for waiting() < queued {
		runtime.Gosched()
	}
	require.Zero(t, f.Len(), "nothing is shown before it is written")
	select {
	case <-changed:
		t.Fatal("nothing has changed")
	default:
	}
	close(leave)
	wg.Wait()
	<-changed
	require.Equal(t, 2, writes, "one for the first, one for all that waited")
	all := rows(t, f)
	require.Len(t, all, 1+queued)
	require.Equal(t, all[1].T, all[queued].T, "one clock reading per batch")
}

func TestNowIsMonotonic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := create(t, Options{NoRecord: true})
		time.Sleep(1500 * time.Microsecond)
		require.Equal(t, int64(1500), f.Now())
		e := []session.Entry{stdout(1, "x")}
		require.NoError(t, f.Append(e))
		require.Equal(t, int64(1500), e[0].T)
		require.Equal(t, int64(1500), rows(t, f)[0].T)
	})
}

func TestBuffersOfBurstAreReleased(t *testing.T) {
	f := create(t, Options{NoRecord: true})
	burst := make([]session.Entry, 50_000)
	for i := range burst {
		burst[i] = stdout(1, "a line of the burst")
	}
	require.NoError(t, f.Append(burst))
	require.Greater(t, cap(f.buf), 2*idleSize)
	require.LessOrEqual(t, cap(f.buf), 2*flushSize, "however large the batch")
	for range quietBatches {
		require.NoError(t, f.Append([]session.Entry{stdout(1, "quiet")}))
	}
	require.LessOrEqual(t, cap(f.buf), 2*idleSize)
	require.LessOrEqual(t, cap(f.lengths), idleSize)
}

func TestCloseEndsTheRecording(t *testing.T) {
	f := createSynced(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "x")}))
	require.NoError(t, f.Close())
	require.NoError(t, f.Close(), "again")
	require.ErrorIs(t, f.Append([]session.Entry{stdout(2, "y")}), ErrClosed)
	data, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	require.Regexp(t, `^\{"n":2,"t":\d+,"k":"end","entries":2,"counts":\{"stray":1\},"whole":\{"bytes":\d+,"xxh64":"[0-9a-f]{16}","crc32":"[0-9a-f]{8}"\}\}$`, lines[len(lines)-2])
	require.Equal(t, session.RecordingDone, f.Stats().Recording)
	require.Equal(t, int64(len(data)), f.Stats().Size)

	all := rows(t, f)
	require.Equal(t, session.KindEnd, all[1].Kind)
	_, err = f.Entry(all[0], 0)
	require.NoError(t, err, "rows can still be read")
}

func TestNoRecordLeavesNoFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := Create(Options{NoRecord: true, Path: "ignored"})
	require.NoError(t, err)
	require.NoError(t, f.Append([]session.Entry{stdout(1, "x")}))
	require.Empty(t, f.Path())
	require.Equal(t, session.RecordingNone, f.Stats().Recording)
	e, err := f.Entry(rows(t, f)[0], 0)
	require.NoError(t, err)
	require.Equal(t, "x", string(e.Payload))
	require.NoError(t, f.Close())
	require.Equal(t, session.RecordingNone, f.Stats().Recording)
	require.NoError(t, f.Release())
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	exists := filepath.Join(dir, "exists.jsonl")
	require.NoError(t, os.WriteFile(exists, []byte("precious"), 0o600))
	for name, c := range map[string]struct {
		opts Options
		is   error
		says string
	}{
		"a file that exists": {Options{Path: exists}, fs.ErrExist, exists + ": the file exists, and recordings are never overwritten"},
		"no folder":          {Options{Path: filepath.Join(dir, "no", "such")}, fs.ErrNotExist, filepath.Join("no", "such") + ": no such file or directory"},
		"a folder":           {Options{Path: dir}, fs.ErrExist, dir},
		"a file as folder":   {Options{Dir: exists}, nil, "exists.jsonl: not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Create(c.opts)
			_, ok := errors.AsType[*CreateError](err)
			require.True(t, ok, "%v", err)
			require.ErrorContains(t, err, c.says)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
		})
	}
	data, err := os.ReadFile(exists)
	require.NoError(t, err)
	require.Equal(t, "precious", string(data))
}

func TestAppendRefusesInvalidEntries(t *testing.T) {
	f := create(t, Options{})
	err := f.Append([]session.Entry{stdout(1, "x"), {Kind: session.KindNote, Body: []byte("[1]")}})
	require.ErrorContains(t, err, "body is not a JSON object")
	require.Zero(t, f.Len(), "nothing was written")
	pretty := session.Entry{Kind: session.KindNote, Body: []byte("{\n  \"text\": \"x\"\n}")}
	require.NoError(t, f.Append([]session.Entry{pretty}))
	e, err := f.Entry(rows(t, f)[0], 0)
	require.NoError(t, err)
	require.JSONEq(t, `{"text":"x"}`, string(e.Body))
}
