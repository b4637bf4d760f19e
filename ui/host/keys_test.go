package host

import (
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestWatchInterrupts(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"abc\x1b[99;6u", 0},
		{"\x03", 1},
		{"ab\x03c", 1},
		{"\x1b[99;5u", 1},
	} {
		pressed := 0
		got, err := io.ReadAll(WatchInterrupts(iotest.DataErrReader(strings.NewReader(tc.text)), func() { pressed++ }))
		require.NoError(t, err)
		require.Equal(t, tc.text, string(got))
		require.Equal(t, tc.want, pressed, "%q", tc.text)
	}
}

func TestWatchInterruptsOfTerminal(t *testing.T) {
	in, out, err := os.Pipe()
	require.NoError(t, err)
	pressed := 0
	watched := WatchInterrupts(in, func() { pressed++ })
	file, ok := watched.(interface {
		io.ReadWriteCloser
		Fd() uintptr
		Name() string
	})
	require.True(t, ok, "the library takes it for a terminal")
	require.Equal(t, in.Fd(), file.Fd())
	require.Equal(t, in.Name(), file.Name())
	require.Same(t, in, unwatched(watched))
	require.Same(t, in, unwatched(in))

	_, err = out.WriteString("q\x03")
	require.NoError(t, err)
	p := make([]byte, 8)
	n, err := watched.Read(p)
	require.NoError(t, err)
	require.Equal(t, "q\x03", string(p[:n]))
	require.Equal(t, 1, pressed)
	_, err = file.Write([]byte("x"))
	require.Error(t, err, "the file is opened for reading")
	require.NoError(t, out.Close())
	require.NoError(t, file.Close())
	_, err = in.Read(p)
	require.ErrorIs(t, err, os.ErrClosed)
}
