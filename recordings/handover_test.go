package recordings

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// mixed is a recording of many blocks: all kinds of lines, a line that is a block of its
// own, and blocks without an entry.
func mixed(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("testdata/v1-session.jsonl")
	require.NoError(t, err)
	header, body, _ := bytes.Cut(data, []byte("\n"))
	var b bytes.Buffer
	b.Write(append(header, '\n'))
	fill := func(size int) {
		for n := b.Len(); b.Len() < n+size; {
			b.Write(body)
			fmt.Fprintf(&b, `{"n":1,"t":1,"k":"stdout","seq":1,"raw":"%s\n"}`+"\n", strings.Repeat("text ", 300))
			b.WriteString(`{"n":1,"t":1,"k":"stdout","seq":1,"why":"too-long","more":true,"eol":"","raw":"{\"id\":1"}` + "\n")
			b.WriteString(`{"n":1,"t":1,"k":"stdout","seq":1,"why":"too-long","raw":"}"}` + "\n")
		}
	}
	fill(3 << 20)
	b.WriteString(strings.Repeat("not an entry\n", (lent+2)*blockSize/len("not an entry\n")))
	fill(1 << 20)
	fmt.Fprintf(&b, `{"n":1,"t":1,"k":"stdout","seq":1,"m":{"id":1,"result":"%s"}}`+"\n", strings.Repeat("x", blockSize))
	fill(3 << 20)
	return write(t, b.String())
}

// eachAsIndexed calls f with each row of a recording while it is being indexed.
func eachAsIndexed(r *Recording, src session.Source, f func(number int, row session.Row)) {
	for next, over := 0, false; ; {
		changed := r.Changed()
		for number, row := range session.RowsFrom(src, next) {
			f(number, row)
			next = number + 1
		}
		if over {
			return
		}
		select {
		case <-changed:
		case <-r.Indexed():
			over = true
		}
	}
}

// A heldFile is a file of which only the first line can be read until a channel is closed.
type heldFile struct {
	file
	read chan struct{}
}

func (f heldFile) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		<-f.read
	}
	return f.file.ReadAt(p, off)
}

// TestAsIndexed checks that entries taken from the blocks that are being indexed are those
// in the file.
func TestAsIndexed(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path := mixed(t)
	rows, lentRows := 0, 0
	f, err := openFiles(path)
	require.NoError(t, err)
	held := heldFile{f, make(chan struct{})}
	r, err := newRecording(path, held, allRows, "")
	require.NoError(t, err)
	src := r.AsIndexed()
	close(held.read) // all blocks are read with a reader
	reader, buf := session.InOrder(src), make([]byte, 4<<10)
	eachAsIndexed(r, src, func(_ int, row session.Row) {
		rows++
		for _, limit := range []int{0, 100} {
			got, err := reader.EntryInto(row, limit, buf)
			require.NoError(t, err)
			want, err := r.Entry(row, limit)
			require.NoError(t, err)
			if _, judged := got.ToolError(); judged {
				lentRows++
				want.DetectToolError()
			}
			require.Equal(t, want, got)
		}
	})
	r.handover.end()
	_, err = r.await(t.Context())
	require.NoError(t, err)
	require.Equal(t, r.Len(), rows)
	require.Greater(t, lentRows, rows/2)
	require.NoError(t, r.Close())
}

// TestAsIndexedStops checks that a reader that stops does not stop indexing.
func TestAsIndexedStops(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path := mixed(t)
	whole, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, whole.Close())
	for _, stop := range []int{0, 2, whole.Len() / 2} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir()) // without a stored index
		r, err := OpenWhile(t.Context(), path, func(r *Recording) {
			src := r.AsIndexed()
			reader := session.InOrder(src)
			for read := 0; read < stop; {
				changed := r.Changed()
				for _, row := range session.RowsFrom(src, read) {
					_, err := reader.EntryInto(row, 0, nil)
					require.NoError(t, err)
					if read++; read == stop {
						return
					}
				}
				<-changed
			}
		})
		require.NoError(t, err)
		require.Equal(t, whole.Len(), r.Len())
		require.NoError(t, r.Close())
	}
}
