package summary_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/summary"
)

func TestTaskGoesOn(t *testing.T) {
	for name, tc := range map[string]struct {
		method, msg string
		want        bool
	}{
		"created":                 {"tools/call", `{"id":1,"result":{"task":{"taskId":"a","status":"working"}}}`, true},
		"created, modern":         {"tools/call", `{"id":1,"result":{"resultType":"task","taskId":"a","status":"working"}}`, true},
		"a text about a taskId":   {"tools/call", `{"id":1,"result":{"content":[{"text":"\"taskId\""}]}}`, false},
		"taskId of a tool":        {"tools/call", `{"id":1,"result":{"structuredContent":{"taskId":"a"},"taskId":"a"}}`, false},
		"of another method":       {"prompts/get", `{"id":1,"result":{"task":{"taskId":"a"}}}`, false},
		"working":                 {"tasks/get", `{"id":1,"result":{"taskId":"a","status":"working"}}`, true},
		"completed":               {"tasks/get", `{"id":1,"result":{"taskId":"a","status":"completed"}}`, true}, // tasks/result follows
		"completed, modern":       {"tasks/get", `{"id":1,"result":{"resultType":"complete","status":"completed","result":{}}}`, false},
		"failed, modern":          {"tasks/get", `{"id":1,"result":{"status":"failed","error":{"code":1}}}`, false},
		"completed, result cut":   {"tasks/get", `{"id":1,"result":{"resultType":"complete","status":"completed","x":"` + strings.Repeat("x", summary.Limit) + `"}}`, false},
		"input required":          {"tasks/get", `{"id":1,"result":{"resultType":"complete","status":"input_required","inputRequests":{}}}`, true},
		"cancelled":               {"tasks/get", `{"id":1,"result":{"taskId":"a","status":"cancelled"}}`, false},
		"cancelled at once":       {"tasks/cancel", `{"id":1,"result":{"taskId":"a","status":"cancelled"}}`, false},
		"cancelled, acknowledged": {"tasks/cancel", `{"id":1,"result":{"resultType":"complete"}}`, true},
		"updated":                 {"tasks/update", `{"id":1,"result":{"resultType":"complete"}}`, true},
		"the result":              {"tasks/result", `{"id":1,"result":{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a"}}}}`, false},
		"an error":                {"tasks/get", `{"id":1,"error":{"code":-32602,"message":"expired"}}`, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, summary.GoesOn(tc.method, []byte(tc.msg))) })
	}
}

func TestTaskIDs(t *testing.T) {
	require.Equal(t, `"a\/b"`, string(summary.TaskOf([]byte(`{"result":{"task":{"taskId":"a\/b"}}}`))))
	require.Equal(t, `"a"`, string(summary.TaskID([]byte(`{"method":"tasks/get","params":{"taskId":"a"}}`))))
	require.Nil(t, summary.TaskID([]byte(`{"method":"tasks/get","params":{"x":{"taskId":"a"}}}`)))
	require.Equal(t, `"a"`, string(summary.RelatedTask([]byte(`{"params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a"}}}}`))))
	require.Equal(t, "working", summary.TaskStatus([]byte(`{"result":{"task":{"status":"working"}}}`)))
	require.Equal(t, "failed", summary.TaskStatus([]byte(`{"result":{"status":"failed"}}`)))
	require.Empty(t, summary.TaskStatus([]byte(`{"result":{"status":7}}`)))
}
