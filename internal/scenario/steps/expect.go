package steps

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

const (
	// maxProgram is the longest generated jq program, in bytes.
	maxProgram = 4 << 10
	// maxExact is the longest result or params that are expected exactly, in bytes.
	maxExact = 64 << 10
)

func (v *values) expect(e *scenario.Expect, it *match.Item, level Expectation) {
	if it.Msg.Kind == framing.ErrorResponse {
		v.expectError(e, it)
		return
	}
	result := it.Msg.RawResult()
	var tool struct {
		IsError           bool                       `json:"isError"`
		StructuredContent map[string]json.RawMessage `json:"structuredContent"`
	}
	if it.Method == mcp.MethodToolsCall && json.Unmarshal(result, &tool) == nil && tool.IsError {
		e.IsError = &tool.IsError
	}
	if level == Exact && len(result) <= maxExact {
		if lasting, ok := v.lasting(result); ok && len(lasting) > len("{}") && lasting[0] == '{' {
			e.Result = lasting
			return
		}
	}
	if level == OK {
		return
	}
	for _, program := range shape(it.Method, result, tool.StructuredContent) {
		if program != "" && len(program) <= maxProgram {
			e.JQ = append(e.JQ, scenario.Expression{Text: program})
		}
	}
}

func (v *values) expectError(e *scenario.Expect, it *match.Item) {
	if it.Msg.Kind != framing.ErrorResponse {
		return
	}
	var failure struct{ Code int32 }
	e.Error = &scenario.ErrorPattern{}
	if json.Unmarshal(it.Msg.RawError(), &failure) == nil && failure.Code != 0 {
		code := int(failure.Code)
		e.Error.Code = &code
	}
}

// shape returns programs that should still hold in the next run: lists have the same
// names, structured content the same types.
func shape(method string, result []byte, structured map[string]json.RawMessage) []string {
	switch method {
	case mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodListTemplates:
		list, _ := mcp.ListOf(method)
		return []string{named(result, list.Member, list.Key)}
	case mcp.MethodToolsCall:
		return []string{kinds(result, "content", "type"), types(structured)}
	case "prompts/get":
		return []string{kinds(result, "messages", "role")}
	case "resources/read":
		return []string{kinds(result, "contents", "mimeType")}
	}
	return nil
}

func items(result []byte, list, name string) []string {
	var r map[string]json.RawMessage
	var all []map[string]json.RawMessage
	if json.Unmarshal(result, &r) != nil || json.Unmarshal(r[list], &all) != nil {
		return nil
	}
	var texts []string
	for _, item := range all {
		var text string
		if json.Unmarshal(item[name], &text) != nil || strings.Contains(text, "[redacted:") {
			return nil
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

func named(result []byte, list, name string) string {
	texts := items(result, list, name)
	if len(texts) == 0 {
		return ""
	}
	return fmt.Sprintf(".%s | map(.%s) | %s - . == []", list, name, literal(texts))
}

func kinds(result []byte, list, name string) string {
	texts := items(result, list, name)
	if len(texts) == 0 {
		return ""
	}
	return fmt.Sprintf(".%s | map(.%s) | unique == %s", list, name, literal(texts))
}

// A member that is null may have any type.
func types(structured map[string]json.RawMessage) string {
	all := map[string]string{}
	for name, value := range structured {
		if typ := typeOf(value); typ != "" {
			all[name] = typ
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf(".structuredContent | map_values(type) | contains(%s)", literal(all))
}

// typeOf returns "" for null.
func typeOf(value json.RawMessage) string {
	switch jsontext.Value(value).Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	}
	return ""
}

func literal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "null" // never happens for strings
	}
	return string(text)
}
