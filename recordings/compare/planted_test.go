package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/recordings/redact"
	"mcpdbg/session"
)

// An object is a JSON object.
type object = map[string]any

// A plantedCall is a call of the tool report, with everything that a response can have: a
// value, a long text and one of several lines with a secret each, and JSON in a text.
type plantedCall struct {
	arguments, response object
	result              object
	structured          object
	texts               []object
	document            object // in the last text
}

func newPlantedCall(k int, random *rand.Rand) *plantedCall {
	words := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = []string{"alpha", "beta", "gamma", "lorem", "über", "naïve"}[random.IntN(6)]
		}
		return strings.Join(out, " ")
	}
	secret := "Authorization: Bearer sk-live-" + fmt.Sprintf("%032x", random.Uint64())
	items := make([]any, 6)
	for i := range items {
		items[i] = object{"id": i, "name": words(1), "password": "hunter-" + words(1)}
	}
	c := &plantedCall{
		arguments:  object{"k": k, "password": fmt.Sprintf("hunter-%d", random.IntN(1e9))},
		structured: object{"total": k * 2, "at": "2026-11-28T05:00:00Z", "unit": "ms", "apiKey": fmt.Sprintf("sk-live-%032x", random.Uint64())},
		document:   object{"items": items, "note": words(3)},
	}
	c.texts = []object{
		{"type": "text", "text": words(10) + " " + secret + " " + words(1500)},
		{"type": "text", "text": "first line\n" + secret + "\n" + words(5) + "\nlast " + words(60)},
		{"type": "text"},
	}
	c.result = object{"structuredContent": c.structured}
	c.response = object{"result": c.result}
	return c
}

// replaceAt replaces the character of a text at a place from 1.
func replaceAt(text string, place int, by string) string {
	runes := []rune(text)
	return string(runes[:place-1]) + by + string(runes[place:])
}

// plants are the changes, each of another call, with the difference that they make.
var plants = []struct {
	plant func(c *plantedCall)
	want  string
}{
	{func(c *plantedCall) { c.structured["total"] = -1 }, "result /result/structuredContent/total changed"},
	{func(c *plantedCall) { c.structured["unit"] = 7 }, "result /result/structuredContent/unit changed"},
	{func(c *plantedCall) { c.structured["extra"] = nil }, "result /result/structuredContent/extra added"},
	{func(c *plantedCall) { delete(c.structured, "unit") }, "result /result/structuredContent/unit removed"},
	{func(c *plantedCall) { c.structured["at"] = "noon" }, "result /result/structuredContent/at changed"},
	{func(c *plantedCall) { c.texts[0]["text"] = replaceAt(c.texts[0]["text"].(string), 4950, "PLANTED") }, "result /result/content/0/text changed at character 4,950"},
	{func(c *plantedCall) { c.texts[0]["text"] = replaceAt(c.texts[0]["text"].(string), 3, "#") }, "result /result/content/0/text changed at character 3"},
	{func(c *plantedCall) { c.texts[1]["text"] = replaceLine(c.texts[1]["text"].(string), "last ", "LAST ") }, "result /result/content/1/text changed at line 4, column 1"},
	{func(c *plantedCall) { c.document["items"].([]any)[3].(object)["id"] = "x" }, "result /result/content/2/text/items/3/id changed"},
	{func(c *plantedCall) { delete(c.document["items"].([]any)[5].(object), "name") }, "result /result/content/2/text/items/5/name removed"},
	{func(c *plantedCall) { c.document["items"] = slices.Delete(c.document["items"].([]any), 2, 3) }, "result /result/content/2/text/items/2 removed"},
	{func(c *plantedCall) { c.texts = slices.Insert(c.texts, 1, object{"type": "text", "text": "new"}) }, "result /result/content/1 added"},
	{func(c *plantedCall) {
		items := c.document["items"].([]any)
		c.document["items"] = slices.Insert(slices.Insert(slices.Delete(items, 4, 5), 2, any(object{"id": "new"})), 1, any(object{"id": "newer"}))
	}, "result /result/content/2/text/items/1 added; result /result/content/2/text/items/3 added; result /result/content/2/text/items/4 removed"},
	{func(c *plantedCall) { c.response["error"].(object)["code"] = -32001 }, "error /error/code changed"},
	{func(c *plantedCall) { c.response["error"].(object)["message"] = "front gone" }, "error /error/message changed"},
	{func(c *plantedCall) {
		delete(c.response, "result")
		c.response["error"] = object{"code": -32000, "message": "gone"}
	}, "outcome /outcome changed"},
	{func(c *plantedCall) { c.result["isError"] = true }, "result /result/isError added"},
	{func(c *plantedCall) { c.arguments["k"] = -5 }, "params /params/arguments/k changed"},
	{func(c *plantedCall) { c.arguments = nil }, "missing /missing removed"},
}

func replaceLine(text, old, by string) string { return strings.Replace(text, "\n"+old, "\n"+by, 1) }

// plantedSession returns a session of calls, and the differences of a copy with all changes
// planted in calls of a random choice: by the argument k of the call.
func plantedSession(t *testing.T, seed uint64, plant bool) (lines []string, want []string) {
	random := rand.New(rand.NewPCG(seed, 1))
	const calls = 60
	places := random.Perm(calls)[:len(plants)]
	write := func(mark string, message object) {
		text, err := json.Marshal(message)
		require.NoError(t, err)
		lines = append(lines, mark+" "+string(text))
	}
	tool := func(name string) object {
		return object{"name": name, "inputSchema": object{"type": "object", "properties": object{"k": object{"type": "integer"}}}}
	}
	tools := []any{tool("report"), tool("sum"), tool("old"), tool("save")}
	if plant {
		tools = []any{tool("save"), tool("report"), tool("sum")}
		tools[2].(object)["inputSchema"].(object)["required"] = []string{"k"}
		want = append(want, "tools/list: result /result/tools/old removed", "tools/list: result /result/tools/sum/inputSchema schema", "tools/list: (order /result/tools changed)")
	}
	lines = append(lines, rectest.Started)
	write(">", object{"id": "list", "method": "tools/list"})
	write("<", object{"id": "list", "result": object{"tools": tools}})
	for k := range calls {
		c := newPlantedCall(k, random)
		which := slices.Index(places, k)
		if which >= 0 && strings.HasPrefix(plants[which].want, "error ") {
			c.response = object{"error": object{"code": -32000, "message": "backend gone"}}
		}
		if which >= 0 && plant {
			plants[which].plant(c)
			for text := range strings.SplitSeq(plants[which].want, "; ") {
				want = append(want, fmt.Sprintf("report k=%d: %s", k, text))
			}
		}
		document, err := json.MarshalIndent(c.document, "", " ")
		require.NoError(t, err)
		c.texts[len(c.texts)-1]["text"] = string(document)
		c.result["content"] = c.texts
		c.response["id"] = k
		if c.arguments == nil {
			continue
		}
		write(">", object{"id": k, "method": "tools/call", "params": object{"name": "report", "arguments": c.arguments}})
		write("<", c.response)
	}
	return lines, want
}

// placesOf returns the differences of a report as plantedSession does.
func placesOf(r *Report) []string {
	var out []string
	for _, d := range r.Differences {
		text := fmt.Sprintf("%s %s %s", d.Class, d.Pointer, d.Change)
		if d.Text != nil {
			text += " at " + d.Text.String()
		}
		if !d.Counts {
			text = "(" + text + ")"
		}
		name := d.Method
		if d.Subject != "" {
			k, _, _ := strings.Cut(d.Arguments, " ")
			name = d.Subject + " " + k
		}
		out = append(out, name+": "+text)
	}
	return out
}

func TestPlantedChangesAreFound(t *testing.T) {
	for seed := range uint64(4) {
		before, none := plantedSession(t, seed, false)
		after, want := plantedSession(t, seed, true)
		require.Empty(t, none)
		require.Len(t, want, len(plants)+5)
		type side struct {
			plain    session.Source
			redacted *redact.Temporary
		}
		var sides [2]side
		for i, lines := range [][]string{before, after} {
			path := rectest.File(t, lines...)
			rec, err := recordings.Open(path)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, rec.Close()) })
			copied, err := redact.Open(t.Context(), path, redact.Default())
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, copied.Close()) })
			require.Greater(t, copied.Report.Removed, 300)
			sides[i] = side{rec, copied}
		}
		for name, pair := range map[string][2]session.Source{
			"neither redacted": {sides[0].plain, sides[1].plain},
			"A redacted":       {sides[0].redacted, sides[1].plain},
			"B redacted":       {sides[0].plain, sides[1].redacted},
			"both redacted":    {sides[0].redacted, sides[1].redacted},
		} {
			t.Run(fmt.Sprint(seed, " ", name), func(t *testing.T) {
				r, err := Compare(t.Context(), pair[0], pair[1], Options{})
				require.NoError(t, err)
				want := slices.Clone(want)
				for i := range want {
					if pair[0] == session.Source(sides[0].redacted) { // a mark before that place is shorter than the secret
						want[i] = strings.Replace(want[i], "character 4,950", "character 4,929", 1)
					}
				}
				require.ElementsMatch(t, want, placesOf(r))
			})
		}
	}
}
