package session

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

func TestARowIs32Bytes(t *testing.T) {
	require.EqualValues(t, RowSize, unsafe.Sizeof(Row{}))
	for _, row := range []Row{
		{},
		{Off: 1, T: 2, Len: 3, Pair: 4, Method: 5, Run: 6, Kind: KindStdout, Msg: framing.Batch, State: ReqLost, Flags: FlagBatch},
		{Off: math.MaxInt64, T: -1, Len: math.MaxUint32, Pair: math.MaxUint32, Method: math.MaxUint16, Run: math.MaxUint16,
			Kind: math.MaxUint8, Msg: math.MaxUint8, State: math.MaxUint8, Flags: math.MaxUint8},
	} {
		b := row.AppendBinary([]byte("before"))
		require.Len(t, b, len("before")+RowSize)
		require.Equal(t, row, DecodeRow(b[len("before"):]))
	}
}

func TestReqStatesHaveNames(t *testing.T) {
	seen := make(map[string]bool)
	for s := ReqNone; s <= ReqUnread; s++ {
		require.False(t, seen[s.String()], "%d", s)
		seen[s.String()] = true
	}
	require.Empty(t, (ReqUnread + 1).String())
}
