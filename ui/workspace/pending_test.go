package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
)

// TestPartsByEvidence checks which progress and cancellations belong to a call, in
// logs whose messages begin at row 3.
func TestPartsByEvidence(t *testing.T) {
	a, b := call(1, "a", `,"_meta":{"progressToken":"A"}`), call(2, "b", `,"_meta":{"progressToken":2}`)
	for _, tc := range []struct {
		name, want string
		of         map[int]int // exchange by row
		lines      []string
	}{
		{"two calls", "1 3 4", map[int]int{5: 3, 6: 4, 7: 3}, []string{a, b, progress(`"A"`), progress("2"), progress(`"A"`), done(1), done(2)}},
		{"an unknown token", "1 3 4 5", map[int]int{5: 5, 6: 3}, []string{a, b, progress(`"C"`), progress(`"A"`)}},
		{"cancelled", "1 3", map[int]int{4: 3}, []string{a, cancel("1")}},
		{"progress after it", "1 3", map[int]int{4: 3, 5: 3, 6: 3}, []string{a, cancel("1"), progress(`"A"`), progress(`"A"`)}},
		{"progress after it, while another call is pending", "1 3 5", map[int]int{6: 3, 7: 5}, []string{a, cancel("1"), b, progress(`"A"`), progress("2"), done(2)}},
		{"a late answer", "1 3", map[int]int{5: 3, 6: 3}, []string{a, cancel("1"), progress(`"A"`), done(1)}},
		{"progress after the late answer", "1 3 6", map[int]int{6: 6}, []string{a, cancel("1"), done(1), progress(`"A"`)}},
		{"cancelled twice", "1 3", map[int]int{4: 3, 5: 3}, []string{a, cancel("1"), cancel("1")}},
		{"cancelled after the answer", "1 3 5", map[int]int{5: 5}, []string{a, done(1), cancel("1")}},
		{"an unknown id", "1 3 4", map[int]int{4: 4}, []string{a, cancel("7")}},
		{"an id of another type", "1 3 4", map[int]int{4: 4}, []string{a, cancel(`"1"`)}},
		{"timed out", "1 3", map[int]int{5: 3}, []string{a, `"k":"state","state":"timed-out","of":4,"id":1`, progress(`"A"`)}},
		{"a batch", "1 3", map[int]int{4: 3, 5: 3}, []string{`"k":"stdin","raw":"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\",\"params\":{\"_meta\":{\"progressToken\":\"A\"}}}]"`, progress(`"A"`), cancel("1")}},
		{"the next process", "1 3 4 5", map[int]int{5: 5}, []string{a, rectest.Started, progress(`"A"`)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := NewIndex()
			x.Pull(rectest.Session(t, append(append([]string{}, modern...), tc.lines...)...))
			require.Equal(t, tc.want, listed(x.Exchanges))
			for number, want := range tc.of {
				require.Equal(t, want, x.Exchanges.Of(number), "row %d", number)
			}
		})
	}
}

// TestPartsOfACancelledCall checks that all messages of a cancelled call can be
// unfolded, in their order.
func TestPartsOfACancelledCall(t *testing.T) {
	x := NewIndex()
	x.Pull(rectest.Session(t, append(append([]string{}, modern...),
		call(1, "a", `,"_meta":{"progressToken":1}`), progress("1"), cancel("1"), progress("1"), `> {"jsonrpc":"2.0","id":5,"method":"ping"}`, progress("1"), done(1))...))
	require.Equal(t, "1 3 7", listed(x.Exchanges))
	any, more := x.Exchanges.Unfold(3)
	require.True(t, any)
	require.False(t, more)
	require.Equal(t, "1 3 4 5 6 7 8 9", listed(x.Exchanges))
	at, ok := x.Exchanges.Cancelled(3)
	require.True(t, ok)
	require.Equal(t, 5, at)
	_, ok = x.Exchanges.Cancelled(7)
	require.False(t, ok)
}

// TestManyPendingCalls checks that each of many calls at once has its own progress.
func TestManyPendingCalls(t *testing.T) {
	const calls = 200
	lines, first := append([]string{}, modern...), len(modern)
	for id := range calls {
		lines = append(lines, call(id, "a", fmt.Sprintf(`,"_meta":{"progressToken":%d}`, id)))
	}
	x := NewIndex()
	x.Pull(rectest.Session(t, append(lines, progress("1"), progress("199"), progress("200"))...))
	for i, want := range []int{first + 1, first + 199, first + calls + 2} {
		require.Equal(t, want, x.Exchanges.Of(first+calls+i))
	}
}

// TestOnlyPendingAfterManyCalls checks that a request of the server belongs to the only
// pending call again when there were more calls at once than are searched.
func TestOnlyPendingAfterManyCalls(t *testing.T) {
	const manyCalls = 64
	const roots = `< {"jsonrpc":"2.0","id":"r","method":"roots/list"}`
	first := len(modern)
	for name, left := range map[string]int{"a known one": 3, "a further one": manyCalls + 1} {
		t.Run(name, func(t *testing.T) {
			lines := append([]string{}, modern...)
			for id := range manyCalls + 2 {
				lines = append(lines, call(id+1, "a", ""))
			}
			lines = append(lines, roots)
			for id := range manyCalls + 2 {
				if id != left {
					lines = append(lines, done(id+1))
				}
			}
			x := NewIndex()
			x.Pull(rectest.Session(t, append(lines, strings.Replace(roots, `"r"`, `"s"`, 1), done(left+1))...))
			_, ok := x.Exchanges.During(first + manyCalls + 2)
			require.False(t, ok, "many calls were pending")
			at, ok := x.Exchanges.During(len(lines))
			require.True(t, ok)
			require.Equal(t, first+left, at)
			_, ok = x.Exchanges.Only()
			require.False(t, ok)
		})
	}
}

// TestLostCallsAreNotPending checks that a call that can get no response is not the
// pending one.
func TestLostCallsAreNotPending(t *testing.T) {
	for name, tc := range map[string]struct {
		lines []string
		want  int // row of the only pending call, 0 for none
	}{
		"pending":           {nil, 3},
		"exited":            {[]string{`"k":"exited","seq":9,"signal":"SEGV","by":"server"`}, 3},
		"closed":            {[]string{`"k":"exited","seq":9,"signal":"SEGV","by":"server"`, `"k":"closed","seq":10`}, 0},
		"connection lost":   {[]string{`"k":"failed","error":"connection lost"`}, 0},
		"id reused":         {[]string{call(1, "b", "")}, 4},
		"id reused, closed": {[]string{call(1, "b", ""), `"k":"closed","seq":10`}, 0},
		"another call":      {[]string{call(2, "b", "")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			x := NewIndex()
			x.Pull(rectest.Session(t, append(append(append([]string{}, modern...), call(1, "a", "")), tc.lines...)...))
			at, ok := x.Exchanges.Only()
			require.Equal(t, tc.want > 0, ok)
			require.Equal(t, tc.want, at)
		})
	}
}

// TestPartsFarFromTheirCall checks that a call has its parts, however many other
// messages come before the first of them.
func TestPartsFarFromTheirCall(t *testing.T) {
	lines := append(append([]string{}, modern...), call(1, "a", `,"_meta":{"progressToken":1}`), call(2, "b", `,"_meta":{"progressToken":2}`), call(3, "c", ""))
	for range 3 * nearRanges {
		lines = append(lines, progress("2"), progress("9"))
	}
	x := NewIndex()
	x.Pull(rectest.Session(t, append(lines, progress("1"), cancel("3"))...))
	require.Equal(t, []uint32{3, 5}, x.Exchanges.whole)
	for number, want := range []bool{3: true, 4: true, 5: true, 6: false} {
		require.Equal(t, want, x.Exchanges.HasParts(number), "row %d", number)
	}
	at, ok := x.Exchanges.Progress(3)
	require.True(t, ok)
	require.Equal(t, 6+6*nearRanges, at)
}

// TestDuringTheOnlyPendingCall checks that a request of the server belongs to the
// only call that was pending then, also if an earlier one got no response.
func TestDuringTheOnlyPendingCall(t *testing.T) {
	const roots = `< {"jsonrpc":"2.0","id":"r","method":"roots/list"}`
	for name, tc := range map[string]struct {
		between string
		during  bool
	}{
		"pending":   {`"k":"note","text":"x"`, false},
		"answered":  {done(1), true},
		"cancelled": {cancel("1"), true},
		"timed out": {`"k":"state","state":"timed-out","of":4,"id":1`, true},
		"not sent":  {`"k":"write","of":4,"status":"stdin closed"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			x := NewIndex()
			x.Pull(rectest.Session(t, append(append([]string{}, modern...), call(1, "a", ""), tc.between, call(2, "b", ""), roots)...))
			at, ok := x.Exchanges.During(6)
			require.Equal(t, tc.during, ok)
			if ok {
				require.Equal(t, 5, at)
			}
		})
	}
}
