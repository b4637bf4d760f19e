package session

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// out and in are a message to the server and one from it.
func out(text string) Entry { return line(KindStdin, text) }
func in(text string) Entry  { return line(KindStdout, text) }

// half is a write that leaves a line open.
func half(text string) Entry {
	e := out(text)
	e.EOL = framing.NoEOL
	return e
}

// ready is the entry of a handshake that found an era.
func ready(era mcp.Era) Entry {
	return NewEntry(KindState, 0, StateBody{State: string(Ready), Era: string(era)})
}

// batch is a line with several messages.
const batch = FlagBatch | FlagProblem

// odd is a write that is no line of its own.
const odd = FlagPart | FlagProblem

// A pairRow is what pairing makes of a row. Pair is a number of the table,
// from 1, as in Row.
type pairRow struct {
	pair  uint32
	state ReqState
	flags RowFlags
}

func TestPairing(t *testing.T) {
	timedOut := NewEntry(KindState, 0, StateBody{State: "timed-out", Of: 1, ID: json.RawMessage(`1`)})
	closed := NewEntry(KindClosed, 9, ClosedBody{})
	cancel := out(`{"method":"notifications/cancelled","params":{"requestId":1}}`)
	none := pairRow{}
	for name, c := range map[string]struct {
		entries []Entry
		want    []pairRow
		stats   Stats // PendingOut, PendingIn, Orphans, Errors
	}{
		"pending": {
			[]Entry{out(`{"id":1,"method":"a"}`)},
			[]pairRow{{0, ReqPending, 0}}, Stats{PendingOut: 1},
		},
		"answered": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`)},
			[]pairRow{{2, ReqAnswered, 0}, {1, ReqNone, 0}}, Stats{},
		},
		"failed": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"error":{}}`)},
			[]pairRow{{2, ReqFailed, FlagError}, {1, ReqNone, FlagError}}, Stats{Errors: 1},
		},
		"a probe that was refused": {
			[]Entry{
				out(`{"id":1,"method":"server/discover"}`), in(`{"id":1,"error":{}}`),
				out(`{"id":2,"method":"initialize"}`), in(`{"id":2,"error":{}}`),
			},
			[]pairRow{
				{2, ReqAnswered, FlagProbe}, {1, ReqNone, FlagProbe},
				{4, ReqFailed, FlagError}, {3, ReqNone, FlagError},
			}, Stats{Errors: 1},
		},
		"a probe that was refused late": {
			[]Entry{
				out(`{"id":1,"method":"server/discover"}`), timedOut, out(`{"id":2,"method":"initialize"}`), in(`{"id":1,"error":{}}`),
			},
			[]pairRow{{4, ReqAnswered, FlagProbe}, none, {0, ReqPending, 0}, {1, ReqNone, FlagProbe}}, Stats{PendingOut: 1},
		},
		"a probe whose late answer made initialize superfluous": {
			[]Entry{
				out(`{"id":1,"method":"server/discover"}`), out(`{"id":2,"method":"initialize"}`), in(`{"id":1,"result":{}}`), ready(mcp.Modern),
				in(`{"id":2,"error":{}}`),
			},
			[]pairRow{{3, ReqAnswered, 0}, {5, ReqAnswered, FlagProbe}, {1, ReqNone, 0}, none, {2, ReqNone, FlagProbe}}, Stats{},
		},
		"an initialize that was superfluous, and never answered": {
			[]Entry{
				out(`{"id":1,"method":"server/discover"}`), out(`{"id":2,"method":"initialize"}`), in(`{"id":1,"result":{}}`), ready(mcp.Modern),
			},
			[]pairRow{{3, ReqAnswered, 0}, {0, ReqPending, FlagProbe}, {1, ReqNone, 0}, none}, Stats{},
		},
		"an initialize that was superfluous until its time was over": {
			[]Entry{
				out(`{"id":2,"method":"server/discover"}`), out(`{"id":1,"method":"initialize"}`), in(`{"id":2,"result":{}}`), ready(mcp.Modern), timedOut,
			},
			[]pairRow{{3, ReqAnswered, 0}, {0, ReqTimedOut, FlagProbe}, {1, ReqNone, 0}, none, none}, Stats{},
		},
		"an initialize that was superfluous, and the process ends": {
			[]Entry{
				out(`{"id":2,"method":"server/discover"}`), out(`{"id":1,"method":"initialize"}`), in(`{"id":2,"result":{}}`), ready(mcp.Modern), closed,
			},
			[]pairRow{{3, ReqAnswered, 0}, {0, ReqLost, FlagProbe}, {1, ReqNone, 0}, none, none}, Stats{},
		},
		"initialize was refused, and a new probe answered": {
			[]Entry{
				out(`{"id":1,"method":"server/discover"}`), out(`{"id":2,"method":"initialize"}`), in(`{"id":2,"error":{}}`),
				out(`{"id":3,"method":"server/discover"}`), in(`{"id":3,"result":{}}`), ready(mcp.Modern),
			},
			[]pairRow{{0, ReqPending, FlagProbe}, {3, ReqAnswered, FlagProbe}, {2, ReqNone, FlagProbe}, {5, ReqAnswered, 0}, {4, ReqNone, 0}, none}, Stats{},
		},
		"a discover of a person, in a session that is ready": {
			[]Entry{
				out(`{"id":1,"method":"server/discover"}`), in(`{"id":1,"result":{}}`), ready(mcp.Modern),
				out(`{"id":2,"method":"server/discover"}`), in(`{"id":2,"error":{}}`), out(`{"id":3,"method":"initialize"}`),
			},
			[]pairRow{{2, ReqAnswered, 0}, {1, ReqNone, 0}, none, {5, ReqFailed, FlagError}, {4, ReqNone, FlagError}, {0, ReqPending, 0}}, Stats{PendingOut: 1, Errors: 1},
		},
		"what a server died of is no probe": {
			[]Entry{out(`{"id":1,"method":"server/discover"}`), closed, out(`{"id":2,"method":"initialize"}`)},
			[]pairRow{{0, ReqLost, 0}, none, {0, ReqPending, 0}}, Stats{PendingOut: 1},
		},
		"a tool that failed": {
			[]Entry{out(`{"id":1,"method":"tools/call"}`), in(`{"id":1,"result":{"isError": true}}`)},
			[]pairRow{{2, ReqAnswered, FlagError}, {1, ReqNone, FlagError}}, Stats{Errors: 1},
		},
		"a tool that quotes a failure": {
			[]Entry{out(`{"id":1,"method":"tools/call"}`), in(`{"id":1,"result":{"isError":false,"content":{"isError":true}}}`)},
			[]pairRow{{2, ReqAnswered, 0}, {1, ReqNone, 0}}, Stats{},
		},
		"cancelled, and no answer": {
			[]Entry{out(`{"id":1,"method":"a"}`), cancel},
			[]pairRow{{0, ReqCancelled, 0}, none}, Stats{},
		},
		"cancelled, and the answer crosses": {
			[]Entry{out(`{"id":1,"method":"a"}`), cancel, in(`{"id":1,"result":{}}`)},
			[]pairRow{{3, ReqCancelled, 0}, none, {1, ReqNone, 0}}, Stats{},
		},
		"cancelled too late": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`), cancel},
			[]pairRow{{2, ReqAnswered, 0}, {1, ReqNone, 0}, none}, Stats{},
		},
		"the other side's cancellation is another id": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"method":"notifications/cancelled","params":{"requestId":1}}`)},
			[]pairRow{{0, ReqPending, 0}, none}, Stats{PendingOut: 1},
		},
		"a cancellation of nothing": {
			[]Entry{out(`{"id":1,"method":"a"}`), out(`{"method":"notifications/cancelled","params":{}}`), out(`{"method":"notifications/cancelled","params":[1]}`)},
			[]pairRow{{0, ReqPending, 0}, none, none}, Stats{PendingOut: 1},
		},
		"timed out, and a late answer": {
			[]Entry{out(`{"id":1,"method":"a"}`), timedOut, in(`{"id":1,"result":{}}`)},
			[]pairRow{{3, ReqTimedOut, 0}, none, {1, ReqNone, 0}}, Stats{},
		},
		"lost when the process ends": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"method":"b"}`), closed},
			[]pairRow{{0, ReqLost, 0}, {0, ReqLost, 0}, none}, Stats{},
		},
		"another process does not answer for the first": {
			[]Entry{out(`{"id":1,"method":"a"}`), closed, NewEntry(KindStart, 0, StartBody{Process: "q"}), in(`{"id":1,"result":{}}`)},
			[]pairRow{{0, ReqLost, 0}, none, none, {0, ReqOrphan, 0}}, Stats{Orphans: 1, Runs: 1},
		},
		"an orphan": {
			[]Entry{in(`{"id":1,"result":{}}`)},
			[]pairRow{{0, ReqOrphan, 0}}, Stats{Orphans: 1},
		},
		"a duplicate": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`), in(`{"id":1,"error":{}}`)},
			[]pairRow{{2, ReqAnswered, 0}, {1, ReqNone, 0}, {1, ReqDuplicate, FlagError}}, Stats{Orphans: 1, Errors: 1},
		},
		"1, \"1\" and 1.0 are three ids": {
			[]Entry{out(`{"id":1,"method":"a"}`), out(`{"id":"1","method":"b"}`), out(`{"id":1.0,"method":"c"}`),
				in(`{"id":1.0,"result":1}`), in(`{"id":"1","result":1}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{6, ReqAnswered, 0}, {5, ReqAnswered, 0}, {4, ReqAnswered, 0}, {3, ReqNone, 0}, {2, ReqNone, 0}, {1, ReqNone, 0}}, Stats{},
		},
		"ids beyond the precision of a float": {
			[]Entry{out(`{"id":9007199254740993,"method":"a"}`), in(`{"id":9007199254740992,"result":1}`), in(`{"id":9007199254740993,"result":1}`)},
			[]pairRow{{3, ReqAnswered, 0}, {0, ReqOrphan, 0}, {1, ReqNone, 0}}, Stats{Orphans: 1},
		},
		"ids of 0 and null": {
			[]Entry{in(`{"id":0,"method":"a"}`), in(`{"id":null,"method":"b"}`), out(`{"id":null,"result":1}`), out(`{"id":0,"result":1}`)},
			[]pairRow{{4, ReqAnswered, 0}, {3, ReqAnswered, 0}, {2, ReqNone, 0}, {1, ReqNone, 0}}, Stats{},
		},
		"one id in both directions": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"method":"b"}`), in(`{"id":1,"result":1}`), out(`{"id":1,"result":1}`)},
			[]pairRow{{3, ReqAnswered, 0}, {4, ReqAnswered, 0}, {1, ReqNone, 0}, {2, ReqNone, 0}}, Stats{},
		},
		"an id is used again after its answer": {
			[]Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":1}`), out(`{"id":1,"method":"b"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{2, ReqAnswered, 0}, {1, ReqNone, 0}, {4, ReqAnswered, 0}, {3, ReqNone, 0}}, Stats{},
		},
		"an id is used again before its answer": {
			[]Entry{out(`{"id":1,"method":"a"}`), out(`{"id":1,"method":"b"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{0, ReqLost, 0}, {3, ReqAnswered, 0}, {2, ReqNone, 0}}, Stats{},
		},
		"a batch that one batch answers": {
			[]Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), in(`[{"id":2,"result":1},{"id":1,"result":1}]`)},
			[]pairRow{{2, ReqAnswered, batch}, {1, ReqNone, batch}}, Stats{},
		},
		"a batch that is answered one by one": {
			[]Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"},{"id":3,"method":"c"}]`), in(`{"id":2,"error":{}}`), in(`{"id":1,"result":1}`), in(`{"id":3,"result":1}`)},
			[]pairRow{{4, ReqFailed, batch | FlagError}, {1, ReqNone, FlagError}, {1, ReqNone, 0}, {1, ReqNone, 0}}, Stats{Errors: 1},
		},
		"a batch that is answered in part": {
			[]Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), in(`{"id":2,"result":1}`)},
			[]pairRow{{0, ReqPending, batch}, {1, ReqNone, 0}}, Stats{PendingOut: 1},
		},
		"a batch of which one element is cancelled, and answered late": {
			[]Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), cancel, in(`{"id":2,"result":1}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{3, ReqCancelled, batch}, none, {1, ReqNone, 0}, {1, ReqNone, 0}}, Stats{},
		},
		"a second answer to an element of a batch": {
			[]Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), in(`{"id":2,"result":1}`), in(`{"id":2,"result":1}`)},
			[]pairRow{{0, ReqPending, batch}, {1, ReqNone, 0}, {1, ReqDuplicate, 0}}, Stats{PendingOut: 1, Orphans: 1},
		},
		"a batch with one id twice": {
			[]Entry{out(`[{"id":1,"method":"a"},{"id":1,"method":"b"}]`), in(`{"id":1,"result":1}`)},
			[]pairRow{{2, ReqLost, batch}, {1, ReqNone, 0}}, Stats{},
		},
		"a batch of the server": {
			[]Entry{in(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), out(`[{"id":1,"result":1},{"id":2,"result":1}]`)},
			[]pairRow{{2, ReqAnswered, batch}, {1, ReqNone, batch}}, Stats{},
		},
		"a request that its own write cancels": {
			[]Entry{out(`{"id":1,"method":"a"}` + "\n" + `{"method":"notifications/cancelled","params":{"requestId":1}}`)},
			[]pairRow{{0, ReqCancelled, batch}}, Stats{},
		},
		"a batch": {
			[]Entry{out(`{"id":1,"method":"a"}`), out(`{"id":2,"method":"b"}`), in(`[{"id":1,"error":{}}, {"id":2,"result":1},{"method":"n"}]`)},
			[]pairRow{{3, ReqFailed, FlagError}, {3, ReqAnswered, 0}, {2, ReqNone, FlagError | FlagBatch | FlagProblem}}, Stats{Errors: 1},
		},
		"one write of several lines": {
			[]Entry{out(`{"id":1,"method":"a"}` + "\n" + `{"id":2,"method":"b"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{0, ReqPending, batch}, {1, ReqNone, 0}}, Stats{PendingOut: 1},
		},
		"a line that three writes make up": {
			[]Entry{half(`{"id":1,`), half(`"meth`), out(`od":"a"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{0, ReqNone, odd}, {0, ReqNone, odd}, {4, ReqAnswered, odd}, {3, ReqNone, 0}}, Stats{},
		},
		"a newline that comes alone": {
			[]Entry{half(`{"id":1,"method":"a"}`), out("")},
			[]pairRow{{0, ReqNone, odd}, {0, ReqPending, odd}}, Stats{PendingOut: 1},
		},
		"the end of a line, two whole ones, and the beginning of another": {
			[]Entry{half(`{"id":1,`), half(`"method":"a"}` + "\n" + `{"id":2,"method":"b"}` + "\n" + `[{"id":3,"method":"c"}]` + "\n" + `{"id":4,`), out(`"method":"d"}`)},
			[]pairRow{{0, ReqNone, odd}, {0, ReqPending, odd | FlagBatch}, {0, ReqPending, odd}}, Stats{PendingOut: 4},
		},
		"whole messages inside an open line": {
			[]Entry{half(`{"id":1,`), out(`{"id":2,"method":"b"}`), out(`{"id":3,"method":"c"}`)},
			[]pairRow{{0, ReqNone, odd}, {0, ReqNone, odd}, {0, ReqPending, 0}}, Stats{PendingOut: 1},
		},
		"another process does not go on with the line": {
			[]Entry{half(`{"id":1,`), closed, NewEntry(KindStart, 0, StartBody{Process: "q"}), out(`{"id":2,"method":"b"}`)},
			[]pairRow{{0, ReqNone, odd}, none, none, {0, ReqPending, 0}}, Stats{PendingOut: 1, Runs: 1},
		},
		"a write that did not get through": {
			[]Entry{out(`{"id":1,"method":"a"}`), out(`{"id":2,"method":"b"}`), NewEntry(KindWrite, 0, WriteBody{Of: 2, Status: "stdin-closed"})},
			[]pairRow{{0, ReqPending, 0}, {0, ReqLost, 0}, none}, Stats{PendingOut: 1},
		},
		"a write of no entry": {
			[]Entry{out(`{"id":1,"method":"a"}`), NewEntry(KindWrite, 0, WriteBody{Of: 0}), NewEntry(KindWrite, 0, WriteBody{Of: math.MaxUint64}), NewEntry(KindWrite, 0, WriteBody{Of: 99})},
			[]pairRow{{0, ReqPending, 0}, none, none, none}, Stats{PendingOut: 1},
		},
		"a write that was none": {
			[]Entry{in(`{"id":1,"method":"a"}`), NewEntry(KindWrite, 0, WriteBody{Of: 1, Status: "stdin-closed"})},
			[]pairRow{{0, ReqPending, 0}, none}, Stats{PendingIn: 1},
		},
		"a long id": {
			[]Entry{out(`{"id":"` + strings.Repeat("x", 300) + `1","method":"a"}`), in(`{"id":"` + strings.Repeat("x", 300) + `2","result":1}`), in(`{"id":"` + strings.Repeat("x", 300) + `1","result":1}`)},
			[]pairRow{{3, ReqAnswered, 0}, {0, ReqOrphan, 0}, {1, ReqNone, 0}}, Stats{Orphans: 1},
		},
		"stderr is never a message": {
			[]Entry{line(KindStderr, `{"id":1,"method":"a"}`)},
			[]pairRow{none}, Stats{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var x Index
			add(t, &x, c.entries...)
			var got []pairRow
			for _, row := range allRows(&x) {
				got = append(got, pairRow{row.Pair, row.State, row.Flags})
			}
			require.Equal(t, c.want, got)
			s := x.Stats()
			counts := Stats{PendingOut: s.PendingOut, PendingIn: s.PendingIn, Orphans: s.Orphans, Errors: s.Errors, Runs: s.Runs}
			require.Equal(t, c.stats, counts)
		})
	}
}

func TestAResponseHasItsRequestsMethod(t *testing.T) {
	var x Index
	add(t, &x, out(`{"id":1,"method":"tools/list"}`), in(`{"result":{},"id":1}`))
	require.Equal(t, "tools/list", x.Method(allRows(&x)[1].Method))
}

func TestPendingHasALimit(t *testing.T) {
	var x Index
	e := Entry{Kind: KindStdin}
	for i := range maxPending + 10 {
		e.Payload = fmt.Appendf(nil, `{"id":%d,"method":"a"}`, i)
		e.Msg = framing.Scan(e.Payload)
		require.NoError(t, x.Add(&e, 0, 1))
	}
	s := x.Stats()
	require.Equal(t, maxPending, s.PendingOut)
	require.Equal(t, uint64(10), s.Untracked)
	require.Len(t, x.pair.pending, maxPending)
}

func TestSettledIDsHaveALimit(t *testing.T) {
	var x Index
	exchange := func(id int) {
		add(t, &x, out(fmt.Sprintf(`{"id":%d,"method":"a"}`, id)), in(fmt.Sprintf(`{"id":%d,"result":1}`, id)))
	}
	for id := range maxDone + 10 {
		exchange(id)
		exchange(-1) // used again and again, it takes one place
	}
	require.Len(t, x.pair.done, maxDone)
	require.Len(t, x.pair.doneOrder, maxDone)
	add(t, &x, in(fmt.Sprintf(`{"id":%d,"result":1}`, maxDone+9)), in(`{"id":0,"result":1}`))
	all := allRows(&x)
	require.Equal(t, ReqDuplicate, all[len(all)-2].State)
	require.Equal(t, ReqOrphan, all[len(all)-1].State, "forgotten")
}

// However the bytes of stdin are cut into writes, the same messages are in them.
func FuzzWritesMakeUpLines(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"a"}`+"\r\n"+`[{"id":2,"method":"b"},{"id":3,"method":"c"}]`+"\n\n"+`{"method":"n"}`+"\n"), uint16(7))
	f.Add([]byte("x\r\n{}\n{"), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		var whole, parts Index
		for rest := data; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			add(t, &parts, stdinEntry(rest[:n]))
			rest = rest[n:]
		}
		if len(data) > 0 {
			add(t, &whole, stdinEntry(data))
		}
		want, got := whole.Stats(), parts.Stats()
		require.Equal(t, want.Out, got.Out)
		require.Equal(t, want.PendingOut, got.PendingOut)
		require.Equal(t, want.Orphans, got.Orphans)
	})
}

// stdinEntry is the entry of one write.
func stdinEntry(data []byte) Entry {
	w := splitEOL(data)
	return Entry{Kind: KindStdin, Payload: w.payload, EOL: w.eol, Msg: framing.Scan(w.payload)}
}
