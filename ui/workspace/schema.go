package workspace

import (
	"encoding/json"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// OutputSchema returns the outputSchema of a tool from the list of tools that the log
// had last before a row, nil if it had none since the start of the server, or the
// list has no such tool. changed reports that the server has announced another list
// between the two. rows are those before it that a Catalog needs; reading them takes
// time.
func OutputSchema(source session.Source, rows []uint32, tool string) (schema json.RawMessage, changed bool) {
	reader := Rows{Source: source}
	var pages []uint32
	for _, number := range slices.Backward(rows) {
		row, ok := reader.At(int(number))
		if !ok || row.Kind == session.KindStart {
			break
		}
		method := source.Method(row.Method)
		changed = changed || len(pages) == 0 && row.Msg == framing.Notification && method == mcp.MethodToolsChanged
		if row.Msg != framing.Response || method != mcp.MethodToolsList {
			continue
		}
		pages = append(pages, number)
		if len(pages) == maxCatalogPages || asksFirstPage(&reader, int(number)) {
			break
		}
	}
	if len(pages) == 0 {
		return nil, false
	}
	slices.Reverse(pages)
	for _, run := range ReadRuns(source, MemberTools, pages, nil) {
		for _, item := range run.Items {
			if item.Key == tool {
				schema = item.Output
			}
		}
	}
	return schema, changed
}
