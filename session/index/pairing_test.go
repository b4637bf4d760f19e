package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// out and in return a message to the server and one from it.
func out(text string) session.Entry { return line(session.KindStdin, text) }
func in(text string) session.Entry  { return line(session.KindStdout, text) }

// half returns a write that leaves a line open.
func half(text string) session.Entry {
	e := out(text)
	e.EOL = framing.NoEOL
	return e
}

// ready returns the entry of a handshake that found an era.
func ready(era mcp.Era) session.Entry {
	return session.NewEntry(session.KindState, 0, session.StateBody{State: string(session.Ready), Era: string(era)})
}

// batch returns a line with several messages.
const batch = session.FlagBatch | session.FlagProblem

// odd returns a write that is not a line of its own.
const odd = session.FlagPart | session.FlagProblem

// A pairRow is the expected pairing of a row. Pair is a number of the table,
// from 1, as in Row.
type pairRow struct {
	pair  uint32
	state session.ReqState
	flags session.RowFlags
}

func pairOf(row session.Row) pairRow {
	partner, _ := row.Partner()
	return pairRow{uint32(partner + 1), row.State, row.Flags}
}

func TestPairing(t *testing.T) {
	timedOut := session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", Of: 1, ID: json.RawMessage(`1`)})
	secondTimedOut := session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", Of: 2, ID: json.RawMessage(`1`)})
	closed := session.NewEntry(session.KindClosed, 9, session.ClosedBody{})
	cancel := out(`{"method":"notifications/cancelled","params":{"requestId":1}}`)
	none := pairRow{}
	for name, c := range map[string]struct {
		entries []session.Entry
		want    []pairRow
		stats   session.Stats // PendingOut, PendingIn, Orphans, Errors
	}{
		"pending": {
			[]session.Entry{out(`{"id":1,"method":"a"}`)},
			[]pairRow{{0, session.ReqPending, 0}}, session.Stats{PendingOut: 1},
		},
		"answered": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`)},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"asks for input": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{"resultType":"input_required","requestState":"s"}}`)},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqInput, 0}}, session.Stats{},
		},
		"a task and its poll": {
			[]session.Entry{
				out(`{"id":1,"method":"tools/call"}`), in(`{"id":1,"result":{"task":{"taskId":"a"}}}`),
				out(`{"id":2,"method":"tasks/get"}`), in(`{"id":2,"result":{"taskId":"a","status":"cancelled"}}`),
			},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqTask, 0}, {4, session.ReqAnswered, 0}, {3, session.ReqNone, 0}}, session.Stats{},
		},
		"asks for input twice": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`), in(`{"id":1,"result":{"resultType":"input_required"}}`)},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}, {1, session.ReqDuplicate, 0}}, session.Stats{Unmatched: 1},
		},
		"failed": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"error":{}}`)},
			[]pairRow{{2, session.ReqFailed, session.FlagError}, {1, session.ReqNone, session.FlagError}}, session.Stats{Errors: 1},
		},
		"a probe that was refused": {
			[]session.Entry{
				out(`{"id":1,"method":"server/discover"}`), in(`{"id":1,"error":{}}`),
				out(`{"id":2,"method":"initialize"}`), in(`{"id":2,"error":{}}`),
			},
			[]pairRow{
				{2, session.ReqAnswered, session.FlagProbe}, {1, session.ReqNone, session.FlagProbe},
				{4, session.ReqFailed, session.FlagError}, {3, session.ReqNone, session.FlagError},
			}, session.Stats{Errors: 1},
		},
		"a probe that was refused late": {
			[]session.Entry{
				out(`{"id":1,"method":"server/discover"}`), timedOut, out(`{"id":2,"method":"initialize"}`), in(`{"id":1,"error":{}}`),
			},
			[]pairRow{{4, session.ReqAnswered, session.FlagProbe}, none, {0, session.ReqPending, 0}, {1, session.ReqNone, session.FlagProbe}}, session.Stats{PendingOut: 1},
		},
		"a probe whose late answer made initialize superfluous": {
			[]session.Entry{
				out(`{"id":1,"method":"server/discover"}`), out(`{"id":2,"method":"initialize"}`), in(`{"id":1,"result":{}}`), ready(mcp.Modern),
				in(`{"id":2,"error":{}}`),
			},
			[]pairRow{{3, session.ReqAnswered, 0}, {5, session.ReqAnswered, session.FlagProbe}, {1, session.ReqNone, 0}, none, {2, session.ReqNone, session.FlagProbe}}, session.Stats{},
		},
		"an initialize that was superfluous, and never answered": {
			[]session.Entry{
				out(`{"id":1,"method":"server/discover"}`), out(`{"id":2,"method":"initialize"}`), in(`{"id":1,"result":{}}`), ready(mcp.Modern),
			},
			[]pairRow{{3, session.ReqAnswered, 0}, {0, session.ReqPending, session.FlagProbe}, {1, session.ReqNone, 0}, none}, session.Stats{},
		},
		"an initialize that was superfluous until it timed out": {
			[]session.Entry{
				out(`{"id":2,"method":"server/discover"}`), out(`{"id":1,"method":"initialize"}`), in(`{"id":2,"result":{}}`), ready(mcp.Modern), secondTimedOut,
			},
			[]pairRow{{3, session.ReqAnswered, 0}, {0, session.ReqTimedOut, session.FlagProbe}, {1, session.ReqNone, 0}, none, none}, session.Stats{},
		},
		"an initialize that was superfluous, and the process ends": {
			[]session.Entry{
				out(`{"id":2,"method":"server/discover"}`), out(`{"id":1,"method":"initialize"}`), in(`{"id":2,"result":{}}`), ready(mcp.Modern), closed,
			},
			[]pairRow{{3, session.ReqAnswered, 0}, {0, session.ReqLost, session.FlagProbe}, {1, session.ReqNone, 0}, none, none}, session.Stats{},
		},
		"initialize was refused, and a new probe answered": {
			[]session.Entry{
				out(`{"id":1,"method":"server/discover"}`), out(`{"id":2,"method":"initialize"}`), in(`{"id":2,"error":{}}`),
				out(`{"id":3,"method":"server/discover"}`), in(`{"id":3,"result":{}}`), ready(mcp.Modern),
			},
			[]pairRow{{0, session.ReqPending, session.FlagProbe}, {3, session.ReqAnswered, session.FlagProbe}, {2, session.ReqNone, session.FlagProbe}, {5, session.ReqAnswered, 0}, {4, session.ReqNone, 0}, none}, session.Stats{},
		},
		"a discover of a person, in a session that is ready": {
			[]session.Entry{
				out(`{"id":1,"method":"server/discover"}`), in(`{"id":1,"result":{}}`), ready(mcp.Modern),
				out(`{"id":2,"method":"server/discover"}`), in(`{"id":2,"error":{}}`), out(`{"id":3,"method":"initialize"}`),
			},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}, none, {5, session.ReqFailed, session.FlagError}, {4, session.ReqNone, session.FlagError}, {0, session.ReqPending, 0}}, session.Stats{PendingOut: 1, Errors: 1},
		},
		"a request that a server died of is not a probe": {
			[]session.Entry{out(`{"id":1,"method":"server/discover"}`), closed, out(`{"id":2,"method":"initialize"}`)},
			[]pairRow{{0, session.ReqLost, 0}, none, {0, session.ReqPending, 0}}, session.Stats{PendingOut: 1},
		},
		"a tool that failed": {
			[]session.Entry{out(`{"id":1,"method":"tools/call"}`), in(`{"id":1,"result":{"isError": true}}`)},
			[]pairRow{{2, session.ReqAnswered, session.FlagError}, {1, session.ReqNone, session.FlagError}}, session.Stats{Errors: 1},
		},
		"a tool that quotes a failure": {
			[]session.Entry{out(`{"id":1,"method":"tools/call"}`), in(`{"id":1,"result":{"isError":false,"content":{"isError":true}}}`)},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"cancelled, and no answer": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), cancel},
			[]pairRow{{0, session.ReqCancelled, 0}, none}, session.Stats{},
		},
		"cancelled, and the response crosses": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), cancel, in(`{"id":1,"result":{}}`)},
			[]pairRow{{3, session.ReqCancelled, 0}, none, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"cancelled too late": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`), cancel},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}, none}, session.Stats{},
		},
		"a cancellation of the other side is for another id": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"method":"notifications/cancelled","params":{"requestId":1}}`)},
			[]pairRow{{0, session.ReqPending, 0}, none}, session.Stats{PendingOut: 1},
		},
		"a cancellation of an unknown id": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), out(`{"method":"notifications/cancelled","params":{}}`), out(`{"method":"notifications/cancelled","params":[1]}`)},
			[]pairRow{{0, session.ReqPending, 0}, none, none}, session.Stats{PendingOut: 1},
		},
		"timed out, and a late answer": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), timedOut, in(`{"id":1,"result":{}}`)},
			[]pairRow{{3, session.ReqTimedOut, 0}, none, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"lost when the process ends": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"method":"b"}`), closed},
			[]pairRow{{0, session.ReqLost, 0}, {0, session.ReqLost, 0}, none}, session.Stats{},
		},
		"another process does not answer requests of the first": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), closed, session.NewEntry(session.KindStart, 0, session.StartBody{Process: "q"}), in(`{"id":1,"result":{}}`)},
			[]pairRow{{0, session.ReqLost, 0}, none, none, {0, session.ReqUnmatched, 0}}, session.Stats{Unmatched: 1, Runs: 1},
		},
		"an unmatched response": {
			[]session.Entry{in(`{"id":1,"result":{}}`)},
			[]pairRow{{0, session.ReqUnmatched, 0}}, session.Stats{Unmatched: 1},
		},
		"a duplicate": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`), in(`{"id":1,"error":{}}`)},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}, {1, session.ReqDuplicate, session.FlagError}}, session.Stats{Unmatched: 1, Errors: 1},
		},
		"1, \"1\" and 1.0 are three ids": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), out(`{"id":"1","method":"b"}`), out(`{"id":1.0,"method":"c"}`),
				in(`{"id":1.0,"result":1}`), in(`{"id":"1","result":1}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{6, session.ReqAnswered, 0}, {5, session.ReqAnswered, 0}, {4, session.ReqAnswered, 0}, {3, session.ReqNone, 0}, {2, session.ReqNone, 0}, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"ids beyond the precision of a float": {
			[]session.Entry{out(`{"id":9007199254740993,"method":"a"}`), in(`{"id":9007199254740992,"result":1}`), in(`{"id":9007199254740993,"result":1}`)},
			[]pairRow{{3, session.ReqAnswered, 0}, {0, session.ReqUnmatched, 0}, {1, session.ReqNone, 0}}, session.Stats{Unmatched: 1},
		},
		"ids of 0 and null": {
			[]session.Entry{in(`{"id":0,"method":"a"}`), in(`{"id":null,"method":"b"}`), out(`{"id":null,"result":1}`), out(`{"id":0,"result":1}`)},
			[]pairRow{{4, session.ReqAnswered, 0}, {0, session.ReqPending, 0}, {0, session.ReqUnmatched, 0}, {1, session.ReqNone, 0}}, session.Stats{PendingIn: 1, Unmatched: 1},
		},
		"requests without an id, until the process ends": {
			[]session.Entry{out(`{"id":null,"method":"a"}`), out(`{"id":null,"method":"b"}`), in(`{"id":null,"error":{}}`), in(`{"id":null,"error":{}}`), closed},
			[]pairRow{{0, session.ReqLost, 0}, {0, session.ReqLost, 0}, {0, session.ReqUnmatched, session.FlagError}, {0, session.ReqUnmatched, session.FlagError}, none}, session.Stats{Unmatched: 2, Errors: 2},
		},
		"an id with escapes": {
			[]session.Entry{out(`{"id":"a/\u00e4","method":"a"}`), in(`{"id":"\u0061\/ä","result":{}}`)},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"a number and its text": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":"1","result":{}}`), in(`{"id":1.0,"result":{}}`)},
			[]pairRow{{0, session.ReqPending, 0}, {0, session.ReqUnmatched, 0}, {0, session.ReqUnmatched, 0}}, session.Stats{PendingOut: 1, Unmatched: 2},
		},
		"a failed write that was answered": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 1, Status: "stdin-closed"}), in(`{"id":1,"result":{}}`)},
			[]pairRow{{3, session.ReqAnswered, 0}, none, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"the server ends a subscription": {
			[]session.Entry{out(`{"id":1,"method":"subscriptions/listen"}`), in(`{"method":"notifications/cancelled","params":{"requestId":1}}`), in(`{"id":1,"result":{}}`)},
			[]pairRow{{3, session.ReqCancelled, 0}, none, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"the server cancels a call of its client": {
			[]session.Entry{out(`{"id":1,"method":"tools/call"}`), in(`{"method":"notifications/cancelled","params":{"requestId":1}}`), in(`{"id":1,"result":{}}`)},
			[]pairRow{{3, session.ReqAnswered, 0}, none, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"the timeout of a request whose id is used again": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), out(`{"id":1,"method":"b"}`), timedOut},
			[]pairRow{{0, session.ReqLost, 0}, {0, session.ReqPending, 0}, none}, session.Stats{PendingOut: 1},
		},
		"one id in both directions": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"method":"b"}`), in(`{"id":1,"result":1}`), out(`{"id":1,"result":1}`)},
			[]pairRow{{3, session.ReqAnswered, 0}, {4, session.ReqAnswered, 0}, {1, session.ReqNone, 0}, {2, session.ReqNone, 0}}, session.Stats{},
		},
		"an id is reused after its response": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":1}`), out(`{"id":1,"method":"b"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{2, session.ReqAnswered, 0}, {1, session.ReqNone, 0}, {4, session.ReqAnswered, 0}, {3, session.ReqNone, 0}}, session.Stats{},
		},
		"an id is reused before its response": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), out(`{"id":1,"method":"b"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{0, session.ReqLost, 0}, {3, session.ReqAnswered, 0}, {2, session.ReqNone, 0}}, session.Stats{},
		},
		"a batch answered by one batch": {
			[]session.Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), in(`[{"id":2,"result":1},{"id":1,"result":1}]`)},
			[]pairRow{{2, session.ReqAnswered, batch}, {1, session.ReqNone, batch}}, session.Stats{},
		},
		"a batch that is answered one by one": {
			[]session.Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"},{"id":3,"method":"c"}]`), in(`{"id":2,"error":{}}`), in(`{"id":1,"result":1}`), in(`{"id":3,"result":1}`)},
			[]pairRow{{4, session.ReqFailed, batch | session.FlagError}, {1, session.ReqNone, session.FlagError}, {1, session.ReqNone, 0}, {1, session.ReqNone, 0}}, session.Stats{Errors: 1},
		},
		"a batch that is answered in part": {
			[]session.Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), in(`{"id":2,"result":1}`)},
			[]pairRow{{0, session.ReqPending, batch}, {1, session.ReqNone, 0}}, session.Stats{PendingOut: 1},
		},
		"a batch of which one element is cancelled, and answered late": {
			[]session.Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), cancel, in(`{"id":2,"result":1}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{3, session.ReqCancelled, batch}, none, {1, session.ReqNone, 0}, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"a second answer to an element of a batch": {
			[]session.Entry{out(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), in(`{"id":2,"result":1}`), in(`{"id":2,"result":1}`)},
			[]pairRow{{0, session.ReqPending, batch}, {1, session.ReqNone, 0}, {1, session.ReqDuplicate, 0}}, session.Stats{PendingOut: 1, Unmatched: 1},
		},
		"a batch with one id twice": {
			[]session.Entry{out(`[{"id":1,"method":"a"},{"id":1,"method":"b"}]`), in(`{"id":1,"result":1}`)},
			[]pairRow{{2, session.ReqLost, batch}, {1, session.ReqNone, 0}}, session.Stats{},
		},
		"a batch of the server": {
			[]session.Entry{in(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), out(`[{"id":1,"result":1},{"id":2,"result":1}]`)},
			[]pairRow{{2, session.ReqAnswered, batch}, {1, session.ReqNone, batch}}, session.Stats{},
		},
		"a request that its own write cancels": {
			[]session.Entry{out(`{"id":1,"method":"a"}` + "\n" + `{"method":"notifications/cancelled","params":{"requestId":1}}`)},
			[]pairRow{{0, session.ReqCancelled, batch}}, session.Stats{},
		},
		"a batch": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), out(`{"id":2,"method":"b"}`), in(`[{"id":1,"error":{}}, {"id":2,"result":1},{"method":"n"}]`)},
			[]pairRow{{3, session.ReqFailed, session.FlagError}, {3, session.ReqAnswered, 0}, {2, session.ReqNone, session.FlagError | session.FlagBatch | session.FlagProblem}}, session.Stats{Errors: 1},
		},
		"one write of several lines": {
			[]session.Entry{out(`{"id":1,"method":"a"}` + "\n" + `{"id":2,"method":"b"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{0, session.ReqPending, batch}, {1, session.ReqNone, 0}}, session.Stats{PendingOut: 1},
		},
		"a line of three writes": {
			[]session.Entry{half(`{"id":1,`), half(`"meth`), out(`od":"a"}`), in(`{"id":1,"result":1}`)},
			[]pairRow{{0, session.ReqNone, odd}, {0, session.ReqNone, odd}, {4, session.ReqAnswered, odd}, {3, session.ReqNone, 0}}, session.Stats{},
		},
		"a newline that comes alone": {
			[]session.Entry{half(`{"id":1,"method":"a"}`), out("")},
			[]pairRow{{0, session.ReqNone, odd}, {0, session.ReqPending, odd}}, session.Stats{PendingOut: 1},
		},
		"the end of a line, two whole ones, and the beginning of another": {
			[]session.Entry{half(`{"id":1,`), half(`"method":"a"}` + "\n" + `{"id":2,"method":"b"}` + "\n" + `[{"id":3,"method":"c"}]` + "\n" + `{"id":4,`), out(`"method":"d"}`)},
			[]pairRow{{0, session.ReqNone, odd}, {0, session.ReqPending, odd | session.FlagBatch}, {0, session.ReqPending, odd}}, session.Stats{PendingOut: 4},
		},
		"whole messages inside an open line": {
			[]session.Entry{half(`{"id":1,`), out(`{"id":2,"method":"b"}`), out(`{"id":3,"method":"c"}`)},
			[]pairRow{{0, session.ReqNone, odd}, {0, session.ReqNone, odd}, {0, session.ReqPending, 0}}, session.Stats{PendingOut: 1},
		},
		"another process does not continue the line": {
			[]session.Entry{half(`{"id":1,`), closed, session.NewEntry(session.KindStart, 0, session.StartBody{Process: "q"}), out(`{"id":2,"method":"b"}`)},
			[]pairRow{{0, session.ReqNone, odd}, none, none, {0, session.ReqPending, 0}}, session.Stats{PendingOut: 1, Runs: 1},
		},
		"a write that did not get through": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), out(`{"id":2,"method":"b"}`), session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 2, Status: "stdin-closed"})},
			[]pairRow{{0, session.ReqPending, 0}, {0, session.ReqLost, 0}, none}, session.Stats{PendingOut: 1},
		},
		"a write of no entry": {
			[]session.Entry{out(`{"id":1,"method":"a"}`), session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 0}), session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: math.MaxUint64}), session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 99})},
			[]pairRow{{0, session.ReqPending, 0}, none, none, none}, session.Stats{PendingOut: 1},
		},
		"a write that is not a stdin entry": {
			[]session.Entry{in(`{"id":1,"method":"a"}`), session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 1, Status: "stdin-closed"})},
			[]pairRow{{0, session.ReqPending, 0}, none}, session.Stats{PendingIn: 1},
		},
		"a long id": {
			[]session.Entry{out(`{"id":"` + strings.Repeat("x", 300) + `1","method":"a"}`), in(`{"id":"` + strings.Repeat("x", 300) + `2","result":1}`), in(`{"id":"` + strings.Repeat("x", 300) + `1","result":1}`)},
			[]pairRow{{3, session.ReqAnswered, 0}, {0, session.ReqUnmatched, 0}, {1, session.ReqNone, 0}}, session.Stats{Unmatched: 1},
		},
		"stderr is never a message": {
			[]session.Entry{line(session.KindStderr, `{"id":1,"method":"a"}`)},
			[]pairRow{none}, session.Stats{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var x Index
			add(t, &x, c.entries...)
			var got []pairRow
			for _, row := range allRows(&x) {
				got = append(got, pairOf(row))
			}
			require.Equal(t, c.want, got)
			s := x.Stats()
			counts := session.Stats{PendingOut: s.PendingOut, PendingIn: s.PendingIn, Unmatched: s.Unmatched, Errors: s.Errors, Runs: s.Runs}
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
	e := session.Entry{Kind: session.KindStdin}
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

// TestResponseToAnUntrackedRequestIsNotUnmatched checks that no response counts as
// unmatched, in that direction, while more requests are pending than are tracked.
func TestResponseToAnUntrackedRequestIsNotUnmatched(t *testing.T) {
	var x Index
	for i := range maxPending + 1 {
		add(t, &x, out(fmt.Sprintf(`{"id":%d,"method":"a"}`, i)))
	}
	for name, x := range map[string]*Index{"new": &x, "restored": restored(t, &x)} {
		t.Run(name, func(t *testing.T) {
			add(t, x, in(fmt.Sprintf(`{"id":%d,"result":{}}`, maxPending)))
			require.Zero(t, x.Stats().Unmatched)
			require.Equal(t, session.Row{}.State, allRows(x)[maxPending+1].State)
			add(t, x, out(`{"id":"r","result":{}}`))
			require.EqualValues(t, 1, x.Stats().Unmatched, "the server has sent no request")
			add(t, x, session.NewEntry(session.KindStart, 0, session.StartBody{}), in(`{"id":7,"result":{}}`))
			require.EqualValues(t, 2, x.Stats().Unmatched, "the next process")
		})
	}
}

func TestSettledIDsHaveALimit(t *testing.T) {
	var x Index
	exchange := func(id int) {
		add(t, &x, out(fmt.Sprintf(`{"id":%d,"method":"a"}`, id)), in(fmt.Sprintf(`{"id":%d,"result":1}`, id)))
	}
	for id := range maxDone + 10 {
		exchange(id)
		exchange(-1) // reused repeatedly, it takes one slot
	}
	require.Len(t, x.pair.done, maxDone)
	require.Len(t, x.pair.doneOrder, maxDone)
	add(t, &x, in(fmt.Sprintf(`{"id":%d,"result":1}`, maxDone+9)), in(`{"id":0,"result":1}`))
	all := allRows(&x)
	require.Equal(t, session.ReqDuplicate, all[len(all)-2].State)
	require.Equal(t, session.ReqUnmatched, all[len(all)-1].State, "forgotten")
}

// The messages do not depend on how the bytes of stdin are split into writes.
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
		require.Equal(t, want.Unmatched, got.Unmatched)
	})
}

// stdinEntry returns the entry of one write, as a session makes it.
func stdinEntry(data []byte) session.Entry {
	e := session.Entry{Kind: session.KindStdin, EOL: framing.NoEOL}
	if payload, ok := bytes.CutSuffix(data, []byte("\n")); ok {
		data, e.EOL = payload, framing.LF
		if payload, ok := bytes.CutSuffix(data, []byte("\r")); ok {
			data, e.EOL = payload, framing.CRLF
		}
	}
	e.Payload, e.Msg = data, framing.Scan(data)
	return e
}

// TestUnreadableResponseSettlesItsRequest checks that a response in parts, or one that is
// nested too deep, ends its request.
func TestUnreadableResponseSettlesItsRequest(t *testing.T) {
	part := func(text string, more bool) session.Entry {
		e := session.Entry{Kind: session.KindStdout, Payload: []byte(text), More: more}
		if more {
			e.EOL = framing.NoEOL
		}
		return e
	}
	const partOf = session.FlagPart | session.FlagProblem
	request, begin, middle := out(`{"id":1,"method":"a"}`), part(`{"id":1,"result":"`, true), part("x", true)
	lost, open := pairRow{2, session.ReqLost, 0}, pairRow{0, session.ReqPending, 0}
	deep := strings.Repeat("[", framing.MaxDepth) + strings.Repeat("]", framing.MaxDepth)
	for name, c := range map[string]struct {
		entries []session.Entry
		want    []pairRow
		in      uint64
		stray   uint64
	}{
		"id first": {[]session.Entry{request, begin, middle, part(`"}`, false)},
			[]pairRow{lost, {1, session.ReqUnread, partOf}, {0, 0, partOf}, {0, 0, partOf}}, 1, 0},
		"id last": {[]session.Entry{request, part(`{"result":"`, true), part(`","id"`, true), part(`:1}`, false)},
			[]pairRow{{4, session.ReqLost, 0}, {0, 0, partOf}, {0, 0, partOf}, {1, session.ReqUnread, partOf}}, 1, 0},
		"no end": {[]session.Entry{request, part(`{"result":"`, true), {Kind: session.KindStdout, Payload: []byte(`","id":1}`), EOL: framing.NoEOL}},
			[]pairRow{open, {0, 0, partOf}, {0, 0, partOf}}, 0, 1},
		"no id": {[]session.Entry{request, part(`{"result":{"id":1,"a":"`, true), part(`"}}`, false)},
			[]pairRow{open, {0, 0, partOf}, {0, 0, partOf}}, 0, 1},
		"another id": {[]session.Entry{request, part(`{"id":2,"result":"`, true), part(`"}`, false)},
			[]pairRow{open, {0, session.ReqUnmatched, partOf}, {0, 0, partOf}}, 1, 0},
		"twice": {[]session.Entry{request, begin, part(`"}`, false), begin},
			[]pairRow{lost, {1, session.ReqUnread, partOf}, {0, 0, partOf}, {1, session.ReqDuplicate, partOf}}, 2, 0},
		"too deep": {[]session.Entry{request, in(`{"result":` + deep + `,"id":1}`)},
			[]pairRow{lost, {1, session.ReqUnread, session.FlagProblem}}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var x Index
			half := len(c.entries) / 2
			add(t, &x, c.entries[:half]...)
			y := restored(t, &x)
			add(t, &x, c.entries[half:]...)
			add(t, y, c.entries[half:]...)
			for _, x := range []*Index{&x, y} {
				var got []pairRow
				for _, row := range allRows(x) {
					got = append(got, pairOf(row))
				}
				require.Equal(t, c.want, got)
				require.Equal(t, c.in, x.Stats().In)
				require.Equal(t, c.stray, x.Stats().Stray)
			}
			require.Equal(t, allRows(&x), allRows(y))
		})
	}
}

// TestErrorsOfTheClientAreNotReceived checks that an error that the client responds with
// is not counted among those of the server.
func TestErrorsOfTheClientAreNotReceived(t *testing.T) {
	var x Index
	add(t, &x, in(`{"id":1,"method":"roots/list"}`), out(`{"id":1,"error":{"code":-32601,"message":"no roots"}}`))
	require.Zero(t, x.Stats().Errors)
	require.Equal(t, session.ReqFailed, allRows(&x)[0].State)
	add(t, &x, out(`{"id":1,"method":"a"}`), in(`{"id":1,"error":{"code":-32601,"message":"no a"}}`))
	require.EqualValues(t, 1, x.Stats().Errors)
}
