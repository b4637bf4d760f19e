package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

const head, end = `{"jsonrpc":"2.0","id":1,"result":{"a":"`, `"}}`

func newLine(t *testing.T, modern bool) *Line {
	t.Helper()
	dir := t.TempDir()
	l, err := Create(dir, "1", modern)
	require.NoError(t, err)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files, "the file has no name")
	t.Cleanup(func() { _ = l.file.Close() })
	return l
}

// copied copies the result to w, and returns a channel with the outcome.
func copied(l *Line, w io.Writer) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := l.CopyResult(w)
		done <- err
	}()
	return done
}

func result(l *Line) (from, to int64) { return l.scan.Result() }

func TestCopyResultWhileItArrives(t *testing.T) {
	l := newLine(t, false)
	r, w := io.Pipe()
	done := copied(l, w)
	l.Write([]byte(head + "some"))
	read := make([]byte, len(`{"a":"some`))
	_, err := io.ReadFull(r, read)
	require.NoError(t, err)
	require.Equal(t, `{"a":"some`, string(read), "before the end")

	text := strings.Repeat("text", copySize)
	l.Write([]byte(text)) // nothing reads: the writer goes on
	l.Write([]byte(end))
	l.keep(result(l))
	go func() { _ = w.CloseWithError(<-done) }()
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, text+`"}`, string(rest))
	require.True(t, l.Kept())
	l.drop()
	l.abandon()
	require.True(t, l.Kept())
}

func TestCopyResultOnlyWhenReady(t *testing.T) {
	l := newLine(t, true)
	l.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{"a":"some",`))
	require.False(t, l.Begun())
	l.Write([]byte(`"resultType":"complete",`))
	require.True(t, l.Begun())

	held := newLine(t, true)
	var out bytes.Buffer
	done := copied(held, &out)
	held.Write([]byte(head + end))
	require.False(t, held.Begun())
	held.keep(result(held))
	require.NoError(t, <-done)
	require.Equal(t, `{"a":""}`, out.String())

	other := newLine(t, false)
	other.Write([]byte(strings.Replace(head, `"id":1`, `"id":2`, 1)))
	require.False(t, other.Begun())
}

func TestDropCopiesWhatIsThere(t *testing.T) {
	l := newLine(t, false)
	l.Write([]byte(head + "some" + "\xff" + "text"))
	l.Write([]byte("text"))
	require.False(t, l.Begun(), "the piece was refused")
	l.drop()
	require.ErrorIs(t, <-copied(l, io.Discard), ErrCut)

	l = newLine(t, false)
	l.Write([]byte(head + "some"))
	l.Write([]byte("\xff"))
	l.drop()
	var out bytes.Buffer
	require.ErrorIs(t, <-copied(l, &out), ErrCut)
	require.Equal(t, `{"a":"some`, out.String())
	require.False(t, l.Kept())
}

func TestAbandonEndsTheCopy(t *testing.T) {
	l := newLine(t, false)
	l.Write([]byte(head))
	done := copied(l, io.Discard)
	select {
	case err := <-done:
		t.Fatal(err)
	case <-time.After(20 * time.Millisecond):
	}
	l.abandon()
	require.ErrorIs(t, <-done, ErrCut)
	l.Write([]byte(end)) // it is still recorded
	l.keep(result(l))
	require.False(t, l.Kept(), "it was not copied")
	data, err := l.Load()
	require.NoError(t, err)
	require.Equal(t, head+end, string(data))
}

func TestCopyResultReturnsErrors(t *testing.T) {
	l := newLine(t, false)
	l.Write([]byte(head + end))
	l.keep(result(l))
	broken := errors.New("broken")
	require.ErrorIs(t, <-copied(l, failing{broken}), broken)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Where a file can't grow, for example because the disk is full, bytes stay in
// memory.
func TestUnwrittenBytesStayInMemory(t *testing.T) {
	l := newLine(t, false)
	readOnly, err := os.Open(os.DevNull)
	require.NoError(t, err)
	l.Write([]byte(head))
	file := l.file
	l.file = readOnly // writing to it fails
	l.Write([]byte("so"))
	l.file = file
	l.Write([]byte("me"))
	l.Write([]byte(end))
	require.Equal(t, int64(len(head)), l.inFile)
	require.Equal(t, int64(len(head+"some"+end)), l.Size())
	data, err := l.Load()
	require.NoError(t, err)
	require.Equal(t, head+"some"+end, string(data))
	for off := range len(data) {
		piece := make([]byte, len(data)-off)
		_, err := l.ReadAt(piece, int64(off))
		require.NoError(t, err)
		require.Equal(t, string(data[off:]), string(piece))
	}
	_, err = l.ReadAt(make([]byte, 2), int64(len(data)-1))
	require.ErrorIs(t, err, io.EOF)
	l.keep(result(l))
	var out bytes.Buffer
	require.NoError(t, <-copied(l, &out))
	require.Equal(t, `{"a":"some"}`, out.String())
}

func TestReleaseClosesTheFile(t *testing.T) {
	l := newLine(t, false)
	l.Write([]byte(head + end))
	l.Release()
	_, err := l.Load()
	require.NoError(t, err, "one more holds it")
	l.Release()
	data, err := l.Load()
	require.ErrorIs(t, err, os.ErrClosed)
	require.Empty(t, data)
}

func TestCreateFailsWithoutAFolder(t *testing.T) {
	_, err := Create(t.TempDir()+"/missing", "1", false)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A line that had to be scanned as a whole is kept only if it is the response, with
// the result that has begun.
func TestEndKeepsTheResultThatHasBegun(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		kept       bool
	}{
		{"space at the end", head + end + " ", true},
		{"result twice", head + `"},"result":{}}`, false},
		{"id twice", head + `"},"id":2}`, false},
		{"error and no result", head, false},
		{"a request", head + `"},"method":"m"}`, false},
	} {
		l := newLine(t, false)
		l.Write([]byte(tc.line[:len(head)]))
		require.True(t, l.Begun())
		l.Write([]byte(tc.line[len(head):]))
		_, _, ok := l.Digest(&framing.Line{Diverted: len(tc.line)})
		require.False(t, ok, tc.name)
		l.End(framing.Scan([]byte(tc.line)), []byte(tc.line), false)
		require.Equal(t, tc.kept, l.Kept(), tc.name)
	}
}
