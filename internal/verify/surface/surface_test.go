package surface

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

var tools, resources, templates, prompts = mcp.Lists[0], mcp.Lists[1], mcp.Lists[2], mcp.Lists[3]

// raw makes items from texts.
func raw(items ...string) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(items))
	for _, item := range items {
		out = append(out, json.RawMessage(item))
	}
	return out
}

// with returns the surface of a server with some tools.
func with(items ...string) *Surface {
	return New(session.Server{Name: "demo", Version: "1"}, map[mcp.List][]json.RawMessage{tools: raw(items...)})
}

func TestCompare(t *testing.T) {
	base := New(session.Server{
		Era: mcp.Legacy, Protocol: "2025-06-18", Name: "demo", Version: "1.0", Instructions: "be brief",
		Capabilities: json.RawMessage(`{"tools":{}, "logging":{}}`),
	}, map[mcp.List][]json.RawMessage{
		tools: raw(
			`{"name":"gone","inputSchema":{}}`,
			`{"name":"echo","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`,
			`{"description":"d","name":"same"}`),
		resources: raw(`{"uri":"demo://a","name":"a"}`),
		prompts:   raw(),
	})
	now := New(session.Server{
		Era: mcp.Legacy, Protocol: "2025-11-25", Name: "demo", Version: "1.1", Instructions: "be brief",
		Capabilities: json.RawMessage(`{"tools":{"listChanged":true}}`),
	}, map[mcp.List][]json.RawMessage{
		tools: raw(
			`{ "name":"same", "description":"\u0064" }`,
			`{"name":"echo","inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["b","a"]}}`,
			`{"name":"new"}`),
		templates: raw(`{"uriTemplate":"demo://{x}"}`),
		prompts:   raw(),
	})
	require.Equal(t, []Change{
		{What: "server", Name: "version", Change: Changed, From: `"1.0"`, To: `"1.1"`},
		{What: "protocol", Change: Changed, From: `"2025-06-18"`, To: `"2025-11-25"`},
		{What: "capabilities", Change: Changed, Pointer: "/logging", From: `{}`},
		{What: "capabilities", Change: Changed, Pointer: "/tools/listChanged", To: `true`},
		{What: "tool", Name: "new", Change: changeAdded},
		{What: "tool", Name: "gone", Change: changeRemoved},
		{What: "tool", Name: "echo", Change: Changed, Pointer: "/inputSchema/properties/a/type", From: `"string"`, To: `"number"`},
		{What: "tool", Name: "echo", Change: Changed, Pointer: "/inputSchema/required", From: `["a"]`, To: `["b","a"]`},
	}, Compare(base, now))
	require.Empty(t, Compare(base, base))
	require.Equal(t, []string{"tools"}, New(session.Server{Capabilities: json.RawMessage(`{"tools":{}}`)}, nil).Missing())
}

func TestInstructionsAreCompared(t *testing.T) {
	a, b := New(session.Server{Instructions: "one"}, nil), New(session.Server{Instructions: "two"}, nil)
	require.Equal(t, []Change{{What: "server", Name: "instructions", Change: Changed, From: `"one"`, To: `"two"`}}, Compare(a, b))
}

func TestVolatileValuesAreEqual(t *testing.T) {
	const item = `{"name":"x","annotations":{"lastModified":%q},"description":%q}`
	a := with(fmt.Sprintf(item, "2026-11-21T10:00:00Z", "d"))
	require.Empty(t, Compare(a, with(fmt.Sprintf(item, "2026-11-22T10:00:00Z", "d"))))
	require.Len(t, Compare(a, with(fmt.Sprintf(item, "yesterday", "d"))), 1, "another type")
}

func TestDuplicateNames(t *testing.T) {
	hostile := with(`{"name":"x","n":1}`, `{"name":"x","n":2}`, `{"name":"x#2","n":3}`, `{"name":"x","n":4}`)
	require.Empty(t, Compare(hostile, hostile), "a numbered name may already be in use")
	a := with(`{"name":"x","n":1}`, `{"name":"x","n":2}`, `{"title":"no name"}`)
	require.Empty(t, Compare(a, a))
	require.Equal(t, []Change{
		{What: "tool", Name: "x#2", Change: changeRemoved},
	}, Compare(a, with(`{"name":"x","n":1}`, `{"title":"no name"}`)))
}

func TestChangesAreBounded(t *testing.T) {
	members := func(value int, from, to int) string {
		var b strings.Builder
		b.WriteString(`{"name":"x"`)
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, `,"m%d":%d`, i, value)
		}
		return b.String() + "}"
	}
	changes := Compare(with(members(1, 0, 50)), with(members(2, 0, 50)))
	require.Len(t, changes, maxItemChanges+1)
	require.Equal(t, Change{What: "tool", Name: "x", Change: More, Count: 50 - maxItemChanges}, changes[maxItemChanges])

	var names []string
	for i := range maxChanges + 7 {
		names = append(names, fmt.Sprintf(`{"name":"t%d"}`, i))
	}
	changes = Compare(with(), with(names...))
	require.Len(t, changes, maxChanges+1)
	require.Equal(t, Change{What: allParts, Change: More, Count: 7}, changes[maxChanges])

	long := fmt.Sprintf(`{"name":"x","description":%q}`, strings.Repeat("ä", 300))
	change := Compare(with(`{"name":"x"}`), with(long))[0]
	require.LessOrEqual(t, len(change.To), maxValue+len("…"))
	require.True(t, strings.HasSuffix(change.To, "ä…"), "not cut within a character")
}

func TestOmittedItemsAreComparedByHash(t *testing.T) {
	big := func(end string) string {
		return fmt.Sprintf(`{"name":"x","description":"%s%s"}`, strings.Repeat("a", maxItem), end)
	}
	a, b := with(big("1")), with(big("2"))
	require.Nil(t, a.Lists["tools"].Items[0].Value)
	require.Empty(t, Compare(a, with(big("1"))))
	changes := Compare(a, b)
	require.Len(t, changes, 1)
	require.Regexp(t, `^\d+ bytes, xxh64 [0-9a-f]{16}$`, changes[0].From)

	deep := func(end string) string {
		return `{"name":"x","a":` + strings.Repeat("[", 300) + end + strings.Repeat("]", 300) + "}"
	}
	require.Empty(t, Compare(with(deep("1")), with(deep("1"))))
	require.Len(t, Compare(with(deep("1")), with(deep("2"))), 1)
}

func TestMemoryIsBounded(t *testing.T) {
	var items []string
	for i := range 3 * maxBytes / 100_000 {
		items = append(items, fmt.Sprintf(`{"name":"t%d","d":%q}`, i, strings.Repeat("x", 100_000)))
	}
	inv := with(items...)
	total := 0
	for _, item := range inv.Lists["tools"].Items {
		total += len(item.Value)
	}
	require.LessOrEqual(t, total, maxBytes)
	require.Len(t, inv.Lists["tools"].Items, len(items))

	items = nil
	for i := range maxItems + 3 {
		items = append(items, fmt.Sprintf(`{"name":"t%d"}`, i))
	}
	a := with(items...)
	require.Len(t, a.Lists["tools"].Items, maxItems)
	require.Equal(t, 3, a.Lists["tools"].More)
	require.Empty(t, Compare(a, with(items...)))
	items[maxItems+1] = `{"name":"other"}`
	require.Equal(t, []Change{
		{What: "tool", Name: "those beyond 10000", Change: Changed, From: "3", To: "3"},
	}, Compare(a, with(items...)))
}
