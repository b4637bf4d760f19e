package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// Only the members that decide are decoded; the outcome is that of decoding all.
func TestIsToolErrorDecodesTheWholeResult(t *testing.T) {
	long := `"content":[{"type":"text","text":"` + strings.Repeat("isError is not a \\\"isError\\\":true ", 100) + `"}]`
	for _, members := range []string{
		``, `"isError":true`, `"isError":false`, `"iserror":true`, `"isError":1`, `"isError":true,"isError":false`,
		`"taskId":"a","result":{"isError":true}`, `"taskId":"","result":{"isError":true}`, `"result":{"isError":true}`, `"taskId":5,"result":{"isError":true}`,
		`"isError":true,"result":5`, `"isError": true ,"taskId":5`, `"is\u0045rror":true,"x":{"isError":true}`, `"content2":{"isError":true}`,
	} {
		for _, result := range []string{"{" + long + "," + members + "}", "{" + members + "," + long + "}"} {
			result = strings.NewReplacer("{,", "{", ",}", "}").Replace(result)
			var all struct {
				IsError bool   `json:"isError"`
				TaskID  string `json:"taskId"`
				Result  struct {
					IsError bool `json:"isError"`
				} `json:"result"`
			}
			want := (json.Unmarshal([]byte(result), &all) == nil || all.IsError) && (all.IsError || all.TaskID != "" && all.Result.IsError)
			want = want && strings.Contains(result, `"isError"`)
			require.Equal(t, want, session.IsToolError([]byte(result)), "%.200s", members)
		}
	}
}
