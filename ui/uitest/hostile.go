package uitest

import (
	"encoding/json"
	"sync"

	"mcpdbg/session/executor"
)

// hostileObjects returns one object for each hostile text, as the elements of a
// JSON array.
func hostileObjects(of func(text string) any) string {
	var all []any
	for _, text := range Hostile {
		all = append(all, of(text))
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// HostileSchema is the schema of an object with a member for each hostile text.
func HostileSchema() map[string]any {
	properties := map[string]any{}
	for i, text := range Hostile {
		kinds := []map[string]any{{"type": "string", "default": text}, {"type": "string", "enum": []string{text, "x"}}, {"type": "array", "items": map[string]any{"type": "string"}}, {"type": text}}
		field := kinds[i%len(kinds)]
		field["title"], field["description"], field["pattern"] = text, text, text
		properties[text] = field
	}
	return map[string]any{"type": "object", "properties": properties, "required": Hostile}
}

// hostileLists are the results of the requests of the catalog, and the data of an error
// of all others, which are made once.
var hostileLists = sync.OnceValues(func() (results map[string]string, data string) {
	return map[string]string{
		"tools/list": `{"tools":` + hostileObjects(func(text string) any {
			return map[string]any{"name": text, "title": text, "description": text, "inputSchema": HostileSchema(), "annotations": map[string]any{"title": text}}
		}) + `}`,
		"resources/list": `{"resources":` + hostileObjects(func(text string) any {
			return map[string]any{"uri": text, "name": text, "mimeType": text, "description": text}
		}) + `}`,
		"resources/templates/list": `{"resourceTemplates":` + hostileObjects(func(text string) any {
			return map[string]any{"uriTemplate": "x://{" + text + "}", "name": text}
		}) + `}`,
		"prompts/list": `{"prompts":` + hostileObjects(func(text string) any {
			return map[string]any{"name": text, "description": text, "arguments": []any{map[string]any{"name": text, "description": text}}}
		}) + `}`,
	}, hostileObjects(func(text string) any { return text })
})

// HostileLists answers the requests of the catalog.
func HostileLists(p *Process, m Message) {
	results, data := hostileLists()
	if result, ok := results[m.Method]; ok {
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	} else if m.ID != nil && m.Method != "" {
		p.Out(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":%q,"data":%s}}`, m.ID, "\x1b[2J", data)
	}
}

// HostileTree is a process tree with hostile names.
func HostileTree(*Process) []executor.Descendant {
	var all []executor.Descendant
	for i, text := range Hostile {
		all = append(all, executor.Descendant{PID: 10 + i, PPID: 9 + i, Command: text})
	}
	return all
}
