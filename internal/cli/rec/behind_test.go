package rec

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// failing fails after a number of bytes.
type failing struct {
	bytes.Buffer
	left int
}

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return f.Buffer.Write(p)
}

func TestWriteBehind(t *testing.T) {
	pieces := func(n int) func(io.Writer) error {
		return func(w io.Writer) error {
			piece := []byte("0")
			for range n {
				if _, err := w.Write(piece); err != nil {
					return err
				}
				piece[0] = (piece[0]-'0'+1)%10 + '0' // a writer must not keep it
			}
			return nil
		}
	}
	to := failing{left: 100}
	require.NoError(t, writeBehind(&to, pieces(25)))
	require.Equal(t, "0123456789012345678901234", to.String())
	require.NoError(t, writeBehind(&to, pieces(0)))

	for _, n := range []int{11, 12, 13, 1 << 30} { // the last ends with the error of an earlier piece
		to := failing{left: 10}
		require.ErrorIs(t, writeBehind(&to, pieces(n)), errFull)
		require.Equal(t, "0123456789", to.String())
	}
	own := errors.New("own")
	require.ErrorIs(t, writeBehind(&failing{left: 10}, func(w io.Writer) error {
		_, err := w.Write([]byte("x"))
		require.NoError(t, err)
		return own
	}), own)
}
