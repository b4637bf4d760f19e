package mcp_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
)

var revisions = []string{mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125, mcp.V20260728}

// TestMethodsInRevisions compares the methods of each revision with the sets that the
// specification lists.
func TestMethodsInRevisions(t *testing.T) {
	base := []string{
		"completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list", "resources/list", "resources/read",
		"resources/subscribe", "resources/templates/list", "resources/unsubscribe", "roots/list", "sampling/createMessage", "tools/call", "tools/list",
		"notifications/cancelled", "notifications/initialized", "notifications/message", "notifications/progress",
		"notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated",
		"notifications/roots/list_changed", "notifications/tools/list_changed",
	}
	june := append([]string{"elicitation/create"}, base...)
	for revision, want := range map[string][]string{
		mcp.V20241007: base,
		mcp.V20241105: base,
		mcp.V20250326: base,
		mcp.V20250618: june,
		mcp.V20251125: append([]string{"notifications/elicitation/complete", "notifications/tasks/status", "tasks/cancel", "tasks/get", "tasks/list", "tasks/result"}, june...),
		mcp.V20260728: {
			"completion/complete", "prompts/get", "prompts/list", "resources/list", "resources/read", "resources/templates/list", "server/discover",
			"subscriptions/listen", "tools/call", "tools/list", "tasks/cancel", "tasks/get", "tasks/update",
			"skills/get", "skills/list", "resources/directory/read",
			"elicitation/create", "roots/list", "sampling/createMessage",
			"notifications/cancelled", "notifications/message", "notifications/progress", "notifications/prompts/list_changed",
			"notifications/resources/list_changed", "notifications/resources/updated", "notifications/subscriptions/acknowledged",
			"notifications/tasks", "notifications/tools/list_changed",
		},
		"2099-01-01": nil,
	} {
		var got []string
		for _, m := range mcp.Methods(revision) {
			got = append(got, m.Name)
		}
		require.ElementsMatch(t, want, got, revision)
	}
}

// TestMethodEntries checks what all entries have in common.
func TestMethodEntries(t *testing.T) {
	for _, m := range mcp.Methods("") {
		entries := mcp.LookUp(m.Name)
		for i := range entries {
			e := &entries[i]
			require.True(t, mcp.Known(e.Since), m.Name)
			require.True(t, e.Until == "" || mcp.Order(e.Since) <= mcp.Order(e.Until), m.Name)
			require.True(t, e.Deprecated == "" || e.In(e.Deprecated), m.Name)
			require.Equal(t, mcp.IsReadOnly(m.Name), e.ReadOnly, m.Name)
			require.Equal(t, mcp.WaitsLong(m.Name), e.WaitsLong, m.Name)
			require.Equal(t, mcp.IsRepeatable(m.Name), e.ReadOnly || e.Repeatable, m.Name)
			require.False(t, e.ReadOnly && e.Repeatable, m.Name)
			require.False(t, e.IsNotification() && (e.ReadOnly || e.WaitsLong), m.Name)
			if i > 0 {
				require.Equal(t, mcp.Order(entries[i-1].Until)+1, mcp.Order(e.Since), "%s has a gap", m.Name)
			}
		}
		for _, revision := range revisions {
			if entry := mcp.MethodIn(m.Name, revision); entry != nil {
				require.True(t, entry.In(revision))
			}
		}
	}
	require.Nil(t, mcp.MethodIn("x/y", mcp.Latest))
	require.Nil(t, mcp.MethodIn(mcp.MethodPing, "2099-01-01"))
}

// TestRepeatable has the requests that act on something outside the connection, and may
// have run when a process ends.
func TestRepeatable(t *testing.T) {
	var not []string
	for _, name := range append(mcp.Requests(), mcp.MethodInitialize, "x/y") {
		if !mcp.IsRepeatable(name) {
			not = append(not, name)
		}
	}
	require.Equal(t, []string{"tools/call", "subscriptions/listen", "tasks/cancel", "tasks/update", "x/y"}, not)
}

// TestChangesNameMethods checks that the table of changes mentions each method that a
// revision removed.
func TestChangesNameMethods(t *testing.T) {
	text := ""
	for _, c := range mcp.Changes() {
		require.True(t, mcp.Known(c.Revision))
		require.Equal(t, mcp.IsModern(c.Revision), c.Era == mcp.Modern)
		require.NotEmpty(t, c.Added)
		text += fmt.Sprint(c.Removed)
	}
	for _, m := range mcp.Methods("") {
		if m.Until == mcp.LatestLegacy && mcp.MethodIn(m.Name, mcp.Latest) == nil && m.Name != mcp.MethodUnsubscribe && m.Name != mcp.MethodTaskStatus {
			require.Contains(t, text, m.Name)
		}
	}
	require.Equal(t, mcp.Legacy, mcp.ChangesIn(mcp.V20250618).Era)
	require.Nil(t, mcp.ChangesIn("2099-01-01"))
}

func TestErrorCodes(t *testing.T) {
	for _, c := range mcp.ErrorCodes() {
		require.Equal(t, c.Name, mcp.CodeName(c.Code))
		require.NotEmpty(t, c.Meaning)
		require.True(t, c.In(c.Since))
	}
	require.Empty(t, mcp.CodeName(-1))
	require.True(t, mcp.IsModernError(mcp.CodeMissingCapability))
	require.False(t, mcp.IsModernError(mcp.CodeURLElicitation))
	require.False(t, mcp.LookUpCode(mcp.CodeNotFound).In(mcp.Latest))
}

func TestCapabilities(t *testing.T) {
	names := func(by mcp.Sender, revision string) (names []string) {
		for _, c := range mcp.Capabilities(by, revision) {
			names = append(names, c.Name)
		}
		return names
	}
	require.Equal(t, []string{"roots", "sampling", "experimental"}, names(mcp.ByClient, mcp.V20250326))
	require.Equal(t, []string{"roots", "sampling", "elicitation", "tasks", "experimental"}, names(mcp.ByClient, mcp.V20251125))
	require.Equal(t, []string{"tools", "resources", "prompts", "logging", "experimental"}, names(mcp.ByServer, mcp.V20241105))
	require.Equal(t, []string{"tools", "resources", "prompts", "logging", "completions", "experimental", "extensions"}, names(mcp.ByServer, mcp.V20260728))
	require.Equal(t, mcp.ByServer, mcp.CapabilityOf("tools").By)
	require.Nil(t, mcp.CapabilityOf("toools"))
}

func ExampleMethodIn() {
	ping := mcp.MethodIn(mcp.MethodPing, mcp.V20250618)
	fmt.Println(ping.By == mcp.ByBoth, mcp.MethodIn(mcp.MethodPing, mcp.V20260728) != nil)
	// Output: true false
}
