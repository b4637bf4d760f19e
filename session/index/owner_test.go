package index

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func called(id, token string) session.Entry {
	return out(`{"id":` + id + `,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":` + token + `}}}`)
}

func progress(token string) session.Entry {
	return in(`{"method":"notifications/progress","params":{"progress":1,"progressToken":` + token + `}}`)
}

// changed returns a notification of a subscription.
func changed(id string) session.Entry {
	return in(`{"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`)
}

// ownersOf returns the owners of the rows of an index, -1 for rows without one.
func ownersOf(x *Index) (owners []int) {
	for _, row := range allRows(x) {
		owner, _ := row.Owner()
		owners = append(owners, owner)
	}
	return owners
}

func TestOwners(t *testing.T) {
	answer := in(`{"id":1,"result":{}}`)
	cancel := out(`{"method":"notifications/cancelled","params":{"requestId":1}}`)
	theirs := in(`{"method":"notifications/cancelled","params":{"requestId":1}}`)
	timedOut := func(of uint64) session.Entry {
		return session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", Of: of, ID: json.RawMessage(`1`)})
	}
	failed := func(of uint64) session.Entry {
		return session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: of, Status: "stdin-closed"})
	}
	first := out(`{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"},"name":"a"}}`)
	for name, tc := range map[string]struct {
		entries []session.Entry
		want    []int
	}{
		"progress":                                {[]session.Entry{called("1", `"t"`), called("2", `"u"`), progress(`"t"`), progress(`"u"`), progress(`"v"`)}, []int{-1, -1, 0, 1, -1}},
		"the members in their usual order":        {[]session.Entry{first, in(`{"method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)}, []int{-1, 0}},
		"a token with escapes":                    {[]session.Entry{called("1", `"a\/b"`), progress(`"\u0061/b"`), in(`{"method":"notifications/progress","params":{"progressToken":"a\/b"}}`)}, []int{-1, 0, 0}},
		"a number is not its text":                {[]session.Entry{called("1", `1`), progress(`"1"`), progress(`1.0`), progress(`1`)}, []int{-1, -1, -1, 0}},
		"no scalar":                               {[]session.Entry{called("1", `null`), progress(`null`), called("2", `{}`), progress(`{}`), progress(`true`)}, []int{-1, -1, -1, -1, -1}},
		"a token used again":                      {[]session.Entry{called("1", `1`), called("2", `1`), progress(`1`)}, []int{-1, -1, 1}},
		"a token elsewhere":                       {[]session.Entry{out(`{"id":1,"method":"a","params":{"progressToken":1,"x":"progressToken"}}`), progress(`1`)}, []int{-1, -1}},
		"progress after the response":             {[]session.Entry{called("1", `1`), answer, progress(`1`)}, []int{-1, -1, 0}},
		"progress after a cancellation":           {[]session.Entry{called("1", `1`), cancel, progress(`1`)}, []int{-1, 0, 0}},
		"progress of the client":                  {[]session.Entry{in(`{"id":1,"method":"a","params":{"_meta":{"progressToken":1}}}`), progress(`1`), out(`{"method":"notifications/progress","params":{"progressToken":1}}`)}, []int{-1, -1, 0}},
		"progress in a new process":               {[]session.Entry{called("1", `1`), session.NewEntry(session.KindClosed, 9, session.ClosedBody{}), progress(`1`)}, []int{-1, -1, -1}},
		"a cancellation that crosses":             {[]session.Entry{called("1", `1`), answer, cancel}, []int{-1, -1, 0}},
		"a cancellation of nothing":               {[]session.Entry{cancel, called("2", `1`), cancel}, []int{-1, -1, -1}},
		"a cancellation by the server":            {[]session.Entry{called("1", `1`), theirs}, []int{-1, 0}},
		"of a request of the server":              {[]session.Entry{in(`{"id":1,"method":"a"}`), theirs, called("1", `1`), theirs, cancel}, []int{-1, 0, -1, 0, 2}},
		"a cancellation of no id":                 {[]session.Entry{out(`{"id":null,"method":"a"}`), out(`{"method":"notifications/cancelled","params":{"requestId":null}}`)}, []int{-1, -1}},
		"a timeout":                               {[]session.Entry{called("1", `1`), timedOut(1)}, []int{-1, 0}},
		"a timeout of an unknown entry":           {[]session.Entry{called("1", `1`), timedOut(99)}, []int{-1, 0}},
		"a timeout of an older request":           {[]session.Entry{called("1", `1`), called("1", `2`), timedOut(1)}, []int{-1, -1, 0}},
		"a failed write":                          {[]session.Entry{out(`{"id":0,"method":"a"}`), called("1", `1`), failed(2), failed(99)}, []int{-1, -1, 1, -1}},
		"a failed write of an unmatched response": {[]session.Entry{out(`{"id":1,"result":{}}`), failed(1)}, []int{-1, -1}},
		"a subscription in a batch": {[]session.Entry{
			out(`[{"id":"s","method":"subscriptions/listen"},{"id":2,"method":"a"}]`), changed(`"s"`), in(`{"method":"notifications/cancelled","params":{"requestId":"s"}}`),
		}, []int{-1, 0, 0}},
		"a failed write of a response": {[]session.Entry{in(`{"id":1,"method":"a"}`), out(`{"id":1,"result":{}}`), failed(2)}, []int{-1, -1, -1}},
		"a subscription": {[]session.Entry{
			changed(`"s"`), out(`{"id":"s","method":"subscriptions/listen"}`), changed(`"s"`), changed(`"\u0073"`), changed(`"t"`), out(`{"id":"t","method":"a"}`),
			in(`{"method":"notifications/message","params":{"x":"io.modelcontextprotocol/subscriptionId"}}`), in(`{"id":"s","result":{}}`), changed(`"s"`),
		}, []int{-1, -1, 1, 1, -1, -1, -1, -1, 1}},
		"several lines": {[]session.Entry{called("1", `1`), out(`{"method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + `{"id":2,"method":"a"}`)}, []int{-1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			var x Index
			add(t, &x, tc.entries...)
			require.Equal(t, tc.want, ownersOf(&x))
		})
	}
}

// TestTimeoutsAndWritesAreFoundByTheirEntry tests logs that begin in the middle, or lack
// entries.
func TestTimeoutsAndWritesAreFoundByTheirEntry(t *testing.T) {
	x := Index{Partial: true}
	for i, e := range []session.Entry{
		out(`{"id":1,"method":"a"}`), out(`{"id":2,"method":"b"}`), out(`{"id":3,"method":"c"}`),
		session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 1001}), session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 1020}),
		session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", Of: 2001, ID: json.RawMessage(`9`)}),
		session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: 1002}),
	} {
		e.N = []uint64{1000, 1001, 2001, 2002, 2003, 2004, 2005}[i]
		require.NoError(t, x.Add(&e, 0, 1))
	}
	x.Publish()
	require.Equal(t, []int{-1, -1, -1, 1, -1, 2, -1}, ownersOf(&x))
	var states []session.ReqState
	for _, row := range allRows(&x)[:3] {
		states = append(states, row.State)
	}
	require.Equal(t, []session.ReqState{session.ReqPending, session.ReqLost, session.ReqTimedOut}, states)
}

// TestTokensOfLongRequestsAreKept tests that a request that gets progress for long is found
// after many others, and an answered one only for a while.
func TestTokensOfLongRequestsAreKept(t *testing.T) {
	var x Index
	task := in(`{"id":"task","result":{"task":{"taskId":"a"}}}`)
	add(t, &x, called(`"open"`, `"open"`), called(`"task"`, `"task"`), task, called(`"short"`, `"short"`), in(`{"id":"short","result":{}}`))
	for i := range 20 * settledTokens {
		id := fmt.Sprint(i)
		add(t, &x, called(id, id), in(`{"id":`+id+`,"result":{}}`))
	}
	add(t, &x, progress(`"open"`), progress(`"task"`), progress(`"short"`), progress(fmt.Sprint(20*settledTokens-1)))
	owners := ownersOf(&x)
	require.Equal(t, []int{0, 1, -1, len(owners) - 6}, owners[len(owners)-4:])
	require.LessOrEqual(t, len(x.pair.tokens.order), 3*settledTokens)
}

// TestOwnersAreSaved tests that an index that was restored finds the same owners.
func TestOwnersAreSaved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var entries []session.Entry
	for range 2000 {
		token := fmt.Sprint(r.IntN(700))
		entries = append(entries, called(token, token), progress(fmt.Sprint(r.IntN(700))))
		if r.IntN(2) == 0 {
			entries = append(entries, in(`{"id":`+fmt.Sprint(r.IntN(700))+`,"result":{}}`))
		}
		if r.IntN(50) == 0 {
			entries = append(entries, session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: uint64(len(entries) - 2)}))
		}
	}
	var whole, x Index
	add(t, &whole, entries...)
	add(t, &x, entries[:1500]...)
	y := restored(t, &x)
	add(t, y, entries[1500:]...)
	require.Equal(t, ownersOf(&whole), ownersOf(y))
}

func FuzzProgressToken(f *testing.F) {
	for _, s := range []string{`{"progressToken":1}`, `{"progressToken":"a","progressToken":2}`, `{"progressToken":-1.5e3,"x":0}`, `{ "progressToken" : "a\"b" }`, `{"progressToken":[1]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		m := framing.Scan([]byte(`{"method":"a","params":` + string(params) + `}`))
		raw := progressToken(params, `{"progressToken":`, "")
		if m.Kind != framing.Notification || raw == nil {
			return
		}
		require.True(t, json.Valid(raw))
		require.Contains(t, string(params), string(raw))
	})
}

// TestHalvesOfSurrogatePairsDiffer tests ids and tokens that are not Unicode.
func TestHalvesOfSurrogatePairsDiffer(t *testing.T) {
	low, high, pair := []byte(`"\ud800"`), []byte(`"\ud801"`), []byte(`"\ud83d\ude00"`)
	require.NotEqual(t, newPairKey(true, low), newPairKey(true, high))
	require.NotEqual(t, tokenHash(true, low), tokenHash(true, high))
	require.Equal(t, newPairKey(true, []byte(`"😀"`)), newPairKey(true, pair))
}
