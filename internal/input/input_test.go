package input

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

var errEnough = errors.New("enough")

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte("text"), 0o600))
	data, err := readFile(t.Context(), name)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
	data, err = ReadRegular(name)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
}

func TestDirectoryAndMissingFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(t.Context(), dir)
	require.EqualError(t, err, dir+" is a directory")
	_, err = ReadRegular(dir)
	require.ErrorContains(t, err, "not a regular file")
	for _, read := range []func() error{
		func() error { _, err := Open(t.Context(), filepath.Join(dir, "none")); return err },
		func() error { _, err := ReadRegular(filepath.Join(dir, "none")); return err },
	} {
		require.ErrorIs(t, read(), os.ErrNotExist)
	}
	data, err := ReadRegular(os.DevNull)
	require.NoError(t, err)
	require.Empty(t, data)
}

func TestReadEndsWithContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte("text"), 0o600))
	never, _ := io.Pipe()
	for what, open := range map[string]func(ctx context.Context) (io.ReadCloser, error){
		"a regular file":            func(ctx context.Context) (io.ReadCloser, error) { return Open(ctx, name) },
		"a reader without a writer": func(ctx context.Context) (io.ReadCloser, error) { return Reader(ctx, never), nil },
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r, err := open(ctx)
		require.NoError(t, err, what)
		cancel(errEnough)
		_, err = io.ReadAll(r)
		require.ErrorIs(t, err, errEnough, what)
		require.NoError(t, r.Close(), what)
	}
}

func TestPendingReadEndsWithContext(t *testing.T) {
	from, to := io.Pipe()
	ctx, cancel := context.WithCancelCause(t.Context())
	r := Reader(ctx, from)
	_, err := to.Write([]byte("be"))
	require.NoError(t, err)
	got := make([]byte, 8)
	n, err := r.Read(got)
	require.NoError(t, err)
	require.Equal(t, "be", string(got[:n]))
	context.AfterFunc(t.Context(), func() { _ = to.Close() }) // in case the read hangs
	go cancel(errEnough)
	_, err = r.Read(got)
	require.ErrorIs(t, err, errEnough)
}

func TestReaderLosesNothing(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 3*chunkSize/16) + "end"
	for what, from := range map[string]io.Reader{
		"at once":       strings.NewReader(text),
		"in pieces":     iotest.HalfReader(strings.NewReader(text)),
		"data with EOF": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := io.ReadAll(iotest.OneByteReader(Reader(t.Context(), from)))
		require.NoError(t, err, what)
		require.Equal(t, text, string(got), what)
	}
	got, err := io.ReadAll(Reader(t.Context(), io.MultiReader(strings.NewReader("some"), iotest.ErrReader(errEnough))))
	require.ErrorIs(t, err, errEnough)
	require.Equal(t, "some", string(got))
}

func TestReadLimit(t *testing.T) {
	data, err := readAll("it", strings.NewReader("1234"), 4)
	require.NoError(t, err)
	require.Equal(t, "1234", string(data))
	_, err = readAll("it", strings.NewReader("12345"), 4)
	require.EqualError(t, err, "it is larger than 4 bytes")
}
