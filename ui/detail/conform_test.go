package detail

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/uitest"
)

// conformTools is a list of tools with the schema of one.
func conformTools(schema string) string {
	return `"result":{"tools":[{"name":"other"},{"name":"get-weather","inputSchema":{"type":"object"},"outputSchema":` + schema + `}]}`
}

const weatherSchema = `{"type":"object","properties":{"max":{"type":"number"},"unit":{"enum":["C","F"]}},"required":["max","unit"]}`

// TestStructuredContent checks the verdicts on structured content, by the outputSchema
// that the server listed last before the result.
func TestStructuredContent(t *testing.T) {
	list := func(id int, result string) []string {
		return []string{fmt.Sprintf(`> {"id":%d,"method":"tools/list"}`, id), fmt.Sprintf(`< {"id":%d,%s}`, id, result)}
	}
	call := func(structured string) []string {
		return []string{
			`> {"id":7,"method":"tools/call","params":{"name":"get-weather"}}`,
			`< {"id":7,"result":{"content":[],"structuredContent":` + structured + `}}`,
		}
	}
	const start, news = "start", `< {"method":"notifications/tools/list_changed"}`
	good := `{"max":13,"unit":"C"}`
	for _, tc := range []struct {
		name string
		log  [][]string
		want string
	}{
		{"valid", [][]string{list(1, conformTools(weatherSchema)), call(good)}, "structured  21 B   valid for outputSchema"},
		{"one problem", [][]string{list(1, conformTools(weatherSchema)), call(`{"max":"13","unit":"C"}`)}, "structured  23 B   not valid for outputSchema: /max: is a string, not a number"},
		{"two problems", [][]string{list(1, conformTools(weatherSchema)), call(`{"unit":"K"}`)}, "structured  12 B   not valid for outputSchema: /max: is required (2 problems)"},
		{"no list", [][]string{call(good)}, "structured  21 B"},
		{"no schema", [][]string{list(1, `"result":{"tools":[{"name":"get-weather"}]}`), call(good)}, "structured  21 B"},
		{"list with an error", [][]string{list(1, `"error":{"code":-32603,"message":"no"}`), call(good)}, "structured  21 B"},
		{"listed only after the result", [][]string{call(good), list(1, conformTools(weatherSchema))}, "structured  21 B"},
		{"the last list counts", [][]string{list(1, conformTools(`false`)), list(2, conformTools(weatherSchema)), call(good), list(3, conformTools(`false`))}, "structured  21 B   valid for outputSchema"},
		{"an error hides no list", [][]string{list(1, conformTools(weatherSchema)), list(2, `"error":{"code":-32603,"message":"no"}`), call(good)}, "structured  21 B   valid for outputSchema"},
		{"before a restart", [][]string{list(1, conformTools(weatherSchema)), {start}, call(good)}, "structured  21 B"},
		{"announced", [][]string{list(1, conformTools(weatherSchema)), {news}, call(good)}, "structured  21 B   valid for outputSchema; the list of tools has changed since"},
		{"announced and listed", [][]string{{news}, list(1, conformTools(weatherSchema)), call(good)}, "structured  21 B   valid for outputSchema"},
		{"second page", [][]string{
			list(1, `"result":{"tools":[{"name":"a"}],"nextCursor":"2"}`),
			{`> {"id":2,"method":"tools/list","params":{"cursor":"2"}}`, `< {"id":2,` + conformTools(weatherSchema) + `}`}, call(good),
		}, "structured  21 B   valid for outputSchema"},
		{"a pattern of another kind", [][]string{list(1, conformTools(`{"properties":{"unit":{"pattern":"(?=C)"}}}`)), call(good)}, "structured  21 B   valid for outputSchema, without 1 pattern that cannot be checked"},
		{"a broken schema", [][]string{list(1, conformTools(`{"type":"fine"}`)), call(good)}, "structured  21 B   not checked: outputSchema: "},
		{"not loaded", [][]string{list(1, conformTools(`{"$ref":"https://schemas.example/x"}`)), call(good)}, "structured  21 B   not checked: outputSchema: the schema refers to https://schemas.example/x, which is not loaded"},
		{"text of the server", [][]string{list(1, conformTools(`{"required":["\u001b[2J"]}`)), call(good)}, `not valid for outputSchema: /\u001b[2J: is required`},
		{"large", [][]string{list(1, conformTools(weatherSchema)), call(`{"max":1,"unit":"C","x":"` + strings.Repeat("x", 300<<10) + `"}`)}, "structured  300.0K   valid for outputSchema"},
		{"too large", [][]string{list(1, conformTools(weatherSchema)), call(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)}, "structured  1.0M   not checked: only values of up to 1.0M are"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := uitest.NewLog(t)
			for _, line := range slices.Concat(tc.log...) {
				e := session.Entry{Kind: session.KindStart}
				if line != start {
					text := []byte(line[2:])
					e = session.Entry{Kind: map[byte]session.Kind{'>': session.KindStdin, '<': session.KindStdout}[line[0]], Payload: text, Msg: framing.Scan(text)}
				}
				require.NoError(t, log.Append([]session.Entry{e}))
			}
			r := ofLog(t, log, 120, 36)
			r.show(r.Row("structuredContent"))
			r.Settle() // a long message is loaded by now
			shown := ""
			for _, row := range r.rows() {
				if strings.Contains(row, "structured  ") {
					shown = strings.TrimSpace(strings.TrimLeft(row, " >"))
				}
			}
			if strings.HasSuffix(tc.want, ": ") || !strings.HasPrefix(tc.want, "structured") {
				require.Contains(t, shown, tc.want)
			} else {
				require.Equal(t, tc.want, shown)
			}
		})
	}
}
