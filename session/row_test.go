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
		{Off: 1, T: 2, Len: 3, Related: 4, Method: 5, Run: 6, Kind: KindStdout, Msg: framing.Batch, State: ReqLost, Flags: FlagBatch},
		{Off: math.MaxInt64, T: -1, Len: math.MaxUint32, Related: math.MaxUint32, Method: math.MaxUint16, Run: math.MaxUint16,
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

func TestRelatedRows(t *testing.T) {
	for name, tc := range map[string]struct {
		row            Row
		partner, owner bool
	}{
		"request":         {Row{Kind: KindStdin, Msg: framing.Request, Related: 8}, true, false},
		"response":        {Row{Kind: KindStdout, Msg: framing.ErrorResponse, Related: 8}, true, false},
		"batch":           {Row{Kind: KindStdin, Msg: framing.Batch, Flags: FlagBatch, Related: 8}, true, false},
		"several lines":   {Row{Kind: KindStdin, Msg: framing.Notification, Flags: FlagBatch, Related: 8}, true, false},
		"part of a line":  {Row{Kind: KindStdout, Msg: framing.Response, Flags: FlagPart, Related: 8}, true, false},
		"notification":    {Row{Kind: KindStdout, Msg: framing.Notification, Related: 8}, false, true},
		"timeout":         {Row{Kind: KindState, Related: 8}, false, true},
		"failed write":    {Row{Kind: KindWrite, Related: 8}, false, true},
		"unpaired":        {Row{Kind: KindStdin, Msg: framing.Request}, false, false},
		"no known owner":  {Row{Kind: KindStdout, Msg: framing.Notification}, false, false},
		"another message": {Row{Kind: KindStderr}, false, false},
	} {
		want := func(ok bool) int {
			if ok {
				return 7
			}
			return -1
		}
		row, ok := tc.row.Partner()
		require.Equal(t, tc.partner, ok, name)
		require.Equal(t, want(tc.partner), row, name)
		require.Equal(t, tc.partner, tc.row.Paired(), name)
		row, ok = tc.row.Owner()
		require.Equal(t, tc.owner, ok, name)
		require.Equal(t, want(tc.owner), row, name)
	}
}
