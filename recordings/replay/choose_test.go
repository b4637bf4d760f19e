package replay_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/rectest"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// chosen replays the items that choose selects, and requires an equal comparison.
func chosen(t *testing.T, rec session.Source, choose func(it replay.Item) bool) (*replay.Plan, []string) {
	t.Helper()
	plan, err := replay.New(t.Context(), rec, replay.Options{})
	require.NoError(t, err)
	var items []int
	for i, it := range plan.Items() {
		if choose(it) {
			items = append(items, i)
		}
	}
	require.NotEmpty(t, items)
	plan = plan.Choose(items, true)
	r := start(t, theDemo, plan.Configure)
	res, err := plan.Run(t.Context(), r.s, nil)
	require.NoError(t, err)
	r.close(t)
	report, err := compare.Compare(t.Context(), rec, r.log, compare.Options{
		Partial: true, Rules: &match.Rules{List: res.Rules()}, Skip: plan.SkipRecorded(res), SkipB: res.SkipLive(),
	})
	require.NoError(t, err)
	require.False(t, report.Differs, "%+v", report.Groups)
	require.NotZero(t, report.Compared)
	var names []string
	for i, it := range plan.Items() {
		if it.Chosen() {
			require.NotEqual(t, replay.Skipped, res.Outcomes[i].Status, res.Outcomes[i].Why)
			names = append(names, it.Method+" "+it.Tool)
		}
	}
	return plan, names
}

// TestChoose checks that chosen calls are replayed with what they depend on, and compared
// alone.
func TestChoose(t *testing.T) {
	list := func(s *session.Session) {
		tools, _ := mcp.ListOf(mcp.MethodToolsList)
		_, err := s.ListAll(context.Background(), tools)
		require.NoError(t, err)
	}
	subscribe := func(s *session.Session) {
		request(t, s, "resources/subscribe", `{"uri":"demo://counter"}`, session.CallOptions{})
		request(t, s, "resources/subscribe", `{"uri":"demo://other"}`, session.CallOptions{})
		request(t, s, "resources/unsubscribe", `{"uri":"demo://counter"}`, session.CallOptions{})
	}
	for _, c := range []struct {
		name   string
		act    func(s *session.Session)
		choose func(it replay.Item) bool
		sent   []string
	}{
		{"one call", tour(t), func(it replay.Item) bool { return it.Tool == "echo" }, []string{"tools/call echo"}},
		{"a call with a question, not read-only", tour(t), func(it replay.Item) bool { return it.Tool == "book" }, []string{"tools/call book"}},
		{"a subscription", subscribe, func(it replay.Item) bool { return it.Method == "resources/unsubscribe" }, []string{"resources/subscribe ", "resources/unsubscribe "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := record(t, theDemo, mcp.Legacy, func(s *session.Session) { list(s); c.act(s) }, canned)
				_, names := chosen(t, rec, c.choose)
				require.Equal(t, c.sent, names)
			})
		})
	}
}

// TestChoosePage checks that the page of a list comes with the pages whose cursors lead to it.
func TestChoosePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, theDemo, mcp.Legacy, func(s *session.Session) {
			tools, _ := mcp.ListOf(mcp.MethodToolsList)
			_, err := s.ListAll(t.Context(), tools)
			require.NoError(t, err)
		})
		plan, err := replay.New(t.Context(), rec, replay.Options{})
		require.NoError(t, err)
		last := len(plan.Items()) - 1
		require.Positive(t, last)
		plan = plan.Choose([]int{last}, false)
		items := plan.Items()
		require.False(t, slices.ContainsFunc(items, func(it replay.Item) bool { return !it.Chosen() }), "%+v", items)
		require.Equal(t, items[last].N, items[last-1].NeededBy)
		require.Zero(t, items[last].NeededBy)
	})
}

// TestAppendItems checks that requests, rounds, polls and responses choose their call, and
// that others are described.
func TestAppendItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := record(t, theDemo, mcp.Modern, tour(t), canned)
		plan, err := replay.New(t.Context(), rec, replay.Options{})
		require.NoError(t, err)
		for i, it := range plan.Items() {
			for _, n := range append(slices.Clone(it.Rounds), it.N) {
				row, ok := replay.RowOf(rec, n)
				require.True(t, ok)
				require.Equal(t, []int{i}, plan.AppendItems(nil, row))
			}
			require.Equal(t, []int{i}, plan.AppendItems(nil, plan.Response(i)))
		}
		require.Empty(t, plan.AppendItems(nil, 0))
		require.Contains(t, plan.Describe(0), "not a message")
		_, ok := replay.RowOf(rec, 1<<20)
		require.False(t, ok)
	})
}

// TestChooseBatch: a batch of responses chooses each of their requests.
func TestChooseBatch(t *testing.T) {
	batch := func(kind, elements string) string {
		return fmt.Sprintf(`"k":%q,"seq":1,"raw":%q`, kind, "["+elements+"]")
	}
	rec := rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"a"}`, `> {"jsonrpc":"2.0","id":2,"method":"b"}`, `> {"jsonrpc":"2.0","id":3,"method":"c"}`,
		batch("stdout", `{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}`),
		batch("stdin", `{"jsonrpc":"2.0","id":4,"method":"d"},{"jsonrpc":"2.0","id":5,"method":"e"}`),
		batch("stdout", `{"jsonrpc":"2.0","id":4,"result":{}},{"jsonrpc":"2.0","id":5,"result":{}}`))
	plan, err := replay.New(t.Context(), rec, replay.Options{})
	require.NoError(t, err)
	for n, want := range map[uint64][]int{5: {2, 0}, 6: {3}, 7: {3}} {
		row, ok := replay.RowOf(rec, n)
		require.True(t, ok)
		require.Equal(t, want, plan.AppendItems(nil, row), n)
	}
}
