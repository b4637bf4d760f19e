package demo

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writes records each write.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

func TestWriteFloodWritesWholeLines(t *testing.T) {
	for _, test := range []struct{ block, count, writes, lines int }{
		{0, 5, 5, 1},             // one line each
		{bulkBlock, 319, 1, 319}, // 319 lines of 205 bytes are 65,395
		{bulkBlock, 640, 3, 319},
		{bulkBlock, 1, 1, 1},
	} {
		var w writes
		require.NoError(t, writeFlood(t.Context(), &w, test.count, 205, test.block))
		require.Len(t, w, test.writes)
		require.Len(t, w[0], 205*test.lines)
		require.Equal(t, test.count, strings.Count(strings.Join(w, ""), "\n"))
		for _, written := range w {
			require.True(t, strings.HasSuffix(written, "\n"))
		}
	}
}

func TestWriteFloodEnds(t *testing.T) {
	require.Error(t, writeFlood(t.Context(), io.Discard, 1, minFloodLine-1, 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, writeFlood(ctx, io.Discard, 1<<30, 205, 0), context.Canceled)
	r, w := io.Pipe()
	require.NoError(t, r.Close())
	require.ErrorIs(t, writeFlood(t.Context(), w, 2, 205, 0), io.ErrClosedPipe)
}

func TestByteWriterWritesBytes(t *testing.T) {
	var w writes
	n, err := byteWriter{&w}.Write([]byte("abc"))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Equal(t, writes{"a", "b", "c"}, w)
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	r := bufio.NewReaderSize(strings.NewReader("a\r\n\n"+strings.Repeat("y", 100)+"\n"+long+"\nb\nlast"), 16)
	for _, want := range []string{"a", "", strings.Repeat("y", 100), "<too long>", "b", "last", "<end>"} {
		line, err := readLine(r)
		switch {
		case errors.Is(err, errLineTooLong):
			line = []byte("<too long>")
		case errors.Is(err, io.EOF):
			line = []byte("<end>")
		default:
			require.NoError(t, err)
		}
		require.Equal(t, want, string(line))
	}
}
