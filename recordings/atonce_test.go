package recordings

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// countingFile counts the bytes that are read.
type countingFile struct {
	file
	read atomic.Int64
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	f.read.Add(int64(n))
	return n, err
}

// gatedFile blocks reads in the middle of the file until it is opened.
type gatedFile struct {
	countingFile
	from, to int64
	gate     chan struct{}
}

func (f *gatedFile) ReadAt(p []byte, off int64) (int, error) {
	if off < f.to && off+int64(len(p)) > f.from {
		<-f.gate
	}
	return f.countingFile.ReadAt(p, off)
}

// pairs returns a log of n requests and their responses, one entry per line, from number
// first on.
func pairs(first, n int) []byte {
	var b []byte
	for i := first; i < first+n; i++ {
		request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"m%d"}`, i/2, i/2%7)
		e := session.Entry{N: uint64(i + 1), T: int64(i), Kind: session.KindStdin, Payload: request}
		if i%2 == 1 {
			e.Kind, e.Seq = session.KindStdout, uint64(i)
			e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"text":"%s"}}`, i/2, strings.Repeat("x", i%300))
		}
		e.Msg = framing.Scan(e.Payload)
		b = AppendEntry(b, &e)
	}
	return b
}

// gated opens a file whose middle can't be read before the gate is opened.
func gated(t *testing.T, content []byte) (*Recording, *gatedFile) {
	t.Helper()
	f := &gatedFile{gate: make(chan struct{}), from: firstBuffer, to: int64(len(content)) - tailBytes}
	f.file = inMemory(content)
	r, err := newRecording("gated", f, lastRows, "")
	require.NoError(t, err)
	return r, f
}

func TestOpenProgressiveReadsTailFirst(t *testing.T) {
	lines := pairs(0, 20_000)
	content := append([]byte(header), lines...)
	r, f := gated(t, append(content, `{"n":20001,"torn`...))
	require.Less(t, f.read.Load(), int64(2<<20))
	tail := r.Tail()
	require.Equal(t, r.Header(), tail.Header())
	require.Equal(t, tailCount, tail.Len())
	require.Equal(t, session.RecordingReading, r.Stats().Recording)
	require.False(t, r.Progress().Done)
	got := rows(t, tail)
	for i, row := range got {
		e, err := tail.Entry(row, 0)
		require.NoError(t, err)
		require.Equal(t, uint64(20_000-tailCount+i+1), e.N, "entries keep their numbers")
	}

	changed := r.Changed()
	close(f.gate)
	<-changed
	<-r.Indexed()
	require.Equal(t, 20_000, r.Len())
	require.Equal(t, session.RecordingTorn, r.Stats().Recording)
	all := rows(t, r)
	for i, row := range got {
		whole := all[20_000-tailCount+i]
		require.Equal(t, whole.Off, row.Off)
		require.Equal(t, r.Method(whole.Method), tail.Method(row.Method))
		require.Equal(t, whole.State, row.State)
		require.Equal(t, whole.Msg, row.Msg)
	}
	require.Equal(t, session.RecordingReading, tail.Stats().Recording)
	require.NoError(t, r.Close())
}

func TestTailDoesNotPairWithEarlierRows(t *testing.T) {
	content := append([]byte(header), pairs(1, 20_000)...) // begins and ends with half a pair
	r, f := gated(t, content)
	got := rows(t, r.Tail())
	require.Equal(t, session.ReqNone, got[0].State, "its request comes before the tail")
	require.Equal(t, framing.Response, got[0].Msg)
	require.Zero(t, got[0].Related)
	require.Equal(t, session.ReqAnswered, got[1].State)
	require.Equal(t, session.ReqPending, got[tailCount-1].State)
	require.Zero(t, r.Tail().Stats().Unmatched)
	close(f.gate)
	require.NoError(t, r.Close())
}

func TestTailShapes(t *testing.T) {
	line := func(n int, size int) []byte {
		e := session.Entry{N: uint64(n), Kind: session.KindStderr, Payload: bytes.Repeat([]byte("y"), size)}
		return AppendEntry(nil, &e)
	}
	filler := append([]byte(header), pairs(0, 20_000)...)
	for name, c := range map[string]struct {
		end  []byte
		want []uint64 // the numbers of the last rows
	}{
		"a line of most of a MiB":    {slicesConcat(line(20_001, 900<<10), line(20_002, 1)), []uint64{20_000, 20_001, 20_002}},
		"a line that is too long":    {slicesConcat(line(20_001, 3<<20), line(20_002, 1), line(20_003, 2)), []uint64{20_002, 20_003}},
		"nothing but such a line":    {line(20_001, 3<<20), nil},
		"garbage":                    {[]byte("garbage\n\n\x00\n"), []uint64{19_999, 20_000}},
		"a torn line of half a MiB":  {line(20_001, 512<<10)[:512<<10], []uint64{19_999, 20_000}},
		"a torn line that is longer": {line(20_001, 2<<20)[:2<<20], nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := &countingFile{file: inMemory(append(bytes.Clone(filler), c.end...))}
			tail, err := readTail(&Recording{f: f}, int64(len(header)), int64(len(filler)+len(c.end)))
			require.NoError(t, err)
			require.LessOrEqual(t, f.read.Load(), int64(tailBytes))
			all := rows(t, tail)
			require.GreaterOrEqual(t, len(all), len(c.want))
			for i, n := range c.want {
				e, err := readEntry(f, all[len(all)-len(c.want)+i], 0, nil)
				require.NoError(t, err)
				require.Equal(t, n, e.N)
			}
			if len(c.want) == 0 {
				require.Empty(t, all)
			}
		})
	}
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestSmallFileHasNoTail(t *testing.T) {
	r, err := OpenProgressive(write(t, header+string(pairs(0, 100))))
	require.NoError(t, err)
	require.Nil(t, r.Tail())
	require.Equal(t, 100, r.Len())
	require.Equal(t, Progress{Bytes: r.Stats().Size, Size: r.Stats().Size, Rows: 100, Entries: 100, Done: true}, r.Progress())
	require.NoError(t, r.Close())
}

func TestCloseStopsIndexing(t *testing.T) {
	r, f := gated(t, append([]byte(header), pairs(0, 50_000)...))
	closed := make(chan error)
	go func() { closed <- r.Close() }()
	<-r.quit
	close(f.gate)
	require.NoError(t, <-closed)
	require.Less(t, r.Len(), 50_000)
	<-r.Indexed()
}

func TestOpenRefusesNonRegularFiles(t *testing.T) {
	folder := t.TempDir()
	for path, looks := range map[string]string{folder: "a folder", "/dev/zero": "a device"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		for name, open := range map[string]func(string) error{
			"open":    func(p string) error { _, err := Open(p); return err },
			"at once": func(p string) error { _, err := OpenProgressive(p); return err },
			"verify":  func(p string) error { _, err := Verify(p); return err },
			"scan":    func(p string) error { _, err := NewScanner(p); return err },
		} {
			require.EqualError(t, open(path), path+" is not a recording: it looks like "+looks, name)
		}
	}
	secret := filepath.Join(folder, "secret")
	require.NoError(t, os.WriteFile(secret, []byte(header), 0o000))
	if _, err := os.ReadFile(secret); err != nil { // not for root
		_, err := OpenProgressive(secret)
		require.ErrorIs(t, err, os.ErrPermission)
	}
}

func TestRowsAreCountedBeforeTheyAreIndexed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	n := writeREC(t, path, minCounted+1<<20)
	f, err := openFile(path)
	require.NoError(t, err)
	r, err := newRecording(path, f, lastRows, "")
	require.NoError(t, err)
	<-r.Indexed()
	require.Equal(t, n, r.Progress().Lines)
	require.Equal(t, n, r.Len())
	require.NoError(t, r.Close())
}

func TestCountLinesFromAnyOffset(t *testing.T) {
	content := bytes.Repeat([]byte("a line\n"), 200_000)
	f := bytes.NewReader(content)
	for _, c := range [][2]int{{0, 0}, {0, len(content)}, {3, len(content) - 1}, {7, 14}, {600_001, 1_200_000}, {0, 1}} {
		n, err := countLines(f, int64(c[0]), int64(c[1]), nil)
		require.NoError(t, err)
		require.Equal(t, bytes.Count(content[c[0]:c[1]], []byte("\n")), n)
	}
	_, err := countLines(f, 0, int64(len(content)+1), nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	quit := make(chan struct{})
	close(quit)
	_, err = countLines(f, 0, int64(len(content)), quit)
	require.ErrorIs(t, err, errQuit)
}
